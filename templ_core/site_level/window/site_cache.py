"""What was made of the windows of the sites that were used last."""

from collections import OrderedDict
from collections.abc import Sized
from typing import Generic, TypeVar

T = TypeVar("T", bound=Sized)

_SITE_PAGES = 8
"""Pages that a site counts for at least, because it takes room of its own."""


class SiteCache(Generic[T]):
    """One value for each of the sites that were used last; the length of a value is in pages.

    A value is taken out while it changes and kept again afterwards, so a change that fails leaves none behind.

    >>> cache = SiteCache(20)
    >>> for site in ("a", "b", "c"):
    ...     cache.keep(site, range(9))
    >>> [cache.take(site) for site in ("a", "c")]
    [None, range(0, 9)]
    """

    def __init__(self, pages_max: int) -> None:
        """Start empty; the values kept together have at most `pages_max` pages, or there is only one."""
        self._pages_max = pages_max
        self._values: OrderedDict[str, T] = OrderedDict()
        self._pages = 0

    def take(self, site: str) -> T | None:
        """Remove and return the value of a site; None where there is none."""
        value = self._values.pop(site, None)
        if value is not None:
            self._pages -= _pages(value)
        return value

    def keep(self, site: str, value: T) -> None:
        """Keep a value, and drop those that were unused for longest when they have too many pages."""
        self.take(site)
        self._values[site] = value
        self._pages += _pages(value)
        while self._pages > self._pages_max and len(self._values) > 1:
            self.take(next(iter(self._values)))

    def clear(self) -> None:
        """Drop all values."""
        self._values.clear()
        self._pages = 0


def _pages(value: Sized) -> int:
    return max(len(value), _SITE_PAGES)
