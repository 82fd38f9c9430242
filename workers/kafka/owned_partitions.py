"""The partitions of a topic that this process has, with a store for each, opened and caught up when first needed.

Opening, closing and removing a store may take seconds. All of it happens in threads, so that the
event loop goes on answering the broker.
"""

import asyncio
import logging
import shutil
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import msgspec
from aiokafka import TopicPartition

from workers.kafka.broker.access import BrokerAccess
from workers.kafka.broker.plain_clients import plain_consumer, read_range, settled_offset
from workers.kafka.broker.received import Received, received_from_aiokafka
from workers.kafka.logs.fetched import FETCHED
from workers.kafka.logs.log_reader import ask_for_logs
from workers.kafka.logs.resume import LogSnapshot, decode_snapshot, resume
from workers.state.rebuildable import open_rebuildable

_REPORT_S = 10.0
log = logging.getLogger("templ")


class _Store(Protocol):
    next_offset: int
    """Offset of the first record that has not been stored."""

    def log_mark(self, topic: str) -> bytes | None: ...
    def mark_log(self, topic: str, mark: bytes) -> None: ...
    def skip(self, offset: int) -> None: ...
    def close(self) -> None: ...


Store = TypeVar("Store", bound=_Store)


class PartitionWork(Generic[Store]):
    """What a process does with one partition, and its store of what was read of it."""

    def __init__(
        self, broker: BrokerAccess, name: str, path: Path, open_store: Callable[[Path], Store]
    ) -> None:
        """Open the store of a topic, named without the prefix; an empty one takes the place of one that cannot be used.

        Raises:
            StateProblem: The store is in use or not writable.
        """
        self._name = name
        self._path = path
        self.store = open_rebuildable(path, open_store, broker.topic(name))
        self.snapshot: LogSnapshot | None = None
        """The log that the store was compared with since it was opened; None before."""

    def note_log(self, snapshot: LogSnapshot) -> None:
        """Store which log was read."""
        self.store.mark_log(self._name, snapshot.encode())
        self.snapshot = snapshot

    def remove(self) -> None:
        """Close the store and remove it from the disk."""
        self.store.close()
        shutil.rmtree(self._path)


Work = TypeVar("Work", bound=PartitionWork[Any])


