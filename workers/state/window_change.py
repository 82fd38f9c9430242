"""One change of one site's window, which is written as a whole."""

from collections import deque
from collections.abc import Iterator
from heapq import nlargest
from itertools import islice

import msgspec

from schemas.document import DocumentRecord, document_key
from templ_core.site_level.window.schedule import latest_place_pages
from workers.settings import DAY_MS, Settings
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
    StoredSummary,
    WindowEntry,
    day_of,
    entry_of,
    hash_of,
    place_of,
    site_prefix,
    stored_body,
    time_bytes,
    time_from,
    url_hash,
)

_UNCONFIRMED_MS = DAY_MS
"""How far one record alone moves the present time of its site, in milliseconds.

A record with a wrong date makes other pages a day older at most. A site of which a window holds more than
its newest pages has several pages a day, so its present time is that of its newest page.
"""


class WindowChange:
    """Collects what one record of `documents` changes in a site's window.

    The methods fill `batch` and update `state`. Nothing is written: the caller writes `state` with
    the batch.
    """

    def __init__(self, db: Database, site: str, state: SiteState, packers: SitePackers) -> None:
        self.site = site
        self.state = state
        self.batch = Batch()
        self.tombstones: list[bytes] = []
        """Keys of `documents` whose records are to be removed from the topic."""
        self.superseded: set[str] = set()
        """URLs whose last output may belong to an older fetch than the newest known one."""
        self.new_packers: SitePackers | None = None
        """What the site's values were compressed with, where that is a new dictionary."""
        self._db = db
        self._packers = packers
        self._prefix = site_prefix(site)
        self._entered: tuple[bytes, WindowEntry] | None = None
        self._entered_contents: tuple[bytes, bytes] = b"", b""
        self._left: set[bytes] = set()
        self._dropped: set[bytes] = set()
        self._deleted: bytes | None = None
        self._present_ms: int | None = None

    def enter(self, record: DocumentRecord, summary: StoredSummary) -> None:
        """Add a document if it is the newest of its URL; otherwise have it removed from the topic.

        Its contents are added by `pack`.
        """
        source_key = self._prefix + str(record.source).encode()
        key = self._prefix + place_of(record)
        known_place = self._db.get("by_source", source_key)
        if known_place is not None:
            # Another feed used the same name: a file was replaced, or a topic created again.
            self._leave(self._prefix + known_place, self._entry(self._prefix + known_place))
            self.tombstones.clear()  # the new document replaces the old one in the topic
        if not self._is_newest(record, key):
            self.superseded.add(record.url)
            self.tombstones.append(document_key(record.site, record.source))
            return
        body, rest_bytes = stored_body(record)
        entry = entry_of(record, rest_bytes)
        self._entered = key, entry
        self._entered_contents = body, content_of(summary.body)
        self.batch.delete("outbox", document_key(record.site, record.source))
        self.batch.put("entries", key, msgspec.msgpack.encode(entry))
        self.batch.put("by_source", source_key, place_of(record))
        self.batch.put("by_url", self._prefix + url_hash(record.url), key)
        self.state.pages += 1
        self.state.bytes += entry.body_bytes
        self.state.learned += 1
        self.state.place_pages = latest_place_pages(self.state.place_pages, record.place_pages)
        self.state.newest_ms = max(self.state.newest_ms, record.event_time_ms)

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

    def _is_newest(self, record: DocumentRecord, key: bytes) -> bool:
        """Return whether `record` is the newest of its URL, and remove an older version if it is."""
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

    def _leave_to_newer(self, key: bytes, entry: WindowEntry) -> None:
        if entry.revision:  # it may have been published after the output of the newer fetch
            self.superseded.add(entry.url)
        self._leave(key, entry)

    def keep_bounds(self, settings: Settings) -> None:
        """Remove documents of crowded days, then the oldest until the window is within its bounds."""
        self._forget_old_deletions(settings)
        self._thin_out(settings.window_newest_pages, settings.window_day_pages)
        state = self.state
        if self._surely_keeps_all(settings):
            return
        for key, entry in self._oldest_first():
            age_ms = self._age_ms(entry.event_time_ms, settings)
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

    def _surely_keeps_all(self, settings: Settings) -> bool:
        """Return whether a document entered, none left, and the bounds are kept, without a look at the rest.

        The oldest time is up to date then.
        """
        state = self.state
        if self._entered is None or self._left:
            return False
        entered_ms = self._entered[1].event_time_ms
        oldest_ms = entered_ms if state.pages == 1 else min(state.oldest_ms, entered_ms)
        age_max_ms = min(settings.window_age_ms, settings.window_floor_age_ms)
        if (
            state.pages > settings.window_pages_max
            or state.bytes > settings.window_bytes_max
            or state.newest_ms - oldest_ms > age_max_ms
        ):
            return False
        state.oldest_ms = oldest_ms
        return True

    def _age_ms(self, time_ms: int, settings: Settings) -> int:
        """Return the age of a time at the site's present time, exactly where it may be too high."""
        at_most_ms = self.state.newest_ms - time_ms
        if at_most_ms <= min(settings.window_age_ms, settings.window_floor_age_ms):
            return at_most_ms
        if self._present_ms is None:
            self._present_ms = self._present_time_ms()
        return self._present_ms - time_ms

    def _present_time_ms(self) -> int:
        """Return the site's present time: the newest time, as far as another record bears it out.

        The documents and deletions of the window alone decide, not the order in which they arrived.
        """
        documents = (time_from(key[len(self._prefix) :]) for key in self._keys_newest_first())
        deletions = (time_from(mark) for mark in self._deletions_newest_first())
        newest, *others = nlargest(2, [*islice(documents, 2), *islice(deletions, 2)])
        return min(newest, others[0] + _UNCONFIRMED_MS) if others else newest

    def _deletions_newest_first(self) -> Iterator[bytes]:
        """Yield time and source of the deletions after this change, newest first."""
        if self._deleted is not None:
            yield self._deleted
        for key, _ in self._db.scan_back("deletions", self._prefix):
            mark = key.removeprefix(self._prefix)
            if mark not in self._dropped:
                yield mark

    def _thin_out(self, newest_pages: int, day_pages: int) -> None:
        """Keep the newest documents, and of each day those with the smallest hashes of page ids.

        What stays does not depend on the order in which documents arrive: a document that is not
        among the smallest of its day now will not be among them later.

        Args:
            newest_pages: Number of newest documents that always stay.
            day_pages: Number of other documents that stay of each day.
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
        """Yield the keys of the window after this change, newest first."""
        entered = self._entered[0] if self._entered else None
        for key, _ in self._db.scan_back("entries", self._prefix):
            if entered is not None and entered > key:
                yield entered
                entered = None
            if key not in self._left:
                yield key
        if entered is not None:
            yield entered

    def _oldest_first(self) -> Iterator[tuple[bytes, WindowEntry]]:
        """Yield keys and entries of the window after this change, oldest first."""
        entered = self._entered
        for key, value in self._db.scan("entries", self._prefix):
            if entered is not None and entered[0] < key:
                yield entered
                entered = None
            if key not in self._left:
                yield key, decode_stored(self._db, value, WindowEntry)
        if entered is not None:
            yield entered

    def forget_url(self, record: DocumentRecord) -> None:
        """Remove a URL, and remember the deletion so that older fetches do not enter again.

        The deletion's record stays in the topic for as long as it is remembered, so that a store
        that is rebuilt remembers it too.
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
        self._deleted = mark
        self.batch.put("deleted", url_key, mark)
        self.batch.put("deletions", self._prefix + mark, url_key)
        self.batch.delete("outbox", document_key(record.site, record.source))
        self.state.deletions += 1
        self.state.newest_ms = max(self.state.newest_ms, record.event_time_ms)

    def _forget_old_deletions(self, settings: Settings) -> None:
        state = self.state
        if not state.deletions:
            return
        for key, url_key in self._db.scan("deletions", self._prefix):
            mark = key.removeprefix(self._prefix)
            age_ms = self._age_ms(time_from(mark), settings)
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
        """Remove a document whose null value was read from the topic."""
        self.batch.delete("outbox", self._prefix + source_id.encode())
        place = self._db.get("by_source", self._prefix + source_id.encode())
        if place is not None:
            self._leave(self._prefix + place, self._entry(self._prefix + place))
            self.tombstones.clear()

    def _leave(self, key: bytes, entry: WindowEntry) -> None:
        self._left.add(key)
        if self._entered is not None and self._entered[0] == key:
            self._entered = None
        for family in ("entries", "bodies", "details", SUMMARIES):
            self.batch.delete(family, key)
        self.batch.delete("by_source", self._prefix + str(entry.source).encode())
        self.batch.delete("by_url", self._prefix + url_hash(entry.url))
        self.state.pages -= 1
        self.state.bytes -= entry.body_bytes
        self.tombstones.append(document_key(self.site, entry.source))

    def pack(self) -> None:
        """Compress what has entered; when it is time, compress every value with a new dictionary."""
        state = self.state
        since = state.learned - state.packed_at
        if state.pages and since >= max(FIRST_PACKING, PACKING_GROWTH * state.packed_pages):
            self._repack()
        elif self._entered is not None:
            self._put_contents(self._entered[0], self._packers, *self._entered_contents)

    def _repack(self) -> None:
        keys = [key for key, _ in self._oldest_first()]
        newest = [self._contents(key) for key in deque(keys, DICTIONARY_PAGES)]
        bodies, summaries = zip(*newest, strict=True)
        stored, packers = make_dictionaries(bodies, summaries)
        self.batch.put("dictionaries", self.site.encode(), stored)
        for key in keys:
            self._put_contents(key, packers, *self._contents(key))
        self.state.packed_at, self.state.packed_pages = self.state.learned, self.state.pages
        self.new_packers = packers

    def _contents(self, key: bytes) -> tuple[bytes, bytes]:
        if self._entered is not None and key == self._entered[0]:
            return self._entered_contents
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
