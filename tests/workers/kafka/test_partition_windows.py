"""Windows are opened, closed and made anew beside the event loop, never on it."""

import asyncio
from itertools import repeat

from tests.workers.kafka.broker.slow_items import SlowItems
from workers.kafka.logs.resume import LogSnapshot
from workers.kafka.partition_windows import OwnedPartitions


class SlowStore:
    """A store that opens and closes only after the event loop has run meanwhile."""

    next_offset = 0

    def __init__(self, loop_runs):
        self._loop_runs = loop_runs
        next(loop_runs)

    def close(self):
        next(self._loop_runs)


class SlowWindows:
    """Windows that are opened and removed only after the event loop has run meanwhile."""

    snapshot = LogSnapshot("a", 0, 0)

    def __init__(self, loop_runs):
        self._loop_runs = loop_runs
        self.store = SlowStore(loop_runs)

    def remove(self):
        next(self._loop_runs)


async def open_renew_and_release():
    items = SlowItems(repeat(None))
    loop_runs = iter(items)
    owned = OwnedPartitions("", "documents", lambda _number: SlowWindows(loop_runs), learn=None)
    async with items.running_loop():
        owned.assign([0])
        async with owned.hold(0) as windows:
            assert windows is not None
            assert await owned.rebuild(0, "a test") is not windows
        await owned.release([0])
        async with owned.hold(0) as windows:
            assert windows is None
    assert owned.opened() == {}


def test_slow_stores_do_not_hold_up_the_event_loop():
    asyncio.run(open_renew_and_release())
