"""One atomic change of one site's window."""

from collections import deque
from collections.abc import Iterator
from itertools import islice

import msgspec

from schemas.document import DocumentRecord, document_key
from workers.errors import StateProblem
from workers.settings import Settings
from workers.state.database import Database
from workers.state.packing import (
    DICTIONARY_PAGES,
    FIRST_PACKING,
    SitePackers,
    content_of,
    make_dictionaries,
)
from workers.state.window_entry import (
    Entry,
    day_of,
    entry_of,
    hash_of,
    place_of,
    site_prefix,
    time_bytes,
    time_from,
    url_hash,
)


class StoredPage(msgspec.Struct, frozen=True, array_like=True):
    """What a document of the window adds to its site's model."""

    page_id: str
    content_digest: bytes
    body: bytes
    """A zstd frame."""


class SiteState(msgspec.Struct, kw_only=True):
    """Sums over a site's window, kept with every change of it."""

    pages: int = 0
    bytes: int = 0
    newest_ms: int = -(1 << 62)
    """Highest event time of what the window holds, deletions included: the site's "now"."""
    oldest_ms: int = 0
    learned: int = 0
    """Documents that ever entered the window."""
    fitted_at: int = 0
    """`learned` when the last site model was published."""
    model_version: str | None = None
    templates_at: int = 0
    """`learned` when the templates were fitted last."""
    fit: float = 1.0
    """How like its kind the last page was at the last fit, 0 to 1."""
    changed_at_ms: int | None = None
    """Event time of the first page after a design that has gone; None while none has."""
    of_old_design: int = 0
    """Documents behind the last model that came before that."""
    deletions: int = 0
    """Deleted URLs that are remembered."""
    packed_at: int = 0
    """`learned` when the dictionary was made, ..."""
    packed_pages: int = 0
    """... and the documents there were then."""


