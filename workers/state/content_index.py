"""The index over all sites by which copies are found: which page published a content first.

The first page with a content is the earliest one whose content is near; at equal times the least key decides. So the
answer depends on what is known, and not on the order in which it became known. If a new page, or one that leaves,
changes the answer for another page, that page is due to be judged again.

Families and keys:

    pages      site NUL URL     -> number, key and rank of the content that the page has, and its newest fetch
    order      number(8)        -> the key of `pages`
    due        the key of `pages` of a page that is to be judged again
    offsets    see `FollowedStore`

Another format has other families, by which each version knows its own.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
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
from schemas.source import Source
from templ_core.duplicates import KnownContents, NearContents, is_near, says_enough
from workers.state.database import decode_stored, erase_site, open_database, stored_values
from workers.state.followed_store import FollowedStore
from workers.state.rocks import Batch

_NO_CONTENT = frozenset(("error-page", "gate"))
"""Warnings of pages whose text is not their own."""
_NEAR_MAX = 1000
"""Most pages with a content that are remembered: a lookup and a change read all of them."""


class _Content(NamedTuple):
    key: int
    rank: int


class _Fetch(NamedTuple):
    """The newest fetch of a page; nothing is known of it where an earlier version has published the content."""

    fetched_at: str | None = None
    source: Source | None = None


class _Entry(NamedTuple):
    number: int
    key: int
    rank: int
    fetch: _Fetch = _Fetch()
    is_copy: bool = False
    """Whether another page was the original when it was asked for last."""

    @property
    def content(self) -> _Content:
        return _Content(self.key, self.rank)


class DuePage(NamedTuple):
    """A page whose original may be another page now."""

    page: Original
    turn: int
    """Number of the change that made it due."""


class ContentIndex(FollowedStore):
    """The contents of pages, up to a number of pages; those that came last stay.

    It is safe to use from several threads. Opening and every method block their thread, so an event loop must call
    them from another thread. A content takes about 130 bytes of memory, and its URL is on disk.
    """

    _format = FINGERPRINT_FORMAT
    families = ("pages", "order", "due", "offsets")

    def __init__(self, path: Path | None, pages_max: int) -> None:
        """Open the database at `path`, and create it when it does not exist; None means in memory.

        Raises:
            StateProblem, DiskProblem: Those of `RocksDatabase`.
        """
        super().__init__(open_database(path, self.families))
        self._pages_max = pages_max
        self.turn = 0
        """Number of the last change that made a page due."""
        self._on_the_way: Counter[bytes] = Counter()
        """How many records of a page were sent to the topic and have not come back."""
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
        self._due = {key: self.turn for key, _ in self._db.scan("due")}
        self._next = 1 + max((entry.number for _, entry in stored), default=-1)
        batch = Batch()
        for key, entry in stored:
            if entry.number + self._pages_max < self._next:
                self._delete(batch, key, entry.number)
                self._drop_due(batch, key)
            else:
                self._known.put(entry.number % self._pages_max, entry.key, entry.rank)
        self._db.write(batch)

    def _forget_memory(self) -> None:
        self._known, self._next, self._due = KnownContents(self._pages_max), 0, {}
        self._on_the_way.clear()

    def take(
        self, record: CleanedRecord, now_ms: int | None = None
    ) -> tuple[Original | None, FingerprintRecord | None]:
        """Remember the content of a page as it is published, at a Unix time in milliseconds.

        Without times (None) the order of the calls decides who was first.

        Returns:
            The page of another site that published the content before, and what other indexes are to know of this
            page; None where that is nothing.
        """
        own, fetch = fingerprint_key(record.site, record.url), _fetch_of(record)
        with self._lock:
            entry, batch = self._entry(own), Batch()
            content = _content_of(record, self._next if now_ms is None else now_ms, entry)
            is_there = entry is not None and entry.content == content
            if entry is not None and not is_there:
                self._remove(batch, own)
            original = None
            if content is not None:
                near = self._known.near(content.key)
                original = _other_site(own, self._first(near, (content.rank, own)))
                is_copy = original is not None
                if entry is not None and is_there:
                    _put_entry(batch, own, entry._replace(fetch=fetch, is_copy=is_copy))
                elif int((near.ranks < content.rank).sum()) < _NEAR_MAX:
                    self._add(batch, own, *content, fetch, is_copy=is_copy)
                    is_there = True
            self._db.write(batch)
        if not is_there and entry is None:
            return original, None
        place = Original(record.url, record.site)
        return original, _published(place, content if is_there else None, fetch)

    def expect(self, page: FingerprintRecord) -> None:
        """Note that a record of a page is sent to the topic; until it comes back, the topic's other records of it are older."""
        own = fingerprint_key(page.site, page.url)
        with self._lock:
            self._on_the_way[own] += 1

    def judge(self, page: Original) -> Original | None:
        """Return the page of another site that published the content of a page before, by what is known now."""
        own, batch = fingerprint_key(page.site, page.url), Batch()
        with self._lock:
            entry = self._entry(own)
            original = self._original(own, entry)
            is_copy = original is not None
            if entry is not None and entry.is_copy != is_copy:
                _put_entry(batch, own, entry._replace(is_copy=is_copy))
                self._db.write(batch)
        return original

    def published(self, page: Original) -> FingerprintRecord | None:
        """Return what other indexes are to know of a page; None where it is not remembered."""
        with self._lock:
            entry = self._entry(fingerprint_key(page.site, page.url))
        return None if entry is None else _published(page, entry.content, entry.fetch)

    def compare(self, reported: Mapping[Original, str], is_own: Callable[[str], bool]) -> None:
        """Have the pages of own sites judged again about which the topic and this index disagree.

        Args:
            reported: The pages of these sites that are copies by the topic, each with the URL of its original.
            is_own: Whether a site is one of them.
        """
        copies = {fingerprint_key(page.site, page.url): url for page, url in reported.items()}
        batch = Batch()
        unreported = [
            key
            for key, value in self._db.scan("pages")
            if key not in copies
            and is_own(original_of_key(key).site)
            and decode_stored(self._db, value, _Entry).is_copy
        ]
        with self._lock:
            for key, url in copies.items():
                original = self._original(key, self._entry(key))
                if original is None or original.url != url:
                    self._make_due(batch, key)
            for key in unreported:
                self._make_due(batch, key)
            self._db.write(batch)

    def due(self) -> list[DuePage]:
        """Return the pages that are to be judged again."""
        with self._lock:
            return [DuePage(original_of_key(key), turn) for key, turn in self._due.items()]

    def settle(self, pages: Iterable[DuePage]) -> None:
        """Forget that pages are due, unless they became due again meanwhile."""
        batch = Batch()
        with self._lock:
            for page, turn in pages:
                key = fingerprint_key(page.site, page.url)
                if self._due.get(key) == turn:
                    self._drop_due(batch, key)
            self._db.write(batch)

    def remove(self, site: str, url: str) -> None:
        """Forget a page."""
        with self._lock:
            batch = Batch()
            self._remove(batch, fingerprint_key(site, url))
            self._db.write(batch)

    def put(self, key: str, value: bytes | None, partition: int, offset: int) -> None:
        """Remember the content of the page that the key of the record names; None means to forget it."""
        record = None if value is None else decode_fingerprint_record(value)
        own, batch = key.encode(), Batch()
        with self._lock:
            entry = self._entry(own)
            if self._is_older(own):
                pass
            elif record is None or record.key is None:
                self._remove(batch, own)
                if entry is not None:
                    self._make_due(batch, own)
            elif entry is None or entry.content != (record.key, record.rank):
                self._remove(batch, own)
                first = self._first(self._known.near(record.key), (record.rank, own))
                if entry is not None or first != own:
                    self._make_due(batch, own)
                self._add(batch, own, record.key, record.rank, _fetch_of(record))
            elif record.source is not None:
                _put_entry(batch, own, entry._replace(fetch=_fetch_of(record)))
            self._write_next(batch, partition, offset)

    def _is_older(self, own: bytes) -> bool:
        """Return whether more records of a page are on their way to the topic than this one, which is the next."""
        waiting = self._on_the_way.pop(own, 0) - 1
        if waiting > 0:
            self._on_the_way[own] = waiting
        return waiting > 0

    def erase(self, site: str) -> bool:
        """Erase the pages of a site from memory and disk; return whether there were any."""
        with self._lock:
            batch = Batch()
            prefix = site.encode() + b"\0"
            for key, _ in self._db.scan("pages", prefix):
                self._remove(batch, key)
            for key in [key for key in self._due if key.startswith(prefix)]:
                self._drop_due(batch, key)
            return erase_site(self._db, self.families, site, batch)

    def pages(self) -> Iterator[Original]:
        """Yield the pages that are remembered, in the order of their sites and URLs."""
        for key, _ in self._db.scan("pages"):
            yield original_of_key(key)

    def _add(
        self, batch: Batch, own: bytes, key: int, rank: int, fetch: _Fetch, *, is_copy: bool = False
    ) -> None:
        """Give a page the next number, whose place is that of the oldest page where all places are taken."""
        number = self._next
        oldest = self._db.get("order", _number_key(number - self._pages_max))
        if oldest is not None and oldest != own:
            self._known.drop(number % self._pages_max)
            self._delete(batch, oldest, number - self._pages_max)
            self._drop_due(batch, oldest)
        for page in self._led_by(own, key, rank):
            self._make_due(batch, page)
        _put_entry(batch, own, _Entry(number, key, rank, fetch, is_copy))
        batch.put("order", _number_key(number), own)
        self._known.put(number % self._pages_max, key, rank)
        self._next = number + 1

    def _remove(self, batch: Batch, own: bytes) -> None:
        entry = self._entry(own)
        if entry is None:
            return
        for page in self._led_by(own, entry.key, entry.rank):
            self._make_due(batch, page)
        self._known.drop(entry.number % self._pages_max)
        self._delete(batch, own, entry.number)

    def _delete(self, batch: Batch, own: bytes, number: int) -> None:
        batch.delete("pages", own)
        batch.delete("order", _number_key(number))

    def _make_due(self, batch: Batch, page: bytes) -> None:
        self.turn += 1
        self._due[page] = self.turn
        batch.put("due", page, b"")

    def _drop_due(self, batch: Batch, page: bytes) -> None:
        if self._due.pop(page, None) is not None:
            batch.delete("due", page)

    def _led_by(self, own: bytes, key: int, rank: int) -> list[bytes]:
        """Return the other pages with a content whose first page is, or would be, the one given."""
        near = self._known.near(key)
        later = [(place, self._key_in(place)) for place in near.places[near.ranks >= rank].tolist()]
        return [
            page
            for place, page in later
            if page != own
            and self._first(self._known.near(self._known.key(place)), (rank, own)) == own
        ]

    def _original(self, own: bytes, entry: _Entry | None) -> Original | None:
        if entry is None:
            return None
        return _other_site(own, self._first(self._known.near(entry.key), (entry.rank, own)))

    def _first(self, near: NearContents, page: tuple[int, bytes]) -> bytes:
        """Return the first of near pages and of one more, each by its rank and key."""
        if not near.ranks.size or near.ranks[0] > page[0]:
            return page[1]
        rank = int(near.ranks[0])
        keys = [self._key_in(place) for place in near.places[near.ranks == rank].tolist()]
        return min((rank, min(keys)), page)[1]

    def _key_in(self, place: int) -> bytes:
        """Return the page in a place if this is its newest number there."""
        newest = self._next - 1
        number = newest - (newest - place) % self._pages_max
        page = self._db.get("order", _number_key(number))
        if page is None:
            raise self._db.damaged(f"page {number} of the contents is missing")
        return page

    def _entry(self, own: bytes) -> _Entry | None:
        value = self._db.get("pages", own)
        return decode_stored(self._db, value, _Entry) if value else None


