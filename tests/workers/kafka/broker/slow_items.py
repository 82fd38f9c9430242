"""Items that are produced only while the event loop runs."""

import asyncio
from contextlib import asynccontextmanager
from threading import Event

WAIT_S = 30


class SlowItems:
    """Produces each item only after the event loop has run: a blocked loop would never let it."""

    def __init__(self, items):
        self._items = items
        self._has_run = Event()

    def __iter__(self):
        for item in self._items:
            self._has_run.clear()
            assert self._has_run.wait(WAIT_S), "the event loop was blocked"
            yield item

    @asynccontextmanager
    async def running_loop(self):
        """Let items be produced for as long as the event loop runs inside the context."""

        async def keep_setting():
            while True:
                self._has_run.set()
                await asyncio.sleep(0.001)

        ticking = asyncio.ensure_future(keep_setting())
        try:
            yield
        finally:
            ticking.cancel()
