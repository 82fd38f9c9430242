"""Bringing the windows of a partition up to what its topic holds."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from aiokafka import TopicPartition

from schemas.topics import DOCUMENTS
from workers.kafka.access.broker_access import BrokerAccess
from workers.kafka.broker.plain_consumer import plain_consumer, read_range, settled_offset
from workers.kafka.broker.received import Received, received_from_aiokafka
from workers.kafka.logs.log_reader import ask_for_logs
from workers.kafka.logs.resume import decode_mark, resume
from workers.kafka.partition_windows import OwnedPartitions, PartitionWindows

_REPORT_S = 10.0
log = logging.getLogger("templ")

Learn = Callable[[PartitionWindows, Received], Awaitable[str]]
"""Takes one record into the windows; answers its site."""


class Recovery:
    """Reads what a store of windows lacks of the topic, all of it if the store is lost."""

    def __init__(self, broker: BrokerAccess, topic: str, learn: Learn) -> None:
        self._broker = broker
        self._topic = topic
        self._learn = learn

    async def recover(self, owned: OwnedPartitions, number: int) -> None:
        """Bring windows up to the topic's end; they are made anew if its log is another one.

        Call it while holding the partition. It ends early when the partition is taken away.
        """
        topic, windows = TopicPartition(self._topic, number), owned.opened()[number]
        mark = decode_mark(await asyncio.to_thread(windows.store.log_mark, DOCUMENTS))
        logs = await ask_for_logs(
            self._broker, lambda reader: reader.logs(self._topic, {number: mark})
        )
        state = logs[number]
        async with plain_consumer(self._broker) as consumer:
            settled = await settled_offset(consumer, topic, state.end)
        goes_on = resume(windows.store.next_offset, mark, state)
        if goes_on.is_other_log:
            windows = await owned.begin_anew(number, goes_on.reason)
        elif 0 < windows.store.next_offset < settled:
            windows = await owned.begin_anew(number, "deletions may be gone by now")
        # A rebuild that is interrupted has to know, too, which log it has read.
        await asyncio.to_thread(windows.store.mark_log, DOCUMENTS, state.mark.encode().encode())
        await self.catch_up(owned, number, state.end)
        await asyncio.to_thread(windows.mark_log, state.mark)

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
        log.info(
            "windows of %s-%s: reading from %s to %s",
            *(topic.topic, number, start, end),
            extra=place,
        )
        async with plain_consumer(self._broker) as consumer:
            async for record in read_range(consumer, {topic: start}, {topic: end}):
                if number not in owned:
                    return
                await self._learn(windows, received_from_aiokafka(record))
                if time.monotonic() > report_at:
                    report_at += _REPORT_S
                    log.info(
                        "windows of %s-%s: at %s", topic.topic, number, record.offset, extra=place
                    )
        if start == 0:
            # Everything was read anew: what was superseded long ago was set right long ago.
            await asyncio.to_thread(windows.store.outbox.drop_all_superseded)
        await asyncio.to_thread(windows.store.skip, end - 1)
        log.info("windows of %s-%s: up to date", topic.topic, number, extra=place)