class WindowChange:
    """Collects what one record of `documents` changes; `batch` is to be written whole."""

    def __init__(self, db: Database, site: str, state: SiteState, packers: SitePackers) -> None:
        self.site = site
        self.state = state
        self.batch = db.batch()
        self.tombstones: list[bytes] = []
        self.superseded: set[str] = set()
        """URLs whose last output may be of an older fetch than the newest known one."""
        self.repacked = False
        self._db = db
        self._packers = packers
        self._prefix = site_prefix(site)
        self._entered: tuple[bytes, Entry] | None = None
        self._entered_contents: tuple[bytes, bytes] = b"", b""
        self._left: set[bytes] = set()
        self._dropped: set[bytes] = set()

    def enter(self, record: DocumentRecord, contribution: StoredPage) -> None:
        """Take a document in, if it is the newest of its URL."""
        source_key = self._prefix + str(record.source).encode()
        key = self._prefix + place_of(record)
        known_place = self._db.get("by_source", source_key)
        if known_place is not None:
            # Another feed under the same name: a file replaced, a topic made anew.
            self._leave(self._prefix + known_place, self._entry(self._prefix + known_place))
            self.tombstones.clear()  # the new document has the old one's key in the topic
        if not self._is_newest(record, key):
            self.superseded.add(record.url)
            self.tombstones.append(document_key(record.site, record.source))
            return
        entry = entry_of(record)
        self._entered = key, entry
        self._entered_contents = content_of(record.body), content_of(contribution.body)
        self._put_contents(key, self._packers, *self._entered_contents)
        self.batch.delete("outbox", document_key(record.site, record.source))
        self.batch.put("entries", key, msgspec.msgpack.encode(entry))
        self.batch.put("by_source", source_key, place_of(record))
        self.batch.put("by_url", self._prefix + url_hash(record.url), key)
        self.state.pages += 1
        self.state.bytes += entry.body_bytes
        self.state.learned += 1
        self.state.newest_ms = max(self.state.newest_ms, record.event_time_ms)

    def replace(self, record: DocumentRecord, known: Entry) -> None:
        """Take what is newer in a document that the window has: a revision of its text."""
        if record.revision > known.revision:
            entry = msgspec.structs.replace(entry_of(record), body_bytes=known.body_bytes)
            key = self._prefix + place_of(record)
            self.batch.put("entries", key, msgspec.msgpack.encode(entry))

    def _is_newest(self, record: DocumentRecord, key: bytes) -> bool:
        """Whether `record` is the newest of its URL; an older version then leaves."""
        url_key = self._prefix + url_hash(record.url)
        deletion = self._db.get("deleted", url_key)
        if deletion is not None and record.event_time_ms <= time_from(deletion):
            return False
        other = self._db.get("by_url", url_key)
        if other is None or other in self._left:
            return True
        if other > key:
            return False
        self._leave_to_newer(other, self._entry(other))
        return True

    def _leave_to_newer(self, key: bytes, entry: Entry) -> None:
        if entry.revision:  # it may have gone out after the first output of the newer fetch
            self.superseded.add(entry.url)
        self._leave(key, entry)

    def keep_bounds(self, settings: Settings) -> None:
        """Let some documents of crowded days leave, and the oldest until all bounds are kept."""
        self._forget_old_deletions(settings)
        self._thin_out(settings.window_newest_pages, settings.window_day_pages)
        state = self.state
        for key, entry in self._oldest_first():
            age_ms = state.newest_ms - entry.event_time_ms
            is_spare = state.pages > settings.window_floor_pages
            if not (
                state.pages > settings.window_pages_max
                or (state.bytes > settings.window_bytes_max and is_spare)
                or (age_ms > settings.window_age_ms and is_spare)
                or age_ms > settings.window_floor_age_ms
            ):
                state.oldest_ms = entry.event_time_ms
                return
            self._leave(key, entry)
        state.oldest_ms = 0

    def _thin_out(self, newest_pages: int, day_pages: int) -> None:
        """Keep of each day the documents with the smallest hashes, those beside that are newest.

        What stays is the same in whatever order documents come: one that is not among the smallest
        of its day now will not be later.
        """
        if self.state.pages <= newest_pages + day_pages:
            return
        first_of_newest, newest_of_others = islice(
            self._keys_newest_first(), newest_pages - 1, newest_pages + 1
        )
        days = {day_of(newest_of_others[len(self._prefix) :])}
        if self._entered is not None and self._entered[0] < first_of_newest:
            days.add(day_of(self._entered[0][len(self._prefix) :]))
        for day in days:
            keys = [key for key in self._keys_of_day(day) if key < first_of_newest]
            keys.sort(key=lambda key: hash_of(key[len(self._prefix) :]))
            for key in keys[day_pages:]:
                entered = self._entered
                is_entered = entered is not None and entered[0] == key
                self._leave(key, entered[1] if entered and is_entered else self._entry(key))

    def _keys_of_day(self, day: int) -> Iterator[bytes]:
        for key in self._keys_newest_first():
            other = day_of(key[len(self._prefix) :])
            if other < day:
                return
            if other == day:
                yield key

    def _keys_newest_first(self) -> Iterator[bytes]:
        """Keys of the window as it will be."""
        entered = self._entered[0] if self._entered else None
        for key, _ in self._db.scan_back("entries", self._prefix):
            if entered is not None and entered > key:
                yield entered
                entered = None
            if key not in self._left:
                yield key
        if entered is not None:
            yield entered

    def _oldest_first(self) -> Iterator[tuple[bytes, Entry]]:
        """Documents of the window as it will be, the one that enters in its place."""
        entered = self._entered
        for key, value in self._db.scan("entries", self._prefix):
            if entered is not None and entered[0] < key:
                yield entered
                entered = None
            if key not in self._left:
                yield key, msgspec.msgpack.decode(value, type=Entry)
        if entered is not None:
            yield entered

    def forget_url(self, record: DocumentRecord) -> None:
        """Let a URL leave, and remember until when its fetches no longer count.

        The deletion's own record stays in the topic for as long, so that a lost store knows it again.
        """
        url_key = self._prefix + url_hash(record.url)
        key = self._db.get("by_url", url_key)
        if key is not None:
            entry = self._entry(key)
            if entry.event_time_ms <= record.event_time_ms:
                self._leave_to_newer(key, entry)
            else:
                self.superseded.add(record.url)
        mark = time_bytes(record.event_time_ms) + str(record.source).encode()
        earlier = self._db.get("deleted", url_key)
        if earlier == mark:
            return
        if earlier is not None and earlier > mark:
            self.tombstones.append(document_key(record.site, record.source))
            return
        if earlier is not None:
            self._drop_deletion(earlier)
        self.batch.put("deleted", url_key, mark)
        self.batch.put("deletions", self._prefix + mark, url_key)
        self.batch.delete("outbox", document_key(record.site, record.source))
        self.state.deletions += 1
        self.state.newest_ms = max(self.state.newest_ms, record.event_time_ms)

    def _forget_old_deletions(self, settings: Settings) -> None:
        state = self.state
        for key, url_key in self._db.scan("deletions", self._prefix):
            mark = key.removeprefix(self._prefix)
            age_ms = state.newest_ms - time_from(mark)
            if (
                age_ms <= settings.window_floor_age_ms
                and state.deletions <= settings.window_pages_max
            ):
                return
            if mark not in self._dropped:
                self._drop_deletion(mark)
                self.batch.delete("deleted", url_key)

    def _drop_deletion(self, mark: bytes) -> None:
        self._dropped.add(mark)
        self.batch.delete("deletions", self._prefix + mark)
        self.tombstones.append(self._prefix + mark[len(time_bytes(0)) :])
        self.state.deletions -= 1

    def follow_tombstone(self, source_id: str) -> None:
        """Let a document leave whose tombstone is in the topic already."""
        self.batch.delete("outbox", self._prefix + source_id.encode())
        place = self._db.get("by_source", self._prefix + source_id.encode())
        if place is not None:
            self._leave(self._prefix + place, self._entry(self._prefix + place))
            self.tombstones.clear()

    def _leave(self, key: bytes, entry: Entry) -> None:
        self._left.add(key)
        if self._entered is not None and self._entered[0] == key:
            self._entered = None
        for family in ("entries", "bodies", "contributions"):
            self.batch.delete(family, key)
        self.batch.delete("by_source", self._prefix + str(entry.source).encode())
        self.batch.delete("by_url", self._prefix + url_hash(entry.url))
        self.state.pages -= 1
        self.state.bytes -= entry.body_bytes
        self.tombstones.append(document_key(self.site, entry.source))

    def repack(self) -> None:
        """Make the site's dictionary where it is time, and rewrite every value with it."""
        state = self.state
        since = state.learned - state.packed_at
        if not state.pages or since < max(FIRST_PACKING, state.packed_pages):
            return
        keys = [key for key, _ in self._oldest_first()]
        newest = [self._contents(key) for key in deque(keys, DICTIONARY_PAGES)]
        bodies, contributions = zip(*newest, strict=True)
        stored, packers = make_dictionaries(bodies, contributions)
        self.batch.put("dictionaries", self.site.encode(), stored)
        for key in keys:
            self._put_contents(key, packers, *self._contents(key))
        state.packed_at, state.packed_pages = state.learned, state.pages
        self.repacked = True

    def _contents(self, key: bytes) -> tuple[bytes, bytes]:
        if self._entered is not None and key == self._entered[0]:
            return self._entered_contents
        body = self._packers.bodies.content(self._value("bodies", key))
        return body, self._packers.contributions.content(self._value("contributions", key))

    def _put_contents(
        self, key: bytes, packers: SitePackers, body: bytes, contribution: bytes
    ) -> None:
        self.batch.put("bodies", key, packers.bodies.pack_content(body))
        self.batch.put("contributions", key, packers.contributions.pack_content(contribution))

    def _entry(self, key: bytes) -> Entry:
        return msgspec.msgpack.decode(self._value("entries", key), type=Entry)

    def _value(self, family: str, key: bytes) -> bytes:
        value = self._db.get(family, key)
        if value is None:
            raise StateProblem(f"a window of {self.site} has lost a document: delete the state")
        return value
