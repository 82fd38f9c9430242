"""What indexes of cleaned records have in common, and which of two records of a URL is the newer one."""

from typing import NamedTuple

import msgspec

from schemas.cleaned import CleanedRecord, DeletedRecord
from schemas.source import Source
from templ_core.times import parse_time_ms
from workers.log_lines import counted


class LogPlace(NamedTuple):
    """The place of a record in a log of Kafka."""

    topic: str
    partition: int
    offset: int


class LogPosition(NamedTuple):
    """How far a partition was read."""

    next_offset: int = 0
    mark: bytes | None = None
    """What distinguishes the log from a later one of the same name."""


class IndexCounts(msgspec.Struct):
    """Numbers of records by outcome."""

    written: int = 0
    """Texts that are new in the index, or new for their URL."""
    deleted: int = 0
    unchanged: int = 0
    """Records that the index knew already, or that are older than what it knows."""
    refused: int = 0
    """Records that a search server does not take."""

    def __str__(self) -> str:
        refused = f", {self.refused} refused" if self.refused else ""
        return (
            f"{counted(self.written, 'text')} written, {self.deleted} deleted, {self.unchanged} unchanged"
            f"{refused}"
        )


class Version(msgspec.Struct, frozen=True):
    """What distinguishes a record of a URL from earlier and later ones."""

    time_ms: int | None
    """Time of the fetch in Unix milliseconds; None where the record does not state it."""
    source: Source
    revision: int = 0


def version_of(record: CleanedRecord | DeletedRecord) -> Version:
    """Return the version of a record."""
    revision = record.revision if isinstance(record, CleanedRecord) else 0
    return Version(parse_time_ms(record.fetched_at), record.source, revision)


def replaces(new: Version, known: Version) -> bool:
    """Return whether a record takes the place of the known record of its URL.

    The later fetch counts. Of records of one time, the one with the higher offset and then the higher
    revision counts where both come from one log or file; otherwise the one that arrives last counts. It
    counts too where a time is not known, because the order of arrival is all there is.

    >>> first = Version(1000, Source("pages", 0, 7))
    >>> replaces(Version(1000, Source("pages", 0, 7), revision=1), first)
    True
    >>> replaces(first, first)
    False
    """
    if new.time_ms is None or known.time_ms is None:
        return True
    if new.time_ms != known.time_ms:
        return new.time_ms > known.time_ms
    if (new.source.topic, new.source.partition) != (known.source.topic, known.source.partition):
        return True
    return (new.source.offset, new.revision) > (known.source.offset, known.revision)
