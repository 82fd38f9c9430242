"""Sites whose templates wait to be fitted: the most overdue goes first, one at a time."""

import asyncio
from collections.abc import Callable

Site = tuple[int, str]
"""Partition and site key."""


class TemplateBacklog:
    """A queue in which each site stands once, with how overdue it was when it was last added."""

    def __init__(self, overdue: Callable[[Site], float]) -> None:
        """Start empty.

        Args:
            overdue: How overdue a site is by now; below 1 = not at all.
        """
        self._overdue = overdue
        self._sites: dict[Site, float] = {}
        self._filled = asyncio.Event()

    def add(self, site: Site) -> None:
        """Let a site wait, if its templates are due."""
        overdue = self._overdue(site)
        if overdue >= 1:
            self._sites[site] = overdue
            self._filled.set()

    async def take(self) -> Site:
        """The site that is most overdue, as soon as there is one."""
        while not self._sites:
            self._filled.clear()
            await self._filled.wait()
        first = max(self._sites, key=lambda site: (self._sites[site], site))
        del self._sites[first]
        return first
