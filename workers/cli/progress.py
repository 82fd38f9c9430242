"""A progress bar on standard error, shown only where that is a terminal."""

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
    """A progress bar as a command sees it."""

    def update(self, done: int, note: str) -> None:
        """Show the number of bytes done and a short note."""


@contextmanager
def progress(total: int | None) -> Iterator[Bar]:
    """Show a bar over `total` bytes; nothing is shown where standard error is not a terminal.

    Args:
        total: Bytes of all inputs; None where that is unknown.
    """
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
