"""A broker in memory that loses records as real ones do, for tests in milliseconds."""

import uuid

from workers.kafka.logs.log_reader import Committed
from workers.kafka.logs.resume import LogState, decode_snapshot


class MemoryLog:
    """A partition of one replica: its records, and the epoch of the leader that wrote each."""

    def __init__(self):
        self.topic_id = uuid.uuid4().hex
        self.epoch = 0
        self.start = 0
        self.records = []
        self._epoch_starts = {0: 0}

    @property
    def end(self):
        return len(self.records)

    def append(self, *records):
        self.records += records

    def elect(self):
        """A new leader, which has everything."""
        self.epoch += 2
        self._epoch_starts[self.epoch] = self.end

    def cut(self, offset):
        """A new leader, which has only the records below an offset."""
        del self.records[offset:]
        self._epoch_starts = {e: s for e, s in self._epoch_starts.items() if s < offset}
        self.elect()

    def expire(self, offset):
        """Delete the records below an offset, as retention does."""
        self.start = max(self.start, offset)

    def kept(self, epoch):
        """What OffsetForLeaderEpoch answers."""
        return min((s for e, s in self._epoch_starts.items() if e > epoch), default=self.end)

    def state(self, snapshot):
        kept = self.kept(snapshot.leader_epoch) if snapshot and snapshot.leader_epoch >= 0 else None
        return LogState(self.start, self.end, self.topic_id, self.epoch, kept)


class MemoryBroker:
    """Logs of one topic, and what a group has committed; answers as a `LogReader` does."""

    def __init__(self, partitions=1):
        self.partitions = partitions
        self.offsets = {}
        self.recreate()

    def recreate(self):
        self.of = {number: MemoryLog() for number in range(self.partitions)}

        self.assigned = set()

    def commit(self, number, offset, snapshot):
        self.offsets[number] = offset, snapshot.encode() if snapshot else ""

    async def committed(self, _group, _topic):
        return {
            n: Committed(offset, decode_snapshot(text))
            for n, (offset, text) in self.offsets.items()
        }

    async def unassigned(self, _group, _topic):
        return self.of.keys() - self.assigned

    async def partition_count(self, _topic):
        return self.partitions

    async def logs(self, _topic, snapshots):
        return {number: self.of[number].state(snapshot) for number, snapshot in snapshots.items()}
