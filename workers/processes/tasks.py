"""The tasks of a child process, their results, and how each task is performed."""

import time
import traceback

import msgspec

from schemas.site_model import SiteModelRecord
from templ_core.clean_document import ExaminedPage, clean, clean_page, examine
from templ_core.dom.codec import decode_document
from templ_core.dom.document import Document, read_document
from templ_core.errors import CodecError, CoreError
from templ_core.page_details import decode_details
from templ_core.page_level.model.page_model import PageModel
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.site_model_file import encode_site_model
from templ_core.site_level.window.revisions import changed_ratio
from workers.processes.learning import (
    Models,
    fit_provisional_model,
    learn_document,
    refit_site,
    window_fetch,
)
from workers.processes.messages import (
    BurstResult,
    BurstTask,
    Cleaned,
    CleanTask,
    Failure,
    LearnTask,
    RefitTask,
    Result,
    ReviseTask,
    StageTimes,
    Task,
    Unchanged,
)
from workers.processes.options import CONFIG
from workers.processes.records import RecordMaker, published_text

_JUDGING_DOCUMENTS = 8
"""Documents from which on a site model may say that a page teaches nothing, so that no site stays unknown."""


def run_task(task: Task, models: Models) -> Result:
    """Perform a task with the models of earlier tasks; every failure becomes a result."""
    try:
        match task:
            case CleanTask():
                return _clean(task, models)
            case BurstTask():
                return _clean_burst(task, models)
            case LearnTask():
                return learn_document(task, models.page)
            case RefitTask():
                return refit_site(task, models)
            case ReviseTask():
                return _revise(task, models)
    except CoreError as error:
        failure = Failure(type(error).__name__, str(error), "refused")
    except MemoryError:
        failure = Failure(
            "OutOfMemory", "the page needs more memory than a child may use", "memory"
        )
    except Exception as error:  # noqa: BLE001 - the parent logs it, and the page becomes a dead letter
        failure = Failure(type(error).__name__, str(error), "bug", traceback.format_exc())
    models.clear()
    return failure


def _read(task: CleanTask) -> Document:
    page = task.page
    return read_document(
        page.body or b"",
        page.url,
        content_type=page.content_type,
        charset=page.charset,
        content_encoding=page.content_encoding,
        limit_bytes=task.options.page_limit_bytes,
        with_marks=task.options.forms.needs_marks,
    )


def _clean(task: CleanTask, models: Models) -> Cleaned:
    began_ns = time.time_ns()
    document = _read(task)
    decoded_ns = time.time_ns()
    known = models.site_model(task.model)
    problem = None
    if isinstance(known, CodecError):
        problem, known, task = str(known), None, msgspec.structs.replace(task, model=None)
    with_places = known is not None or task.with_document
    read = examine(document, models.page, with_places=with_places)
    result = _cleaned(read, known, task, models)
    if problem:
        result = msgspec.structs.replace(result, model_problem=problem)
    if task.is_timed:
        times = StageTimes(began_ns, decoded_ns, time.time_ns())
        result = msgspec.structs.replace(result, times=times)
    return result


def _cleaned(
    read: ExaminedPage, site_model: SiteModel | None, task: CleanTask, models: Models
) -> Cleaned:
    """Return the records of a page that was read: its text, and what its site learns from."""
    page, options = task.page, task.options
    cleaned = clean_page(
        read,
        page.url,
        site_model,
        options.config,
        models.page,
        task.settings,
        with_metadata=options.forms.metadata,
    )
    maker = RecordMaker(
        task=task,
        page=page,
        document=read.document,
        cleaned=cleaned,
        page_model_version=models.page.version,
    )
    learned, warnings = None, list(page.warnings)
    if page.status >= 400:
        warnings.append("error-page")
    knows_site = task.model is not None and task.model.documents >= _JUDGING_DOCUMENTS
    is_judged = (
        knows_site and not options.watches
    )  # Events are told from the pages that are learned.
    quality = maker.quality if is_judged else None
    is_learned = task.with_document and (quality is None or quality.has_content)
    summary = read.summary(cleaned.warnings) if is_learned else None
    if summary is not None:
        learned = maker.learned(page, summary)
        if learned is None:
            warnings.append("not-learned")
        elif options.learns_here:
            models.cleaned.put(learned.content_digest, summary)
    record = maker.record(warnings, is_compared=summary is not None)
    return Cleaned(record=record, document=learned)


def _clean_burst(task: BurstTask, models: Models) -> BurstResult:
    read: dict[int, ExaminedPage] = {}
    learned = []
    room_chars = task.chars_max
    for index, one in enumerate(task.pages):
        if room_chars <= 0:
            break
        found = _read_burst_page(one, models.page)
        if found is None:
            continue
        read[index] = found
        room_chars -= found.document.html_chars
        summary = found.summary() if one.with_document else None
        if summary is not None:
            fetch = window_fetch(one.page.url, one.page.event_time_ms, found.document)
            learned.append((fetch, summary))
    fitted = fit_provisional_model(learned, models.page.version, CONFIG)
    if fitted is None or fitted.documents < task.documents_min:
        return BurstResult(pages=[], model=None)
    times_ms = [one.page.event_time_ms for one in task.pages]
    model = SiteModelRecord(
        site=task.pages[0].page.site,
        version=fitted.version,
        documents=fitted.documents,
        first_event_time_ms=min(times_ms),
        last_event_time_ms=max(times_ms),
        body=encode_site_model(fitted, CONFIG.site_model_bytes),
    )
    results: list[Cleaned | None] = [None] * len(task.pages)
    for index, page in read.items():
        work = msgspec.structs.replace(task.pages[index], model=model)
        results[index] = _cleaned(page, fitted, work, models)
    return BurstResult(pages=results, model=model)


def _read_burst_page(task: CleanTask, page_model: PageModel) -> ExaminedPage | None:
    """Return a page with text, or None where it must be cleaned by itself."""
    try:
        document = _read(task)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - the page is cleaned by itself, which says what is wrong with it
        return None
    return examine(document, page_model) if document.segments.texts else None


def _revise(task: ReviseTask, models: Models) -> Cleaned | Unchanged:
    before, options = task.document, task.options
    document, metadata, kind = decode_details(before.details, decode_document(before.body))
    site_model = models.site_model(task.model)
    if isinstance(site_model, CodecError):
        raise site_model
    settings = task.settings
    if settings and metadata:
        settings, site_model = settings.of_page(kind, site_model)
    cleaned = clean(document, site_model, options.config, models.page, settings=settings)
    cleaned = msgspec.structs.replace(cleaned, metadata=metadata, kind=kind)
    if changed_ratio(published_text(before, document), cleaned.text) < task.changed_ratio_min:
        return Unchanged()
    maker = RecordMaker(
        task=task,
        page=before,
        document=document,
        cleaned=cleaned,
        page_model_version=models.page.version,
    )
    revised = msgspec.structs.replace(before, **maker.said(), revision=before.revision + 1)
    record = maker.record((), revised.revision, task.reason)
    return Cleaned(record=record, document=revised)
