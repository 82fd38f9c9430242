"""The windows of the partitions of `documents` that this worker has, opened and caught up when first needed.

Opening, closing and removing a store may take seconds. All of it happens in threads, so that the
event loop goes on answering the broker.
"""

import asyncio
import logging
import shutil
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import cast

import msgspec
from aiokafka import TopicPartition
from aiokafka.errors import KafkaError

from schemas.codec import SchemaError, decode_document_record
from schemas.document import document_key
from schemas.topics import DOCUMENTS, SITE_MODELS
from workers.kafka.broker.access import BrokerAccess
from workers.kafka.broker.partitioning import MisplacedRecords
from workers.kafka.broker.plain_clients import plain_consumer, read_range, settled_offset
from workers.kafka.broker.received import Received, processable, received_from_aiokafka
from workers.kafka.config import KafkaConfig
from workers.kafka.logs.fetched import FETCHED
from workers.kafka.logs.log_reader import LOOK_S, LogReader, ask_for_logs, log_reader
from workers.kafka.logs.resume import (
    LogSnapshot,
    LogState,
    decode_snapshot,
    has_lost_records,
    resume,
)
from workers.log_lines import lines_about, record_fields
from workers.pipeline.site_engine import SiteEngine
from workers.processes.pool import Pool
from workers.site_settings import SettingsBook
from workers.state.rebuildable import open_rebuildable
from workers.state.window_store import WindowStore

_REPORT_S = 10.0
log = logging.getLogger("templ")


class PartitionWindows:
    """The windows of one partition, and the engine that learns from them."""

    def __init__(
        self, config: KafkaConfig, pool: Pool, number: int, book: SettingsBook | None = None
    ) -> None:
        """Open the store of a partition; an empty one takes the place of one that cannot be used.

        Raises:
            StateProblem: The store is in use or not writable.
        """
        self._path = config.state / f"windows-{number}"
        self._book = book or SettingsBook()
        self.snapshot: LogSnapshot | None = None
        """The log that the store was compared with since it was opened; None before."""
        settings = config.settings
        self._misplaced = MisplacedRecords(config.partitions)
        self.store = open_rebuildable(
            self._path, lambda path: WindowStore(path, settings), config.broker.topic(DOCUMENTS)
        )
        self.models_snapshot = decode_snapshot(self.store.log_mark(SITE_MODELS))
        """The log of `site-models` as it was when models were published last."""
        self.engine = SiteEngine(
            pool, settings, windows=self.store, book=self._book, fits_messages=True
        )

    def ingest(self, site: str, message: Received) -> bool:
        """Take in a record with the site in its key; if it cannot be used, log why, and return False."""
        if self._misplaced.holds(site, message, is_new=self.store.is_new(message.offset)):
            self.store.skip(message.offset)
            return message.value is None
        with lines_about(partial(record_fields, message.source, message.headers, site)):
            try:
                problem = self._take(site, message)
            except SchemaError as error:
                self.store.skip(message.offset)
                problem = str(error)
            if problem is not None:
                log.warning("document %s is left out: %s", message.source, problem)
        return problem is None

    def _take(self, site: str, message: Received) -> str | None:
        """Take a record in; return why nothing was learned from it, or None."""
        value = processable(message.value)
        if self._book.is_forgotten(site):
            self.store.skip(message.offset)
            return None
        if value is None:
            self.store.remove(site, _source_id(message), message.offset)
            return None
        record = decode_document_record(value)
        if record.site != site or document_key(site, record.source) != message.key:
            raise SchemaError(f"its key {message.key!r} is not that of {record.source} of its site")
        return self.engine.learn(record, message.offset)

    def keep(self, site: str, message: Received) -> bool:
        """Step over a null value that does not count, and return False; its document stays, and is sent again."""
        self.store.keep(site, _source_id(message), message.offset)
        return False

    def note_log(self, snapshot: LogSnapshot) -> None:
        """Store with the windows which log they are of."""
        self.store.mark_log(DOCUMENTS, snapshot.encode())
        self.snapshot = snapshot
        self._misplaced.warn()

    def lacks(self, snapshot: LogSnapshot) -> bool:
        """Return whether a log is another one than was noted, and not one of an earlier leader."""
        known = self.snapshot
        return known is None or (snapshot != known and snapshot.leader_epoch >= known.leader_epoch)

    def note_models_log(self, snapshot: LogSnapshot) -> None:
        """Store with the windows which log of `site-models` has all their models."""
        self.store.mark_log(SITE_MODELS, snapshot.encode())
        self.models_snapshot = snapshot

    def decided_from(self) -> LogSnapshot:
        """Return the log that the windows are of, up to the first record that was not read.

        Call it only after the store was compared with its log.
        """
        return msgspec.structs.replace(
            cast("LogSnapshot", self.snapshot), end=self.store.next_offset
        )

    def remove(self) -> None:
        """Close the store and remove it from the disk."""
        self.store.close()
        shutil.rmtree(self._path)


