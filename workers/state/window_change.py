"""One change of one site's window, which is written as a whole."""

import msgspec

from schemas.document import DocumentRecord, document_key
from templ_core.config import WindowBounds
from templ_core.site_level.window.schedule import latest_place_pages
from templ_core.site_level.window.site_window import Left, SiteWindow, url_hash
from workers.state.batch import Batch
from workers.state.database import Database, decode_stored, stored_values
from workers.state.packing import (
    DICTIONARY_PAGES,
    FIRST_PACKING,
    PACKING_GROWTH,
    SitePackers,
    content_of,
    make_dictionaries,
)
from workers.state.site_state import SiteState
from workers.state.window_entry import (
    SUMMARIES,
    WindowEntry,
    entry_of,
    fetch_of,
    place_of,
    site_prefix,
    stored_body,
    time_bytes,
)


class WindowChange:
    """Collects what one record of `documents` changes in a site's window.

    The window decides what stays, and `batch` receives what follows for the database. Nothing is
    written: the caller writes the state with the batch.
    """

    def __init__(
        self, db: Database, site: str, state: SiteState, window: SiteWindow, packers: SitePackers
    ) -> None:
        self.site = site
        self.window = window
        self.batch = Batch()
        self.tombstones: list[bytes] = []
        """Keys of `documents` whose records are to be removed from the topic."""
        self.superseded: set[str] = set()
        """URLs whose last output is of an older fetch than the newest known one."""
        self.overtaken: set[str] = set()
        """URLs of which a revision may have been published after the output of a newer fetch."""
        self.new_packers: SitePackers | None = None
        """What the site's values were compressed with, where that is a new dictionary."""
        self._db = db
        self._state = state
        self._packers = packers
        self._prefix = site_prefix(site)
        self._removed: set[bytes] = set()

    def state(self) -> SiteState:
        """Return the state of the site after the change."""
        window, empty = self.window, SiteState()
        return msgspec.structs.replace(
            self._state,
            pages=len(window),
            bytes=window.size_bytes,
            deletions=len(window.deletions),
            newest_ms=window.newest_ms(empty.newest_ms),
            oldest_ms=window.oldest_ms(empty.oldest_ms),
        )

    def enter(self, record: DocumentRecord, summary: bytes, bounds: WindowBounds) -> None:
        """Add a document if it is the newest of its URL; otherwise have it removed from the topic."""
        # Another feed may have used the same name: a file was replaced, or a topic created again.
        # The document then replaces the other one in the topic, too.
        self._leave_by_source(str(record.source))
        body, rest_bytes = stored_body(record)
        entry = entry_of(record, rest_bytes)
        fetch, own_key = fetch_of(entry), document_key(record.site, record.source)
        left = self.window.enter(fetch, bounds)
        if left is None:
            known = self.window.of_url(fetch.url_hash)
            if known is None or known.time_ms > fetch.time_ms:
                self.superseded.add(record.url)
            self.tombstones.append(own_key)
            return
        self._state.learned += 1
        self._state.place_pages = latest_place_pages(self._state.place_pages, record.place_pages)
        self._remove(left, fetch.url_hash)
        if fetch not in self.window:
            self.tombstones.append(own_key)
            return
        place = place_of(record)
        key = self._prefix + place
        self.batch.delete("outbox", own_key)
        self.batch.put("entries", key, msgspec.msgpack.encode(entry))
        self.batch.put("by_source", self._prefix + str(record.source).encode(), place)
        self.batch.put("by_url", self._prefix + fetch.url_hash, key)
        self._pack(key, body, content_of(summary))

    def replace(self, record: DocumentRecord, known: WindowEntry, *, is_in_topic: bool) -> None:
        """Update a document of the window when `record` carries a later revision of its text.

        Args:
            record: The document.
            known: Its entry in the window.
            is_in_topic: Whether the record was read from the topic, so that it need not be sent again.
        """
        if is_in_topic:
            self.batch.delete("outbox", document_key(record.site, record.source))
        if record.revision > known.revision:
            entry = entry_of(record, known.rest_bytes)
            entry = msgspec.structs.replace(entry, body_bytes=known.body_bytes)
            key = self._prefix + place_of(record)
            self.batch.put("entries", key, msgspec.msgpack.encode(entry))

    def forget_url(self, record: DocumentRecord, bounds: WindowBounds) -> None:
        """Remove a URL, and remember the deletion so that older fetches do not enter again.

        The deletion's record stays in the topic for as long as it is remembered, so that a store
        that is rebuilt remembers it too.
        """
        hashed, own_key = url_hash(record.url), document_key(record.site, record.source)
        mark = time_bytes(record.event_time_ms) + str(record.source).encode()
        left = self.window.delete(hashed, record.event_time_ms, bounds)
        if self.window.of_url(hashed) is not None:
            self.superseded.add(record.url)
        if left is None:
            if self._db.get("deleted", self._prefix + hashed) != mark:
                self.tombstones.append(own_key)
            return
        self._forget_deletion(hashed)
        self._remove(left, hashed)
        if hashed in self.window.deletions:
            self.batch.put("deleted", self._prefix + hashed, mark)
            self.batch.put("deletions", self._prefix + mark, self._prefix + hashed)
            self.batch.delete("outbox", own_key)
        else:
            self.tombstones.append(own_key)

    def follow_tombstone(self, source_id: str) -> None:
        """Remove a document whose null value was read from the topic."""
        self.batch.delete("outbox", self._prefix + source_id.encode())
        self._leave_by_source(source_id)

    def _leave_by_source(self, source_id: str) -> None:
        place = self._db.get("by_source", self._prefix + source_id.encode())
        if place is not None:
            hashed = url_hash(self._entry(self._prefix + place).url)
            self.window.leave(hashed)
            self._remove_document(hashed)

    def _remove(self, left: Left, hashed: bytes) -> None:
        """Remove what a newer fetch or the deletion of a URL, of which the hash is given, drives out."""
        for fetch in left.fetches:
            entry = self._remove_document(fetch.url_hash)
            self.tombstones.append(document_key(self.site, entry.source))
            if entry.revision and fetch.url_hash == hashed:
                self.overtaken.add(entry.url)
        for forgotten in left.deletions:
            self._forget_deletion(forgotten)

    def _remove_document(self, hashed: bytes) -> WindowEntry:
        """Remove the document of a URL from the database, and return its entry."""
        key = self._value("by_url", self._prefix + hashed)
        entry = self._entry(key)
        for family in ("entries", "bodies", "details", SUMMARIES):
            self.batch.delete(family, key)
        self.batch.delete("by_source", self._prefix + str(entry.source).encode())
        self.batch.delete("by_url", self._prefix + hashed)
        self._removed.add(key)
        return entry

    def _forget_deletion(self, hashed: bytes) -> None:
        """Remove the deletion of a URL from the database, if there is one."""
        mark = self._db.get("deleted", self._prefix + hashed)
        if mark is not None:
            self.batch.delete("deleted", self._prefix + hashed)
            self.batch.delete("deletions", self._prefix + mark)
            self.tombstones.append(self._prefix + mark[len(time_bytes(0)) :])

    def _pack(self, key: bytes, body: bytes, summary: bytes) -> None:
        """Compress what has entered; when it is time, compress every value with a new dictionary."""
        state = self._state
        new = state.learned - state.packed_at
        if new < max(FIRST_PACKING, PACKING_GROWTH * state.packed_pages):
            self._put_contents(key, self._packers, body, summary)
            return
        keys = (one for one, _ in self._db.scan("entries", self._prefix))
        others = [one for one in keys if one not in self._removed]
        newest = [self._contents(one) for one in others[1 - DICTIONARY_PAGES :]]
        bodies, summaries = zip(*newest, (body, summary), strict=True)
        dictionaries, packers = make_dictionaries(bodies, summaries)
        self.batch.put("dictionaries", self.site.encode(), dictionaries)
        self._put_contents(key, packers, body, summary)
        for one in others:
            self._put_contents(one, packers, *self._contents(one))
        state.packed_at, state.packed_pages = state.learned, len(self.window)
        self.new_packers = packers

    def _contents(self, key: bytes) -> tuple[bytes, bytes]:
        body, summary = self._value("bodies", key), self._value(SUMMARIES, key)
        with stored_values(self._db):
            return self._packers.bodies.content(body), self._packers.summaries.content(summary)

    def _put_contents(self, key: bytes, packers: SitePackers, body: bytes, summary: bytes) -> None:
        self.batch.put("bodies", key, packers.bodies.pack(body))
        self.batch.put(SUMMARIES, key, packers.summaries.pack(summary))

    def _entry(self, key: bytes) -> WindowEntry:
        return decode_stored(self._db, self._value("entries", key), WindowEntry)

    def _value(self, family: str, key: bytes) -> bytes:
        value = self._db.get(family, key)
        if value is None:
            raise self._db.damaged(f"the window of {self.site} lacks a document")
        return value
