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
    superseded     site NUL blake2b(url)(16) -> URL whose newest text is to be published again
    meta           "next"                    -> offset of the next record
                   "format"                  -> WINDOW_FORMAT
                   "log" topic               -> what identifies the log that was read or written
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar
from weakref import WeakSet

import msgspec

from schemas.document import DocumentRecord, document_key, site_of_key
from templ_core.config import WindowBounds
from templ_core.errors import CodecError
from templ_core.site_level.window.site_window import Left, url_hash
from templ_core.stored.compact import content_digest
from workers.errors import OtherFormat
from workers.settings import Settings
from workers.state.database import DatabaseEntry, erase_site, open_database
from workers.state.outbox import Outbox
from workers.state.packing import (
    DICTIONARY_PAGES,
    FIRST_PACKING,
    PACKING_GROWTH,
    Packer,
    content_of,
    dictionary_key,
    joined_pages,
    plain_frame,
)
from workers.state.rocks import Batch
from workers.state.site_state import NEVER_MS, FittedSite, WindowTotals, totals_of
from workers.state.window_entry import (
    StoredPage,
    WindowEntry,
    entry_of,
    fetch_of,
    revised_entry,
    stored_page,
    time_bytes,
)
from workers.state.window_reader import KeptSite, WindowReader

WINDOW_FORMAT = 6
"""Version of the families, keys and values; windows of another version must be rebuilt."""
_FAMILIES = (
    *("entries", "pages", "dictionaries", "deleted"),
    *("sites", "outbox", "superseded", "meta"),
)
_FETCHES_IN_MEMORY = 15_000
"""Fetches of windows that the stores of a process keep in memory together, about 600 bytes each."""
_OPEN_STORES: "WeakSet[WindowStore]" = WeakSet()
"""The stores of the process, which share the room for fetches equally."""
_FORMAT = b"format"
T = TypeVar("T")