def _content_of(record: CleanedRecord, rank: int, entry: _Entry | None) -> _Content | None:
    """Return the content of a page; a text near the earlier one is the same content, and a short text has none."""
    known = entry.content if entry is not None else None
    if not _NO_CONTENT.isdisjoint(record.warnings):
        return known
    if record.fingerprint is None or not says_enough(record.text):
        return None
    key = int(record.fingerprint.value, 16)
    return known if known is not None and is_near(key, known.key) else _Content(key, rank)


def _fetch_of(record: CleanedRecord | FingerprintRecord) -> _Fetch:
    return _Fetch(record.fetched_at, record.source)


def _other_site(own: bytes, first: bytes) -> Original | None:
    """Return the first page of a content, unless it is of the same site, or the page itself under another site key."""
    page, original = original_of_key(own), original_of_key(first)
    is_own = page.site == original.site or page.url == original.url
    return None if is_own else original


def _published(page: Original, content: _Content | None, fetch: _Fetch) -> FingerprintRecord:
    key, rank = content or (None, 0)
    return FingerprintRecord(url=page.url, site=page.site, key=key, rank=rank, **fetch._asdict())


def _put_entry(batch: Batch, own: bytes, entry: _Entry) -> None:
    batch.put("pages", own, msgspec.msgpack.encode(entry))


def _number_key(number: int) -> bytes:
    return number.to_bytes(8, "big", signed=True)
