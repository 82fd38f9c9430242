"""The sites whose trees wait to be fitted, the most overdue first."""

import asyncio

Site = tuple[int, str]
"""A site, as its partition and its site key."""


class TemplateBacklog:
    """A queue that holds each site once, with how overdue it was when it was last added."""

    def __init__(self) -> None:
        self._sites: dict[Site, float] = {}
        self._filled = asyncio.Event()

    def add(self, site: Site, overdue: float) -> None:
        """Put a site into the queue if its trees are due.

        Args:
            site: The site.
            overdue: How overdue they are; below 1 means not at all.
        """
        if overdue >= 1:
            self._sites[site] = overdue
            self._filled.set()

    async def take(self) -> Site:
        """Take the site that is most overdue, as soon as there is one."""
        while not self._sites:
            self._filled.clear()
            await self._filled.wait()
        first = max(self._sites, key=lambda site: (self._sites[site], site))
        del self._sites[first]
        return first
