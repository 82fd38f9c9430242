"""The tasks of a child process, their results, and how each task is performed."""

import logging
import time
import traceback

import msgspec
import numpy as np

from templ_core.clean_document import clean
from templ_core.dom.codec import decode_document
from templ_core.dom.document import Document, read_document
from templ_core.dom.text import render_text
from templ_core.errors import CodecError, CoreError
from templ_core.metadata.page_metadata import read_metadata
from templ_core.metadata.placed import SitePlaces
from templ_core.page_details import decode_details
from templ_core.page_level.model.page_model import PageModel
from templ_core.page_level.page_evidence import PageEvidence, read_page_evidence
from templ_core.site_level.places.places import document_places
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.site_model_file import encode_site_model
from templ_core.site_level.window.page_summary import may_be_learned_from, summarise_scored_page
from templ_core.site_level.window.revisions import changed_ratio
from workers.processes.burst import BurstDocument, fit_provisional_model
from workers.processes.clean_result import clean_result
from workers.processes.core_config import CONFIG
from workers.processes.learning import learn_document, refit_site
from workers.processes.messages import (
    BurstPage,
    BurstResult,
    BurstTask,
    CleanResult,
    CleanTask,
    Failure,
    LearnTask,
    RefitTask,
    Result,
    ReviseResult,
    ReviseTask,
    StageTimes,
    Task,
    log_fault,
)
from workers.processes.models import Models
from workers.processes.record_fields import page_details

log = logging.getLogger("templ")


class InProcess:
    """A runner in this process, without deadlines, limits or protection from crashes."""

    def __init__(self, page_model: PageModel) -> None:
        self._models = Models(page_model)

    def run(self, site: str, task: Task, deadline_s: float) -> tuple[Result, int]:  # noqa: ARG002
        """Return the result of a task, and 1 as the number of attempts."""
        result = run_task(task, self._models)
        log_fault(site, task, result)
        return result, 1


def run_task(task: Task, models: Models) -> Result:
    """Perform a task; every failure becomes a result.

    Args:
        task: What to do.
        models: The page model, and the site models of earlier tasks.
    """
    result = _attempt(task, models)
    if isinstance(result, Failure):
        models.clear()
    return result


def _attempt(task: Task, models: Models) -> Result:
    try:
        return _perform(task, models)
    except CoreError as error:
        return Failure(type(error).__name__, str(error), "refused")
    except MemoryError:
        return Failure("OutOfMemory", "the page needs more memory than a child may use", "memory")
    except Exception as error:  # noqa: BLE001 - the parent logs it, and the page becomes a dead letter
        return Failure(type(error).__name__, str(error), "bug", traceback.format_exc())


def _perform(task: Task, models: Models) -> Result:
    match task:
        case CleanTask():
            return _clean(task, models)
        case BurstTask():
            return _clean_burst(task, models)
        case LearnTask():
            return learn_document(task, models.page)
        case RefitTask():
            return refit_site(task, models.page, models.learners)
        case ReviseTask():
            return _revise(task, models)


def _read(task: CleanTask) -> Document:
    return read_document(
        task.body,
        task.url,
        content_type=task.content_type,
        charset=task.charset,
        content_encoding=task.content_encoding,
        limit_bytes=task.limit_bytes,
        with_marks=task.forms.needs_marks,
    )


def _clean(task: CleanTask, models: Models) -> CleanResult:
    began_ns = time.time_ns()
    document = _read(task)
    decoded_ns = time.time_ns()
    known = models.site_model(task.model_key, task.model_body)
    problem = str(known) if isinstance(known, CodecError) else None
    site_model = None if isinstance(known, CodecError) else known
    result = _cleaned(document, site_model, task, models.page)
    times = StageTimes(began_ns, decoded_ns, time.time_ns()) if task.is_timed else None
    if problem or times:
        result = msgspec.structs.replace(result, model_problem=problem, times=times)
    return result


def _cleaned(
    document: Document,
    site_model: SiteModel | None,
    task: CleanTask,
    page_model: PageModel,
    evidence: PageEvidence | None = None,
) -> CleanResult:
    """Return the result of a page that was read, with its summary if the task asks for it."""
    if evidence is None and document.segments.texts:
        evidence = read_page_evidence(document, page_model)
    of_use = evidence is not None and (site_model is not None or task.with_document)
    places = document_places(document, evidence.features) if evidence and of_use else None
    settings = task.settings
    if settings and settings.listings != "auto":
        kind = read_metadata(document, task.url).kind
        settings, site_model = settings.of_page(kind, site_model)
    cleaned = clean(document, site_model, task.config, page_model, evidence, places, settings)
    words, summary = int(cleaned.decision.words.sum()), None
    if evidence and task.with_document and may_be_learned_from(document, words):
        summary = summarise_scored_page(document, evidence.features, evidence.log_odds, places)
    known = SitePlaces(places.segments, site_model.places) if places and site_model else None
    details = page_details(document, task.url, cleaned.text, task.forms, known)
    version, url = page_model.version, task.url
    result = clean_result(document, cleaned, version, details, summary, url=url, forms=task.forms)
    return result.decided_with(task.settings)


def _clean_burst(task: BurstTask, models: Models) -> BurstResult:
    read: dict[int, BurstDocument] = {}
    learned = []
    room_chars = task.chars_max
    for index, page in enumerate(task.pages):
        if room_chars <= 0:
            break
        one = _read_burst_page(page, models.page)
        if one is None:
            continue
        read[index] = one
        room_chars -= one.document.html_chars
        words = int(one.evidence.words.sum())
        if page.may_be_learned_from and may_be_learned_from(one.document, words):
            learned.append(one)
    model = fit_provisional_model(learned, models.page.version, CONFIG)
    if model is None or model.documents < task.documents_min:
        return BurstResult(pages=[], version="", documents=0, body=b"")
    results: list[CleanResult | None] = [None] * len(task.pages)
    for index, one in read.items():
        work = task.pages[index].task
        results[index] = _cleaned(one.document, model, work, models.page, one.evidence)
    return BurstResult(
        pages=results,
        version=model.version,
        documents=model.documents,
        body=encode_site_model(model, CONFIG.site_model_bytes),
    )


def _read_burst_page(page: BurstPage, page_model: PageModel) -> BurstDocument | None:
    """Return a page with text, or None where it must be cleaned by itself."""
    try:
        document = _read(page.task)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - the page is cleaned by itself, which says what is wrong with it
        return None
    if not document.segments.texts:
        return None
    return BurstDocument(
        page_id=page.page_id,
        url=page.task.url,
        event_time_ms=page.event_time_ms,
        document=document,
        evidence=read_page_evidence(document, page_model),
    )


def _revise(task: ReviseTask, models: Models) -> ReviseResult:
    document = decode_document(task.body)
    site_model = models.site_model(task.model_key, task.model_body)
    if isinstance(site_model, CodecError):
        raise site_model
    settings, details = task.settings, decode_details(task.details, document)
    if settings and details.metadata:
        settings, site_model = settings.of_page(details.metadata.kind, site_model)
    cleaned = clean(document, site_model, task.config, models.page, settings=settings)
    version = models.page.version
    result = clean_result(document, cleaned, version, details, url=task.url, forms=task.forms)
    kept = np.unpackbits(np.frombuffer(task.kept, np.uint8), count=len(document.segments.texts))
    before = render_text(document, kept.astype(np.bool_))
    return ReviseResult(changed_ratio(before, result.text), result.decided_with(task.settings))
