"""Sites whose templates wait to be fitted: the most overdue goes first, one at a time."""

import asyncio
from collections.abc import Callable

Site = tuple[int, str]
"""Partition and site key."""


class TemplateBacklog:
    """A queue in which each site stands once, ordered when one is taken."""

    def __init__(self, overdue: Callable[[Site], float]) -> None:
        """Start empty.

        Args:
            overdue: How overdue a site is by now; below 1 = not at all.
        """
        self._overdue = overdue
        self._sites: set[Site] = set()
        self._filled = asyncio.Event()

    def add(self, site: Site) -> None:
        """Let a site wait, if its templates are due."""
        if self._overdue(site) >= 1:
            self._sites.add(site)
            self._filled.set()

    async def take(self) -> Site:
        """The site that is most overdue, as soon as there is one."""
        while not self._sites:
            self._filled.clear()
            await self._filled.wait()
        first = max(sorted(self._sites), key=self._overdue)
        self._sites.remove(first)
        return first
