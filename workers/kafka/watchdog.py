"""A watchdog that ends a process that makes no progress, or whose logs are no longer those that it read.

It runs in a thread with an event loop of its own and asks the broker, because a blocked worker cannot
notice that it is blocked. At each check it judges four things:

* **Lag**: which records wait behind the committed offsets.
* **Truncation**: whether the logs still are those that were read. A process that reads on in another log
  would leave out records silently: aiokafka goes to the start of the new log, and faust drops what lies
  below the offset that it has got to. So the process ends, and is right again after a restart.
* **Membership**: whether records wait in partitions that no process of the group has.
* **Dead processes**: whether committed offsets do not move although records wait.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Mapping, Sequence

import msgspec
from aiokafka import TopicPartition
from aiokafka.errors import (
    KafkaConnectionError,
    KafkaTimeoutError,
    NodeNotReadyError,
    RequestTimedOutError,
    UnknownTopicOrPartitionError,
)

from schemas.topics import DOCUMENTS
from workers.kafka.app import end_process
from workers.kafka.broker.access import BrokerAccess
from workers.kafka.broker.plain_clients import plain_consumer, read_range
from workers.kafka.logs.fetched import FETCHED
from workers.kafka.logs.log_reader import CHECK_S, Committed, LogReader, log_reader
from workers.kafka.logs.resume import OTHER_TOPIC, LogSnapshot, LogState, is_other_topic, resume
from workers.kafka.role import Role

IDLE_AFTER_S = 10.0
"""Seconds for which nothing has waited before a worker is called idle.

A worker that gets a page now and then takes it within a check, and is idle all the time.
"""
_JOIN_AGAIN_S = 10.0
"""How long records may wait in partitions that no process has before the group is joined again.

