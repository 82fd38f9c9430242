"""Ends a process whose group's committed offsets stand still while there is work.

Runs in a thread and an event loop of its own, and asks the broker: a blocked worker cannot vouch
for itself.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Callable

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError

from workers.kafka.app import end_process
from workers.kafka.plain_consumer import plain_consumer

log = logging.getLogger("templ")

Lagging = dict[int, int]
"""Committed offset of each partition that has records beyond it."""


class Progress:
    """Decides, from one look after another, whether nothing moves any more."""

    def __init__(self, timeout_s: float, now_s: float) -> None:
        self._timeout_s = timeout_s
        self._last: Lagging = {}
        self._moved_at_s = now_s

    def stalled(self, lagging: Lagging, now_s: float) -> bool:
        """Whether the same partitions have lagged at the same offsets for the whole time-out.

        Args:
            lagging: What lags now, of the partitions assigned to this process.
            now_s: A monotonic clock.
        """
        if not lagging or lagging != self._last:
            self._last, self._moved_at_s = dict(lagging), now_s
            return False
        return now_s - self._moved_at_s >= self._timeout_s


def start_watchdog(
    broker: str, group: str, topic: str, assigned: Callable[[], set[int]], timeout_s: float
) -> None:
    """Watch a group's progress on a topic in the background, for ever.

    Args:
        broker: HOST:PORT.
        group: Consumer group.
        topic: Its input.
        assigned: Answers the partitions that this process has now.
        timeout_s: How long offsets may stand still.
    """
    watch = _watch(broker, group, topic, assigned, timeout_s)
    threading.Thread(target=asyncio.run, args=(watch,), daemon=True, name="watchdog").start()


async def _watch(
    broker: str, group: str, topic: str, assigned: Callable[[], set[int]], timeout_s: float
) -> None:
    progress = Progress(timeout_s, time.monotonic())
    while True:
        await asyncio.sleep(min(timeout_s / 10, 15.0))
        try:
            lagging = await _lagging(broker, group, topic, assigned())
        except (KafkaError, OSError) as error:
            log.warning("watchdog: %s", error)
            continue
        if progress.stalled(lagging, time.monotonic()):
            end_process(
                f"{group}: committed offsets {lagging} of {topic} have stood still for "
                f"{timeout_s:g} s with records waiting; ending, to be started again"
            )


async def _lagging(broker: str, group: str, topic: str, partitions: set[int]) -> Lagging:
    if not partitions:
        return {}
    admin = AIOKafkaAdminClient(bootstrap_servers=broker)
    await admin.start()
    try:
        committed = await admin.list_consumer_group_offsets(group)
    finally:
        await admin.close()
    async with plain_consumer(broker) as consumer:
        ends = await _ends(consumer, topic, partitions)
    offsets = {
        one.partition: max(found.offset, 0)
        for one, found in committed.items()
        if one.topic == topic
    }
    return {
        number: offsets.get(number, 0)
        for number, end in ends.items()
        if offsets.get(number, 0) < end
    }


async def _ends(consumer: AIOKafkaConsumer, topic: str, partitions: set[int]) -> dict[int, int]:
    wanted = [TopicPartition(topic, number) for number in partitions]
    return {one.partition: end for one, end in (await consumer.end_offsets(wanted)).items()}
