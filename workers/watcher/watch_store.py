"""What is remembered of pages and sites to notice what changes, in RocksDB or in memory.

Each record is stored by one batch: the page, what is known of its site, what is to be sent and the next offset. So a
replay changes nothing, and a crash leaves no half of a change behind.

Families and keys:

    pages      site NUL blake2b(url)(16) -> SeenPage, as a zstd frame
    fetches    the key of `pages`        -> time, digest and size of the page
    places     blake2b(url)(16)          -> the site of the URL
    sites      site                      -> SiteWatch
    outbox     number(8)                 -> a record that is to be sent
    meta       "next"                    -> offset of the next record
               "silent"                  -> offset before which nothing is reported
               "format"                  -> WATCH_FORMAT
               "log" topic               -> what identifies the log that was read
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import msgspec

from schemas.source import Source
from templ_core.config import WindowBounds
from templ_core.metadata.fields import Metadata
from templ_core.site_events import SiteWatch
from templ_core.site_level.window.site_cache import SiteCache
from templ_core.site_level.window.site_window import SiteWindow, WindowFetch, url_hash
from workers.errors import OtherFormat
from workers.state.database import (
    decode_stored,
    delete_keys,
    erase_site,
    open_database,
    stored_values,
)
from workers.state.packing import content_of, plain_frame
from workers.state.positioned_store import PositionedStore
from workers.state.rocks import Batch

WATCH_FORMAT = 1
"""Version of the families, keys and values; a store of another version is rebuilt."""
_FAMILIES = ("pages", "fetches", "places", "sites", "outbox", "meta")
_FETCHES_IN_MEMORY = 15_000
"""Pages of sites that a store keeps in memory, about 600 bytes each."""
_SILENT, _FORMAT = b"silent", b"format"


class SeenPage(msgspec.Struct, frozen=True, array_like=True, kw_only=True):
    """The newest fetch of a page."""

    url: str
    source: Source
    time_ms: int
    fetched_at: str | None
    text: str
    left_out: list[str] | None
    metadata: Metadata | None
    is_copy: bool


class WatchedSite(msgspec.Struct):
    """What a store keeps in memory of a site, as it is in the database."""

    watch: SiteWatch
    window: SiteWindow

    def __len__(self) -> int:
        return len(self.window)


class WatchStore(PositionedStore):
    """The pages and sites of one partition of `cleaned`, or of files.

    It is safe to use from several threads, if one at a time changes a site. Opening and every method block
    their thread.
    """

    def __init__(self, path: Path | None, bounds: WindowBounds) -> None:
        """Open the database at `path`, or in memory for None, and create it when it does not exist.

        Raises:
            WorkerError: The errors of `open_database`.
        """
        self.bounds_of: Callable[[str], WindowBounds] = lambda _: bounds
        """Returns the bounds of what is remembered of a site."""
        super().__init__(open_database(path, _FAMILIES))
        self._lock = threading.Lock()
        stored = self._db.get("meta", _FORMAT)
        if stored not in (None, bytes([WATCH_FORMAT])):
            self._db.close()
            raise OtherFormat(f"{path} was written by another version")
        self._db.put("meta", _FORMAT, bytes([WATCH_FORMAT]))
        self._sites = SiteCache(lambda: _FETCHES_IN_MEMORY, self._read_site)
        self.silent_until = int.from_bytes(self._db.get("meta", _SILENT) or b"", "big")
        """Offset of the first record about which something may be reported."""
        newest = max((int.from_bytes(key, "big") for key, _ in self._db.scan("outbox")), default=-1)
        self._next_output = newest + 1

    def close(self) -> None:
        """Write what is in memory to disk, and release the database."""
        with self._lock:
            self._db.close()

    def begin_silently(self, offset: int) -> None:
        """Report nothing about records before an offset, which were reported on before."""
        self._db.put("meta", _SILENT, offset.to_bytes(8, "big"))
        self.silent_until = offset

    def skip(self, offset: int) -> None:
        """Move past a record that changes nothing."""
        if offset >= self.next_offset:
            self._write_next(Batch(), offset)

    def sites(self) -> Iterator[tuple[str, SiteWatch]]:
        """Yield all sites with what is remembered of them, in the order of their UTF-8 bytes."""
        for key, value in self._db.scan("sites"):
            yield key.decode(), decode_stored(self._db, value, SiteWatch)

    def pages(self, site: str) -> Iterator[SeenPage]:
        """Yield the pages of a site that are remembered."""
        for _, value in self._db.scan("pages", site.encode() + b"\0"):
            yield self._decoded(value)

    def remembers(self, site: str) -> bool:
        """Return whether anything is remembered of a site."""
        return self._db.get("sites", site.encode()) is not None

    def site_of(self, url: str) -> str | None:
        """Return the site of a page that is remembered, otherwise None."""
        site = self._db.get("places", url_hash(url))
        return site.decode() if site else None

    def change(self, site: str) -> "WatchChange":
        """Return an empty change of a site; only `apply` writes it."""
        with self._lock:
            before = self._sites.take(site)
        return WatchChange(self, site, before)

    def apply(
        self, change: "WatchChange", outputs: Sequence[bytes] = (), offset: int | None = None
    ) -> None:
        """Write a change of a site with the records that are to be sent, and the offset of the record behind it."""
        batch, site = change.batch, change.site
        batch.put("sites", site.encode(), msgspec.msgpack.encode(change.kept.watch))
        with self._lock:
            for number, output in enumerate(outputs, self._next_output):
                batch.put("outbox", number.to_bytes(8, "big"), output)
            self._next_output += len(outputs)
            self._write_next(batch, offset)
            self._sites.keep(site, change.kept)

    def outbox(self, limit: int) -> list[tuple[bytes, bytes]]:
        """Return at most this number of records that are to be sent, each with its number."""
        return list(islice(self._db.scan("outbox"), limit))

    def drop(self, numbers: Sequence[bytes]) -> None:
        """Drop records that the broker has stored; sending one twice does no harm."""
        delete_keys(self._db, "outbox", numbers)

    def erase(self, site: str) -> bool:
        """Erase a site from all files, which no other process may use, and return whether it was stored."""
        with self._lock:
            self._sites.drop(site)
            prefix = site.encode() + b"\0"
            hashes = [key.removeprefix(prefix) for key, _ in self._db.scan("fetches", prefix)]
            delete_keys(self._db, "places", hashes)
            return erase_site(self._db, _FAMILIES, site)

    def page(self, key: bytes) -> SeenPage | None:
        """Return the page of a key, or None when it has left."""
        value = self._db.get("pages", key)
        return self._decoded(value) if value else None

    def _decoded(self, value: bytes) -> SeenPage:
        with stored_values(self._db):
            return msgspec.msgpack.decode(content_of(value), type=SeenPage)

    def _read_site(self, site: str) -> WatchedSite:
        stored, prefix = self._db.get("sites", site.encode()), site.encode() + b"\0"
        watch = decode_stored(self._db, stored, SiteWatch) if stored else SiteWatch()
        fetches = []
        for key, value in self._db.scan("fetches", prefix):
            time_ms, digest, size = decode_stored(self._db, value, tuple[int, bytes, int])
            fetches.append(WindowFetch(time_ms, key.removeprefix(prefix), digest, size))
        return WatchedSite(watch, SiteWindow(fetches))


class WatchChange:
    """Collects what one record changes of a site; nothing is written before `WatchStore.apply`."""

    def __init__(self, store: WatchStore, site: str, before: WatchedSite) -> None:
        self.site = site
        self.batch = Batch()
        self._store = store
        self.kept = WatchedSite(msgspec.structs.replace(before.watch), before.window)

    @property
    def watch(self) -> SiteWatch:
        """What is remembered of the site as a whole, which may be changed."""
        return self.kept.watch

    def page(self, url: str) -> SeenPage | None:
        """Return the newest fetch of a page, or None where it is not remembered."""
        return self._store.page(self._key(url_hash(url)))

    def enter(self, page: SeenPage, digest: bytes) -> bool:
        """Remember a page if it is the newest of its URL, and drop what exceeds the bounds; return whether it came in."""
        hashed, content = url_hash(page.url), msgspec.msgpack.encode(page)
        fetch = WindowFetch(page.time_ms, hashed, digest, len(content))
        left = self.kept.window.enter(fetch, self._store.bounds_of(self.site))
        if left is None:
            return False
        for left_fetch in left.fetches:
            if left_fetch.url_hash != hashed:
                self._forget(left_fetch.url_hash)
        if fetch in self.kept.window:
            self._put(fetch, content)
        else:
            self._forget(hashed)
        return True

    def replace(self, page: SeenPage, digest: bytes) -> None:
        """Remember another text of a fetch that is remembered."""
        hashed, content = url_hash(page.url), msgspec.msgpack.encode(page)
        known = self.kept.window.leave(hashed)
        if known is not None:
            fetch = WindowFetch(known.time_ms, hashed, digest, len(content))
            self.kept.window.enter(fetch, self._store.bounds_of(self.site))
            self._put(fetch, content)

    def leave(self, url: str) -> None:
        """Forget a page."""
        self.kept.window.leave(url_hash(url))
        self._forget(url_hash(url))

    def _put(self, fetch: WindowFetch, content: bytes) -> None:
        key = self._key(fetch.url_hash)
        facts = fetch.time_ms, fetch.content_digest, fetch.size_bytes
        self.batch.put("fetches", key, msgspec.msgpack.encode(facts))
        self.batch.put("pages", key, plain_frame(content))
        self.batch.put("places", fetch.url_hash, self.site.encode())

    def _forget(self, hashed: bytes) -> None:
        for family in ("fetches", "pages"):
            self.batch.delete(family, self._key(hashed))
        self.batch.delete("places", hashed)

    def _key(self, hashed: bytes) -> bytes:
        return self.site.encode() + b"\0" + hashed
