"""Rolling windows of the sites of one partition of `documents`, in RocksDB.

One WriteBatch per record holds the document, its contribution, the site's sums, the tombstones to
send and the next offset, so that a replay changes nothing and a crash tears nothing.

Keys (big-endian, so that RocksDB's order is the window's order):

    documents, contributions   site NUL time(8) blake2b(page id)(8) source id
    by_source                  site NUL source id        -> time and hash of the document
    by_url                     site NUL blake2b(url)(16) -> key of the newest version
    deleted                    site NUL blake2b(url)(16) -> time of the deletion
    sites                      site                      -> SiteState
    outbox                     key of `documents` (topic) to tombstone
    meta                       "next"                    -> offset of the next record
"""

import hashlib
import threading
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import msgspec

from schemas.codec import decode_document
from schemas.document import DocumentRecord, document_key
from workers.errors import StateProblem
from workers.settings import Settings
from workers.state.database import Batch, Database, Entry, entries_of, open_database, put_entries

_FAMILIES = (
    "documents",
    "contributions",
    "by_source",
    "by_url",
    "deleted",
    "sites",
    "outbox",
    "meta",
)
_NEXT = b"next"
_EPOCH_SHIFT_MS = 1 << 62
"""Added to times in keys, so that those before 1970 sort first."""


class Contribution(msgspec.Struct, frozen=True, array_like=True):
    """What a document of the window adds to its site's model."""

    page_id: str
    content_digest: bytes
    body: bytes


class SiteState(msgspec.Struct, kw_only=True):
    """Sums over a site's window, kept with every change of it."""

    pages: int = 0
    bytes: int = 0
    newest_ms: int = -(1 << 62)
    """Highest event time seen: the site's "now"."""
    oldest_ms: int = 0
    learned: int = 0
    """Documents that ever entered the window."""
    fitted_at: int = 0
    """`learned` when the last site model was published."""
    model_version: str | None = None


