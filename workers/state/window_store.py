"""Rolling windows of the sites of one partition of `documents`, in RocksDB.

One WriteBatch per record holds the document, its contribution, the site's sums, the tombstones to
send and the next offset, so that a replay changes nothing and a crash tears nothing.

Keys:

    entries                    site NUL time(8) blake2b(page id)(8) source id -> Entry
    bodies, contributions      the same                     -> packed with the site's dictionary
    dictionaries               site                         -> what its values are packed with
    by_source                  site NUL source id           -> time and hash of the document
    by_url                     site NUL blake2b(url)(16)    -> key of the newest version
    deleted                    site NUL blake2b(url)(16)    -> time and source id of the deletion
    deletions                  site NUL time(8) source id   -> key of `deleted`
    sites                      site                         -> SiteState
    templates                  site                         -> templates fitted last
    outbox                     key of `documents` (topic) to tombstone
    overtaken                  as in by_url                 -> URL whose newest text is to go out again
    meta                       "next"                       -> offset of the next record
                               "format"                     -> WINDOW_FORMAT
"""

import threading
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import msgspec

from schemas.document import DocumentRecord
from workers.errors import OtherFormat
from workers.settings import Settings
from workers.state.database import Batch, open_database, put_entries
from workers.state.database import Entry as DatabaseEntry
from workers.state.database import entries_of as database_entries
from workers.state.packing import Packers
from workers.state.window_change import Contribution, SiteState, WindowChange
from workers.state.window_entry import (
    Entry,
    place_of,
    record_of,
    site_prefix,
    time_bytes,
    url_hash,
)

WINDOW_FORMAT = 4
"""Raised with every change of keys or values; a store of another one is made anew."""
_SUPERSEDED = "overtaken"
"""The family's name on disk is that of the first version: with another one no window would open."""
_FAMILIES = (
    "entries",
    "bodies",
    "contributions",
    "dictionaries",
    "by_source",
    "by_url",
    "deleted",
    "deletions",
    "sites",
    "templates",
    "outbox",
    _SUPERSEDED,
    "meta",
)
_NEXT = b"next"
_FORMAT = b"format"


