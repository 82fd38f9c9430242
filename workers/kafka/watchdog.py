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

from workers.kafka.app import end_process
from workers.kafka.broker.plain_consumer import committed_offsets, plain_consumer, read_range

log = logging.getLogger("templ")

Lagging = dict[int, int]
"""Committed offset of each partition that has records beyond it."""


class StallDetector:
    """Decides, from one look after another, whether nothing moves any more."""

    def __init__(self, timeout_s: float, now_s: float) -> None:
        self._timeout_s = timeout_s
        self._last: tuple[Lagging, object] = {}, None
        self._moved_at_s = now_s

    def stalled(self, lagging: Lagging, now_s: float, inner: object = None) -> bool:
        """Whether the same partitions have lagged at the same offsets for the whole time-out.

        Args:
            lagging: What lags now, of the partitions assigned to this process.
            now_s: A monotonic clock.
            inner: How far work has come that commits nothing, a rebuild for one.
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
    """Watch a group's progress on a topic in the background, for ever.

    Args:
        broker: HOST:PORT.
        group: Consumer group.
        topic: Its input.
        assigned: Answers the partitions that this process has now.
        inner: Answers how far work has come that commits nothing.
        report_lag: Told how many records are waiting, at every look.
        timeout_s: How long offsets may stand still.
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
        except Exception as error:  # noqa: BLE001 - a watchdog that died would watch no more
            log.warning("watchdog: %s: %s", type(error).__name__, error)
            progress = StallDetector(timeout_s, time.monotonic())
            continue
        if is_stalled:
            end_process(
                f"{group}: committed offsets {lagging} of {topic} have stood still for "
                f"{timeout_s:g} s with records waiting; ending, to be started again"
            )


async def _is_work_waiting(broker: str, topic: str, lagging: Lagging) -> bool:
    """Whether a record lies beyond a committed offset, and not only the end of a transaction.

    Records that expired leave offsets without a record, too.
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
    """The partitions that lag, and by how many records together."""
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
