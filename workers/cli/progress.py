"""A progress bar on standard error, where that is a terminal."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)


class Bar(Protocol):
    """What a command tells its progress bar."""

    def update(self, done: int, note: str) -> None:
        """Show how much is done, and a few words."""


@contextmanager
def progress(total: int | None) -> Iterator[Bar]:
    """A bar over `total` bytes; silent where standard error is not a terminal."""
    if not sys.stderr.isatty():
        yield _Silent()
        return
    console = Console(stderr=True)
    with Progress(
        BarColumn(),
        TaskProgressColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
        console=console,
    ) as display:
        yield _Shown(display, total)


class _Shown:
    def __init__(self, display: Progress, total: int | None) -> None:
        self._display = display
        self._task = display.add_task("", total=total, note="")

    def update(self, done: int, note: str) -> None:
        self._display.update(self._task, completed=done, note=note)


class _Silent:
    def update(self, done: int, note: str) -> None:
        pass