The leader of a group assigns all partitions, and forms the group again when it learns of further ones. But
a static member that leads its group and is started again gets back what it had, and nobody tells it that it
leads (Kafka's KIP-814; aiokafka has no such setting). If that is nothing, because the topic was missing just
then, it stays so forever. Joining once more makes it the leader.
"""
_NO_ANSWER = (
    KafkaConnectionError,
    KafkaTimeoutError,
    NodeNotReadyError,
    RequestTimedOutError,
    OSError,
)
"""Errors of a broker that is away."""
log = logging.getLogger("templ")

Lagging = dict[int, int]
"""Committed offset of each partition that has records beyond this offset."""
Snapshots = Mapping[int, LogSnapshot | None]
"""The logs as they were at the last check, by partition."""


class LogCheck(msgspec.Struct, frozen=True):
    """What one check of the logs of a process has shown."""

    lagging: Lagging = {}
    waiting: int = 0
    """Records that are not processed yet."""
    problem: str = ""
    """Why this process cannot read on; empty where it can."""
    unassigned: Lagging = {}
    """Partitions with waiting records that no process of the group has."""
    is_idle: bool = False
    """Whether this process has no partition."""


def start_watchdog(role: Role, timeout_s: float) -> None:
    """Watch in a background thread that the committed offsets of a role move within a time, forever."""
    watch = _watch(role, timeout_s)
    threading.Thread(target=asyncio.run, args=(watch,), daemon=True, name="watchdog").start()


async def _watch(role: Role, timeout_s: float) -> None:
    pause_s = min(timeout_s / 10, CHECK_S)
    status = StatusLines(role.prepared, role.topic)
    said = ""
    while True:
        try:
            async with log_reader(role.config.broker) as reader:
                patience = Patience(timeout_s, time.monotonic())
                while True:
                    await asyncio.sleep(pause_s)
                    check = await check_logs(reader, role)
                    role.metrics.lag(check.waiting)
                    for line in status.answered(
                        role.waiting_for(), role.app.assigned, check.waiting, time.monotonic()
                    ):
                        log.info(line)
                    await act(role, check, patience)
                    said = ""
        except _NO_ANSWER as error:
            for line in status.gone(str(error) or type(error).__name__, time.monotonic()):
                log.warning(line)
            await asyncio.sleep(pause_s)
            continue
        except UnknownTopicOrPartitionError:
            problem = f"there is no topic {role.topic}; work goes on once it exists again"
        except Exception as error:  # noqa: BLE001 - the watchdog must go on
            problem = f"{type(error).__name__}: {error}"
        if problem != said:
            log.warning("watchdog: %s", problem)
            said = problem
        await asyncio.sleep(pause_s)


async def check_logs(reader: LogReader, role: Role) -> LogCheck:
    """Look at the logs of a process once, and bring the snapshots of its App up to date.

    A process may have lost its partitions with the topic, and is not given them back when there is a new one. So
    the topic is compared with all snapshots, which stay when partitions are taken away.
    """
    topic, app = role.topic, role.app
    partitions, received = app.assigned, app.gaps.received()
    # Read this before the logs' ends: a log cannot end before what was fetched from it.
    fetched = {number: FETCHED.of(topic, number) for number in partitions}
    known = dict(app.snapshots)
    snapshots = {number: known.get(number) for number in partitions or {0}}
    committed = await reader.committed(role.group, topic)
    logs = await reader.logs(topic, snapshots)
    if any(is_other_topic(old, new) for old in known.values() for new in logs.values()):
        return LogCheck(problem=f"{topic}: {OTHER_TOPIC}")
    partition_count = await reader.partition_count(role.config.broker.topic(DOCUMENTS))
    if changed := role.config.partitions_changed(partition_count):
        return LogCheck(problem=changed)
    if app.assigned is not partitions:  # others were assigned meanwhile
        return LogCheck()
    unassigned = await _unassigned(reader, role, committed)
    if not partitions:
        return LogCheck(unassigned=unassigned, is_idle=True)
    problem = _truncation(topic, committed, received, snapshots, logs)
    problem = problem or await _lost_after_fetch(reader, topic, fetched, logs)
    if not problem:
        app.snapshots.update({number: state.snapshot for number, state in logs.items()})
        for number, ends in fetched.items():
            FETCHED.drop(topic, number, ends)
    lagging = _lagging(committed, snapshots, logs)
    waiting = sum(logs[number].end - offset for number, offset in lagging.items())
    return LogCheck(lagging, waiting, problem, unassigned)


async def act(role: Role, check: LogCheck, patience: "Patience") -> None:
    """End the process if it cannot read on or makes no progress; have it join its group again."""
    now_s = time.monotonic()
    if check.problem:
        end_process(f"{check.problem}; the process ends to be started again")
    if patience.group.stalled(check.unassigned, now_s):
        log.warning(
            "%s: records wait in %s of %s, which no process has: the group is joined again",
            *(role.group, sorted(check.unassigned), role.topic),
        )
        role.app.join_again()
        patience.group.restart(now_s)
    if patience.work.stalled(check.lagging, now_s, role.inner_progress()):
        await _end_stalled(role, check.lagging, "records wait", patience.work)
    if check.is_idle and patience.idle.stalled(check.unassigned, now_s):
        await _end_stalled(role, check.unassigned, "no process has them", patience.idle)


# Lag


def _lagging(
    committed: Mapping[int, Committed], snapshots: Snapshots, logs: Mapping[int, LogState]
) -> Lagging:
    """Return the partitions with records behind the offset at which reading of them goes on."""
    lagging = {}
    for number, state in sorted(logs.items()):
        offset = committed[number].offset if number in committed else None
        goes_on = resume(offset, snapshots[number], state)
        at = goes_on.offset if goes_on.is_sure else offset or 0
        if at < state.end:
            lagging[number] = at
    return lagging


# Truncation


def _truncation(
    topic: str,
    committed: Mapping[int, Committed],
    received: Mapping[int, int],
    snapshots: Snapshots,
    logs: Mapping[int, LogState],
) -> str:
    """Return which log is no longer the one that was read; empty if all are.

    What the group had committed, and was received, was looked at before the logs.
    """
    for number, state in sorted(logs.items()):
        offset = committed[number].offset if number in committed else 0
        furthest = max(offset, received.get(number, 0))
        resumption = resume(furthest, snapshots[number], state)
        # After a clean election the log continues, so reading on is safe; in any other log the broker
        # rejects the next offset.
        if resumption.is_other_log and resumption.is_sure:
            return f"{topic}-{number}: {resumption.reason}"
    return ""


async def _lost_after_fetch(
    reader: LogReader,
    topic: str,
    fetched: Mapping[int, Mapping[int, int]],
    logs: Mapping[int, LogState],
) -> str:
    """Return which of the fetched records are not in their logs any more; empty for none."""
    for number, ends in fetched.items():
        for epoch, end in ends.items():
            if epoch == logs[number].leader_epoch:
                kept: int | None = logs[number].end
            else:
                snapshot = LogSnapshot(logs[number].topic_id, epoch, end)
                kept = (await reader.logs(topic, {number: snapshot}))[number].kept
            if kept is not None and end > kept:
                return (
                    f"{topic}-{number}: the log of this topic was cut at offset {kept}; it had been "
                    f"read up to {end} or further"
                )
    return ""


# Membership


async def _unassigned(reader: LogReader, role: Role, committed: Mapping[int, Committed]) -> Lagging:
    """Return the partitions with waiting records that no process of the group has."""
    numbers = await reader.unassigned(role.group, role.topic)
    if not numbers:
        return {}
    snapshots = {
        number: committed[number].snapshot if number in committed else None for number in numbers
    }
    return _lagging(committed, snapshots, await reader.logs(role.topic, snapshots))


# Dead processes


class StallDetector:
    """Decides from successive observations whether work has come to a halt."""

    def __init__(self, timeout_s: float, now_s: float) -> None:
        """Start with no observation, at a time of a monotonic clock."""
        self.timeout_s = timeout_s
        self.restart(now_s)

    def restart(self, now_s: float) -> None:
        """Forget what was observed."""
        self._last: tuple[Lagging, object] = {}, None
        self._moved_at_s = now_s

    def stalled(self, lagging: Lagging, now_s: float, inner: object = None) -> bool:
        """Return whether the same partitions have lagged at the same offsets for the whole time-out.

        The progress of work that commits no offsets, such as a rebuild, is any value that changes with it.
        """
        if not lagging or (lagging, inner) != self._last:
            self._last, self._moved_at_s = (dict(lagging), inner), now_s
            return False
        return now_s - self._moved_at_s >= self.timeout_s


class Patience:
    """How long each kind of halt may last."""

    def __init__(self, timeout_s: float, now_s: float) -> None:
        self.work = StallDetector(timeout_s, now_s)
        """The work of this process."""
        self.idle = StallDetector(timeout_s, now_s)
        """Records wait in partitions that no process has, while this process has no partition."""
        self.group = StallDetector(min(timeout_s, _JOIN_AGAIN_S), now_s)
        """Records wait in partitions that no process has, until the group is joined again."""


async def _end_stalled(role: Role, lagging: Lagging, why: str, progress: StallDetector) -> None:
    """End the process if records wait in partitions without progress."""
    if await _is_work_waiting(role.config.broker, role.topic, lagging):
        end_process(
            f"{role.group}: committed offsets {lagging} of {role.topic} have not moved for "
            f"{progress.timeout_s:g} s although {why}; the process ends to be started again"
        )
    progress.restart(time.monotonic())


async def _is_work_waiting(broker: BrokerAccess, topic: str, lagging: Lagging) -> bool:
    """Return whether there is a record at or after a committed offset.

    Offsets without a record are left behind by the ends of transactions and by expired records.
    """
    wanted = {TopicPartition(topic, number): offset for number, offset in lagging.items()}
    async with plain_consumer(broker) as consumer:
        ends = await consumer.end_offsets(list(wanted))
        starts = {tp: min(committed, ends[tp]) for tp, committed in wanted.items()}
        async for _record in read_range(consumer, starts, dict(ends)):
            return True
    return False


class StatusLines:
    """Remembers what was said, so that each change is one line, and nothing is said twice."""

    def __init__(self, prepared: str, topic: str) -> None:
        """Begin with nothing said about the worker of a topic; `prepared` says what is true once it is ready."""
        self._prepared = prepared
        self._topic = topic
        self._ready: frozenset[int] | None = None
        """The partitions that the worker was last called ready with; None while it is not ready."""
        self._empty_since_s: float | None = None
        """When the present time without waiting records began; None while records wait."""
        self._is_idle = False
        self._gone_since_s: float | None = None

    def answered(
        self, waiting_for: str, partitions: frozenset[int], waiting: int, now_s: float
    ) -> Sequence[str]:
        """Return the lines to log after the broker has answered, with what is waited for and how many records wait."""
        lines = []
        if self._gone_since_s is not None:
            lines.append(f"the broker is back after {now_s - self._gone_since_s:.0f} s")
            self._gone_since_s = None
        if waiting_for:
            self._ready, self._empty_since_s = None, None
            return lines
        if partitions != self._ready:
            self._ready, self._is_idle = partitions, False
            lines.append(f"ready: {self._prepared}; {self._assigned(partitions)}")
        if waiting or not partitions:
            self._empty_since_s, self._is_idle = None, False
        elif self._empty_since_s is None:
            self._empty_since_s = now_s
        elif now_s - self._empty_since_s >= IDLE_AFTER_S and not self._is_idle:
            self._is_idle = True
            lines.append(f"idle: nothing waits in {self._topic}")
        return lines

    def gone(self, problem: str, now_s: float) -> Sequence[str]:
        """Return the lines to log after the broker has not answered."""
        if self._gone_since_s is not None:
            return []
        self._gone_since_s, self._empty_since_s = now_s, None
        return [f"the broker does not answer, and is asked until it does: {problem}"]

    def _assigned(self, partitions: frozenset[int]) -> str:
        if not partitions:
            return f"no partition of {self._topic} is assigned, since other workers have them all"
        numbers = ", ".join(map(str, sorted(partitions)))
        noun = "partition" if len(partitions) == 1 else "partitions"
        return f"{noun} {numbers} of {self._topic} assigned"