def _source_id(message: Received) -> str:
    return (message.key or b"").partition(b"\0")[2].decode(errors="replace")


Learn = Callable[[int, PartitionWindows, Sequence[Received]], Awaitable[object]]
"""Takes records into the windows of a partition."""
Publish = Callable[[int, str, PartitionWindows], Awaitable[None]]
"""Publishes the model of a site of a partition, whose windows are held."""


class OwnedPartitions:
    """Which partitions are this worker's, their windows, and a lock for each of them."""

    def __init__(
        self,
        broker: BrokerAccess,
        topic: str,
        open_windows: Callable[[int], PartitionWindows],
        learn: Learn,
    ) -> None:
        """Own no partition of `documents` yet; `learn` takes a record that windows lack into them."""
        self._broker = broker
        self._topic = topic
        self._open_windows = open_windows
        self._learn = learn
        self._numbers: set[int] = set()
        self._open: dict[int, PartitionWindows] = {}
        self._locks: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)

    def __contains__(self, number: int) -> bool:
        return number in self._numbers

    def assign(self, numbers: Iterable[int]) -> None:
        """Take these partitions, and no others, for ours."""
        self._numbers = set(numbers)

    def opened(self) -> dict[int, PartitionWindows]:
        """Return the windows that are open now, by partition."""
        return dict(self._open)

    def not_ready(self) -> list[int]:
        """Return the partitions that are ours and whose windows lack records; any thread may call."""
        ready = {number for number, one in self.opened().items() if one.snapshot is not None}
        return sorted(set(self._numbers) - ready)

    @asynccontextmanager
    async def hold(self, number: int) -> AsyncIterator[PartitionWindows | None]:
        """Keep all other work off a partition; gives None where the partition is not ours.

        Windows that are not up to date are brought so before anybody has them: what was read and decided
        in another log must not be acted upon.
        """
        async with self._locks[number]:
            if number in self._numbers:
                if number not in self._open:
                    self._open[number] = await asyncio.to_thread(self._open_windows, number)
                if self._open[number].snapshot is None:
                    await self._recover(number)
            yield self._open.get(number) if number in self._numbers else None

    async def _recover(self, number: int) -> None:
        """Bring windows up to the topic's end; they are rebuilt if its log is another one."""
        windows = self._open[number]
        snapshot = decode_snapshot(await asyncio.to_thread(windows.store.log_mark, DOCUMENTS))
        logs = await ask_for_logs(
            self._broker, lambda reader: reader.logs(self._topic, {number: snapshot})
        )
        state, offset = logs[number], windows.store.next_offset
        async with plain_consumer(self._broker) as consumer:
            topic = TopicPartition(self._topic, number)
            settled = await settled_offset(consumer, topic, state.end)
        found = resume(offset, snapshot, state)
        if found.is_other_log:
            windows = await self.rebuild(number, found.reason)
        elif 0 < offset < settled:
            windows = await self.rebuild(number, "deletions may be gone by now")
        # A rebuild that is interrupted has to know, too, which log it has read.
        await asyncio.to_thread(windows.store.mark_log, DOCUMENTS, state.snapshot.encode())
        await self.catch_up(number, state.end)
        await asyncio.to_thread(windows.note_log, state.snapshot)

    async def note_leader(self, number: int, first: int) -> None:
        """Note with windows the leader of the next records, `first` on, if its log has all that they have read.

        Call it while holding them. After an election that lost nothing, windows without the note could not be told
        from those that have read what an election lost, and would be rebuilt.
        """
        windows = self._open[number]
        at = max(first, windows.store.next_offset)
        leader, known = FETCHED.leader_of(self._topic, number, at), windows.snapshot
        if known is None or leader is None or not 0 <= known.leader_epoch < leader:
            return
        logs = await ask_for_logs(
            self._broker, lambda reader: reader.logs(self._topic, {number: known})
        )
        if resume(windows.store.next_offset, known, logs[number]).is_other_log:
            return  # the watchdog finds it, too, and ends the process
        state = logs[number].snapshot
        noted = msgspec.structs.replace(state, leader_epoch=leader, end=at + 1)
        await asyncio.to_thread(windows.note_log, noted)

    async def rebuild(self, number: int, why: str) -> PartitionWindows:
        """Drop windows that the topic no longer leads on from; call it while holding them."""
        windows = self._open.pop(number)
        offset = windows.store.next_offset
        log.warning(
            "windows-%s read up to offset %s are rebuilt: %s",
            *(number, offset, why),
            extra={"partition": number, "offset": offset},
        )
        await asyncio.to_thread(windows.remove)
        self._open[number] = await asyncio.to_thread(self._open_windows, number)
        return self._open[number]

    async def catch_up(self, number: int, end: int) -> None:
        """Take in the records from the store's next offset up to `end`, and publish nothing.

        Call it while holding the partition. It ends early when the partition is taken away; the next
        owner goes on there.
        """
        windows = self._open[number]
        start = windows.store.next_offset
        if start >= end:
            return
        topic = TopicPartition(self._topic, number)
        report_at = time.monotonic() + _REPORT_S
        place = {"topic": topic.topic, "partition": number}
        name = f"windows of {topic.topic}-{number}"
        log.info("%s: reading from %s to %s", name, start, end, extra=place)
        async with plain_consumer(self._broker) as consumer:
            async for record in read_range(consumer, {topic: start}, {topic: end}):
                if number not in self._numbers:
                    return
                await self._learn(number, windows, [received_from_aiokafka(record)])
                if time.monotonic() > report_at:
                    report_at += _REPORT_S
                    log.info("%s: at %s", name, record.offset, extra=place)
        await asyncio.to_thread(windows.store.skip, end - 1)
        log.info("%s: up to date", name, extra=place)

    async def release(self, numbers: Iterable[int]) -> None:
        """Let partitions go; work on them ends early, then their stores are closed."""
        leaving = set(numbers)
        self._numbers -= leaving
        for number in leaving:
            async with self._locks[number]:
                windows = self._open.pop(number, None)
                if windows is not None:
                    await asyncio.to_thread(windows.store.close)

    def close(self) -> None:
        """Close all stores, once nothing else runs."""
        for windows in self._open.values():
            windows.store.close()
        self._open.clear()