class OwnedPartitions(Generic[Work]):
    """Which partitions are this worker's, their stores, and a lock for each of them."""

    def __init__(
        self,
        broker: BrokerAccess,
        name: str,
        open_store: Callable[[int], Work],
        learn: Callable[[int, Work, Sequence[Received]], Awaitable[object]],
    ) -> None:
        """Begin without partitions of a topic, named without the prefix; `learn` adds the records that a store lacks."""
        self._broker = broker
        self._name = name
        self._topic = broker.topic(name)
        self._open_store = open_store
        self._learn = learn
        self._numbers: set[int] = set()
        self._open: dict[int, Work] = {}
        self._locks: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)

    def __contains__(self, number: int) -> bool:
        return number in self._numbers

    def assign(self, numbers: Iterable[int]) -> None:
        """Own these partitions and no others."""
        self._numbers = set(numbers)

    def numbers(self) -> list[int]:
        """Return the partitions that are ours."""
        return sorted(self._numbers)

    def opened(self) -> dict[int, Work]:
        """Return the stores that are open now, by partition."""
        return dict(self._open)

    def not_ready(self) -> list[int]:
        """Return the partitions that are ours and whose stores lack records; any thread may call."""
        ready = {number for number, work in self.opened().items() if work.snapshot is not None}
        return sorted(set(self._numbers) - ready)

    @asynccontextmanager
    async def hold(self, number: int) -> AsyncIterator[Work | None]:
        """Keep all other work off a partition; gives None where the partition is not ours.

        A store is brought up to date first: what was read and decided in another log must not be acted upon.
        """
        async with self._locks[number]:
            if number in self._numbers:
                if number not in self._open:
                    self._open[number] = await asyncio.to_thread(self._open_store, number)
                if self._open[number].snapshot is None:
                    await self._recover(number)
            yield self._open.get(number) if number in self._numbers else None

    async def _recover(self, number: int) -> None:
        """Bring a store up to the topic's end; it is rebuilt if the topic's log is another one."""
        work = self._open[number]
        snapshot = decode_snapshot(await asyncio.to_thread(work.store.log_mark, self._name))
        logs = await ask_for_logs(
            self._broker, lambda reader: reader.logs(self._topic, {number: snapshot})
        )
        state, offset = logs[number], work.store.next_offset
        async with plain_consumer(self._broker) as consumer:
            topic = TopicPartition(self._topic, number)
            settled = await settled_offset(consumer, topic, state.end)
        resumption = resume(offset, snapshot, state)
        if resumption.is_other_log:
            work = await self.rebuild(number, resumption.reason)
        elif 0 < offset < settled:
            work = await self.rebuild(number, "deletions may be gone by now")
        # A rebuild that is interrupted has to know, too, which log it has read.
        await asyncio.to_thread(work.store.mark_log, self._name, state.snapshot.encode())
        await self.catch_up(number, state.end)
        await asyncio.to_thread(work.note_log, state.snapshot)

    async def note_logs(self, snapshots: Mapping[int, LogSnapshot]) -> None:
        """Store what was seen of the logs since, by partition, unless it is of an earlier leader than is known."""
        for number in self.opened():
            async with self.hold(number) as work:
                seen = snapshots.get(number)
                if work is None or work.snapshot is None or seen in (None, work.snapshot):
                    continue
                if seen.leader_epoch >= work.snapshot.leader_epoch:
                    await asyncio.to_thread(work.note_log, seen)

    async def note_leader(self, number: int, first: int) -> None:
        """Note the leader of the next records, from `first` on, with the store if its log has all that the store has read.

        Call it while holding the partition. After an election that lost nothing, a store without the note could not be
        distinguished from one that has read what an election lost, and would be rebuilt.
        """
        work = self._open[number]
        at = max(first, work.store.next_offset)
        leader, known = FETCHED.leader_of(self._topic, number, at), work.snapshot
        if known is None or leader is None or not 0 <= known.leader_epoch < leader:
            return
        logs = await ask_for_logs(
            self._broker, lambda reader: reader.logs(self._topic, {number: known})
        )
        if resume(work.store.next_offset, known, logs[number]).is_other_log:
            return  # the watchdog finds it, too, and ends the process
        state = logs[number].snapshot
        noted = msgspec.structs.replace(state, leader_epoch=leader, end=at + 1)
        await asyncio.to_thread(work.note_log, noted)

    async def rebuild(self, number: int, why: str) -> Work:
        """Replace a store that the topic's log does not continue; call it while holding the partition."""
        work = self._open.pop(number)
        offset = work.store.next_offset
        log.warning(
            "the contents of the store of %s-%s, read up to offset %s, are rebuilt: %s",
            *(self._topic, number, offset, why),
            extra={"partition": number, "offset": offset},
        )
        await asyncio.to_thread(work.remove)
        self._open[number] = await asyncio.to_thread(self._open_store, number)
        return self._open[number]

    async def catch_up(self, number: int, end: int) -> None:
        """Learn the records from the store's next offset up to `end`, and publish nothing.

        Call it while holding the partition. It ends early when the partition is revoked; the next
        owner goes on there.
        """
        work = self._open[number]
        start = work.store.next_offset
        if start >= end:
            return
        topic = TopicPartition(self._topic, number)
        report_at = time.monotonic() + _REPORT_S
        place = {"topic": topic.topic, "partition": number}
        name = f"store of {topic.topic}-{number}"
        log.info("%s: reading from %s to %s", name, start, end, extra=place)
        async with plain_consumer(self._broker) as consumer:
            async for record in read_range(consumer, {topic: start}, {topic: end}):
                if number not in self._numbers:
                    return
                await self._learn(number, work, [received_from_aiokafka(record)])
                if time.monotonic() > report_at:
                    report_at += _REPORT_S
                    log.info("%s: at %s", name, record.offset, extra=place)
        await asyncio.to_thread(work.store.skip, end - 1)
        log.info("%s: up to date", name, extra=place)

    async def release(self, numbers: Iterable[int]) -> None:
        """Give partitions up: work on them ends early, then their stores are closed."""
        leaving = set(numbers)
        self._numbers -= leaving
        for number in leaving:
            async with self._locks[number]:
                work = self._open.pop(number, None)
                if work is not None:
                    await asyncio.to_thread(work.store.close)

    def close(self) -> None:
        """Close all stores, once nothing else runs."""
        for work in self._open.values():
            work.store.close()
        self._open.clear()
