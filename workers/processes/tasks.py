"""What runs in a child process: pages to clean and to revise, and the work on windows."""

from typing import Literal, Protocol

import msgspec
import numpy as np

from schemas.cleaned import TextSegment
from templ_core.array_types import Bools
from templ_core.clean import Cleaned, clean
from templ_core.config import CoreConfig
from templ_core.dom.codec import (
    compress_columns,
    content_digest,
    decode_document,
    document_columns,
)
from templ_core.dom.document import Document, read_document
from templ_core.dom.text import render_text
from templ_core.errors import CodecError, CoreError
from templ_core.fingerprint import simhash
from templ_core.page_level.model.page_model import PageModel
from templ_core.page_level.smoothing.sections import section_numbers
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.site_model_file import decode_site_model
from templ_core.site_level.window.revisions import changed_ratio
from workers.lru_cache import LruCache
from workers.processes.learning import (
    CONFIG,
    Learners,
    LearnResult,
    LearnTask,
    RefitResult,
    RefitTask,
    Stale,
    TemplatesResult,
    TemplatesTask,
    Unknown,
    fit_site_templates,
    learn_document,
    refit_site,
)


def config_with(comments: Literal["auto", "keep", "drop"]) -> CoreConfig:
    """The core's thresholds with what a deployment says about comments."""
    return msgspec.structs.replace(CONFIG, comments=comments)


