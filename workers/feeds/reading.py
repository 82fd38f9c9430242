"""What all inputs of a command are read with: event times, sources of records, and places in files."""

import zlib
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import msgspec

from schemas.source import Source
from templ_core.times import (
    FIRST_TIME_MS,
    LATEST_TIME_MS,
    SPACING_MS,
    parse_time_ms,
)
from workers.errors import InputProblem
from workers.feeds.streams import OnProgress
from workers.page import Page, Rejected


def file_source(name: str, number: int, *content: bytes) -> Source:
    """Return the source of a record of a file, given its number from 0 on and its content, in one or several pieces.

    The partition is half the CRC-32 of the record, so that another file of the same name, or another
    standard input, has other sources, and a file that is read again has those that it had.

    >>> file_source("a.jsonl", 0, b"one") == file_source("a.jsonl", 0, b"two")
    False
    """
    checksum = 0
    for piece in content:
        checksum = zlib.crc32(piece, checksum)
    return Source(name, checksum >> 1, number)


INVALID_RECORD = "InvalidRecord"
PAGE_TOO_LARGE = "PageTooLarge"
DAMAGED_INPUT = "DamagedInput"
KEPT_BYTES = 64 << 10
"""Bytes that a dead letter keeps of a record that is too large to hold in memory."""


def damaged_record(name: str, number: int, rest: bytes, reason: str) -> Rejected:
    """Return what is left of a record of a file where the file is damaged."""
    message = f"the file is damaged here ({reason}); the value is what is left of the record"
    source = file_source(name, number, rest)
    return Rejected(source, None, DAMAGED_INPUT, message, rest[:KEPT_BYTES])


NO_TIME_FIELD = "none"
"""Name of a time field for which event times are set one minute apart."""
NO_TIME = "without a fetch time, ordered as if fetched with the page before"
UNREADABLE_TIME = (
    "with a fetch time that cannot be read, ordered as if fetched with the page before"
)
FUTURE_TIME = "with a fetch time in the future, ordered as if fetched now"


def ignore(_what: object) -> None:
    """Ignore what is reported."""


class Reading(msgspec.Struct, kw_only=True):
    """How a sequence of pages is read, how far its times are, and what was found out on the way.

    A page without a time gets the time of the page before it, and the first one 2000-01-01. Where the records'
    times are to be ignored, each page gets a time one minute after the page before it.
    """

    time_field: str = "fetched_at"
    """Field that holds the event time; `none` ignores the records' times."""
    latest_ms: int = LATEST_TIME_MS
    """Times later than this count as this one, so that a page dated 2100 does not make all other pages of its
    site old, in Unix milliseconds."""
    limit_bytes: int = 32 << 20
    """Largest page."""
    on_progress: OnProgress = ignore
    """Called with the number of bytes of each read of a file."""
    on_problem: Callable[[InputProblem], None] | None = None
    """Called with the problem of an input that is damaged or holds no pages, after which the others are read;
    None = it is raised."""
    left_out: Counter[str] = msgspec.field(default_factory=Counter)
    """Number of records of WARC files that are no pages, by their kind."""
    guessed: Counter[str] = msgspec.field(default_factory=Counter)
    """Number of pages with a time for which another one was set, by what was wrong with it."""
    next_ms: int = FIRST_TIME_MS
    """Event time of the next page if it has none."""

    def event_time_ms(self, value: object) -> int:
        """Return the event time of a page whose time field holds `value`."""
        if self.time_field == NO_TIME_FIELD:
            return self.next_ms
        time_ms = parse_time_ms(value)
        if time_ms is None:
            self.guessed[NO_TIME if value is None else UNREADABLE_TIME] += 1
            return self.next_ms
        if time_ms > self.latest_ms:
            self.guessed[FUTURE_TIME] += 1
        return min(time_ms, self.latest_ms)

    def passed(self, page: Page) -> None:
        """Move on to the page after `page`."""
        is_spaced = self.time_field == NO_TIME_FIELD
        self.next_ms = page.event_time_ms + (SPACING_MS if is_spaced else 0)


class Place(msgspec.Struct, frozen=True):
    """A place between two records of a file, from which the file can be read on."""

    offset: int = 0
    """Bytes before the place: of a WARC file as it is stored, of a JSON Lines file after decompression."""
    number: int = 0
    """Records before the place."""
    next_ms: int = FIRST_TIME_MS
    """Event time of a record there that states none, in Unix milliseconds."""


BEGINNING = Place()
"""The place before the first record of a file."""


class PlacedRecord(NamedTuple):
    """A record of a file, and where the file goes on."""

    record: Page | Rejected
    behind: Place
