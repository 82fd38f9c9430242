"""Which page published a content first: the index over all sites by which copies are found.

Families and keys:

    pages      site NUL URL     -> number, key and rank of the content that was published first there
    order      number(8)        -> the key of `pages`
    offsets    see `FollowedStore`

Another format has other families, by which each version knows its own.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from schemas.cleaned import CleanedRecord
from schemas.codec import decode_fingerprint_record
from schemas.fingerprint import (
    FINGERPRINT_FORMAT,
    FingerprintRecord,
    Original,
    fingerprint_key,
    original_of_key,
)
from templ_core.duplicates import KnownContents, says_enough
from workers.state.database import decode_stored, erase_site, open_database, stored_values
from workers.state.followed_store import FollowedStore
from workers.state.rocks import Batch

_NO_CONTENT = frozenset(("error-page", "gate"))
"""Warnings of pages whose text is not their own."""


class _Entry(NamedTuple):
    number: int
    key: int
    rank: int


class ContentIndex(FollowedStore):
    """The contents that were published first, up to a number of pages; the newest stay.

    It is safe to use from several threads. Opening and every method block their thread, so an event loop must call
    them from another thread. A content takes about 130 bytes of memory, and its URL is on disk.
    """

    _format = FINGERPRINT_FORMAT
    families = ("pages", "order", "offsets")

    def __init__(self, path: Path | None, pages_max: int) -> None:
        """Open the database at `path`, and create it when it does not exist; None means in memory.

        Raises:
            StateProblem, DiskProblem: Those of `RocksDatabase`.
        """
        super().__init__(open_database(path, self.families))
        self._pages_max = pages_max
        try:
            self._load()
        except BaseException:
            self._db.close()
            raise

    def _load(self) -> None:
        """Read all contents into memory, and forget those that are too many by now."""
        self._known = KnownContents(self._pages_max)
        decode = msgspec.msgpack.Decoder(_Entry).decode
        with stored_values(self._db):
            stored = [(key, decode(value)) for key, value in self._db.scan("pages")]
        self._next = 1 + max((entry.number for _, entry in stored), default=-1)
        batch = Batch()
        for key, entry in stored:
            if entry.number + self._pages_max < self._next:
                self._delete(batch, key, entry.number)
            else:
                self._known.put(entry.number % self._pages_max, entry.key, entry.rank)
        self._db.write(batch)

    def _forget_memory(self) -> None:
        self._known, self._next = KnownContents(self._pages_max), 0

    def take(
        self, record: CleanedRecord, now_ms: int | None = None
    ) -> tuple[Original | None, FingerprintRecord | None]:
        """Take the text of a page in, as it is published, at a Unix time in milliseconds.

        Without times (None) the order of the calls decides who was first.

        Returns:
            The page of another site that published the content before, and what is new of this page for other
            indexes. Pages without content of their own, and short ones, have neither.
        """
        key = _content_key(record)
        if key is None:
            return None, None
        own = fingerprint_key(record.site, record.url)
        with self._lock:
            place, entry, batch = self._known.first(key), self._entry(own), Batch()
            first = None if place is None else self._key_in(place)
            if first == own and entry is not None:
                return None, _published(record, key, entry.rank)
            if entry is not None:
                self._remove(batch, own, entry)
            rank = self._next if now_ms is None else now_ms
            if place is not None and self._known.rank(place) > rank:
                first = None  # partitions are not read in the order of time
            if first is None:
                self._add(batch, own, key, rank)
            self._db.write(batch)
        if first is None:
            return None, _published(record, key, rank)
        original = original_of_key(first)
        gone = None if entry is None else _published(record, None, 0)
        is_own = (
            record.site == original.site or record.url == original.url
        )  # under another site key
        return (None if is_own else original), gone

    def remove(self, site: str, url: str) -> None:
        """Forget a page."""
        with self._lock:
            batch = Batch()
            self._remove_key(batch, fingerprint_key(site, url))
            self._db.write(batch)

    def put(self, key: str, value: bytes | None, partition: int, offset: int) -> None:
        """Remember the content of the page that the key of the record names; None has it forgotten."""
        record = None if value is None else decode_fingerprint_record(value)
        own, batch = key.encode(), Batch()
        with self._lock:
            entry = self._entry(own)
            if record is None or entry is None or entry.key != record.key:
                self._remove_key(batch, own)
                if record is not None and record.key is not None:
                    self._add(batch, own, record.key, record.rank)
            self._write_next(batch, partition, offset)

    def erase(self, site: str) -> bool:
        """Erase the pages of a site from memory and disk; return whether there were any."""
        with self._lock:
            batch = Batch()
            for _, value in self._db.scan("pages", site.encode() + b"\0"):
                entry = self._decoded(value)
                self._known.drop(entry.number % self._pages_max)
                batch.delete("order", _number_key(entry.number))
            self._db.write(batch)
            return erase_site(self._db, self.families, site)

    def pages(self) -> Iterator[Original]:
        """Yield the pages that are remembered, in the order of their sites and URLs."""
        for key, _ in self._db.scan("pages"):
            yield original_of_key(key)

    def _add(self, batch: Batch, own: bytes, key: int, rank: int) -> None:
        """Give a page the next number, whose place is that of the oldest page where all places are taken."""
        number = self._next
        oldest = self._db.get("order", _number_key(number - self._pages_max))
        if oldest is not None and oldest != own:
            self._known.drop(number % self._pages_max)
            self._delete(batch, oldest, number - self._pages_max)
        batch.put("pages", own, msgspec.msgpack.encode(_Entry(number, key, rank)))
        batch.put("order", _number_key(number), own)
        self._known.put(number % self._pages_max, key, rank)
        self._next = number + 1

    def _remove_key(self, batch: Batch, own: bytes) -> None:
        entry = self._entry(own)
        if entry is not None:
            self._remove(batch, own, entry)

    def _remove(self, batch: Batch, own: bytes, entry: _Entry) -> None:
        self._known.drop(entry.number % self._pages_max)
        self._delete(batch, own, entry.number)

    def _delete(self, batch: Batch, own: bytes, number: int) -> None:
        batch.delete("pages", own)
        batch.delete("order", _number_key(number))

    def _key_in(self, place: int) -> bytes | None:
        """Return the page in a place, by the newest number that belongs there."""
        newest = self._next - 1
        return self._db.get("order", _number_key(newest - (newest - place) % self._pages_max))

    def _entry(self, own: bytes) -> _Entry | None:
        value = self._db.get("pages", own)
        return self._decoded(value) if value else None

    def _decoded(self, value: bytes) -> _Entry:
        return decode_stored(self._db, value, _Entry)


def _content_key(record: CleanedRecord) -> int | None:
    """Return the SimHash of a text that says enough and is the page's own, otherwise None."""
    if record.fingerprint is None or not _NO_CONTENT.isdisjoint(record.warnings):
        return None
    return int(record.fingerprint.value, 16) if says_enough(record.text) else None


def _published(record: CleanedRecord, key: int | None, rank: int) -> FingerprintRecord:
    return FingerprintRecord(url=record.url, site=record.site, key=key, rank=rank)


def _number_key(number: int) -> bytes:
    return number.to_bytes(8, "big", signed=True)
