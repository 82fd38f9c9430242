"""The attempts at pages that are cleaned at once: one that harms the others is found, and tried again behind them."""

import logging
from collections.abc import Iterator, Mapping
from typing import TypeAlias

import msgspec

from workers.processes.messages import (
    Cleaned,
    CleanResult,
    CleanTask,
    Failure,
    PageTask,
    TaskRunner,
)
from workers.settings import Settings

_Tasks: TypeAlias = Mapping[int, PageTask]
PageResult: TypeAlias = tuple[int, PageTask, Cleaned | Failure, int]
"""The number of a page, its task, its result and the number of attempts."""
log = logging.getLogger("templ")


class PageAttempts:
    """Has pages cleaned, some at once.

    The pages of a child that dies, is late or lacks memory are cleaned one by one behind all others, so that the
    page is found that harms or holds up the others. The second attempt at that page is the last of all.
    """

    def __init__(self, runner: TaskRunner, settings: Settings, *, has_others: bool) -> None:
        """Begin; a page without others is tried twice at once."""
        self._runner = runner
        self._settings = settings
        self._has_others = has_others
        self._alone: dict[int, PageTask] = {}
        self._again: dict[int, PageTask] = {}

    def take(self, tasks: _Tasks) -> Iterator[PageResult]:
        """Clean pages at once, and yield their results as far as there are any yet."""
        if not tasks:
            return
        results, attempts = self._run(list(tasks.values()))
        if not isinstance(results, Failure):
            for (number, task), result in zip(tasks.items(), results, strict=True):
                yield number, task, result, attempts
        elif not self._has_others:
            yield from ((number, task, results, attempts) for number, task in tasks.items())
        elif len(tasks) == 1:
            self._again.update(tasks)
        else:
            self._alone.update(tasks)
            log.warning(
                "%s pages could not be cleaned at once (%s: %s); each is cleaned by itself",
                *(len(tasks), results.exception, results.message),
            )

    def rest(self) -> Iterator[PageResult]:
        """Yield the results of the other pages."""
        for number, task in self._alone.items():
            yield from self.take({number: task})
        for number, task in self._again.items():
            results, attempts = self._run([task])
            result = results if isinstance(results, Failure) else results[0]
            if isinstance(results, Failure) and results.exception == "ProcessDied":
                result = msgspec.structs.replace(results, message="its process died 2 times")
            yield number, task, result, attempts + 1

    def _run(self, tasks: list[PageTask]) -> tuple[list[Cleaned | Failure] | Failure, int]:
        """Return the results of pages, or why there are none, and the number of attempts."""
        deadline_s = self._settings.deadline_s(sum(len(one.page.body or b"") for one in tasks))
        task = CleanTask(tasks, is_tried_later=self._has_others)
        result, attempts = self._runner.run(tasks[0].page.site, task, deadline_s)
        if isinstance(result, CleanResult):
            return result.pages, attempts
        if not isinstance(result, Failure):
            raise TypeError(f"a child answered pages with {type(result).__name__}")
        return result, attempts
