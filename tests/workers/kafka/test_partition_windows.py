"""Windows are opened, closed and made anew beside the event loop, never on it."""

import asyncio
import time

from workers.kafka.logs.resume import LogMark
from workers.kafka.partition_windows import OwnedPartitions

SLOW_S = 0.5


class SlowStore:
    """A store as it is on a busy disk: it takes its time to open and to close."""

    next_offset = 0

    def __init__(self):
        time.sleep(SLOW_S)

    def close(self):
        time.sleep(SLOW_S)


class SlowWindows:
    mark = LogMark("a", 0, 0)

    def __init__(self, _number):
        self.store = SlowStore()

    def remove(self):
        time.sleep(SLOW_S)


async def longest_wait_s(work):
    """The longest time for which the event loop did not come round while `work` was done."""
    waits = []
    task = asyncio.ensure_future(work)
    while not task.done():
        started = time.monotonic()
        await asyncio.sleep(0.001)
        waits.append(time.monotonic() - started)
    await task
    return max(waits)


async def open_renew_and_release():
    owned = OwnedPartitions(SlowWindows, recover=None)
    owned.assign([0])
    async with owned.hold(0) as windows:
        assert windows is not None
        assert await owned.begin_anew(0, "a test") is not windows
    await owned.release([0])
    async with owned.hold(0) as windows:
        assert windows is None
    assert owned.opened() == {}


def test_slow_stores_do_not_hold_up_the_event_loop():
    assert asyncio.run(longest_wait_s(open_renew_and_release())) < SLOW_S / 2
