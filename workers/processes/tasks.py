"""The tasks of a child process, their results, and how each task is performed."""

import logging
import traceback
from typing import Literal, Protocol, cast

import msgspec
import numpy as np

from schemas.cleaned import TextSegment, Warning_
from templ_core.array_types import Bools
from templ_core.clean import CleanedText, clean
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

log = logging.getLogger("templ")

CommentsChoice = Literal["auto", "keep", "drop"]
"""What becomes of readers' comments, see `Settings.comments`."""


def config_with(comments: CommentsChoice) -> CoreConfig:
    """Return the core's configuration with a deployment's choice about comments."""
    return msgspec.structs.replace(CONFIG, comments=comments)


class CleanTask(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """Clean one page."""

    body: bytes
    """The page as fetched."""
    url: str
    content_type: str | None
    charset: str | None
    """Charset declared outside the page."""
    content_encoding: str | None
    limit_bytes: int
    """Largest page after decompression."""
    model_key: tuple[str, str] | None
    """Site and version of the site model to use; None means no site model."""
    model_body: bytes | None
    """The site model in compact form; None where the child has it already."""
    with_segments: bool
    """Whether the result has the page's text segments."""
    comments: CommentsChoice
    source_id: str
    """Source id of the page, for log messages."""


class ReviseTask(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """Clean a document again with a newer site model."""

    body: bytes
    """The document in compact form."""
    kept: bytes
    """One bit for each text segment: whether the text that was published last has it."""
    model_key: tuple[str, str]
    """Site and version of the site model to use."""
    model_body: bytes | None
    """The site model in compact form; None where the child has it already."""
    comments: CommentsChoice
    source_id: str
    """Source id of the page, for log messages."""


Task = CleanTask | LearnTask | RefitTask | TemplatesTask | ReviseTask


class CleanResult(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """A cleaned page and its compact document."""

    title: str
    text: str
    used_site: bool
    """Whether evidence from other pages of the site had weight in the decision."""
    confidence: float
    """Expected word F1 of the text, 0 to 1."""
    page_model_version: str
    warnings: list[Warning_]
    chars_in: int
    """Characters of the page's visible text."""
    blocks_kept: int
    blocks_removed: int
    simhash: int | None
    """Near-duplicate key of the text; None for an empty text."""
    may_be_learned_from: bool
    """Whether the site may learn from the page, judging by its content."""
    content_digest: bytes
    document_body: bytes
    """The document in compact form."""
    kept: bytes
    """One bit for each text segment: whether the text has it."""
    segments: list[TextSegment] | None
    """The text segments with their decisions, where the task asked for them."""


class ReviseResult(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """The text of a document with a newer site model."""

    changed_ratio: float
    """Ratio of words that only one of the old and the new text has; 0 for equal texts."""
    cleaned: CleanResult


class Failure(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """The reason why a task has no result."""

    exception: str
    """Name of the error."""
    message: str
    failure: Literal["refused", "bug", "memory"]
    """`refused`: the page cannot be cleaned; `bug`: a fault of templ itself; `memory`: over the limit."""
    traceback: str = ""
    """The whole traceback of a fault of templ itself."""


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
"""Decoded site models that a child keeps in memory and that its parent need not send again."""


class Models:
    """The page model and the most recently used site models of a child."""

    def __init__(self, page: PageModel) -> None:
        self.page = page
        self.sites: LruCache[tuple[str, str], SiteModel | None] = LruCache(MODELS_IN_MEMORY)
        """Decoded site models by (site, version); they are dropped when a task fails."""
        self.learners = Learners(page.version)


class TaskRunner(Protocol):
    """Something that performs tasks."""

    def run(self, site: str, task: Task, deadline_s: float) -> tuple[Result, int]:
        """Return the result of a task and the number of attempts.

        Args:
            site: Site key; tasks of one site run in order.
            task: What to do.
            deadline_s: Longest time that the task may take.
        """


class InProcess:
    """A runner in this process, without deadlines, limits or protection from crashes."""

    def __init__(self, page_model: PageModel) -> None:
        self._models = Models(page_model)

    def run(self, site: str, task: Task, deadline_s: float) -> tuple[Result, int]:  # noqa: ARG002
        """Return the result of a task, and 1 as the number of attempts."""
        result = run_task(task, self._models)
        log_fault(site, task, result)
        return result, 1


def log_fault(site: str, task: Task, result: Result) -> None:
    """Log the traceback of a task that failed because of a fault of templ itself.

    Nothing is logged for a page that was refused because of what it holds.

    Args:
        site: Site key of the task.
        task: What was to be done.
        result: The result of the task.
    """
    if not isinstance(result, Failure) or result.failure != "bug":
        return
    match task:
        case RefitTask():
            subject = f"fitting the site model of {site}"
        case TemplatesTask():
            subject = f"fitting the templates of {site}"
        case _:
            subject = f"working on page {task.source_id}"
    log.error("a fault of templ itself while %s:\n%s", subject, result.traceback)


def run_task(task: Task, models: Models) -> Result:
    """Perform a task; every failure becomes a result.

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
    except Exception as error:  # noqa: BLE001 - the parent logs it, and the page becomes a dead letter
        return Failure(type(error).__name__, str(error), "bug", traceback.format_exc())


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
        warnings=cast("list[Warning_]", cleaned.warnings),
        chars_in=cleaned.chars_in,
        blocks_kept=kept,
        blocks_removed=len(document.segments.texts) - kept,
        simhash=simhash(cleaned.text),
        may_be_learned_from=_may_be_learned_from(document, cleaned),
        content_digest=content_digest(columns),
        document_body=compress_columns(columns),
        kept=np.packbits(cleaned.decision.kept).tobytes(),
        segments=_segments(document, cleaned) if with_segments else None,
    )


def _model(task: CleanTask | ReviseTask, models: Models) -> SiteModel | None:
    """Return the site model to use; one that cannot be read counts as none."""
    if task.model_key is None:
        return None
    if task.model_body is not None:
        try:
            models.sites.put(task.model_key, decode_site_model(task.model_body))
        except CodecError:
            models.sites.put(task.model_key, None)
    return models.sites.get(task.model_key)


_UNFIT = {"error-page", "gate"}
"""Warnings of pages that a site must not learn from."""


def _may_be_learned_from(document: Document, cleaned: CleanedText) -> bool:
    return bool(document.segments.texts) and not _UNFIT.intersection(cleaned.warnings)


def _segments(document: Document, cleaned: CleanedText) -> list[TextSegment]:
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
    """Return which text segments stay, from one bit for each."""
    columns = np.unpackbits(np.frombuffer(bits, np.uint8), count=len(document.segments.texts))
    return columns.astype(np.bool_)
