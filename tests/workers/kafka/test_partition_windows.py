"""Windows are opened, closed and rebuilt beside the event loop, never on it; they know which leader's log they read."""

import asyncio
from itertools import repeat

import pytest

from tests.workers.kafka.broker.slow_items import SlowItems
from tests.workers.kafka.logs.memory_broker import MemoryBroker
from workers.kafka import owned_partitions
from workers.kafka.broker.access import BrokerAccess
from workers.kafka.logs.fetched import FetchedEpochs
from workers.kafka.logs.resume import LogSnapshot, resume
from workers.kafka.owned_partitions import OwnedPartitions


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
    owned = OwnedPartitions(
        BrokerAccess(""), "documents", lambda _number: SlowWindows(loop_runs), learn=None
    )
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


class ReadWindows:
    """Windows that have read records of a log."""

    def __init__(self, snapshot, next_offset):
        self.snapshot = snapshot
        self.store = SlowStore(repeat(None))
        self.store.next_offset = next_offset

    def note_log(self, snapshot):
        self.snapshot = snapshot


def batch_head(first, epoch):
    """A batch without records, as far as it is looked at."""
    return first.to_bytes(8, "big") + (4).to_bytes(4, "big") + epoch.to_bytes(4, "big")


@pytest.mark.parametrize("is_cut", [False, True])
async def test_windows_that_read_on_under_another_leader_are_not_taken_for_cut(monkeypatch, is_cut):
    broker, fetched = MemoryBroker(), FetchedEpochs()
    log = broker.of[0]
    monkeypatch.setattr(owned_partitions, "FETCHED", fetched)
    monkeypatch.setattr(owned_partitions, "ask_for_logs", lambda _, question: question(broker))
    log.append(*range(10))
    windows = ReadWindows(log.state(None).snapshot, next_offset=10)
    owned = OwnedPartitions(BrokerAccess(""), "documents", lambda _number: windows, learn=None)
    owned.assign([0])
    log.cut(8) if is_cut else log.elect()
    log.append(*range(10))
    fetched.note("documents", 0, batch_head(0, 0) + batch_head(10, log.epoch))
    async with owned.hold(0):
        await owned.note_leader(0, 10)
        windows.store.next_offset = 12
    await owned.note_logs({0: LogSnapshot(log.topic_id, 0, 10)})  # seen before the election
    async with owned.hold(0):
        assert resume(12, windows.snapshot, log.state(windows.snapshot)).is_other_log == is_cut


def test_the_leader_of_a_record_is_that_of_the_newest_batch_before_it():
    fetched = FetchedEpochs()
    fetched.note("a", 0, batch_head(7, 1) + batch_head(9, 4))
    fetched.note("a", 0, batch_head(5, 1))
    assert [fetched.leader_of("a", 0, offset) for offset in (4, 5, 8, 9, 20)] == [None, 1, 1, 4, 4]
    assert fetched.leader_of("a", 1, 9) is None
