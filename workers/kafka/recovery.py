"""Catching up: windows with their topic, and `site-models` with what the windows have published.

A site's next model may be days away, and a cleaner that starts in the meantime would clean the site's
pages as those of a new site. So models that their topic has lost are published again.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from aiokafka import TopicPartition
from aiokafka.errors import KafkaError

from schemas.topics import DOCUMENTS
from workers.kafka.broker.access import BrokerAccess
from workers.kafka.broker.plain_consumer import plain_consumer, read_range, settled_offset
from workers.kafka.broker.received import Received, received_from_aiokafka
from workers.kafka.logs.log_reader import LOOK_S, ask_for_logs, log_reader
from workers.kafka.logs.resume import (
    LogSnapshot,
    LogState,
    decode_snapshot,
    has_lost_records,
    resume,
)
from workers.kafka.partition_windows import OwnedPartitions, PartitionWindows

_REPORT_S = 10.0
log = logging.getLogger("templ")

Learn = Callable[[PartitionWindows, Received], Awaitable[str]]
"""Takes one record into the windows; answers its site."""
Publish = Callable[[int, str, PartitionWindows], Awaitable[None]]
"""Publishes the model of a site of a partition, whose windows are held."""


class Recovery:
    """Reads what a store of windows lacks of the topic, all of it if the store is lost."""

    def __init__(self, broker: BrokerAccess, topic: str, learn: Learn) -> None:
        self._broker = broker
        self._topic = topic
        self._learn = learn

    async def recover(self, owned: OwnedPartitions, number: int) -> None:
        """Bring windows up to the topic's end; they are rebuilt if its log is another one.

        Call it while holding the partition. It ends early when the partition is taken away.
        """
        topic, windows = TopicPartition(self._topic, number), owned.opened()[number]
        snapshot = decode_snapshot(await asyncio.to_thread(windows.store.log_mark, DOCUMENTS))
        logs = await ask_for_logs(
            self._broker, lambda reader: reader.logs(self._topic, {number: snapshot})
        )
        state = logs[number]
        async with plain_consumer(self._broker) as consumer:
            settled = await settled_offset(consumer, topic, state.end)
        goes_on = resume(windows.store.next_offset, snapshot, state)
        if goes_on.is_other_log:
            windows = await owned.rebuild(number, goes_on.reason)
        elif 0 < windows.store.next_offset < settled:
            windows = await owned.rebuild(number, "deletions may be gone by now")
        # A rebuild that is interrupted has to know, too, which log it has read.
        await asyncio.to_thread(windows.store.mark_log, DOCUMENTS, state.snapshot.encode())
        await self.catch_up(owned, number, state.end)
        await asyncio.to_thread(windows.note_log, state.snapshot)

    async def catch_up(self, owned: OwnedPartitions, number: int, end: int) -> None:
        """Take in the records from the store's next offset up to `end`, and publish nothing.

        It ends early when the partition is taken away; the next owner goes on there.
        """
        windows = owned.opened()[number]
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
                if number not in owned:
                    return
                await self._learn(windows, received_from_aiokafka(record))
                if time.monotonic() > report_at:
                    report_at += _REPORT_S
                    log.info("%s: at %s", name, record.offset, extra=place)
        await asyncio.to_thread(windows.store.skip, end - 1)
        log.info("%s: up to date", name, extra=place)


class LostModels:
    """Compares the logs of `site-models` with what they were when models were published last."""

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
                    snapshots = self._snapshots()
                    if snapshots:
                        for number, state in (await reader.logs(self._topic, snapshots)).items():
                            await self.look(number, snapshots[number], state)
        except (KafkaError, OSError) as error:
            log.debug("%s cannot be looked at: %r", self._topic, error)
            await asyncio.sleep(LOOK_S)

    async def look(self, number: int, snapshot: LogSnapshot | None, state: LogState) -> None:
        """Publish all models of a partition again if its log has lost records since the snapshot."""
        if state.snapshot == snapshot:
            return
        async with self._owned.hold(number) as windows:
            if windows is None:
                return
            is_lost = snapshot is not None and has_lost_records(snapshot, state)
            sites = await asyncio.to_thread(_published_sites, windows) if is_lost else []
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

    def _snapshots(self) -> dict[int, LogSnapshot | None]:
        return {number: windows.models_snapshot for number, windows in self._owned.opened().items()}


def _published_sites(windows: PartitionWindows) -> list[str]:
    return [site for site, state in windows.store.sites() if state.model_version and state.pages]