class WindowStore:
    """Windows of one partition. Safe to use from several threads."""

    def __init__(self, path: Path | None, settings: Settings) -> None:
        """Open or make the database at `path`; None = in memory.

        Raises:
            StateProblem: it is in use, damaged or not writable.
        """
        self._settings = settings
        self._db = open_database(path, _FAMILIES)
        self._lock = threading.Lock()
        stored = self._db.get("meta", _NEXT)
        self.next_offset = int.from_bytes(stored, "big") if stored else 0

    def entries(self) -> Iterator[Entry]:
        """All that is stored."""
        return entries_of(self._db, _FAMILIES)

    def restore(self, entries: Iterable[Entry]) -> None:
        """Take over what another store held, into an empty one."""
        put_entries(self._db, entries)

    def close(self) -> None:
        """Write what is in memory, and let the database go."""
        with self._lock:
            self._db.close()

    def put(self, record: DocumentRecord, contribution: Contribution, offset: int | None) -> None:
        """Take a document into its site's window, or put it on the list to be tombstoned.

        A document that the window has is replaced in place. Of several versions of a URL the newest
        stays. What the bounds no longer allow leaves, oldest first.

        Args:
            record: The document.
            contribution: What it adds to the site model.
            offset: Its offset in `documents`; one below `next_offset` is a replay and a no-op.
                None on files, where nothing is replayed.
        """
        with self._lock:
            if self.is_new(offset):
                change = self._change(record.site)
                change.enter(record, contribution)
                change.keep_bounds(self._settings)
                self._apply(change, offset)

    def delete_url(self, record: DocumentRecord, offset: int | None) -> None:
        """Forget a URL and what was fetched from it up to the deletion's event time."""
        with self._lock:
            if self.is_new(offset):
                change = self._change(record.site)
                change.forget_url(record)
                self._apply(change, offset)

    def remove(self, site: str, source_id: str, offset: int) -> None:
        """Follow a tombstone read from `documents`."""
        with self._lock:
            if self.is_new(offset):
                change = self._change(site)
                change.follow_tombstone(source_id)
                self._apply(change, offset)

    def is_new(self, offset: int | None) -> bool:
        """Whether a record of `documents` was not taken in before."""
        return offset is None or offset >= self.next_offset

    def skip(self, offset: int | None) -> None:
        """Step over a record that means nothing to the windows."""
        with self._lock:
            if self.is_new(offset):
                self._write(self._db.batch(), offset)

    def site_state(self, site: str) -> SiteState:
        """Sums over a site's window; all zero for an unknown site."""
        stored = self._db.get("sites", site.encode())
        return msgspec.msgpack.decode(stored, type=SiteState) if stored else SiteState()

    def sites(self) -> Iterator[tuple[str, SiteState]]:
        """Sites with their sums, in order of their UTF-8."""
        for key, value in self._db.scan("sites"):
            yield key.decode(), msgspec.msgpack.decode(value, type=SiteState)

    def contributions(self, site: str) -> list[Contribution]:
        """Contributions of a site's window in order of (event time, hash of page id)."""
        return [
            msgspec.msgpack.decode(value, type=Contribution)
            for _, value in self._db.scan("contributions", _prefix(site))
        ]

    def window(self, site: str) -> Iterator[DocumentRecord]:
        """Documents of a site's window in order of (event time, hash of page id)."""
        for _, value in self._db.scan("documents", _prefix(site)):
            yield decode_document(value)

    def mark_fitted(self, site: str, learned: int, version: str) -> None:
        """Note that the model fitted when `learned` documents had been seen is published."""
        with self._lock:
            state = self.site_state(site)
            state.fitted_at = max(state.fitted_at, learned)
            state.model_version = version
            self._db.put("sites", site.encode(), msgspec.msgpack.encode(state))

    def outbox(self, limit: int) -> list[bytes]:
        """Keys of `documents` whose tombstones are to be sent next."""
        return [key for key, _ in islice(self._db.scan("outbox"), limit)]

    def take_from_outbox(self, keys: Iterable[bytes]) -> None:
        """Drop tombstones that the broker has acknowledged; sending one twice is harmless."""
        batch = self._db.batch()
        for key in keys:
            batch.delete("outbox", key)
        self._db.write(batch)

    def _change(self, site: str) -> "_Change":
        return _Change(self._db, site, self.site_state(site))

    def _apply(self, change: "_Change", offset: int | None) -> None:
        for key in change.tombstones:
            change.batch.put("outbox", key, b"")
        change.batch.put("sites", change.site.encode(), msgspec.msgpack.encode(change.state))
        self._write(change.batch, offset)

    def _write(self, batch: Batch, offset: int | None) -> None:
        after = self.next_offset if offset is None else offset + 1
        batch.put("meta", _NEXT, after.to_bytes(8, "big"))
        self._db.write(batch)
        self.next_offset = after


