"""What all inputs of a command are read with."""

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from templ_core.site_cleaner.fetch_times import FIRST_TIME_MS
from workers.feeds.streams import OnProgress
from workers.feeds.times import Timeline
from workers.page import Page, Rejected

OnLeftOut = Callable[[str], None]
"""A function that is called with the kind of a record that is not a page and is left out."""


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """How pages are read, and who is told about it."""

    timeline: Timeline
    """Sets the times of pages that have none."""
    limit_bytes: int
    """Largest page."""
    on_progress: OnProgress
    """Called with the number of bytes of each read of a file."""
    on_left_out: OnLeftOut
    """Called for each record of a WARC file that is left out."""


class Place(msgspec.Struct, frozen=True):
    """A place between two records of a file, from which the file can be read on."""

    offset: int = 0
    """Bytes before the place: of a WARC file as it is stored, of a JSON Lines file after decompression."""
    number: int = 0
    """Records before the place."""
    next_ms: int = FIRST_TIME_MS
    """Event time of a record there that tells none, in Unix milliseconds."""


BEGINNING = Place()
"""The place before the first record of a file."""


class PlacedRecord(NamedTuple):
    """A record of a file, and where the file goes on."""

    record: Page | Rejected
    behind: Place
