"""One change of one site's window, which is written as a whole."""

import msgspec

from schemas.document import DocumentRecord, document_key
from templ_core.config import WindowBounds
from templ_core.site_events.noticed import PageFacts
from templ_core.site_events.watch import SiteWatch
from templ_core.site_level.window.schedule import latest_place_pages
from templ_core.site_level.window.site_window import Left, SiteWindow, url_hash
from workers.state.database import Database, decode_stored, stored_values
from workers.state.packing import (
    DICTIONARY_PAGES,
    FIRST_PACKING,
    PACKING_GROWTH,
    Packer,
    Packers,
    dictionary_key,
    joined_pages,
    plain_frame,
)
from workers.state.rocks import Batch
from workers.state.site_state import SiteState
from workers.state.window_entry import (
    StoredPage,
    WindowEntry,
    entry_of,
    fetch_of,
    record_of,
    revised_entry,
    time_bytes,
)


class KeptSite:
    """What a store keeps in memory of a site, as it is in the database."""

    def __init__(self, state: SiteState, window: SiteWindow, keys: dict[bytes, bytes]) -> None:
        self.state = state
        self.window = window
        self.keys = keys
        """Keys of the documents of the window by the hash of their URL."""

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.window)


class WindowChange:
    """Collects what one record of `documents` changes in a site's window.

    The window decides what stays, and `batch` receives what follows for the database. Nothing is
    written: the caller writes the state with the batch, and forgets the site's `KeptSite` where that fails.
    """

    def __init__(
        self,
        db: Database,
        site: str,
        kept: KeptSite,
        packers: Packers,
        *,
        keeps_earlier: bool,
    ) -> None:
        self.site = site
        self.batch = Batch()
        self.tombstones: list[bytes] = []
        """Keys of `documents` whose records are to be removed from the topic."""
        self.confirmed: list[bytes] = []
        """Keys of `documents` whose records stay in the topic, or are no longer there."""
        self.superseded: set[str] = set()
        """URLs whose last output is of an older fetch than the newest known one."""
        self.overtaken: set[str] = set()
        """URLs of which a revision may have been published after the output of a newer fetch."""
        self.earlier: tuple[bytes, DocumentRecord] | None = None
        """Key of a document that was published once, and the fetch with other content that it drove out, where
        such fetches are kept."""
        self._keeps_earlier = keeps_earlier
        self._db = db
        self._window, self._keys = kept.window, kept.keys
        self._state = msgspec.structs.replace(kept.state)
        self._packers = packers
        self._prefix = site.encode() + b"\0"

    def kept(self) -> KeptSite:
        """Return what is to be kept of the site after the change."""
        window, empty = self._window, SiteState()
        self._state.pages = len(window)
        self._state.bytes = window.size_bytes
        self._state.deletions = len(window.deletions)
        self._state.newest_ms = window.newest_ms(empty.newest_ms)
        self._state.oldest_ms = window.oldest_ms(empty.oldest_ms)
        return KeptSite(self._state, window, self._keys)

    def enter(self, record: DocumentRecord, page: StoredPage, bounds: WindowBounds) -> None:
        """Add a document if it is the newest of its URL; otherwise have it removed from the topic."""
        key = document_key(record.site, record.source)
        # Another feed may have used the same name: a file was replaced, or a topic created again.
        # The document then replaces the other one in the topic, too.
        self._leave_by_key(key)
        entry = entry_of(record, page)
        fetch = fetch_of(entry)
        left = self._window.enter(fetch, bounds)
        if left is None:
            known = self._window.of_url(fetch.url_hash)
            if known is None or known.time_ms > fetch.time_ms:
                self.superseded.add(record.url)
            self.tombstones.append(key)
            return
        self._state.learned += 1
        self._state.place_pages = latest_place_pages(self._state.place_pages, record.place_pages)
        earlier = next((one for one in left.fetches if one.url_hash == fetch.url_hash), None)
        is_other = earlier is not None and earlier.content_digest != fetch.content_digest
        if (
            self._keeps_earlier and is_other and not record.revision
        ):  # A store that is rebuilt reads what was told already.
            self.earlier = key, self._record(self._keys[fetch.url_hash])
        if record.facts is not None:
            self._look_at(record, record.facts, is_again=earlier is not None)
        self._remove(left, record.url)
        if fetch not in self._window:
            self.tombstones.append(key)
            return
        self.confirmed.append(key)
        content = msgspec.msgpack.encode(page)
        new = self._state.learned - self._state.packed_at
        if new >= max(FIRST_PACKING, PACKING_GROWTH * self._state.packed_pages):
            self._pack_newest(key, entry, content)
        else:
            number = self._state.packed_at
            self._put(key, entry, content, number, self._packers.of(self.site, number))
        self._keys[fetch.url_hash] = key

    def _look_at(self, record: DocumentRecord, facts: PageFacts, *, is_again: bool) -> None:
        """Have the watch over the site look at a document that has entered."""
        if is_again:  # Its text is that of its earlier fetch.
            facts = msgspec.structs.replace(facts, repeated_ratio=None)
        watch = SiteWatch()
        if isinstance(self._state.watch, SiteWatch):
            watch = msgspec.structs.replace(self._state.watch)
        watch.look_at(record.url, record.event_time_ms, facts)
        self._state.watch = watch

    def replace(self, record: DocumentRecord, known: WindowEntry, *, is_in_topic: bool) -> None:
        """Update a document of the window when `record` carries a later revision of its text.

        Args:
            record: The document.
            known: Its entry in the window.
            is_in_topic: Whether the record was read from the topic, so that it need not be sent again.
        """
        key = document_key(record.site, record.source)
        if is_in_topic:
            self.confirmed.append(key)
        if record.revision > known.revision:
            self.batch.put("entries", key, msgspec.msgpack.encode(revised_entry(known, record)))

    def forget_url(self, record: DocumentRecord, bounds: WindowBounds) -> None:
        """Remove a URL, and remember the deletion so that older fetches do not enter again.

        The deletion's record stays in the topic for as long as it is remembered, so that a store
        that is rebuilt remembers it too.
        """
        hashed, own_key = url_hash(record.url), document_key(record.site, record.source)
        mark = time_bytes(record.event_time_ms) + str(record.source).encode()
        left = self._window.delete(hashed, record.event_time_ms, bounds)
        if self._window.of_url(hashed) is not None:
            self.superseded.add(record.url)
        if left is None:
            if self._db.get("deleted", self._prefix + hashed) != mark:
                self.tombstones.append(own_key)
            return
        self._forget_deletion(hashed)
        self._remove(left, record.url)
        if hashed in self._window.deletions:
            self.batch.put("deleted", self._prefix + hashed, mark)
            self.confirmed.append(own_key)
        else:
            self.tombstones.append(own_key)

    def follow_tombstone(self, source_id: str) -> None:
        """Remove a document whose null value was read from the topic."""
        key = self._prefix + source_id.encode()
        self.confirmed.append(key)
        self._leave_by_key(key)

    def _leave_by_key(self, key: bytes) -> None:
        value = self._db.get("entries", key)
        if value is not None:
            hashed = url_hash(decode_stored(self._db, value, WindowEntry).url)
            self._window.leave(hashed)
            self._remove_document(hashed)

    def _remove(self, left: Left, url: str) -> None:
        """Remove what a newer fetch or the deletion of a URL drives out."""
        hashed = url_hash(url)
        for fetch in left.fetches:
            key = self._remove_document(fetch.url_hash)
            self.tombstones.append(key)
            if fetch.url_hash == hashed and self._entry(key).revision:
                self.overtaken.add(url)
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
        mark = self._db.get("deleted", self._prefix + hashed)
        if mark is not None:
            self.batch.delete("deleted", self._prefix + hashed)
            self.tombstones.append(self._prefix + mark[len(time_bytes(0)) :])

    def _pack_newest(self, key: bytes, entry: WindowEntry, content: bytes) -> None:
        """Compress the newest pages with a dictionary of them, and drop dictionaries without pages."""
        state = self._state
        number = state.learned
        others = [self._keys[one.url_hash] for one in self._window if one.url_hash in self._keys]
        newest = others[1 - DICTIONARY_PAGES :]
        pages = [(one, self._entry(one), self._content(one)) for one in newest]
        pages.append((key, entry, content))
        dictionary = joined_pages([packed for _, _, packed in pages])
        packer = Packer(dictionary)
        for one in pages:
            self._put(*one, number, packer)
        self.batch.put("dictionaries", dictionary_key(self.site, number), plain_frame(dictionary))
        used = {self._entry(one).dictionary for one in others[: 1 - DICTIONARY_PAGES]}
        for old in set(state.dictionaries) - used:
            self.batch.delete("dictionaries", dictionary_key(self.site, old))
        state.dictionaries = [*sorted(used & set(state.dictionaries)), number]
        state.packed_at, state.packed_pages = number, len(self._window)

    def _put(
        self, key: bytes, entry: WindowEntry, content: bytes, dictionary: int, packer: Packer
    ) -> None:
        entry = msgspec.structs.replace(entry, dictionary=dictionary)
        self.batch.put("entries", key, msgspec.msgpack.encode(entry))
        self.batch.put("pages", key, packer.pack(content))

    def _content(self, key: bytes) -> bytes:
        packed, dictionary = self._value("pages", key), self._entry(key).dictionary
        with stored_values(self._db):
            return self._packers.of(self.site, dictionary).content(packed)

    def _record(self, key: bytes) -> DocumentRecord:
        with stored_values(self._db):
            page = msgspec.msgpack.decode(self._content(key), type=StoredPage)
        return record_of(self.site, self._entry(key), page)

    def _entry(self, key: bytes) -> WindowEntry:
        return decode_stored(self._db, self._value("entries", key), WindowEntry)

    def _value(self, family: str, key: bytes) -> bytes:
        value = self._db.get(family, key)
        if value is None:
            raise self._db.damaged(f"the window of {self.site} lacks a document")
        return value
