"""What all inputs of a command are read with."""

from collections.abc import Callable

import msgspec

from workers.feeds.streams import OnProgress
from workers.feeds.times import Timeline

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
