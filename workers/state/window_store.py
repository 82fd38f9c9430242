"""Rolling windows of the sites of one partition of `documents`, in RocksDB.

Each record of the topic is stored by one batch: the document, its page summary, the site's state, the
null values to send and the next offset. So a replay changes nothing, and a crash leaves no half of a
change behind.

Families and keys:

    entries        site NUL time(8) blake2b(page id)(8) source id -> WindowEntry
    bodies         the key of `entries`          -> StoredDetails and document, compressed with the dictionary
    details        the key of `entries`          -> StoredDetails of a document that was stored by format 4
    contributions  the key of `entries`          -> page summary, compressed in the same way
    dictionaries   site                          -> the site's compression dictionaries
    by_source      site NUL source id            -> time, hash and source of the document
    by_url         site NUL blake2b(url)(16)     -> key in `entries` of the newest version
    deleted        site NUL blake2b(url)(16)     -> time and source id of the deletion
    deletions      site NUL time(8) source id    -> key in `deleted`
    sites          site                          -> SiteState
    templates      site                          -> the trees of earlier versions, which nothing reads
    outbox         key of a record of `documents` that is to be replaced by a null value, or sent again
    overtaken      the key of `by_url`           -> URL whose newest text is to be published again
    meta           "next"                        -> offset of the next record
                   "format"                      -> WINDOW_FORMAT
                   "log" topic                   -> what identifies the log that was read or written
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from schemas.document import DocumentRecord, site_of_key
from templ_core.config import WindowBounds
from templ_core.dom.codec import content_digest
from templ_core.errors import CodecError
from templ_core.site_level.window.site_cache import SiteCache
from templ_core.site_level.window.site_window import SiteWindow, url_hash
from workers.errors import OtherFormat
from workers.settings import Settings
from workers.state.batch import Batch
from workers.state.database import (
    DatabaseEntry,
    decode_stored,
    entries_of,
    erase_site,
    open_database,
    put_entries,
    stored_values,
)
from workers.state.outbox import Outbox
from workers.state.packing import Packers, content_of, loose_frame
from workers.state.site_state import SiteState, WindowTotals, totals_of
from workers.state.window_change import WindowChange
from workers.state.window_entry import (
    SUMMARIES,
    SUPERSEDED,
    StoredDetails,
    WindowEntry,
    fetch_of,
    place_of,
    record_of,
    site_prefix,
    time_bytes,
    time_from,
)

WINDOW_FORMAT = 5
"""Version of the families, keys and values; version 4 can be read too, all others must be rebuilt."""
_FAMILIES = (
    *("entries", "bodies", "details", SUMMARIES, "dictionaries", "by_source", "by_url"),
    *("deleted", "deletions", "sites", "templates", "outbox", SUPERSEDED, "meta"),
)
_FETCHES_IN_MEMORY = 20_000
"""Fetches of windows that a store keeps in memory, about 250 bytes each."""
_NEXT = b"next"
_FORMAT, _LOG = b"format", b"log"


class WindowStore:
    """The windows of one partition.

    It is safe to use from several threads. Opening and every method but `totals` and `is_new` block
    their thread, so an event loop must call them from another thread.
    """

    def __init__(self, path: Path | None, settings: Settings, *, has_topic: bool = True) -> None:
        """Open the database at `path`, and create it when it does not exist.

        Args:
            path: Directory of the database; None means in memory.
            settings: Bounds of the windows.
            has_topic: Whether the documents are in a topic too, from which the outbox removes those
                that leave a window. Without a topic the outbox stays empty.

        Raises:
            OtherFormat: Another version has written it.
            DamagedStore: The database is damaged.
            DiskProblem: The disk is full or fails.
            StateProblem: The database is in use or not writable.
        """
        bounds = settings.window
        self.bounds_of: Callable[[str], WindowBounds] = lambda _: bounds
        """Returns the bounds of a site's window."""
        self._has_topic = has_topic
        self._db = open_database(path, _FAMILIES)
        self.outbox = Outbox(self._db)
        try:
            self._check_format(path)
            self._packers = Packers(self._db)
            self._windows = SiteCache(_FETCHES_IN_MEMORY, self._read_window)
            self._lock = threading.Lock()
            stored = self._db.get("meta", _NEXT)
            self.next_offset = int.from_bytes(stored, "big") if stored else 0
            """Offset of the first record of `documents` that has not been stored."""
            self._totals = self._counted_totals()
        except BaseException:
            self._db.close()
            raise

    def _check_format(self, path: Path | None) -> None:
        """Raise `OtherFormat` for a store that cannot be read; note the format in all others.

        A store without sites is new, even if its making was interrupted before the format was noted.
        """
        found = self._db.get("meta", _FORMAT)
        is_new = found is None and not any(True for _ in self._db.scan("sites"))
        if not is_new and found not in (bytes([4]), bytes([WINDOW_FORMAT])):
            raise OtherFormat(f"{path} was written by another version: delete it to start anew")
        self._db.put("meta", _FORMAT, bytes([WINDOW_FORMAT]))

    def entries(self) -> Iterator[DatabaseEntry]:
        """Yield everything that is stored."""
        return entries_of(self._db, _FAMILIES)

    def restore(self, entries: Iterable[DatabaseEntry]) -> None:
        """Write what another store held into this one, which must be empty."""
        with self._lock:
            put_entries(self._db, entries)
            self._totals = self._counted_totals()

    def close(self) -> None:
        """Write what is in memory to disk, and release the database."""
        with self._lock:
            self._db.close()

    def totals(self) -> WindowTotals:
        """Return totals over all sites; they are kept in memory, so this reads nothing."""
        return self._totals

    def put(self, record: DocumentRecord, summary: bytes, offset: int | None) -> None:
        """Add a document to its site's window, or have it removed from the topic.

        Of several versions of a URL only the newest stays. Documents that exceed the window's bounds
        leave, oldest first.

        Args:
            record: The document.
            summary: Its page summary in compact form.
            offset: Its offset in `documents`; nothing happens when it is below `next_offset`, since
                the record was stored before. None when working on files, where nothing is replayed.
        """
        bounds = self.bounds_of(record.site)
        self._change(record.site, offset, lambda change: change.enter(record, summary, bounds))

    def problem_of(self, record: DocumentRecord) -> str | None:
        """Return why a document cannot be stored; None where it is whole."""
        try:
            columns = content_of(record.body)
        except CodecError as error:
            return f"not a document: {error}"
        if content_digest(columns) != record.content_digest:
            return "damaged document: its digest does not fit"
        return None

    def known(self, record: DocumentRecord) -> WindowEntry | None:
        """Return the entry of a document that is in the window already, otherwise None."""
        value = self._db.get("entries", site_prefix(record.site) + place_of(record))
        entry = decode_stored(self._db, value, WindowEntry) if value else None
        is_same = entry and (entry.url, entry.content_digest) == (record.url, record.content_digest)
        return entry if is_same else None

    def replace(self, record: DocumentRecord, known: WindowEntry, offset: int | None) -> None:
        """Store a known document that was delivered again or carries a revision of its text."""
        is_in_topic = offset is not None
        self._change(
            record.site,
            offset,
            lambda change: change.replace(record, known, is_in_topic=is_in_topic),
        )

    def mark_looked_at(self, site: str, entry: WindowEntry, documents: int) -> None:
        """Record that a text stays as it is with a model fitted on that many documents."""
        seen = msgspec.structs.replace(entry, looked_at=documents)
        key = site_prefix(site) + place_of(entry)
        self._db.put("entries", key, msgspec.msgpack.encode(seen))

    def put_summary(self, site: str, entry: WindowEntry, summary: bytes) -> None:
        """Replace the page summary of a document of the window."""
        packed = self._packers.of(site).summaries.pack(content_of(summary))
        self._db.put(SUMMARIES, site_prefix(site) + place_of(entry), packed)

    def delete_url(self, record: DocumentRecord, offset: int | None) -> None:
        """Remove what was fetched from a URL up to the event time of its deletion."""
        bounds = self.bounds_of(record.site)
        self._change(record.site, offset, lambda change: change.forget_url(record, bounds))

    def remove(self, site: str, source_id: str, offset: int) -> None:
        """Remove a document whose null value was read from `documents`."""
        self._change(site, offset, lambda change: change.follow_tombstone(source_id))

    def keep(self, site: str, source_id: str, offset: int) -> None:
        """Keep a document, and have it sent again, whose null value in `documents` does not count."""
        with self._lock:
            if self.is_new(offset):
                key = site_prefix(site) + source_id.encode()
                batch = Batch()
                if self._db.get("by_source", key) is not None:
                    self.outbox.send_again(batch, key)
                self._write_next(batch, offset)

    def erase(self, site: str) -> bool:
        """Erase a site from all files, which nobody else may use, and return whether it was stored."""
        with self._lock:
            self._packers.forget(site)
            self._windows.drop(site)
            was_there = erase_site(self._db, _FAMILIES, site)
            if was_there:
                self._totals = self._counted_totals()
            return was_there

    def is_new(self, offset: int | None) -> bool:
        """Return whether a record of `documents` has not been stored before."""
        return offset is None or offset >= self.next_offset

    def skip(self, offset: int | None) -> None:
        """Move past a record of `documents` that changes no window."""
        with self._lock:
            if self.is_new(offset):
                self._write_next(Batch(), offset)

    def log_mark(self, topic: str) -> bytes | None:
        """Return the mark of the log of a topic that belongs to the windows, or None before any."""
        return self._db.get("meta", _LOG + topic.encode())

    def mark_log(self, topic: str, mark: bytes) -> None:
        """Set the mark of the log of a topic that belongs to the windows."""
        self._db.put("meta", _LOG + topic.encode(), mark)

    def site_state(self, site: str) -> SiteState:
        """Return the state of a site's window; that of an unknown site is empty."""
        stored = self._db.get("sites", site.encode())
        return decode_stored(self._db, stored, SiteState) if stored else SiteState()

    def sites(self) -> Iterator[tuple[str, SiteState]]:
        """Yield all sites with their states, in the order of their UTF-8 bytes."""
        for key, value in self._db.scan("sites"):
            yield key.decode(), decode_stored(self._db, value, SiteState)

    def summary(self, site: str, entry: WindowEntry) -> bytes:
        """Return a page summary in compact form, hardly compressed; empty when it has left the window."""
        body = self._content(SUMMARIES, site, entry)
        return b"" if body is None else loose_frame(body)

    def window_entries(self, site: str) -> Iterator[WindowEntry]:
        """Yield the entries of a site's window in its order."""
        yield from sorted(self._stored_entries(site), key=fetch_of)

    def _stored_entries(self, site: str) -> Iterator[WindowEntry]:
        for _, value in self._db.scan("entries", site_prefix(site)):
            yield decode_stored(self._db, value, WindowEntry)

    def window(self, site: str) -> Iterator[DocumentRecord]:
        """Yield the documents of a site's window in its order."""
        for entry in self.window_entries(site):
            document = self.document(site, entry)
            if document is not None:
                yield document

    def document(self, site: str, entry: WindowEntry) -> DocumentRecord | None:
        """Return the document of an entry, or None when it has left the window."""
        body = self._content("bodies", site, entry)
        if body is None:
            return None
        key = site_prefix(site) + place_of(entry)
        apart = None if entry.rest_bytes else self._db.get("details", key)
        rest = decode_stored(self._db, apart, StoredDetails) if apart else StoredDetails()
        with stored_values(self._db):
            return record_of(site, entry, body, rest)

    def document_body(self, site: str, entry: WindowEntry) -> bytes:
        """Return a document in compact form, hardly compressed; empty when it has left the window."""
        body = self._content("bodies", site, entry)
        return b"" if body is None else loose_frame(body[entry.rest_bytes :])

    def _content(self, family: str, site: str, entry: WindowEntry) -> bytes | None:
        """Return a compressed value of an entry as it was; None when it has left the window."""
        packed = self._db.get(family, site_prefix(site) + place_of(entry))
        if packed is None:
            return None
        with stored_values(self._db):
            packers = self._packers.of(site)
            return (packers.bodies if family == "bodies" else packers.summaries).content(packed)

    def document_of(self, key: bytes) -> DocumentRecord | None:
        """Return the document of a key of `documents`, or None when it has left the window."""
        site, place = site_of_key(key), self._db.get("by_source", key)
        return self._document_at(site, site_prefix(site) + place) if place else None

    def _document_at(self, site: str, key: bytes) -> DocumentRecord | None:
        value = self._db.get("entries", key)
        return self.document(site, decode_stored(self._db, value, WindowEntry)) if value else None

    def mark_fitted(self, site: str, learned: int, version: str) -> None:
        """Record that a model was published.

        Args:
            site: Site key.
            learned: Value of `SiteState.learned` when the model was fitted.
            version: Version of the model.
        """
        with self._lock:
            state = self.site_state(site)
            state.fitted_at = max(state.fitted_at, learned)
            state.model_version = version
            self._write_state(site, state, Batch())

    def mark_fit(
        self, site: str, fit: float, changed_at_ms: int | None, of_old_design: int
    ) -> None:
        """Record what a fit found out about a site's design; see the fields of `SiteState`."""
        with self._lock:
            state = self.site_state(site)
            state.fit = fit
            state.changed_at_ms, state.of_old_design = changed_at_ms, of_old_design
            self._write_state(site, state, Batch())

    def newest(self, site: str, url_key: bytes) -> DocumentRecord | str | None:
        """Return the newest document of a URL or the source id of its deletion.

        The key comes from `Outbox.superseded`. The result is None when neither is known any more.
        """
        key = self._db.get("by_url", url_key)
        if key is not None:
            return self._document_at(site, key)
        deletion = self._db.get("deleted", url_key)
        return deletion[len(time_bytes(0)) :].decode() if deletion else None

    def _change(self, site: str, offset: int | None, fill: Callable[[WindowChange], None]) -> None:
        """Have a change of a site's window filled, and write it, unless the record was stored before."""
        with self._lock:
            if not self.is_new(offset):
                return
            with stored_values(self._db):
                packers = self._packers.of(site)
            state, window = self.site_state(site), self._windows.take(site)
            if len(window) != state.pages:
                raise self._db.damaged(f"the window of {site} lacks a document")
            change = WindowChange(self._db, site, state, window, packers)
            fill(change)
            if self._has_topic:
                for key in change.tombstones:
                    self.outbox.remove(change.batch, key)
            # On files a revision comes before the outputs of all pages behind it.
            late = change.superseded if offset is None else change.superseded | change.overtaken
            for url in late:
                self.outbox.supersede(change.batch, site_prefix(site) + url_hash(url), url)
            self._put_next(change.batch, offset)
            self._write_state(site, change.state(), change.batch)
            self._windows.keep(site, window)
            self._advance(offset)
            if change.new_packers is not None:
                self._packers.keep(site, change.new_packers)

    def _read_window(self, site: str) -> SiteWindow:
        prefix = site_prefix(site)
        deletions = self._db.scan("deleted", prefix)
        return SiteWindow(
            map(fetch_of, self._stored_entries(site)),
            {key.removeprefix(prefix): time_from(mark) for key, mark in deletions},
        )

    def _write_next(self, batch: Batch, offset: int | None) -> None:
        self._put_next(batch, offset)
        self._db.write(batch)
        self._advance(offset)

    def _put_next(self, batch: Batch, offset: int | None) -> None:
        if offset is not None:
            batch.put("meta", _NEXT, (offset + 1).to_bytes(8, "big"))

    def _advance(self, offset: int | None) -> None:
        if offset is not None:
            self.next_offset = offset + 1

    def _write_state(self, site: str, state: SiteState, batch: Batch) -> None:
        """Write a site's state with a batch, and bring the totals up to date."""
        before = totals_of(self.site_state(site))
        batch.put("sites", site.encode(), msgspec.msgpack.encode(state))
        self._db.write(batch)
        self._totals = self._totals - before + totals_of(state)

    def _counted_totals(self) -> WindowTotals:
        return sum((totals_of(state) for _, state in self.sites()), WindowTotals())