class WindowStore(WindowReader):
    """The windows of one partition.

    It is safe to use from several threads. Opening and every method but `totals` and `is_new` block
    their thread, so an event loop must call them from another thread. A method that takes an offset in
    `documents` does nothing for one below `next_offset`, whose record was stored before; the offset is None
    on files, where nothing is replayed.
    """

    def __init__(self, path: Path | None, settings: Settings, *, has_topic: bool = True) -> None:
        """Open the database at `path`, or in memory for None, and create it when it does not exist.

        With a topic, which holds the documents, too, the outbox removes those from it that leave a window; without one it
        stays empty.

        Raises:
            WorkerError: The errors of `open_database`.
        """
        bounds = settings.window
        self.bounds_of: Callable[[str], WindowBounds] = lambda _: bounds
        """Returns the bounds of a site's window."""
        self.has_topic = has_topic
        database = open_database(path, _FAMILIES)
        try:
            super().__init__(database, lambda: _FETCHES_IN_MEMORY // max(len(_OPEN_STORES), 1))
            self.outbox = Outbox(database)
            self._check_format(path)
            self._totals = self._counted_totals()
            _OPEN_STORES.add(self)
        except BaseException:
            database.close()
            raise

    def _check_format(self, path: Path | None) -> None:
        """Raise `OtherFormat` for a store that cannot be read; note the format in all others.

        A store without sites is new, even if its making was interrupted before the format was noted.
        """
        stored = self._db.get("meta", _FORMAT)
        is_new = stored is None and not any(True for _ in self._db.scan("sites"))
        if not is_new and stored != bytes([WINDOW_FORMAT]):
            raise OtherFormat(
                f"{path} was written by another version: delete it to start with an empty one"
            )
        self._db.put("meta", _FORMAT, bytes([WINDOW_FORMAT]))

    def restore(self, entries: Iterable[DatabaseEntry]) -> None:
        """Write what another store held into this one, which must be empty."""
        with self._lock:
            for entry in entries:
                self._db.put(*entry)
            self._totals = self._counted_totals()

    def close(self) -> None:
        """Write what is in memory to disk, and release the database."""
        _OPEN_STORES.discard(self)
        with self._lock:
            self._db.close()

    def totals(self) -> WindowTotals:
        """Return totals over all sites; they are kept in memory, so this reads nothing."""
        return self._totals

    def enter(self, record: DocumentRecord, summary: bytes, offset: int | None) -> None:
        """Add a document with its page summary to its site's window, or have it removed from the topic.

        Of several versions of a URL only the newest stays. Documents that exceed the window's bounds
        leave, oldest first.

        Raises:
            CodecError: The document or the summary is damaged.
        """
        page = stored_page(record, summary)
        self._change(record.site, offset, lambda change: change.enter(record, page))

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

    def compressed(self, record: DocumentRecord) -> DocumentRecord:
        """Return a record of a window as a topic has it."""
        details = plain_frame(record.details) if record.details else b""
        return msgspec.structs.replace(record, body=plain_frame(record.body), details=details)

    def replace(self, record: DocumentRecord, known: WindowEntry, offset: int | None) -> None:
        """Store a known document that was delivered again or carries a revision of its text."""
        self._change(record.site, offset, lambda change: change.replace(record, known))

    def mark_compared(self, key: bytes, documents: int) -> None:
        """Record that the text of a document stays as it is with a model fitted on that many documents."""
        with self._lock:
            entry = self.entry(key)
            if entry is not None:
                seen = msgspec.structs.replace(entry, compared_documents=documents)
                self._db.put("entries", key, msgspec.msgpack.encode(seen))

    def put_summary(self, key: bytes, summary: bytes) -> None:
        """Replace the page summary of a document of the window."""
        with self._lock:
            entry, page = self.entry(key), self.page_of(key)
            if entry is not None and page is not None:
                page = msgspec.structs.replace(page, summary=content_of(summary))
                packer = self.packers.of(site_of_key(key), entry.dictionary)
                self._db.put("pages", key, packer.pack(msgspec.msgpack.encode(page)))

    def delete_url(self, record: DocumentRecord, offset: int | None) -> None:
        """Remove what was fetched from a URL up to the event time of its deletion."""
        self._change(record.site, offset, lambda change: change.forget_url(record))

    def remove(self, site: str, key: bytes, offset: int) -> None:
        """Remove the document of a key whose null value was read from `documents`."""
        self._change(site, offset, lambda change: change.follow_tombstone(key))

    def keep(self, key: bytes, offset: int) -> None:
        """Keep a document, and have it sent again, whose null value in `documents` does not count."""
        with self._lock:
            if self.is_new(offset):
                batch = Batch()
                if self._db.get("entries", key) is not None:
                    self.outbox.send_again(batch, key)
                self._write_next(batch, offset)

    def erase(self, site: str) -> bool:
        """Erase a site from all files, which no other process may use, and return whether it was stored."""
        with self._lock:
            self.packers.forget(site)
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

    def mark_fitted(self, fitted: FittedSite) -> None:
        """Record that a model was published, with the results of its fit."""
        site = fitted.model.site
        with self._lock:
            kept = self._sites.take(site)
            state = msgspec.structs.replace(kept.state)
            state.note_fit(fitted.learned)
            state.model_version, state.fit = fitted.model.version, fitted.fit
            state.changed_at_ms, state.of_old_design = fitted.changed_at_ms, fitted.of_old_design
            changed = KeptSite(state, kept.window, kept.keys, totals_of(state))
            self._write(site, kept, changed, Batch())

    def _change(self, site: str, offset: int | None, fill: Callable[["_Change"], None]) -> None:
        """Let a function fill a change of a site's window, and write it, unless the record was stored before."""
        with self._lock:
            if not self.is_new(offset):
                return
            before = self._sites.take(site)
            change = _Change(self, site, before, is_of_topic=offset is not None)
            fill(change)
            self._write(site, before, change.finish(), change.batch, offset)
            if change.late_url:
                self.outbox.superseded_writes += 1

    def _write(
        self, site: str, before: KeptSite, kept: KeptSite, batch: Batch, offset: int | None = None
    ) -> None:
        """Write a site's state with a batch, and bring the totals up to date."""
        batch.put("sites", site.encode(), msgspec.msgpack.encode(kept.state))
        self._write_next(batch, offset)
        self._sites.keep(site, kept)
        self._totals = self._totals - before.totals + kept.totals

    def _counted_totals(self) -> WindowTotals:
        return sum((totals_of(state) for _, state in self.sites()), WindowTotals())


class _Change:
    """Collects what one record of `documents` changes in a site's window.

    The window decides what stays, and `batch` receives what follows for the database. Nothing is
    written: the store writes the state with the batch, and forgets the site's `KeptSite` where that fails.
    """

    def __init__(self, store: WindowStore, site: str, kept: KeptSite, *, is_of_topic: bool) -> None:
        self.batch = Batch()
        self._store, self._site, self._is_of_topic = store, site, is_of_topic
        self._bounds = store.bounds_of(site)
        self._window, self._keys, self._state = (
            kept.window,
            kept.keys,
            msgspec.structs.replace(kept.state),
        )
        self._prefix = site.encode() + b"\0"
        self._tombstones: list[bytes] = []
        """Keys of `documents` whose records are to be removed from the topic."""
        self.late_url = ""
        """The URL of the record, if its last output may be of an older fetch than the newest known one."""

    def finish(self) -> KeptSite:
        """Return what is kept of the site after the change; `batch` is complete then."""
        store, window, state = self._store, self._window, self._state
        if store.has_topic:
            for key in self._tombstones:
                store.outbox.remove(self.batch, key)
        if self.late_url:
            store.outbox.supersede(
                self.batch, self._prefix + url_hash(self.late_url), self.late_url
            )
        state.pages, state.bytes = len(window), window.size_bytes
        state.deletions = len(window.deletions)
        state.newest_ms, state.oldest_ms = window.newest_ms(NEVER_MS), window.oldest_ms(0)
        return KeptSite(state, window, self._keys, totals_of(state))

    def enter(self, record: DocumentRecord, page: StoredPage) -> None:
        """Add a document if it is the newest of its URL; otherwise have it removed from the topic."""
        key, state = document_key(record.site, record.source), self._state
        # Another feed may have used the same name: a file was replaced, or a topic created again.
        # The document then replaces the other one in the topic, too.
        self._leave_by_key(key)
        entry = entry_of(record, page)
        fetch = fetch_of(entry)
        left = state.enter(self._window, fetch, record.place_pages, record.new_runs, self._bounds)
        if left is None:
            known = self._window.of_url(fetch.url_hash)
            if known is None or known.time_ms > fetch.time_ms:
                self.late_url = record.url
            self._tombstones.append(key)
            return
        earlier = next((gone for gone in left.fetches if gone.url_hash == fetch.url_hash), None)
        self._remove(left, record.url)
        if fetch not in self._window:
            self._tombstones.append(key)
            return
        was_deleted = fetch.url_hash in {*self._window.deletions, *left.deletions}
        if self._is_of_topic and earlier is None and was_deleted:
            # For a still older fetch the deletion may have been published again, after the text of this one.
            self.late_url = record.url
        self._stays_in_topic(key)
        content = msgspec.msgpack.encode(page)
        new = state.learned - state.packed_at
        if new >= max(FIRST_PACKING, PACKING_GROWTH * state.packed_pages):
            self._pack_newest(key, entry, content)
        else:
            packer = self._store.packers.of(self._site, state.packed_at)
            self._put(key, entry, content, state.packed_at, packer)
        self._keys[fetch.url_hash] = key

    def replace(self, record: DocumentRecord, known: WindowEntry) -> None:
        """Update a document of the window, given its entry, if `record` carries a later revision of its text."""
        key = document_key(record.site, record.source)
        if self._is_of_topic:
            self._stays_in_topic(key)
        if record.revision > known.revision:
            self.batch.put("entries", key, msgspec.msgpack.encode(revised_entry(known, record)))

    def forget_url(self, record: DocumentRecord) -> None:
        """Remove a URL, and remember the deletion so that older fetches do not enter again.

        The deletion's record stays in the topic for as long as it is remembered, so that a store
        that is rebuilt remembers it too.
        """
        hashed, own_key = url_hash(record.url), document_key(record.site, record.source)
        mark = time_bytes(record.event_time_ms) + str(record.source).encode()
        left = self._window.delete(hashed, record.event_time_ms, self._bounds)
        if self._window.of_url(hashed) is not None:
            self.late_url = record.url
        if left is None:
            if self._store.deletion(self._prefix + hashed) != mark:
                self._tombstones.append(own_key)
            return
        self._forget_deletion(hashed)
        self._remove(left, record.url)
        if hashed in self._window.deletions:
            self.batch.put("deleted", self._prefix + hashed, mark)
            self._stays_in_topic(own_key)
        else:
            self._tombstones.append(own_key)

    def follow_tombstone(self, key: bytes) -> None:
        """Remove a document whose null value was read from the topic."""
        self._stays_in_topic(key)
        self._leave_by_key(key)

    def _stays_in_topic(self, key: bytes) -> None:
        """Note that the topic's record of a key is right: nothing is to be sent."""
        if self._store.has_topic:
            self.batch.delete("outbox", key)

    def _leave_by_key(self, key: bytes) -> None:
        entry = self._store.entry(key)
        if entry is not None:
            hashed = url_hash(entry.url)
            self._window.leave(hashed)
            self._remove_document(hashed)

    def _remove(self, left: Left, url: str) -> None:
        """Remove what a newer fetch or the deletion of a URL replaces.

        A revision of the fetch may have been published after the output of the newer one. On files it comes
        before the outputs of all pages behind it.
        """
        hashed = url_hash(url)
        for fetch in left.fetches:
            key = self._remove_document(fetch.url_hash)
            self._tombstones.append(key)
            if fetch.url_hash != hashed:
                # It cannot be published again, and a deletion before it is not the newest of its URL.
                self.batch.delete("superseded", self._prefix + fetch.url_hash)
            elif self._is_of_topic and self._entry(key).revision:
                self.late_url = url
        for forgotten in left.deletions:
            self._forget_deletion(forgotten)

    def _remove_document(self, hashed: bytes) -> bytes:
        """Remove the document of a URL from the database, and return its key."""
        key = self._keys.pop(hashed)
        self.batch.delete("entries", key)
        self.batch.delete("pages", key)
        return key

    def _forget_deletion(self, hashed: bytes) -> None:
        """Remove the deletion of a URL from the database, if there is one."""
        mark = self._store.deletion(self._prefix + hashed)
        if mark is not None:
            self.batch.delete("deleted", self._prefix + hashed)
            self._tombstones.append(self._prefix + mark[len(time_bytes(0)) :])

    def _pack_newest(self, key: bytes, entry: WindowEntry, content: bytes) -> None:
        """Compress the newest pages with a dictionary of them, and drop dictionaries without pages."""
        state, number = self._state, self._state.learned
        others = [self._keys[page.url_hash] for page in self._window if page.url_hash in self._keys]
        entries = [self._entry(other) for other in others]
        newest = slice(1 - DICTIONARY_PAGES, None)
        pages = [
            (other, known, self._there(self._store.content(self._site, known)))
            for other, known in zip(others[newest], entries[newest], strict=True)
        ]
        pages.append((key, entry, content))
        dictionary = joined_pages([packed for _, _, packed in pages])
        packer = Packer(dictionary)
        for page_key, known, packed in pages:
            self._put(page_key, known, packed, number, packer)
        self.batch.put("dictionaries", dictionary_key(self._site, number), plain_frame(dictionary))
        used = {known.dictionary for known in entries[: 1 - DICTIONARY_PAGES]}
        for old in set(state.dictionaries) - used:
            self.batch.delete("dictionaries", dictionary_key(self._site, old))
        state.dictionaries = [*sorted(used & set(state.dictionaries)), number]
        state.packed_at, state.packed_pages = number, len(self._window)
        self._store.packers.forget(self._site)

    def _put(
        self, key: bytes, entry: WindowEntry, content: bytes, dictionary: int, packer: Packer
    ) -> None:
        entry = msgspec.structs.replace(entry, dictionary=dictionary)
        self.batch.put("entries", key, msgspec.msgpack.encode(entry))
        self.batch.put("pages", key, packer.pack(content))

    def _entry(self, key: bytes) -> WindowEntry:
        return self._there(self._store.entry(key))

    def _there(self, value: T | None) -> T:
        """Return a value that the database must have."""
        if value is None:
            raise self._store.lacks(self._site)
        return value