class LostModels:
    """Compares the logs of `site-models` with what they were when models were published last.

    A site's next model may be days away, and a cleaner that starts in the meantime would clean the site's
    pages as those of a new site. So models that their topic has lost are published again.
    """

    def __init__(
        self, broker: BrokerAccess, topic: str, owned: OwnedPartitions, publish: Publish
    ) -> None:
        self._broker = broker
        self._topic = topic
        self._owned = owned
        self._publish = publish

    async def watch(self) -> None:
        """Look at the topic for as long as the broker answers."""
        try:
            async with log_reader(self._broker) as reader:
                while True:
                    await asyncio.sleep(LOOK_S)
                    await self.look(reader)
        except (KafkaError, OSError) as error:
            log.debug("%s cannot be looked at: %r", self._topic, error)
            await asyncio.sleep(LOOK_S)

    async def look(self, reader: LogReader) -> None:
        """Publish all models of each partition again whose log has lost records since the last look."""
        opened = self._owned.opened()
        snapshots = {number: windows.models_snapshot for number, windows in opened.items()}
        logs = await reader.logs(self._topic, snapshots) if snapshots else {}
        for number, state in logs.items():
            if state.snapshot != snapshots[number]:
                await self._compare(number, snapshots[number], state)

    async def _compare(self, number: int, snapshot: LogSnapshot | None, state: LogState) -> None:
        sites: list[str] = []
        async with self._owned.hold(number) as windows:
            if windows is None:
                return
            if snapshot is not None and has_lost_records(snapshot, state):
                sites = await asyncio.to_thread(_published_sites, windows)
        if sites:
            log.warning(
                "%s-%s has lost records; the models of %s sites are published again",
                *(self._topic, number, len(sites)),
                extra={"topic": self._topic, "partition": number},
            )
        for site in sites:
            async with self._owned.hold(number) as now:
                if now is not windows:
                    return
                await self._publish(number, site, windows)
        async with self._owned.hold(number) as now:
            if now is windows:
                await asyncio.to_thread(windows.note_models_log, state.snapshot)


def _published_sites(windows: PartitionWindows) -> list[str]:
    return [site for site, state in windows.store.sites() if state.model_version and state.pages]
