"""Giving the topics more partitions without losing windows, while crawlers go on.

The topic `documents.moving` exists from the first step to the last, and no worker starts as long as it is
there. Running workers end by themselves when `documents` grows, and wait. So nobody else writes to the
topics while their records move, and an interrupted change is finished by the same command.

Every function that asks a broker raises `BrokerProblem` where it cannot be reached, or refuses; the command can be run again.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial

from aiokafka.admin import NewPartitions
from aiokafka.errors import UnknownTopicOrPartitionError, for_code

from schemas.topics import MOVING, PAGES, TOPICS, TopicSpec
from workers.errors import BrokerProblem, TopicProblem, UsageProblem
from workers.kafka.broker.access import BrokerAccess
from workers.kafka.broker.admin import (
    APPEAR_POLL_SECONDS,
    connected_admin,
    create_specified,
    partition_counts,
    read_partition_counts,
    wait_until_there,
)
from workers.kafka.broker.plain_clients import NO_PROGRESS_S
from workers.kafka.logs.log_reader import BrokerClient, LogReader, ask_for_logs, raise_for
from workers.kafka.operate.record_moves import Moved, NumberChange, RecordMoves, Say
from workers.kafka.patches import bound_fetches
from workers.pace import Pace
from workers.settings import Settings

MOVED_TOPICS = [spec.name for spec in TOPICS.values() if spec.same_partitions]
"""The topics whose records move, in the order in which they do; workers notice by the first one."""
_MARK = TopicSpec(name=MOVING, cleanup_policy="compact")
_ROLES = ("cleaner", "refresher")
_LOOK_S = 1.0
"""Time between two looks at whether workers are still there."""
_REMIND_S = 10.0


async def planned_change(
    broker: BrokerAccess, partitions: int | None, old: int | None
) -> NumberChange | None:
    """Return the change of the number of partitions that is to be made, or finished; None for none.

    See `decide_change` for the wanted and the old number.

    Raises:
        TopicProblem: A topic is missing.
        UsageProblem: The wanted number is smaller than the present one, or another change was begun.
    """
    counts = await read_partition_counts(broker)
    names = [broker.topic(name) for name in MOVED_TOPICS]
    missing = [name for name in names if name not in counts]
    if missing:
        raise TopicProblem(f"{missing[0]}: no such topic; create it: templ topics create")
    begun_with = counts.get(broker.topic(MOVING))
    return decide_change([counts[name] for name in names], begun_with, partitions, old)


def decide_change(
    counts: list[int], begun_with: int | None, partitions: int | None, old: int | None
) -> NumberChange | None:
    """Return the change that follows from the numbers of partitions, or None where there is none.

    Args:
        counts: The numbers of partitions of the topics whose records move.
        begun_with: The number before a change that was begun and not finished; None = none was.
        partitions: The wanted number; None = the largest of the present ones.
        old: The number before, as the operator says.

    Raises:
        UsageProblem: The wanted number is smaller than the present one, or another change was begun.

    Example:
        >>> decide_change([4, 4, 4], None, 6, None)
        NumberChange(old=4, new=6)
        >>> decide_change([6, 4, 4], 4, None, None)
        NumberChange(old=4, new=6)
        >>> decide_change([4, 4, 4], None, 4, None) is None
        True
    """
    largest = max(counts)
    new = partitions or largest
    if new < largest:
        raise UsageProblem(
            f"there are {largest} partitions, and Kafka cannot take partitions away: a few workers can "
            f"serve {largest} as well as {new}. To have {new}, create topics under another --prefix, "
            "send the pages there, and let their windows grow"
        )
    if begun_with is not None and new > largest > begun_with:
        raise UsageProblem(
            f"a change from {begun_with} to {largest} partitions was begun: finish it with --partitions "
            f"{largest}, then go on to {new}"
        )
    before = begun_with or old or min(counts)
    is_done = before == new and begun_with is None
    return None if is_done else NumberChange(before, new)


async def count_moves(
    broker: BrokerAccess, change: NumberChange, settings: Settings, say: Say
) -> list[Moved]:
    """Return what a change would move of each topic; nothing is changed."""
    bound_fetches(settings.record_limit_bytes)
    return [
        await RecordMoves(broker, broker.topic(name), change, None, say).count()
        for name in MOVED_TOPICS
    ]


async def repartition(
    broker: BrokerAccess,
    change: NumberChange,
    settings: Settings,
    *,
    records_per_s: float | None,
    say: Say,
) -> list[Moved]:
    """Make a change, or finish it, and return what was moved of each topic.

    Without a number of `records_per_s` as many records are sent as possible.
    """
    bound_fetches(settings.record_limit_bytes)
    await _patiently(broker, lambda admin: create_specified(admin, [_MARK], broker, change.old, 1))
    say(f"{broker.topic(MOVING)} is there: no worker starts until it is deleted again")
    first, *others = MOVED_TOPICS
    await _patiently(broker, partial(_grow, broker.topic(first), change.new))
    await _wait_for_workers(broker, say)
    await _patiently(broker, partial(_grow, broker.topic(PAGES), change.new))
    pace = Pace(records_per_s) if records_per_s else None
    found = []
    for name in (first, *others):
        await _patiently(broker, partial(_grow, broker.topic(name), change.new))
        moves = RecordMoves(broker, broker.topic(name), change, pace, say)
        found.append(await moves.move(settings))
        say(f"{broker.topic(name)}: {found[-1].records} of {found[-1].read} records moved")
    await _patiently(broker, partial(_delete, broker.topic(MOVING)))
    return found


async def _patiently(
    broker: BrokerAccess, step: Callable[[BrokerClient], Awaitable[object]]
) -> None:
    """Take a step that may be taken twice, again for a minute while the broker does not answer."""
    until = time.monotonic() + NO_PROGRESS_S
    while True:
        try:
            async with connected_admin(broker) as admin:
                await step(admin)
                return
        except BrokerProblem:
            if time.monotonic() > until:
                raise
        await asyncio.sleep(_LOOK_S)


async def _grow(topic: str, partitions: int, admin: BrokerClient) -> None:
    """Add partitions to a topic that has fewer, and wait until all have leaders."""
    count = (await partition_counts(admin)).get(topic)
    if count is None:
        return
    if count < partitions:
        await admin.create_partitions({topic: NewPartitions(partitions)})
    await wait_until_there(admin, [topic], partitions)


async def _wait_for_workers(broker: BrokerAccess, say: Say) -> None:
    """Wait until no process is in the groups of the workers."""
    remind_at = 0.0
    while members := await ask_for_logs(broker, partial(_members, broker)):
        if time.monotonic() > remind_at:
            remind_at = time.monotonic() + _REMIND_S
            say(
                f"waiting for {members} worker processes to end: they do so within seconds, and their "
                "places expire after TEMPL_SESSION_TIMEOUT_S; stop workers that go on"
            )
        await asyncio.sleep(_LOOK_S)


async def _members(broker: BrokerAccess, reader: LogReader) -> int:
    """Return how many processes are in the groups of both roles."""
    found = [await reader.members(broker.group(role), broker.topic(PAGES)) for role in _ROLES]
    return sum(len(members) for _, members in found)


async def _delete(topic: str, admin: BrokerClient) -> None:
    """Delete a topic, and wait until it is gone."""
    response = await admin.delete_topics([topic])
    for _, code, *_ in response.topic_error_codes:
        if for_code(code) is not UnknownTopicOrPartitionError:
            raise_for(code)
    while True:
        if topic not in await partition_counts(admin):
            return
        await asyncio.sleep(APPEAR_POLL_SECONDS)
