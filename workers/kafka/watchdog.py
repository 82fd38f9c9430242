"""A watchdog that ends a process whose committed offsets do not move although records wait.

It runs in a thread with an event loop of its own and asks the broker, because a blocked worker
cannot tell that it is blocked.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Callable

from aiokafka import AIOKafkaConsumer, TopicPartition

from workers.kafka.app import end_process
from workers.kafka.broker.plain_consumer import committed_offsets, plain_consumer, read_range

log = logging.getLogger("templ")

Lagging = dict[int, int]
"""Committed offset of each partition that has records beyond this offset."""


class StallDetector:
    """Decides from successive observations whether work has come to a halt."""

    def __init__(self, timeout_s: float, now_s: float) -> None:
        """Start with no observation.

        Args:
            timeout_s: How long work may stand still.
            now_s: Present time of a monotonic clock.
        """
        self._timeout_s = timeout_s
        self._last: tuple[Lagging, object] = {}, None
        self._moved_at_s = now_s

    def stalled(self, lagging: Lagging, now_s: float, inner: object = None) -> bool:
        """Return whether the same partitions have lagged at the same offsets for the whole time-out.

        Args:
            lagging: The partitions of this process that lag now.
            now_s: Present time of a monotonic clock.
            inner: Progress of work that commits no offsets, such as a rebuild; any value that
                changes when the work makes progress.
        """
        if not lagging or (lagging, inner) != self._last:
            self._last, self._moved_at_s = (dict(lagging), inner), now_s
            return False
        return now_s - self._moved_at_s >= self._timeout_s


def start_watchdog(
    broker: str,
    group: str,
    topic: str,
    assigned: Callable[[], set[int]],
    inner: Callable[[], object],
    report_lag: Callable[[int], None],
    timeout_s: float,
) -> None:
    """Watch a group's progress on a topic, in a background thread that never ends.

    Args:
        broker: HOST:PORT of the broker.
        group: Consumer group.
        topic: Input topic of the group.
        assigned: Returns the partitions that this process has now.
        inner: Returns the progress of work that commits no offsets.
        report_lag: Called at every look with the number of waiting records.
        timeout_s: How long committed offsets may stand still.
    """
    watch = _watch(broker, group, topic, assigned, inner, report_lag, timeout_s)
    threading.Thread(target=asyncio.run, args=(watch,), daemon=True, name="watchdog").start()


async def _watch(
    broker: str,
    group: str,
    topic: str,
    assigned: Callable[[], set[int]],
    inner: Callable[[], object],
    report_lag: Callable[[int], None],
    timeout_s: float,
) -> None:
    progress = StallDetector(timeout_s, time.monotonic())
    while True:
        await asyncio.sleep(min(timeout_s / 10, 15.0))
        try:
            lagging, waiting = await _lagging(broker, group, topic, assigned())
            report_lag(waiting)
            is_stalled = progress.stalled(lagging, time.monotonic(), inner())
            if is_stalled and not await _is_work_waiting(broker, topic, lagging):
                progress = StallDetector(timeout_s, time.monotonic())
                continue
        except Exception as error:  # noqa: BLE001 - the watchdog must go on
            log.warning("watchdog: %s: %s", type(error).__name__, error)
            progress = StallDetector(timeout_s, time.monotonic())
            continue
        if is_stalled:
            end_process(
                f"{group}: committed offsets {lagging} of {topic} have stood still for "
                f"{timeout_s:g} s although records wait; the process ends to be started again"
            )


async def _is_work_waiting(broker: str, topic: str, lagging: Lagging) -> bool:
    """Return whether there is a record at or after a committed offset.

    Offsets without a record are left behind by the ends of transactions and by expired records.
    """
    wanted = {TopicPartition(topic, number): offset for number, offset in lagging.items()}
    async with plain_consumer(broker) as consumer:
        ends = await consumer.end_offsets(list(wanted))
        starts = {one: min(committed, ends[one]) for one, committed in wanted.items()}
        async for _record in read_range(consumer, starts, dict(ends)):
            return True
    return False


async def _lagging(
    broker: str, group: str, topic: str, partitions: set[int]
) -> tuple[Lagging, int]:
    """Return the partitions that lag, and the number of records that wait on all of them."""
    if not partitions:
        return {}, 0
    offsets = await committed_offsets(broker, group, topic)
    async with plain_consumer(broker) as consumer:
        ends = await _ends(consumer, topic, partitions)
    done = {number: min(offsets.get(number, 0), end) for number, end in ends.items()}
    lagging = {number: offset for number, offset in done.items() if offset < ends[number]}
    return lagging, sum(ends.values()) - sum(done.values())


async def _ends(consumer: AIOKafkaConsumer, topic: str, partitions: set[int]) -> dict[int, int]:
    wanted = [TopicPartition(topic, number) for number in partitions]
    return {one.partition: end for one, end in (await consumer.end_offsets(wanted)).items()}
