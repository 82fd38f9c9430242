"""Records that faust has skipped are read, and no others."""

import asyncio

from workers.kafka.broker.received import OffsetGapFiller, Received


def record(offset, partition=0):
    return Received(
        topic="pages", partition=partition, offset=offset, timestamp_ms=0, key=None, value=b""
    )


class MadeUpBroker(OffsetGapFiller):
    """A gap filler with a made-up broker, which has a committed offset and some remaining offsets."""

    def __init__(self, committed=0, there=range(1000)):
        super().__init__("127.0.0.1:1", "pages", "group")
        self.committed = committed
        self.there = there

    async def _committed(self, partition):
        return self.committed

    async def _read(self, partition, start, end):
        return [record(offset) for offset in range(start, end) if offset in self.there]


def taken(filler, *offsets):
    found = asyncio.run(filler.complete([record(offset) for offset in offsets]))
    return [one.offset for one in found]


def test_records_in_order_are_not_changed():
    filler = MadeUpBroker()
    assert taken(filler, 0, 1, 2) == [0, 1, 2]
    assert taken(filler, 3, 4) == [3, 4]


def test_missing_records_are_inserted_in_their_place():
    filler = MadeUpBroker()
    assert taken(filler, 0, 1) == [0, 1]
    assert taken(filler, 4, 5) == [2, 3, 4, 5]


def test_the_first_record_follows_the_committed_offset():
    assert taken(MadeUpBroker(committed=7), 9) == [7, 8, 9]
    assert taken(MadeUpBroker(committed=9), 9) == [9]


def test_replayed_records_are_not_gaps():
    filler = MadeUpBroker()
    taken(filler, 0, 1, 2, 3)
    assert taken(filler, 1, 2, 3, 4) == [1, 2, 3, 4]


def test_offsets_removed_by_compaction_are_not_read():
    assert taken(MadeUpBroker(there={0, 5}), 0, 5, 9) == [0, 5, 9]


def test_records_processed_by_others_meanwhile_are_not_read_again():
    filler = MadeUpBroker()
    taken(filler, 0, 1)
    filler.revoked([0])
    filler.committed = 40
    assert taken(filler, 40) == [40]
    assert taken(filler, 42) == [41, 42]
