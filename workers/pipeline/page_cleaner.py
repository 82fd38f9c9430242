"""Cleaning pages with what is known about their sites."""

import logging
from collections.abc import Generator, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import msgspec

from schemas.cleaned import DeletedRecord
from schemas.dead_letter import DeadLetter
from schemas.document import DocumentRecord
from schemas.site_model import SiteModelRecord
from workers.log_lines import lines_about, record_fields
from workers.lru_cache import LruCache
from workers.page import Page
from workers.pipeline.actions import Dead, Deleted, Outcome
from workers.processes.messages import (
    Cleaned,
    CleanResult,
    CleanTask,
    Failure,
    PageTask,
    TaskRunner,
    log_fault,
)
from workers.processes.options import options_of
from workers.settings import Settings
from workers.site_settings import SettingsOfSites

if TYPE_CHECKING:
    from workers.state.model_store import ModelStore

log = logging.getLogger("templ")

_MODELS_REPORTED = 1024
"""Site models that cannot be used and were reported in the log, one line each."""
_Tasks: TypeAlias = dict[int, PageTask]
"""Pages that are cleaned together, by their numbers."""


class PageCleaner:
    """Cleans pages, those of a site on its lane, one call after the other."""

    def __init__(
        self,
        runner: TaskRunner,
        settings: Settings,
        *,
        models: "ModelStore | None" = None,
        site_settings: SettingsOfSites | None = None,
        fits_messages: bool = False,
        learns: bool = True,
        learns_here: bool = False,
    ) -> None:
        """Set what all sites have in common.

        Args:
            runner: Where pages are cleaned.
            settings: Deadlines, limits and bounds.
            models: What is known about sites; None = nothing.
            site_settings: What operators have decided about sites; None = nothing.
            fits_messages: Whether what is published is made to fit a message.
            learns: Whether cleaned pages carry what sites learn from.
            learns_here: Whether the runner also fits the models of these sites.
        """
        self._runner = runner
        self._settings = settings
        self._models = models
        self._site_settings = site_settings or SettingsOfSites()
        self._learns = learns
        self._options = options_of(settings, fits_messages=fits_messages, learns_here=learns_here)
        self._reported: LruCache[tuple[str, str], bool] = LruCache(_MODELS_REPORTED)

    def clean(self, page: Page) -> Outcome:
        """Clean a page, see `clean_pages`."""
        return self.clean_pages([page])[0]

    def clean_pages(self, pages: Sequence[Page]) -> list[Outcome]:
        """Clean pages of sites that have one lane, each as if it came alone. No content of a page raises an error."""
        outcomes = dict(self.each_cleaned(pages))
        return [outcomes[number] for number in range(len(pages))]

    def each_cleaned(
        self, pages: Sequence[Page], at_once: int | None = None
    ) -> Iterator[tuple[int, Outcome]]:
        """Yield the number and the outcome of each page, see `clean_pages`; a task has `at_once` pages, or all.

        If a child dies, is late or lacks memory, the pages of its task are cleaned one by one after all others, which
        shows the page that harms or holds up the others. The second attempt at that page is the last of all.
        """
        has_others, group_pages = len(pages) > 1, at_once or len(pages)
        failed: list[_Tasks] = []
        for first in range(0, len(pages), group_pages):
            tasks: _Tasks = {}
            for number, page in enumerate(pages[first : first + group_pages], first):
                result = self._outcome_or_task(page)
                if isinstance(result, PageTask):
                    tasks[number] = result
                else:
                    yield number, result
            if tasks:
                failed += yield from self._cleaned([tasks], is_last=not has_others)
        single = [tasks for tasks in failed if len(tasks) == 1]
        others = [
            {number: task} for tasks in failed if len(tasks) > 1 for number, task in tasks.items()
        ]
        single += yield from self._cleaned(others)
        yield from self._cleaned(single, attempts_before=1, is_last=True)

    def _cleaned(
        self, groups: Iterable[_Tasks], attempts_before: int = 0, *, is_last: bool = False
    ) -> Generator[tuple[int, Outcome], None, list[_Tasks]]:
        """Yield the outcomes of pages that are cleaned group by group; returns the groups to try again, none of the last."""
        failed = []
        for tasks in groups:
            pages = list(tasks.values())
            deadline_s = self._settings.deadline_s(
                sum(len(task.page.body or b"") for task in pages)
            )
            clean = CleanTask(pages, is_tried_later=not is_last or attempts_before > 0)
            result, attempts = self._runner.run(pages[0].page.site, clean, deadline_s)
            attempts += attempts_before
            if isinstance(result, CleanResult):
                for (number, task), page_result in zip(tasks.items(), result.pages, strict=True):
                    yield number, self._outcome(task, page_result, attempts)
            elif not isinstance(result, Failure):
                raise TypeError(f"a child answered pages with {type(result).__name__}")
            elif is_last:
                for number, task in tasks.items():
                    yield number, self._outcome(task, result, attempts)
            else:
                failed.append(tasks)
                if len(pages) > 1:
                    log.warning(
                        "%s pages could not be cleaned together (%s: %s); each is cleaned by itself",
                        *(len(pages), result.exception, result.message),
                    )
        return failed

    def _outcome_or_task(self, page: Page) -> Outcome | PageTask:
        """Return what is to be done with a page, or its outcome where that is known."""
        known = self._site_settings.of(page.site)
        is_forgotten = known is not None and known.record.forgotten
        if is_forgotten or page.is_deletion:
            return _deleted(page, is_learned=not is_forgotten)
        model = self._models.get(page.site) if self._models else None
        return PageTask(
            page=page,
            options=self._options,
            model=known.model(model) if known else model,
            with_document=self._learns
            and 200 <= page.status < 300
            and (known is None or known.is_learned_from),
            settings=known.settings if known else None,
        )

    def _outcome(self, task: PageTask, result: Cleaned | Failure, attempts: int) -> Outcome:
        """Return the outcome of a page."""
        page = task.page
        if isinstance(result, Cleaned) and result.model_problem is None:
            return result
        with lines_about(partial(record_fields, page.source, page.headers, page.site)):
            if isinstance(result, Cleaned):
                self._report(cast("SiteModelRecord", task.model), result.model_problem or "")
                return msgspec.structs.replace(result, model_problem=None)
            log_fault(f"cleaning page {page.source}", result)
        letter = DeadLetter(
            exception=result.exception,
            message=result.message,
            stage="decode" if result.failure == "refused" else "clean",
            attempts=attempts,
        )
        return Dead(page=page, letter=letter)

    def _report(self, model: SiteModelRecord, problem: str) -> None:
        """Log once that a site model cannot be used."""
        key = model.site, model.version
        if self._reported.get(key):
            return
        self._reported.put(key, value=True)
        log.warning(
            "site-models: the model %r of %r (%s) cannot be used: %s; "
            "pages of the site are cleaned as those of a new site",
            model.version,
            model.site,
            (self._models and self._models.origin(model.site)) or "of this machine",
            problem,
            extra={"site": model.site},
        )


def _deleted(page: Page, *, is_learned: bool) -> Deleted:
    names: dict[str, Any] = {name: getattr(page, name) for name in ("url", "site", "id", "source")}
    learned = None
    if is_learned:
        learned = DocumentRecord(
            kind="deletion", **names, event_time_ms=page.event_time_ms, headers=list(page.headers)
        )
    return Deleted(record=DeletedRecord(**names, fetched_at=page.fetched_at), document=learned)
