"""What was made of the windows of the sites that were used last."""

from collections import OrderedDict
from collections.abc import Callable, Sized
from typing import Generic, TypeVar

T = TypeVar("T", bound=Sized)

_SITE_PAGES = 8
"""Pages that a site counts for at least, because it takes room of its own."""


class SiteCache(Generic[T]):
    """One value for each of the sites that were used last; the length of a value is in pages.

    A value is taken out while it changes and kept afterwards, so a change that fails leaves none behind.

    >>> cache = SiteCache(lambda: 20, make=lambda site: range(9))
    >>> for site in ("a", "b", "c"):
    ...     cache.keep(site, cache.take(site))
    >>> cache.sites()
    ['b', 'c']
    """

    def __init__(self, pages_max: Callable[[], int], make: Callable[[str], T]) -> None:
        """Start empty.

        Args:
            pages_max: Returns the most pages of all values together, which may change; a single value may have
                more.
            make: Returns the value of a site that has none yet.
        """
        self._pages_max = pages_max
        self._make = make
        self._values: OrderedDict[str, tuple[T, int]] = OrderedDict()
        self._pages = 0

    def sites(self) -> list[str]:
        """Return the sites that have a value, those used last at the end."""
        return list(self._values)

    def of(self, site: str) -> T:
        """Return the value of a site, or a new one, which is kept."""
        if site not in self._values:
            self.keep(site, self._make(site))
        self._values.move_to_end(site)
        return self._values[site][0]

    def take(self, site: str) -> T:
        """Remove and return the value of a site, or return a new one; hand it to `keep` when done."""
        return self._removed(site) if site in self._values else self._make(site)

    def keep(self, site: str, value: T) -> None:
        """Keep a value, and drop those that were unused for longest when they have too many pages."""
        self.drop(site)
        pages = max(len(value), _SITE_PAGES)
        self._values[site] = value, pages
        self._pages += pages
        while self._pages > self._pages_max() and len(self._values) > 1:
            self.drop(next(iter(self._values)))

    def drop(self, site: str) -> None:
        """Drop the value of a site, if there is one."""
        if site in self._values:
            self._removed(site)

    def clear(self) -> None:
        """Drop all values."""
        self._values.clear()
        self._pages = 0

    def _removed(self, site: str) -> T:
        value, pages = self._values.pop(site)
        self._pages -= pages
        return value