class WindowStore:
    """Windows of one partition. Safe to use from several threads."""

    def __init__(self, path: Path | None, settings: Settings, *, has_topic: bool = True) -> None:
        """Open the database at `path`, or make it.

        Args:
            path: Directory of the database; None = in memory.
            settings: Bounds of the windows.
            has_topic: Whether the documents lie in a topic, too, from which those that leave a
                window are removed by way of the outbox. Without one the outbox stays empty.

        Raises:
            OtherFormat: another version has written it.
            StateProblem: it is in use, damaged or not writable.
        """
        self._settings = settings
        self._has_topic = has_topic
        is_new = path is None or not (path / "CURRENT").exists()
        self._db = open_database(path, _FAMILIES)
        if is_new:
            self._db.put("meta", _FORMAT, bytes([WINDOW_FORMAT]))
        elif self._db.get("meta", _FORMAT) != bytes([WINDOW_FORMAT]):
            self._db.close()
            raise OtherFormat(f"{path} was written by another version: delete it; it is rebuilt")
        self._packers = Packers(self._db)
        self._lock = threading.Lock()
        self._is_closed = False
        stored = self._db.get("meta", _NEXT)
        self.next_offset = int.from_bytes(stored, "big") if stored else 0

    def entries(self) -> Iterator[DatabaseEntry]:
        """All that is stored."""
        return database_entries(self._db, _FAMILIES)

    def restore(self, entries: Iterable[DatabaseEntry]) -> None:
        """Take over what another store held, into an empty one."""
        put_entries(self._db, entries)

    def close(self) -> None:
        """Write what is in memory, and let the database go."""
        with self._lock:
            self._is_closed = True
            self._db.close()

    def put(self, record: DocumentRecord, contribution: Contribution, offset: int | None) -> None:
        """Take a document into its site's window, or put it on the list to be tombstoned.

        Of several versions of a URL the newest stays. What the bounds no longer allow leaves,
        oldest first.

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
                change.repack()
                self._apply(change, offset)

    def known(self, record: DocumentRecord) -> Entry | None:
        """The entry of a document that the window has already; None when it has not."""
        value = self._db.get("entries", site_prefix(record.site) + place_of(record))
        entry = msgspec.msgpack.decode(value, type=Entry) if value else None
        is_same = entry and (entry.url, entry.content_digest) == (record.url, record.content_digest)
        return entry if is_same else None

    def replace(self, record: DocumentRecord, known: Entry, offset: int | None) -> None:
        """Take a known document again: redelivered, or with a revision of its text."""
        with self._lock:
            if self.is_new(offset):
                change = self._change(record.site)
                change.replace(record, known)
                self._apply(change, offset)

    def mark_looked_at(self, site: str, entry: Entry, documents: int) -> None:
        """Note that a text was compared with a model fitted on so many documents, and stays."""
        seen = msgspec.structs.replace(entry, looked_at=documents)
        key = site_prefix(site) + place_of(entry)
        self._db.put("entries", key, msgspec.msgpack.encode(seen))

    def put_contribution(self, site: str, entry: Entry, contribution: Contribution) -> None:
        """Set anew what a document of the window adds to its site's model."""
        packed = self._packers.of(site).contributions.pack(contribution.body)
        self._db.put("contributions", site_prefix(site) + place_of(entry), packed)

    def delete_url(self, record: DocumentRecord, offset: int | None) -> None:
        """Forget a URL and what was fetched from it up to the deletion's event time."""
        with self._lock:
            if self.is_new(offset):
                change = self._change(record.site)
                change.forget_url(record)
                change.keep_bounds(self._settings)
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

    def all_sites(self) -> list[tuple[str, SiteState]]:
        """The same at one moment, from any thread; none where the store is closed."""
        with self._lock:
            return [] if self._is_closed else list(self.sites())

    def contribution(self, site: str, entry: Entry) -> Contribution | None:
        """What a document adds to its site's model; None when it has left the window."""
        packed = self._db.get("contributions", site_prefix(site) + place_of(entry))
        if packed is None:
            return None
        body = self._packers.of(site).contributions.frame(packed)
        return Contribution(entry.id, entry.content_digest, body)

    def window_entries(self, site: str) -> Iterator[Entry]:
        """Entries of a site's window in order of (event time, hash of page id)."""
        for _, value in self._db.scan("entries", site_prefix(site)):
            yield msgspec.msgpack.decode(value, type=Entry)

    def window(self, site: str) -> Iterator[DocumentRecord]:
        """Documents of a site's window in order of (event time, hash of page id)."""
        for entry in self.window_entries(site):
            document = self.document(site, entry)
            if document is not None:
                yield document

    def document(self, site: str, entry: Entry) -> DocumentRecord | None:
        """The document of an entry, with its body; None when it has left the window."""
        packed = self._db.get("bodies", site_prefix(site) + place_of(entry))
        if packed is None:
            return None
        return record_of(site, entry, self._packers.of(site).bodies.frame(packed))

    def mark_fitted(self, site: str, learned: int, version: str) -> None:
        """Note that the model fitted when `learned` documents had been seen is published."""
        with self._lock:
            state = self.site_state(site)
            state.fitted_at = max(state.fitted_at, learned)
            state.model_version = version
            self._db.put("sites", site.encode(), msgspec.msgpack.encode(state))

    def mark_fit(
        self, site: str, fit: float, changed_at_ms: int | None, of_old_design: int
    ) -> None:
        """Note how a site's last page fits its kind, and its last change of design."""
        with self._lock:
            state = self.site_state(site)
            state.fit = fit
            state.changed_at_ms, state.of_old_design = changed_at_ms, of_old_design
            self._db.put("sites", site.encode(), msgspec.msgpack.encode(state))

    def templates(self, site: str) -> bytes | None:
        """The templates of a site that were fitted last; None before the first."""
        return self._db.get("templates", site.encode())

    def keep_templates(self, site: str, body: bytes | None, learned: int) -> None:
        """Note the templates fitted when `learned` documents had been seen; None = they failed."""
        with self._lock:
            state = self.site_state(site)
            state.templates_at = max(state.templates_at, learned)
            batch = self._db.batch()
            batch.put("sites", site.encode(), msgspec.msgpack.encode(state))
            if body is not None:
                batch.put("templates", site.encode(), body)
            self._db.write(batch)

    def outbox(self, limit: int) -> list[bytes]:
        """Keys of `documents` whose tombstones are to be sent next."""
        return [key for key, _ in islice(self._db.scan("outbox"), limit)]

    def take_from_outbox(self, keys: Iterable[bytes]) -> None:
        """Drop tombstones that the broker has acknowledged; sending one twice is harmless."""
        batch = self._db.batch()
        for key in keys:
            batch.delete("outbox", key)
        self._db.write(batch)

    def superseded(self, limit: int) -> list[tuple[bytes, str]]:
        """URLs, with keys for `newest`, whose newest text or deletion is to be published again.

        The last output of such a URL may be of an older fetch, that came late or was revised late.
        """
        found = islice(self._db.scan(_SUPERSEDED), limit)
        return [(key, url.decode()) for key, url in found]

    def newest(self, site: str, url_key: bytes) -> DocumentRecord | str | None:
        """The newest document of a URL, or the source id of its deletion; None where it has left."""
        key = self._db.get("by_url", url_key)
        if key is not None:
            value = self._db.get("entries", key)
            return self.document(site, msgspec.msgpack.decode(value, type=Entry)) if value else None
        deletion = self._db.get("deleted", url_key)
        return deletion[len(time_bytes(0)) :].decode() if deletion else None

    def take_from_superseded(self, url_key: bytes) -> None:
        """Drop a URL whose newest text is out."""
        batch = self._db.batch()
        batch.delete(_SUPERSEDED, url_key)
        self._db.write(batch)

    def forget_superseded(self) -> None:
        """Drop all of them."""
        batch = self._db.batch()
        for key, _ in self._db.scan(_SUPERSEDED):
            batch.delete(_SUPERSEDED, key)
        self._db.write(batch)

    def _change(self, site: str) -> WindowChange:
        return WindowChange(self._db, site, self.site_state(site), self._packers.of(site))

    def _apply(self, change: WindowChange, offset: int | None) -> None:
        if self._has_topic:
            for key in change.tombstones:
                change.batch.put("outbox", key, b"")
        if offset is not None:  # on files nothing overtakes
            for url in change.superseded:
                url_key = site_prefix(change.site) + url_hash(url)
                change.batch.put(_SUPERSEDED, url_key, url.encode())
        change.batch.put("sites", change.site.encode(), msgspec.msgpack.encode(change.state))
        self._write(change.batch, offset)
        if change.repacked:
            self._packers.forget(change.site)

    def _write(self, batch: Batch, offset: int | None) -> None:
        after = self.next_offset if offset is None else offset + 1
        batch.put("meta", _NEXT, after.to_bytes(8, "big"))
        self._db.write(batch)
        self.next_offset = after
