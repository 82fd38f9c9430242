"""The pace of a command that sends pages."""

import asyncio
import time

_MADE_UP_S = 1.0
"""Longest time without pages that a sender may make up for by being quicker afterwards."""


class Pace:
    """Limits a sender to a number of pages per second."""

    def __init__(self, pages_per_s: float) -> None:
        self._interval_s = 1 / pages_per_s
        self._due = time.monotonic()

    async def wait(self) -> None:
        """Wait until the next page may be sent; what was not sent for a second is not made up for."""
        now = time.monotonic()
        self._due = max(self._due, now - _MADE_UP_S)
        await asyncio.sleep(max(self._due - now, 0))
        self._due += self._interval_s