class CleanTask(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """Clean one page."""

    body: bytes
    url: str
    content_type: str | None
    charset: str | None
    content_encoding: str | None
    limit_bytes: int
    model_key: tuple[str, str] | None
    """Site and version of the site model to use; None = none."""
    model_body: bytes | None
    """None where the child has that model already."""
    with_segments: bool
    comments: Literal["auto", "keep", "drop"]


class ReviseTask(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """Clean a document again with a newer site model."""

    body: bytes
    """The compact document."""
    kept: bytes
    """Which segments the text has that was published last, a bit each."""
    model_key: tuple[str, str]
    model_body: bytes | None
    comments: Literal["auto", "keep", "drop"]


Task = CleanTask | LearnTask | RefitTask | TemplatesTask | ReviseTask


class CleanResult(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """A cleaned page and its compact document."""

    title: str
    text: str
    used_site: bool
    confidence: float
    """Word F1 to expect of the text, 0 to 1."""
    page_model_version: str
    warnings: list[str]
    chars_in: int
    blocks_kept: int
    blocks_removed: int
    simhash: int | None
    teaches: bool
    """Whether the page may be learned from, as far as its content tells."""
    content_digest: bytes
    document_body: bytes
    kept: bytes
    """Which segments stay, a bit each."""
    segments: list[TextSegment] | None


class ReviseResult(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """What a document's text is now."""

    changed_ratio: float
    """Share of the words of both texts that only one of them has; 0 where they are equal."""
    cleaned: CleanResult


class Failure(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """Why a task has no result."""

    exception: str
    message: str
    failure: Literal["refused", "bug", "memory"]
    """The page cannot be cleaned; our own mistake; over the memory limit."""


Result = (
    CleanResult
    | LearnResult
    | RefitResult
    | TemplatesResult
    | Unknown
    | Stale
    | ReviseResult
    | Failure
)


MODELS_IN_MEMORY = 256
"""Decoded site models that a child keeps, and its parent knows it to have."""


class Models:
    """The models that a child has at hand."""

    def __init__(self, page: PageModel) -> None:
        self.page = page
        self.sites: LruCache[tuple[str, str], SiteModel | None] = LruCache(MODELS_IN_MEMORY)
        """Decoded site models by (site, version), kept from task to task; cleared on failure."""
        self.learners = Learners(page.version)


class TaskRunner(Protocol):
    """Where tasks run."""

    def run(self, site: str, task: Task, deadline_s: float) -> tuple[Result, int]:
        """The result of a task and the number of attempts.

        Args:
            site: Site key; tasks of one site run in order.
            task: What to do.
            deadline_s: Longest time it may take.
        """


class InProcess:
    """Tasks run at once in this process: without deadlines, limits or protection from crashes."""

    def __init__(self, page_model: PageModel) -> None:
        self._models = Models(page_model)

    def run(self, site: str, task: Task, deadline_s: float) -> tuple[Result, int]:  # noqa: ARG002
        """The result of a task, at the first attempt."""
        return run_task(task, self._models), 1


def run_task(task: Task, models: Models) -> Result:
    """The result of a task; every failure is a value.

    Args:
        task: What to do.
        models: The page model, and the site models of earlier tasks.
    """
    result = _attempt(task, models)
    if isinstance(result, Failure):
        models.sites.clear()
        models.learners.clear()
    return result


def _attempt(task: Task, models: Models) -> Result:
    try:
        return _perform(task, models)
    except CoreError as error:
        return Failure(type(error).__name__, str(error), "refused")
    except MemoryError:
        return Failure("OutOfMemory", "the page needs more memory than a child may use", "memory")
    except Exception as error:  # noqa: BLE001 - reported with the page, which goes to the dead letters
        return Failure(type(error).__name__, str(error), "bug")


def _perform(task: Task, models: Models) -> Result:
    match task:
        case CleanTask():
            return _clean(task, models)
        case LearnTask():
            return learn_document(task, models.page)
        case RefitTask():
            return refit_site(task, models.page, models.learners)
        case TemplatesTask():
            return fit_site_templates(task, models.page)
        case ReviseTask():
            return _revise(task, models)


def _clean(task: CleanTask, models: Models) -> CleanResult:
    document = read_document(
        task.body,
        task.url,
        content_type=task.content_type,
        charset=task.charset,
        content_encoding=task.content_encoding,
        limit_bytes=task.limit_bytes,
    )
    return _clean_result(
        document,
        _model(task, models),
        models,
        config_with(task.comments),
        with_segments=task.with_segments,
    )


def _clean_result(
    document: Document,
    site_model: SiteModel | None,
    models: Models,
    config: CoreConfig,
    *,
    with_segments: bool,
) -> CleanResult:
    cleaned = clean(document, site_model, config, models.page)
    columns = document_columns(document)
    kept = int(cleaned.decision.kept.sum())
    return CleanResult(
        title=document.title,
        text=cleaned.text,
        used_site=cleaned.decision.used_site,
        confidence=cleaned.confidence,
        page_model_version=models.page.version,
        warnings=cleaned.warnings,
        chars_in=cleaned.chars_in,
        blocks_kept=kept,
        blocks_removed=len(document.segments.texts) - kept,
        simhash=simhash(cleaned.text),
        teaches=_teaches(document, cleaned),
        content_digest=content_digest(columns),
        document_body=compress_columns(columns),
        kept=np.packbits(cleaned.decision.kept).tobytes(),
        segments=_segments(document, cleaned) if with_segments else None,
    )


def _model(task: CleanTask | ReviseTask, models: Models) -> SiteModel | None:
    """The site model to use; one that cannot be read counts as none."""
    if task.model_key is None:
        return None
    if task.model_body is not None:
        try:
            models.sites.put(task.model_key, decode_site_model(task.model_body))
        except CodecError:
            models.sites.put(task.model_key, None)
    return models.sites.get(task.model_key)


_UNFIT = {"error-page", "gate"}


def _teaches(document: Document, cleaned: Cleaned) -> bool:
    return bool(document.segments.texts) and not _UNFIT.intersection(cleaned.warnings)


def _segments(document: Document, cleaned: Cleaned) -> list[TextSegment]:
    decision = cleaned.decision
    sections = section_numbers(
        document, decision.templateness, decision.words, CONFIG.section_penalty
    )
    return [
        TextSegment(
            text=text,
            kept=bool(kept),
            templateness=round(float(templateness), 4),
            reason=reason,
            section=int(section),
        )
        for text, kept, templateness, reason, section in zip(
            document.segments.texts,
            decision.kept,
            decision.templateness,
            decision.reasons,
            sections,
            strict=True,
        )
    ]


def _revise(task: ReviseTask, models: Models) -> ReviseResult:
    document = decode_document(task.body)
    before = _kept(task.kept, document)
    result = _clean_result(
        document, _model(task, models), models, config_with(task.comments), with_segments=False
    )
    if result.text == render_text(document, before):
        return ReviseResult(0.0, result)
    after = _kept(result.kept, document)
    return ReviseResult(changed_ratio(document.segments.texts, before, after), result)


def _kept(bits: bytes, document: Document) -> Bools:
    """Which segments stay, from a bit each."""
    columns = np.unpackbits(np.frombuffer(bits, np.uint8), count=len(document.segments.texts))
    return columns.astype(np.bool_)
