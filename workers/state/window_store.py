"""Rolling windows of the sites of one partition of `documents`, in RocksDB.

Each record of the topic is stored by one batch: the document, its page summary, the site's state, the
null values to send and the next offset. So a replay changes nothing, and a crash leaves no half of a
change behind.

Families and keys:

    entries        site NUL source id        -> WindowEntry; the key is that of the record of `documents`
    pages          the key of `entries`      -> StoredPage, compressed
    dictionaries   site NUL number(8)        -> a dictionary of compression, as a zstd frame
    deleted        site NUL blake2b(url)(16) -> time and source id of the deletion
    sites          site                      -> SiteState
    outbox         key of a record of `documents` that is to be replaced by a null value, or sent again
                   such a key, NUL "changed" -> DocumentRecord of an earlier fetch to compare it with
    superseded     site NUL blake2b(url)(16) -> URL whose newest text is to be published again
    meta           "next"                    -> offset of the next record
                   "format"                  -> WINDOW_FORMAT
                   "log" topic               -> what identifies the log that was read or written
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from schemas.document import DocumentRecord, document_key, site_of_key
from templ_core.config import WindowBounds
from templ_core.dom.codec import content_digest
from templ_core.errors import CodecError
from templ_core.site_events.noticed import NoticedChange
from templ_core.site_events.watch import SiteWatch
from templ_core.site_level.window.site_cache import SiteCache
from templ_core.site_level.window.site_window import SiteWindow, WindowFetch, url_hash
from workers.errors import OtherFormat
from workers.settings import Settings
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
from workers.state.packing import Packers, content_of
from workers.state.rocks import Batch
from workers.state.site_state import FittedSite, SiteState, WindowTotals, totals_of
from workers.state.window_change import KeptSite, WindowChange
from workers.state.window_entry import (
    StoredPage,
    WindowEntry,
    fetch_of,
    record_of,
    stored_page,
    time_bytes,
    time_from,
)

WINDOW_FORMAT = 6
"""Version of the families, keys and values; windows of another version must be rebuilt."""
_FAMILIES = (
    *("entries", "pages", "dictionaries", "deleted"),
    *("sites", "outbox", "superseded", "meta"),
)
_FETCHES_IN_MEMORY = 20_000
"""Fetches of windows that a store keeps in memory, about 400 bytes each."""
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
        self._keeps_earlier = has_topic and settings.changes
        self._db = open_database(path, _FAMILIES)
        self.outbox = Outbox(self._db)
        try:
            self._check_format(path)
            self._packers = Packers(self._db)
            self._sites = SiteCache(_FETCHES_IN_MEMORY, self._read_site)
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
        if not is_new and found != bytes([WINDOW_FORMAT]):
            raise OtherFormat(
                f"{path} was written by another version: delete it to start with an empty one"
            )
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

        Raises:
            CodecError: The document or the summary is damaged.
        """
        bounds, page = self.bounds_of(record.site), stored_page(record, summary)
        self._change(record.site, offset, lambda change: change.enter(record, page, bounds))

    def whole(self, record: DocumentRecord) -> DocumentRecord:
        """Return a record from a topic with its document decompressed and compared with its digest.

        Raises:
            CodecError: The document is damaged.
        """
        try:
            columns = content_of(record.body)
        except CodecError as error:
            raise CodecError(f"not a document: {error}") from None
        if content_digest(columns) != record.content_digest:
            raise CodecError("damaged document: its digest does not fit")
        return msgspec.structs.replace(record, body=columns)

    def known(self, record: DocumentRecord) -> WindowEntry | None:
        """Return the entry of a document that is in the window already, otherwise None."""
        entry = self._entry(document_key(record.site, record.source))
        if entry is None or (entry.url, entry.event_time_ms) != (record.url, record.event_time_ms):
            return None
        return entry if entry.content_digest == record.content_digest else None

    def replace(self, record: DocumentRecord, known: WindowEntry, offset: int | None) -> None:
        """Store a known document that was delivered again or carries a revision of its text."""
        is_in_topic = offset is not None
        self._change(
            record.site,
            offset,
            lambda change: change.replace(record, known, is_in_topic=is_in_topic),
        )

    def mark_looked_at(self, key: bytes, documents: int) -> None:
        """Record that the text of a document stays as it is with a model fitted on that many documents."""
        with self._lock:
            entry = self._entry(key)
            if entry is not None:
                seen = msgspec.structs.replace(entry, looked_at=documents)
                self._db.put("entries", key, msgspec.msgpack.encode(seen))

    def put_summary(self, key: bytes, summary: bytes) -> None:
        """Replace the page summary of a document of the window."""
        with self._lock:
            entry, page = self._entry(key), self.page_of(key)
            if entry is not None and page is not None:
                page = msgspec.structs.replace(page, summary=content_of(summary))
                packer = self._packers.of(site_of_key(key), entry.dictionary)
                self._db.put("pages", key, packer.pack(msgspec.msgpack.encode(page)))

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
                key = f"{site}\0{source_id}".encode()
                batch = Batch()
                if self._db.get("entries", key) is not None:
                    self.outbox.send_again(batch, key)
                self._write_next(batch, offset)

    def erase(self, site: str) -> bool:
        """Erase a site from all files, which nobody else may use, and return whether it was stored."""
        with self._lock:
            self._packers.forget(site)
            self._sites.drop(site)
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
        return self._kept(site).state

    def sites(self) -> Iterator[tuple[str, SiteState]]:
        """Yield all sites with their states, in the order of their UTF-8 bytes."""
        for key, value in self._db.scan("sites"):
            yield key.decode(), decode_stored(self._db, value, SiteState)

    def fetches(self, site: str) -> list[tuple[WindowFetch, bytes]]:
        """Return what a site's window holds, in its order, each with the key of its document."""
        kept = self._kept(site)
        return [(fetch, kept.keys[fetch.url_hash]) for fetch in kept.window]

    def window_entries(self, site: str) -> Iterator[WindowEntry]:
        """Yield the entries of a site's window in its order."""
        yield from sorted(self._stored_entries(site), key=fetch_of)

    def _stored_entries(self, site: str) -> Iterator[WindowEntry]:
        for _, value in self._db.scan("entries", site.encode() + b"\0"):
            yield decode_stored(self._db, value, WindowEntry)

    def window(self, site: str) -> Iterator[DocumentRecord]:
        """Yield the documents of a site's window in its order."""
        for entry in self.window_entries(site):
            page = self._page(site, entry)
            if page is not None:
                yield record_of(site, entry, page)

    def document_of(self, key: bytes) -> DocumentRecord | None:
        """Return the document of a key of `documents`, or None when it has left the window."""
        entry, site = self._entry(key), site_of_key(key)
        page = entry and self._page(site, entry)
        return record_of(site, entry, page) if entry and page else None

    def page_of(self, key: bytes) -> StoredPage | None:
        """Return the page of a key of `documents`, or None when it has left the window."""
        entry = self._entry(key)
        return self._page(site_of_key(key), entry) if entry else None

    def url_of(self, key: bytes) -> str:
        """Return the URL of a key of `documents`; empty when the document has left the window."""
        entry = self._entry(key)
        return entry.url if entry else ""

    def _entry(self, key: bytes) -> WindowEntry | None:
        value = self._db.get("entries", key)
        return decode_stored(self._db, value, WindowEntry) if value else None

    def _page(self, site: str, entry: WindowEntry) -> StoredPage | None:
        packed = self._db.get("pages", document_key(site, entry.source))
        if packed is None:
            return None
        with stored_values(self._db):
            content = self._packers.of(site, entry.dictionary).content(packed)
            return msgspec.msgpack.decode(content, type=StoredPage)

    def mark_fitted(self, site: str, fitted: FittedSite) -> None:
        """Record that a model was published, and what its fit has found out."""
        with self._lock:
            kept = self._sites.take(site)
            state = msgspec.structs.replace(
                kept.state,
                fitted_at=max(kept.state.fitted_at, fitted.learned),
                model_version=fitted.version,
                fit=fitted.fit,
                changed_at_ms=fitted.changed_at_ms,
                of_old_design=fitted.of_old_design,
            )
            if fitted.borders is not None and isinstance(state.watch, SiteWatch):
                state.watch = msgspec.structs.replace(state.watch)
                state.watch.see_design(fitted.changed_at_ms, *fitted.borders)
            self._write(site, kept.state, KeptSite(state, kept.window, kept.keys), Batch())

    def untold(self, site: str) -> list[NoticedChange]:
        """Return the changes of a site that are to be told."""
        watch = self.site_state(site).watch
        return watch.untold if isinstance(watch, SiteWatch) else []

    def mark_told(self, site: str, count: int) -> None:
        """Record that the first changes of a site were told."""
        self._update_watch(site, lambda watch: setattr(watch, "untold", watch.untold[count:]))

    def listen(self) -> list[str]:
        """Notice silent sites by the newest event time of all sites; return the sites that have changes to tell."""
        watched = [
            (site, one) for site, state in self.sites() if isinstance(one := state.watch, SiteWatch)
        ]
        now_ms = max((one.newest_ms or 0 for _, one in watched), default=0)
        for site, one in watched:
            if one.hears_nothing(now_ms):
                self._update_watch(site, lambda watch: watch.listen(now_ms))
        return [site for site, _ in watched if self.untold(site)]

    def _update_watch(self, site: str, change: Callable[[SiteWatch], None]) -> None:
        with self._lock:
            kept = self._sites.take(site)
            if isinstance(kept.state.watch, SiteWatch):
                watch = msgspec.structs.replace(kept.state.watch)
                change(watch)
                state = msgspec.structs.replace(kept.state, watch=watch)
                self._write(site, kept.state, KeptSite(state, kept.window, kept.keys), Batch())
            else:
                self._sites.keep(site, kept)

    def newest(self, site: str, url_key: bytes) -> DocumentRecord | str | None:
        """Return the newest document of a URL or the source id of its deletion.

        The key comes from `Outbox.superseded`. The result is None when neither is known any more.
        """
        key = self._kept(site).keys.get(url_key.partition(b"\0")[2])
        if key is not None:
            return self.document_of(key)
        deletion = self._db.get("deleted", url_key)
        return deletion[len(time_bytes(0)) :].decode() if deletion else None

    def _change(self, site: str, offset: int | None, fill: Callable[[WindowChange], None]) -> None:
        """Have a change of a site's window filled, and write it, unless the record was stored before."""
        with self._lock:
            if not self.is_new(offset):
                return
            before = self._sites.take(site)
            change = WindowChange(
                self._db, site, before, self._packers, keeps_earlier=self._keeps_earlier
            )
            fill(change)
            if self._has_topic:
                for key in change.confirmed:
                    change.batch.delete("outbox", key)
                for key in change.tombstones:
                    self.outbox.remove(change.batch, key)
                if change.earlier is not None:
                    self.outbox.compare(change.batch, *change.earlier)
                    change.overtaken.clear()
            # On files a revision comes before the outputs of all pages behind it.
            late = change.superseded if offset is None else change.superseded | change.overtaken
            for url in late:
                url_key = site.encode() + b"\0" + url_hash(url)
                self.outbox.supersede(change.batch, url_key, url)
            self._put_next(change.batch, offset)
            self._write(site, before.state, change.kept(), change.batch)
            self._advance(offset)

    def _kept(self, site: str) -> KeptSite:
        """Return what is kept in memory of a site, which is read first if need be."""
        with self._lock:
            kept = self._sites.take(site)
            self._sites.keep(site, kept)
            return kept

    def _read_site(self, site: str) -> KeptSite:
        stored, prefix = self._db.get("sites", site.encode()), site.encode() + b"\0"
        state = decode_stored(self._db, stored, SiteState) if stored else SiteState()
        found = [(fetch_of(entry), entry.source) for entry in self._stored_entries(site)]
        if len(found) != state.pages:
            raise self._db.damaged(f"the window of {site} lacks a document")
        deletions = self._db.scan("deleted", prefix)
        window = SiteWindow(
            (fetch for fetch, _ in found),
            {key.removeprefix(prefix): time_from(mark) for key, mark in deletions},
        )
        keys = {fetch.url_hash: document_key(site, source) for fetch, source in found}
        return KeptSite(state, window, keys)

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

    def _write(self, site: str, before: SiteState, kept: KeptSite, batch: Batch) -> None:
        """Write a site's state with a batch, and bring the totals up to date."""
        batch.put("sites", site.encode(), msgspec.msgpack.encode(kept.state))
        self._db.write(batch)
        self._sites.keep(site, kept)
        self._totals = self._totals - totals_of(before) + totals_of(kept.state)

    def _counted_totals(self) -> WindowTotals:
        return sum((totals_of(state) for _, state in self.sites()), WindowTotals())
