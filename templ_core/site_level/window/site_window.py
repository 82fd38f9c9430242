"""The window of a site in memory: which of its documents the site is learned from."""

import hashlib
from bisect import bisect_left, insort
from collections.abc import Iterable
from heapq import nlargest
from typing import Annotated

import msgspec

from templ_core.config import WindowBounds

_DAY_MS = 24 * 3600 * 1000
_UNCONFIRMED_MS = _DAY_MS
"""How far one page alone moves the present time of its site, so that one wrong date does little harm."""
_HASH_BYTES = 8
TimeMs = Annotated[int, msgspec.Meta(ge=-(1 << 62), le=1 << 62)]


class WindowDocument(msgspec.Struct, frozen=True, array_like=True):
    """A document of a window, with its page summary."""

    time_ms: TimeMs
    """Time of the fetch in Unix milliseconds."""
    page_id: str
    """Name of this fetch of the page."""
    url: str
    content_digest: bytes
    body: bytes
    """The document in compact form."""
    summary: bytes
    """Its page summary in compact form."""


_Place = tuple[int, bytes, str]


def _place(document: WindowDocument) -> _Place:
    """Return what documents are ordered by: the time, a hash of the page id, and the page id."""
    page_id = document.page_id
    hashed = hashlib.blake2b(page_id.encode(), digest_size=_HASH_BYTES).digest()
    return document.time_ms, hashed, page_id


class SiteWindow:
    """The documents of one site, of each URL the newest, within bounds.

    >>> def page(number):
    ...     return WindowDocument(number, f"page {number}", f"/{number}", b"", b"", b"")
    >>> window = SiteWindow(WindowBounds(pages_max=2, floor_pages=1))
    >>> [window.enter(page(number)) for number in (3, 1, 2)]
    [True, True, True]
    >>> [document.time_ms for document in window.documents]
    [2, 3]
    """

    def __init__(
        self,
        bounds: WindowBounds,
        documents: Iterable[WindowDocument] = (),
        deletions: Iterable[tuple[str, int]] = (),
    ) -> None:
        """Start with what a window held before.

        Args:
            bounds: How many documents stay, and for how long.
            documents: The documents of the window.
            deletions: URLs that were deleted, each with the time of its deletion in milliseconds.
        """
        self._bounds = bounds
        self._by_url: dict[str, WindowDocument] = {one.url: one for one in documents}
        self._documents = sorted(self._by_url.values(), key=_place)
        self._bytes = sum(len(one.body) for one in self._documents)
        self._deletions = dict(deletions)

    @property
    def documents(self) -> list[WindowDocument]:
        """The documents in order of (event time, hash of page id)."""
        return self._documents

    @property
    def deletions(self) -> list[tuple[str, int]]:
        """The URLs that were deleted lately, each with the time of its deletion in milliseconds."""
        return list(self._deletions.items())

    def enter(self, document: WindowDocument) -> bool:
        """Add a document if it is the newest of its URL, and return whether it is new.

        Documents that exceed the bounds leave, oldest first; the new one may be among them.
        """
        known = self._by_url.get(document.url)
        if known is not None and known.page_id == document.page_id:
            if known.content_digest == document.content_digest:
                return False
            self._leave(known)
            known = None
        deleted_ms = self._deletions.get(document.url)
        if deleted_ms is not None and document.time_ms <= deleted_ms:
            return False
        if known is not None:
            if _place(known) > _place(document):
                return False
            self._leave(known)
        insort(self._documents, document, key=_place)
        self._by_url[document.url] = document
        self._bytes += len(document.body)
        self._keep_bounds(document)
        return True

    def forget(self, url: str, time_ms: int) -> None:
        """Remove what was fetched from a URL up to a time; older fetches do not enter again."""
        known = self._by_url.get(url)
        if known is not None and known.time_ms <= time_ms:
            self._leave(known)
        self._deletions[url] = max(time_ms, self._deletions.get(url, time_ms))
        self._keep_bounds(None)

    def _leave(self, document: WindowDocument) -> None:
        del self._documents[bisect_left(self._documents, _place(document), key=_place)]
        del self._by_url[document.url]
        self._bytes -= len(document.body)

    def _keep_bounds(self, entered: WindowDocument | None) -> None:
        bounds, present_ms = self._bounds, self._present_ms()
        for url, time_ms in sorted(self._deletions.items(), key=lambda one: one[1]):
            is_recent = present_ms - time_ms <= bounds.floor_age_ms
            if is_recent and len(self._deletions) <= bounds.pages_max:
                break
            del self._deletions[url]
        self._thin_out(entered)
        while self._documents and self._must_leave(self._documents[0], present_ms):
            self._leave(self._documents[0])

    def _must_leave(self, oldest: WindowDocument, present_ms: int) -> bool:
        bounds, age_ms = self._bounds, present_ms - oldest.time_ms
        is_spare = len(self._documents) > bounds.floor_pages
        return (
            len(self._documents) > bounds.pages_max
            or age_ms > bounds.floor_age_ms
            or (is_spare and (self._bytes > bounds.bytes_max or age_ms > bounds.age_ms))
        )

    def _present_ms(self) -> int:
        """Return the newest time, as far as the time of another document or deletion bears it out."""
        documents = (one.time_ms for one in self._documents[-2:])
        newest, *others = nlargest(2, [*documents, *self._deletions.values()])
        return min(newest, others[0] + _UNCONFIRMED_MS) if others else newest

    def _thin_out(self, entered: WindowDocument | None) -> None:
        """Keep the newest documents, and of each day those with the smallest hashes of page ids."""
        newest, of_day = self._bounds.newest_pages, self._bounds.day_pages
        if len(self._documents) <= newest + of_day:
            return
        others = self._documents[:-newest]
        days = {others[-1].time_ms // _DAY_MS}
        if entered is not None:
            days.add(entered.time_ms // _DAY_MS)
        for day in days:
            of_this_day = [one for one in others if one.time_ms // _DAY_MS == day]
            for one in sorted(of_this_day, key=lambda one: _place(one)[1])[of_day:]:
                self._leave(one)
