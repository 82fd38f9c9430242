"""Holes in what faust hands on are found and filled, and nothing else is."""

import asyncio

from workers.kafka.broker.received import OffsetGapFiller, Received


def record(offset, partition=0):
    return Received(
        topic="pages", partition=partition, offset=offset, timestamp_ms=0, key=None, value=b""
    )


class Guard(OffsetGapFiller):
    """With a broker made up: what is committed, and which offsets a compacted topic still has."""

    def __init__(self, committed=0, there=range(1000)):
        super().__init__("127.0.0.1:1", "pages", "group")
        self.committed = committed
        self.there = there

    async def _committed(self, partition):
        return self.committed

    async def _read(self, partition, start, end):
        return [record(offset) for offset in range(start, end) if offset in self.there]


def taken(guard, *offsets):
    found = asyncio.run(guard.complete([record(offset) for offset in offsets]))
    return [one.offset for one in found]


def test_records_in_order_are_left_alone():
    guard = Guard()
    assert taken(guard, 0, 1, 2) == [0, 1, 2]
    assert taken(guard, 3, 4) == [3, 4]


def test_a_hole_is_filled_in_its_place():
    guard = Guard()
    assert taken(guard, 0, 1) == [0, 1]
    assert taken(guard, 4, 5) == [2, 3, 4, 5]


def test_the_first_record_follows_what_is_committed():
    assert taken(Guard(committed=7), 9) == [7, 8, 9]
    assert taken(Guard(committed=9), 9) == [9]


def test_replays_are_no_holes():
    guard = Guard()
    taken(guard, 0, 1, 2, 3)
    assert taken(guard, 1, 2, 3, 4) == [1, 2, 3, 4]


def test_gaps_of_compaction_are_no_holes():
    assert taken(Guard(there={0, 5}), 0, 5, 9) == [0, 5, 9]


def test_what_others_did_meanwhile_is_not_done_again():
    guard = Guard()
    taken(guard, 0, 1)
    guard.revoked([0])
    guard.committed = 40
    assert taken(guard, 40) == [40]
    assert taken(guard, 42) == [41, 42]
