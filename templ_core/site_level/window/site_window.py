"""Which fetches of a site's pages are in its window: the rules, whatever stores the documents."""

import hashlib
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from templ_core.config import WindowBounds

_DAY_MS = 24 * 3600 * 1000
_UNCONFIRMED_MS = _DAY_MS
"""How far one time alone moves the present time of its site, so that one wrong date does little harm.

A site whose window holds more than its newest pages has several pages a day, so its present time is
that of its newest page."""


def url_hash(url: str) -> bytes:
    """Return the 16 bytes that stand for a URL in a window."""
    return hashlib.blake2b(url.encode(), digest_size=16).digest()


class WindowFetch(NamedTuple):
    """What a window knows of a document; a window is in the order of these tuples.

    Of each URL the last in this order stays, so a window does not depend on the order of arrival.
    """

    time_ms: int
    """Time of the fetch in Unix milliseconds."""
    url_hash: bytes
    content_digest: bytes
    size_bytes: int
    """Size of the document in compact form."""


class Left(NamedTuple):
    """What has left a window with a change."""

    fetches: list[WindowFetch]
    deletions: list[bytes]
    """Hashes of URLs whose deletions need not be remembered any more."""


class SiteWindow:
    """The fetches of one site, of each URL the newest, within bounds, and the deletions of its URLs.

    >>> window, bounds = SiteWindow(), WindowBounds(pages_max=2, floor_pages=1)
    >>> fetches = [WindowFetch(time_ms, url_hash(f"/{time_ms}"), b"", 1) for time_ms in (3, 1, 2)]
    >>> [len(window.enter(fetch, bounds).fetches) for fetch in fetches]
    [0, 0, 1]
    >>> [fetch.time_ms for fetch in window]
    [2, 3]
    """

    def __init__(
        self, fetches: Iterable[WindowFetch] = (), deletions: Mapping[bytes, int] | None = None
    ) -> None:
        """Start with what the window held before.

        Args:
            fetches: Its fetches, in any order.
            deletions: Times of deletions in Unix milliseconds, by hash of the URL.
        """
        self._order = sorted(fetches)
        self._by_url = {fetch.url_hash: fetch for fetch in self._order}
        self._deletions = dict(deletions or {})
        self.size_bytes = sum(fetch.size_bytes for fetch in self._order)
        """Sum of the sizes of the documents."""

    def __len__(self) -> int:
        """Return the number of fetches."""
        return len(self._order)

    def __iter__(self) -> Iterator[WindowFetch]:
        """Yield the fetches in their order."""
        return iter(self._order)

    def __contains__(self, fetch: WindowFetch) -> bool:
        """Return whether a fetch is in the window."""
        return self._by_url.get(fetch.url_hash) == fetch

    @property
    def deletions(self) -> Mapping[bytes, int]:
        """The times of the deletions that are remembered, by hash of the URL."""
        return self._deletions

    def of_url(self, hashed: bytes) -> WindowFetch | None:
        """Return the fetch of a URL, given the hash of the URL."""
        return self._by_url.get(hashed)

    def newest_ms(self, default: int) -> int:
        """Return the highest time of the fetches and deletions, or a default where there are none."""
        return max(
            [*(fetch.time_ms for fetch in self._order[-1:]), *self._deletions.values()],
            default=default,
        )

    def oldest_ms(self, default: int) -> int:
        """Return the lowest time of the fetches, or a default where there are none."""
        return self._order[0].time_ms if self._order else default

    def enter(self, fetch: WindowFetch, bounds: WindowBounds) -> Left | None:
        """Add a fetch, and return what has left: an older fetch of the URL, and what exceeds the bounds.

        The result is None where the fetch has not entered, because the window has it already, or because a
        newer fetch or the deletion of the URL is known. A fetch that has entered and exceeds the bounds is
        no longer in the window, and not in the result.
        """
        deleted_ms = self._deletions.get(fetch.url_hash)
        if deleted_ms is not None and fetch.time_ms <= deleted_ms:
            return None
        known = self._by_url.get(fetch.url_hash)
        if known is not None and known[:3] >= fetch[:3]:
            return None
        left = Left([], [])
        if known is not None:
            left.fetches.append(self._removed(known))
        insort(self._order, fetch)
        self._by_url[fetch.url_hash] = fetch
        self.size_bytes += fetch.size_bytes
        self._keep_bounds(bounds, left, fetch)
        if fetch in left.fetches:
            left.fetches.remove(fetch)
        return left

    def leave(self, hashed: bytes) -> WindowFetch | None:
        """Remove the fetch of a URL, given the hash of the URL, and return it, or None."""
        known = self._by_url.get(hashed)
        return None if known is None else self._removed(known)

    def delete(self, hashed: bytes, time_ms: int, bounds: WindowBounds) -> Left | None:
        """Remember a deletion, so that older fetches of the URL do not enter, and return what has left.

        The deletion may be among it. The result is None where one as late is known.

        Args:
            hashed: Hash of the URL.
            time_ms: Time of the deletion in Unix milliseconds.
            bounds: The bounds of the window.
        """
        deleted_ms = self._deletions.get(hashed)
        if deleted_ms is not None and time_ms <= deleted_ms:
            return None
        left = Left([], [])
        known = self._by_url.get(hashed)
        if known is not None and known.time_ms <= time_ms:
            left.fetches.append(self._removed(known))
        self._deletions[hashed] = time_ms
        self._keep_bounds(bounds, left, None)
        return left

    def _removed(self, fetch: WindowFetch) -> WindowFetch:
        del self._order[bisect_left(self._order, fetch)]
        del self._by_url[fetch.url_hash]
        self.size_bytes -= fetch.size_bytes
        return fetch

    def _keep_bounds(self, bounds: WindowBounds, left: Left, entered: WindowFetch | None) -> None:
        present_ms = self._present_ms()
        left.deletions.extend(self._old_deletions(bounds, present_ms))
        for hashed in left.deletions:
            del self._deletions[hashed]
        for fetch in self._crowded(bounds, entered):
            left.fetches.append(self._removed(fetch))
        while self._order and self._must_leave(self._order[0], bounds, present_ms):
            left.fetches.append(self._removed(self._order[0]))

    def _present_ms(self) -> int:
        """Return the newest time, as far as the time of another fetch or deletion bears it out."""
        times_ms = [fetch.time_ms for fetch in self._order[-2:]]
        *others, newest = sorted([*times_ms, *self._deletions.values()])[-2:]
        return min(newest, others[0] + _UNCONFIRMED_MS) if others else newest

    def _old_deletions(self, bounds: WindowBounds, present_ms: int) -> list[bytes]:
        """Return the URLs whose deletions are too old, or the oldest of too many."""
        if not self._deletions:
            return []
        oldest_first = sorted((time_ms, hashed) for hashed, time_ms in self._deletions.items())
        return [
            hashed
            for index, (time_ms, hashed) in enumerate(oldest_first)
            if present_ms - time_ms > bounds.floor_age_ms
            or len(oldest_first) - index > bounds.pages_max
        ]

    def _crowded(self, bounds: WindowBounds, entered: WindowFetch | None) -> list[WindowFetch]:
        """Return the fetches of crowded days but those with the smallest hashes; the newest all stay.

        A fetch that is not among the smallest of its day now will not be among them later.
        """
        others = len(self._order) - bounds.newest_pages
        if others <= bounds.day_pages:
            return []
        days = {self._order[others - 1].time_ms // _DAY_MS}
        if entered is not None:
            days.add(entered.time_ms // _DAY_MS)
        crowded: list[WindowFetch] = []
        for day in days:
            begin, end = (
                bisect_left(self._order, (time_ms,), hi=others)
                for time_ms in (day * _DAY_MS, (day + 1) * _DAY_MS)
            )
            of_day = sorted(self._order[begin:end], key=lambda fetch: fetch.url_hash)
            crowded += of_day[bounds.day_pages :]
        return crowded

    def _must_leave(self, oldest: WindowFetch, bounds: WindowBounds, present_ms: int) -> bool:
        age_ms = present_ms - oldest.time_ms
        is_spare = len(self._order) > bounds.floor_pages
        return (
            len(self._order) > bounds.pages_max
            or age_ms > bounds.floor_age_ms
            or (is_spare and (self.size_bytes > bounds.bytes_max or age_ms > bounds.age_ms))
        )
