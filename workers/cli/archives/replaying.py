"""The loop of a replay: records go from a source to a target, and what is acknowledged is noted."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Protocol

import click

from schemas.dead_letter import DeadLetter
from workers.feeds.acknowledged import ReplayedRecord
from workers.kafka.broker.off_loop import items_off_loop
from workers.local.archive_source import ArchiveSource
from workers.local.dead_letters import DeadLetterFile
from workers.local.page_file import PageFile
from workers.log_lines import one_line
from workers.pace import Pace
from workers.page import Page, Rejected

if TYPE_CHECKING:
    from workers.kafka.broker.feeder import Feeder

_NOTE_RECORDS = 500
"""Records after which it is noted how far a replay got; a kill may send so many, and those under way, twice."""


class ReplaySource(Protocol):
    """What a replay reads."""

    is_resumed: bool
    """Whether an earlier replay was begun."""
    sent_before: int
    """Number of records, or of offsets of a topic, before those that are read."""

    def records(self) -> AsyncIterator[ReplayedRecord]:
        """Yield the records."""

    async def note(self) -> None:
        """Keep how far all records are acknowledged."""


class FromArchives:
    """The records of archives, read in a thread."""

    def __init__(self, archives: ArchiveSource) -> None:
        """Prepare without reading pages."""
        self._archives = archives
        self.is_resumed = archives.is_resumed
        self.sent_before = archives.sent_before

    def records(self) -> AsyncIterator[ReplayedRecord]:
        """Yield the records."""
        return items_off_loop(self._archives)

    async def note(self) -> None:
        """Keep how far all records are acknowledged."""
        self._archives.note()


class ReplayTarget(Protocol):
    """What a replay sends pages to."""

    async def send(self, page: Page, acknowledge: Callable[[], None]) -> DeadLetter | None:
        """Send a page, which is acknowledged now or later; return why it cannot be sent."""

    async def settle(self) -> None:
        """Wait until every page is acknowledged."""

    def flush(self) -> None:
        """Send what is held back."""


class ToTopic:
    """The topic `pages`."""

    def __init__(self, feeder: Feeder) -> None:
        """Send to a feeder that is connected."""
        self._feeder = feeder

    async def send(self, page: Page, acknowledge: Callable[[], None]) -> DeadLetter | None:
        """Queue a page, which the broker acknowledges later; return why it cannot be sent."""
        return await self._feeder.send(page, acknowledge)

    async def settle(self) -> None:
        """Wait until the broker has acknowledged every page."""
        await self._feeder.settle()

    def flush(self) -> None:
        """Do nothing, because pages are on their way."""


class ToFile:
    """A file of pages."""

    def __init__(self, file: PageFile) -> None:
        """Append to a file."""
        self._file = file
        self._held: list[Callable[[], None]] = []

    async def send(self, page: Page, acknowledge: Callable[[], None]) -> DeadLetter | None:
        """Append a page, which is acknowledged when it is written; return why it cannot be."""
        letter = self._file.write(page)
        if letter is None:
            self._held.append(acknowledge)
        return letter

    async def settle(self) -> None:
        """Write what is in memory."""
        self.flush()

    def flush(self) -> None:
        """Write what is in memory, and acknowledge it."""
        self._file.flush()
        for acknowledge in self._held:
            acknowledge()
        self._held.clear()


async def replay(
    source: ReplaySource,
    target: ReplayTarget,
    dead: DeadLetterFile,
    *,
    rate: float | None,
    takes: Callable[[Page], bool],
) -> int:
    """Send the records of a source, and keep how far they are acknowledged, also when it fails.

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
    try:
        async for record, acknowledge in source.records():
            seen += 1
            if isinstance(record, Page) and not takes(record):
                acknowledge()
            else:
                if pace is not None:
                    await pace.wait()
                is_sent = await _send(record, acknowledge, target, dead)
                sent += is_sent
            if seen % _NOTE_RECORDS == 0:
                target.flush()
                dead.flush()
                await source.note()
        await target.settle()
    finally:
        target.flush()
        dead.flush()
        await source.note()
    return sent


async def _send(
    record: Page | Rejected,
    acknowledge: Callable[[], None],
    target: ReplayTarget,
    dead: DeadLetterFile,
) -> bool:
    """Send a record, or make it a dead letter; return whether it was sent."""
    if isinstance(record, Page):
        letter = await target.send(record, acknowledge)
    else:
        letter = DeadLetter(exception=record.exception, message=record.message, stage="receive")
    if letter is not None:
        click.echo(f"templ: refused: {one_line(letter.message)}", err=True)
        dead.write(record, letter)
        acknowledge()
    return letter is None