class _Change:
    """One atomic change of one site's window."""

    def __init__(self, db: Database, site: str, state: SiteState) -> None:
        self.site = site
        self.state = state
        self.batch = db.batch()
        self.tombstones: list[bytes] = []
        self._db = db
        self._prefix = _prefix(site)
        self._entered: tuple[bytes, DocumentRecord] | None = None
        self._left: set[bytes] = set()

    def enter(self, record: DocumentRecord, contribution: Contribution) -> None:
        source_key = self._prefix + str(record.source).encode()
        key = self._prefix + _place(record)
        known_place = self._db.get("by_source", source_key)
        if known_place is not None:
            known_key = self._prefix + known_place
            known = self._document(known_key)
            if known_key == key and _is_same_page(known, record):
                self._replace(key, record, known)
                return
            # Another feed under the same name: a file replaced, a topic made anew.
            self._leave(known_key, known)
            self.tombstones.clear()  # the new document has the old one's key in the topic
        if not self._is_newest(record, key):
            self.tombstones.append(document_key(record.site, record.source))
            return
        self.batch.delete("outbox", document_key(record.site, record.source))
        self.batch.put("documents", key, msgspec.msgpack.encode(record))
        self.batch.put("contributions", key, msgspec.msgpack.encode(contribution))
        self.batch.put("by_source", source_key, _place(record))
        self.batch.put("by_url", self._prefix + _url_hash(record.url), key)
        self._entered = key, record
        self.state.pages += 1
        self.state.bytes += len(record.body)
        self.state.learned += 1
        self.state.newest_ms = max(self.state.newest_ms, record.event_time_ms)

    def _replace(self, key: bytes, record: DocumentRecord, known: DocumentRecord) -> None:
        """Put a redelivered document in its own place."""
        self.state.bytes += len(record.body) - len(known.body)
        self.batch.put("documents", key, msgspec.msgpack.encode(record))

    def _is_newest(self, record: DocumentRecord, key: bytes) -> bool:
        """Whether `record` is the newest of its URL; an older version then leaves."""
        url_key = self._prefix + _url_hash(record.url)
        deletion = self._db.get("deleted", url_key)
        if deletion is not None and record.event_time_ms <= _time_from(deletion):
            return False
        other = self._db.get("by_url", url_key)
        if other is None or other in self._left:
            return True
        if other > key:
            return False
        self._leave(other, self._document(other))
        return True

    def keep_bounds(self, settings: Settings) -> None:
        """Let the oldest documents leave until age, pages and bytes are within bounds."""
        state = self.state
        for key, record in self._oldest_first():
            age_ms = state.newest_ms - record.event_time_ms
            is_spare = state.pages > settings.window_floor_pages
            if not (
                state.pages > settings.window_pages_max
                or (state.bytes > settings.window_bytes_max and is_spare)
                or (age_ms > settings.window_age_ms and is_spare)
                or age_ms > settings.window_floor_age_ms
            ):
                state.oldest_ms = record.event_time_ms
                return
            self._leave(key, record)

    def _oldest_first(self) -> Iterator[tuple[bytes, DocumentRecord]]:
        """Documents of the window as it will be, the one that enters in its place."""
        entered = self._entered
        for key, value in self._db.scan("documents", self._prefix):
            if entered is not None and entered[0] < key:
                yield entered
                entered = None
            if key not in self._left:
                yield key, decode_document(value)
        if entered is not None:
            yield entered

    def forget_url(self, record: DocumentRecord) -> None:
        url_key = self._prefix + _url_hash(record.url)
        key = self._db.get("by_url", url_key)
        if key is not None:
            document = self._document(key)
            if document.event_time_ms <= record.event_time_ms:
                self._leave(key, document)
        earlier = self._db.get("deleted", url_key)
        if earlier is None or _time_from(earlier) < record.event_time_ms:
            self.batch.put("deleted", url_key, _time_bytes(record.event_time_ms))
        self.tombstones.append(document_key(record.site, record.source))

    def follow_tombstone(self, source_id: str) -> None:
        self.batch.delete("outbox", self._prefix + source_id.encode())
        place = self._db.get("by_source", self._prefix + source_id.encode())
        if place is not None:
            self._leave(self._prefix + place, self._document(self._prefix + place))
            self.tombstones.clear()

    def _leave(self, key: bytes, record: DocumentRecord) -> None:
        self._left.add(key)
        self.batch.delete("documents", key)
        self.batch.delete("contributions", key)
        self.batch.delete("by_source", self._prefix + str(record.source).encode())
        self.batch.delete("by_url", self._prefix + _url_hash(record.url))
        self.state.pages -= 1
        self.state.bytes -= len(record.body)
        self.tombstones.append(document_key(record.site, record.source))

    def _document(self, key: bytes) -> DocumentRecord:
        value = self._db.get("documents", key)
        if value is None:
            raise StateProblem(f"a window of {self.site} has lost a document: delete the state")
        return decode_document(value)


def _prefix(site: str) -> bytes:
    return site.encode() + b"\0"


def _place(record: DocumentRecord) -> bytes:
    """A document's place in its window: event time, hash of page id, then source for uniqueness."""
    page_hash = hashlib.blake2b(record.id.encode(), digest_size=8).digest()
    return _time_bytes(record.event_time_ms) + page_hash + str(record.source).encode()


def _is_same_page(known: DocumentRecord, record: DocumentRecord) -> bool:
    return known.url == record.url and known.content_digest == record.content_digest


def _time_bytes(time_ms: int) -> bytes:
    return (time_ms + _EPOCH_SHIFT_MS).to_bytes(8, "big")


def _time_from(stored: bytes) -> int:
    return int.from_bytes(stored, "big") - _EPOCH_SHIFT_MS


def _url_hash(url: str) -> bytes:
    return hashlib.blake2b(url.encode(), digest_size=16).digest()
