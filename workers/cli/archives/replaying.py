"""The loop of a replay: records go from a source to a target, and what was sent is noted."""

from collections.abc import AsyncIterator, Callable
from typing import Protocol

import click

from schemas.dead_letter import DeadLetter
from workers.kafka.broker.feeder import items_off_loop
from workers.local.archive_source import ArchiveSource
from workers.local.dead_letters import DeadLetterFile
from workers.local.page_file import PageFile
from workers.log_lines import one_line
from workers.pace import Pace
from workers.page import Page, Rejected

_NOTE_RECORDS = 500
"""Records after which it is noted how far a replay got; so many may be sent twice after a kill."""


class ReplaySource(Protocol):
    """What a replay reads."""

    is_resumed: bool
    """Whether an earlier replay was begun."""
    sent_before: int
    """Number of records, or of offsets of a topic, before those that are read."""

    def records(self) -> AsyncIterator[Page | Rejected]:
        """Yield the records."""

    async def note(self) -> None:
        """Keep that all records that were yielded are sent."""


class FromArchives:
    """The records of archives, read in a thread."""

    def __init__(self, archives: ArchiveSource) -> None:
        """Prepare without reading pages."""
        self._archives = archives
        self.is_resumed = archives.is_resumed
        self.sent_before = archives.sent_before

    def records(self) -> AsyncIterator[Page | Rejected]:
        """Yield the records."""
        return items_off_loop(self._archives)

    async def note(self) -> None:
        """Keep that all records that were yielded are sent."""
        self._archives.note()


class ReplayTarget(Protocol):
    """What a replay sends pages to."""

    async def send(self, page: Page) -> DeadLetter | None:
        """Send a page now or later, or return why it cannot be sent."""

    async def settle(self) -> None:
        """Wait until every page is sent for good."""


class ToFile:
    """A file of pages."""

    def __init__(self, file: PageFile) -> None:
        """Append to a file."""
        self._file = file

    async def send(self, page: Page) -> DeadLetter | None:
        """Append a page, or return why it cannot be appended."""
        return self._file.write(page)

    async def settle(self) -> None:
        """Write what is in memory."""
        self._file.flush()


async def replay(
    source: ReplaySource,
    target: ReplayTarget,
    dead: DeadLetterFile,
    *,
    rate: float | None,
    takes: Callable[[Page], bool],
) -> int:
    """Send the records of a source, and note again and again how far they are sent.

    Args:
        source: What is read.
        target: What pages are sent to.
        dead: The file of records that cannot be sent.
        rate: Most pages per second; None means no limit.
        takes: Returns whether a page is replayed.

    Returns:
        The number of pages that were sent.
    """
    sent = seen = 0
    pace = Pace(rate) if rate else None
    await source.note()  # from now on, what a target holds is of a replay that was begun
    async for record in source.records():
        if isinstance(record, Rejected) or takes(record):
            if pace is not None:
                await pace.wait()
            sent += await _send(record, target, dead)
        seen += 1
        if seen % _NOTE_RECORDS == 0:
            await _note(source, target, dead)
    await _note(source, target, dead)
    return sent


async def _note(source: ReplaySource, target: ReplayTarget, dead: DeadLetterFile) -> None:
    await target.settle()
    dead.flush()
    await source.note()


async def _send(record: Page | Rejected, target: ReplayTarget, dead: DeadLetterFile) -> bool:
    """Send a record, or make it a dead letter; return whether it was sent."""
    if isinstance(record, Page):
        letter = await target.send(record)
    else:
        letter = DeadLetter(exception=record.exception, message=record.message, stage="receive")
    if letter is not None:
        click.echo(f"templ: refused: {one_line(letter.message)}", err=True)
        dead.write(record, letter)
    return letter is None
