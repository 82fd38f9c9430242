"""Reading the windows of a store, which keeps some of them in memory."""

import threading
from collections.abc import Callable, Iterator

import msgspec

from schemas.document import DocumentRecord, document_key, site_of_key
from templ_core.site_level.window.site_cache import SiteCache
from templ_core.site_level.window.site_window import SiteWindow, WindowFetch
from workers.errors import StateProblem
from workers.state.database import Database, decode_stored, stored_values
from workers.state.packing import Packers
from workers.state.positioned_store import PositionedStore
from workers.state.site_state import SiteState, WindowTotals, totals_of
from workers.state.window_entry import (
    StoredPage,
    WindowEntry,
    fetch_of,
    record_of,
    time_bytes,
    time_from,
)


class KeptSite(msgspec.Struct):
    """What a store keeps in memory of a site, as it is in the database."""

    state: SiteState
    window: SiteWindow
    keys: dict[bytes, bytes]
    """Keys of the documents of the window by the hash of their URL."""
    totals: WindowTotals
    """What the site adds to the totals of its store."""

    def __len__(self) -> int:
        return len(self.window)


class WindowReader(PositionedStore):
    """What a store holds of windows; it is safe to use from several threads, and every method blocks its thread."""

    def __init__(self, database: Database, room_pages: Callable[[], int]) -> None:
        """Read a database; this number of pages of the sites used last is kept in memory."""
        super().__init__(database)
        self.packers = Packers(database)
        self._sites = SiteCache(room_pages, self._read_site)
        self._lock = threading.Lock()

    def known(self, record: DocumentRecord) -> WindowEntry | None:
        """Return the entry of a document that is in the window already, otherwise None."""
        entry = self.entry(document_key(record.site, record.source))
        if entry is None or (entry.url, entry.event_time_ms) != (record.url, record.event_time_ms):
            return None
        return entry if entry.content_digest == record.content_digest else None

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
        entry, site = self.entry(key), site_of_key(key)
        page = entry and self._page(site, entry)
        return record_of(site, entry, page) if entry and page else None

    def page_of(self, key: bytes) -> StoredPage | None:
        """Return the page of a key of `documents`, or None when it has left the window."""
        entry = self.entry(key)
        return self._page(site_of_key(key), entry) if entry else None

    def url_of(self, key: bytes) -> str:
        """Return the URL of a key of `documents`; empty when the document has left the window."""
        entry = self.entry(key)
        return entry.url if entry else ""

    def entry(self, key: bytes) -> WindowEntry | None:
        """Return the entry of a key of `documents`, or None when it has left the window."""
        value = self._db.get("entries", key)
        return decode_stored(self._db, value, WindowEntry) if value else None

    def deletion(self, url_key: bytes) -> bytes | None:
        """Return time and source id of the deletion of a URL that is remembered, otherwise None."""
        return self._db.get("deleted", url_key)

    def content(self, site: str, entry: WindowEntry) -> bytes | None:
        """Return what is stored of the page of an entry, without its compression, or None when it has left."""
        packed = self._db.get("pages", document_key(site, entry.source))
        if packed is None:
            return None
        with stored_values(self._db):
            return self.packers.of(site, entry.dictionary).content(packed)

    def lacks(self, site: str) -> StateProblem:
        """Return the error that the window of a site lacks a document."""
        return self._db.damaged(f"the window of {site} lacks a document")

    def _page(self, site: str, entry: WindowEntry) -> StoredPage | None:
        content = self.content(site, entry)
        return decode_stored(self._db, content, StoredPage) if content else None

    def newest(self, site: str, url_key: bytes) -> DocumentRecord | str | None:
        """Return the newest document of a URL or the source id of its deletion.

        The key comes from `Outbox.superseded`. The result is None when neither is known any more.
        """
        key = self._kept(site).keys.get(url_key.partition(b"\0")[2])
        if key is not None:
            return self.document_of(key)
        deletion = self.deletion(url_key)
        return deletion[len(time_bytes(0)) :].decode() if deletion else None

    def _kept(self, site: str) -> KeptSite:
        """Return a site as it is kept in memory; it is read first if need be."""
        with self._lock:
            return self._sites.of(site)

    def _read_site(self, site: str) -> KeptSite:
        stored, prefix = self._db.get("sites", site.encode()), site.encode() + b"\0"
        state = decode_stored(self._db, stored, SiteState) if stored else SiteState()
        fetches = [(fetch_of(entry), entry.source) for entry in self._stored_entries(site)]
        if len(fetches) != state.pages:
            raise self.lacks(site)
        deletions = self._db.scan("deleted", prefix)
        window = SiteWindow(
            (fetch for fetch, _ in fetches),
            {key.removeprefix(prefix): time_from(mark) for key, mark in deletions},
        )
        keys = {fetch.url_hash: document_key(site, source) for fetch, source in fetches}
        return KeptSite(state, window, keys, totals_of(state))
