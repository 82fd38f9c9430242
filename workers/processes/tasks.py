"""The tasks of a child process, their results, and how each task is performed."""

import traceback
from collections import deque
from collections.abc import Callable, Sequence
from typing import cast

import msgspec

from templ_core.clean_document import clean, clean_page, examine, with_records
from templ_core.dom.codec import decode_document
from templ_core.dom.document import read_document
from templ_core.errors import CodecError, CoreError
from templ_core.page_details import decode_details
from templ_core.page_kind import page_kind
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.window.revisions import changed_ratio
from workers.processes.learning import Models, learn_document, refit_site
from workers.processes.messages import (
    Cleaned,
    CleanResult,
    CleanTask,
    Failure,
    LearnTask,
    PageTask,
    RefitTask,
    Result,
    ReviseTask,
    Task,
    TemplateResult,
    TemplateTask,
    Unchanged,
)
from workers.processes.records import RecordMaker, published_text

TEMPLATE_CHARS_MAX = 32_768
"""Most characters of a template that a record of `site-models` carries to every cleaner."""
_AT_ONCE_CHARS = 1 << 20
"""Characters of HTML after which the pages that were read are finished before the next one, to save memory."""


def run_task(task: Task, models: Models) -> Result:
    """Perform a task with the models of earlier tasks; every failure becomes a result."""
    try:
        match task:
            case CleanTask():
                return _clean(task, models)
            case LearnTask():
                return learn_document(task, models.page)
            case RefitTask():
                return refit_site(task, models)
            case ReviseTask():
                return _revise(task, models)
            case TemplateTask():
                return _find_template(task, models)
    except Exception as error:  # noqa: BLE001 - the parent logs it, and the page becomes a dead letter
        models.clear()
        return _failure(error)


def _failure(error: Exception) -> Failure:
    name = type(error).__name__
    if isinstance(error, CoreError):
        return Failure(name, str(error), "refused")
    if isinstance(error, MemoryError):
        return Failure("OutOfMemory", "the page needs more memory than a child may use", "memory")
    return Failure(name, str(error), "bug", "".join(traceback.format_exception(error)))


class _PageWork:
    """A page on its way through the steps of cleaning, which are its methods in order."""

    def __init__(self, task: PageTask, models: Models) -> None:
        """Begin; the site model is decoded at once, so that pages behind it have it if this one fails later."""
        self.task = task
        self.models = models
        self.problem: str | None = None
        known = models.site_model(task.model)
        if isinstance(known, CodecError):
            self.problem, known = str(known), None
            self.task = msgspec.structs.replace(task, model=None)
        self.site_model: SiteModel | None = known
        self.with_places = known is not None or task.with_document
        self.result: Cleaned | Failure | None = None

    def read(self) -> None:
        """Parse the page."""
        page, options = self.task.page, self.task.options
        self.document = read_document(
            page.body or b"",
            page.url,
            content_type=page.content_type,
            charset=page.charset,
            content_encoding=page.content_encoding,
            limit_bytes=options.page_limit_bytes,
            with_marks=options.forms.needs_marks or options.config.records,
        )

    def examine(self) -> None:
        """Read what the page says about itself."""
        self.examined = examine(self.document, self.models.page, with_places=self.with_places)

    def clean(self) -> None:
        """Decide what the text is."""
        options = self.task.options
        self.cleaned = clean_page(
            self.examined,
            self.task.page.url,
            self.site_model,
            options.config,
            self.models.page,
            self.task.settings,
            with_metadata=options.forms.metadata,
            fetched_at=self.task.page.fetched_at,
        )

    def make_records(self) -> None:
        """Make the records of the page: its text, and what its site learns from."""
        task, read, cleaned, options = self.task, self.examined, self.cleaned, self.task.options
        page = task.page
        maker = RecordMaker(
            task=task,
            page=page,
            document=read.document,
            cleaned=cleaned,
            page_model_version=self.models.page.version,
        )
        learned, warnings = None, list(page.warnings)
        if page.status >= 400:
            warnings.append("error-page")
        # The summary must not depend on the optional fields: texts would depend on them, too.
        summary = read.summary(cleaned.warnings) if task.with_document else None
        if summary is not None:
            learned = maker.learned(page, summary)
            if learned is None:
                warnings.append("not-learned")
            elif options.learns_here:
                self.models.cleaned.put(learned.content_digest, summary)
        record = maker.record(warnings, is_learned=summary is not None)
        self.result = Cleaned(record=record, document=learned, model_problem=self.problem)

    def attempt(self, step: Callable[["_PageWork"], None]) -> None:
        """Take a step, unless the page has failed before.

        Raises:
            MemoryError: The page needs too much memory.
        """
        if self.result is None:
            try:
                step(self)
            except MemoryError:
                raise
            except Exception as error:  # noqa: BLE001 - it is the result of the page
                self.result = _failure(error)


def _finish(pages: Sequence[_PageWork]) -> list[Cleaned | Failure]:
    """Take the other steps with pages that were read, and return their results.

    All pages take a step before the next one: its code and tables stay in the processor's caches from page to page,
    which saves a seventh of the time.
    """
    for step in (_PageWork.examine, _PageWork.clean, _PageWork.make_records):
        for page in pages:
            page.attempt(step)
    return [cast("Cleaned | Failure", page.result) for page in pages]


def _clean(task: CleanTask, models: Models) -> CleanResult:
    results: list[Cleaned | Failure] = []
    read: list[_PageWork] = []
    html_chars = 0
    waiting = deque([_PageWork(page, models) for page in task.pages])
    while waiting:
        page = waiting.popleft()
        page.attempt(_PageWork.read)
        read.append(page)
        html_chars += 0 if page.result else page.document.html_chars
        if html_chars > _AT_ONCE_CHARS:
            results += _finish(read)
            read, html_chars = [], 0
    result = CleanResult(results + _finish(read))
    if result.has_failed:
        models.clear()
    return result


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
    page_type = page_kind(document, before.url, cleaned.decision, kind)
    cleaned = msgspec.structs.replace(cleaned, metadata=metadata, kind=kind, page_type=page_type)
    if options.config.records:
        cleaned = with_records(cleaned, document, before.url)
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


def _find_template(task: TemplateTask, models: Models) -> TemplateResult:
    # Only workers that publish templates load this.
    from templ_core.explain.page_kinds import KeptPage  # noqa: PLC0415
    from templ_core.explain.site_template import site_template  # noqa: PLC0415

    model = models.site_model(task.model)
    if isinstance(model, CodecError):
        raise model
    pages = []
    for stored in task.documents:
        document = decode_document(stored.body)
        config = task.options.config
        cleaned = clean(document, model, config, models.page, settings=task.settings)
        pages.append(KeptPage(stored.url, document, cleaned.decision.kept))
    return TemplateResult(site_template(task.site, pages, TEMPLATE_CHARS_MAX))
