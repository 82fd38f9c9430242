"""Asks the broker what the logs of a topic are now, and what a group has committed."""
# mypy: disable-error-code="misc"
# aiokafka has no types, so all its classes are Any to mypy.

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import TypeVar

import msgspec
from aiokafka.consumer.fetcher import READ_COMMITTED
from aiokafka.coordinator.protocol import ConsumerProtocolMemberAssignment
from aiokafka.errors import (
    GroupCoordinatorNotAvailableError,
    KafkaError,
    NoError,
    UnknownTopicOrPartitionError,
    for_code,
)
from aiokafka.protocol.offset import OffsetRequest

from workers.errors import BrokerProblem
from workers.kafka.broker.access import BrokerAccess
from workers.kafka.broker.broker_client import (
    CONSUMER,
    BrokerClient,
    EpochEnds,
    TopicIdsResponse,
    TopicRequest,
)
from workers.kafka.broker.plain_clients import NO_PROGRESS_S
from workers.kafka.logs.resume import LogSnapshot, LogState, decode_snapshot

Answer = TypeVar("Answer")

CHECK_S = 2.0
"""Time between two checks whether a log is still the one that was read."""
NEVER_FORMED = "Dead"
"""State of a group that was never formed."""
_REQUEST_TIMEOUT_MS = 10_000
_RETRY_S = 0.5
"""Time between two attempts to ask the broker."""
_FORMING = ("PreparingRebalance", "CompletingRebalance")
"""States of a group whose members are being assigned partitions."""
_EARLIEST, _LATEST = -2, -1
"""Kafka's timestamps of the start and the end of a log."""


class Committed(msgspec.Struct, frozen=True):
    """What a group has committed for a partition."""

    offset: int
    snapshot: LogSnapshot | None
    """The log that the offset belongs to, as far as known."""


class GroupMember(msgspec.Struct, frozen=True, kw_only=True):
    """A process in a consumer group."""

    id: str
    host: str
    partitions: tuple[int, ...]
    """Partitions of the topic that was asked for."""


class _Partition(msgspec.Struct, frozen=True):
    error: int
    """Kafka's code of an error; 0 for none."""
    number: int
    leader: int
    leader_epoch: int = -1


class LogReader(BrokerClient):
    """A client that asks for the state of logs. Every method raises `KafkaError` when it fails."""

    async def committed(self, group: str, topic: str) -> dict[int, Committed]:
        """Return what a group has committed, by partition; partitions without it are left out."""
        offsets = await self.list_consumer_group_offsets(group)
        return {
            tp.partition: Committed(place.offset, decode_snapshot(place.metadata))
            for tp, place in offsets.items()
            if tp.topic == topic and place.offset >= 0
        }

    async def members(self, group: str, topic: str) -> tuple[str, list[GroupMember]]:
        """Return the state of a group in Kafka's words, and its members with their partitions."""
        try:
            (answer,) = await self.describe_consumer_groups([group])
        except GroupCoordinatorNotAvailableError:  # no group was ever formed on a new broker
            return NEVER_FORMED, []
        ((code, _, state, _, _, members, *_),) = answer.groups
        raise_for(code)
        return state, [
            GroupMember(
                id=member, host=host.removeprefix("/"), partitions=_assigned(assignment, topic)
            )
            for member, _client, host, _metadata, assignment in members
        ]

    async def unassigned(self, group: str, topic: str) -> set[int]:
        """Return the partitions of a topic that no member of a group has; none while the group forms."""
        state, members = await self.members(group, topic)
        if state in _FORMING:
            return set()
        _, partitions = await self._partitions(topic)
        taken = {number for member in members for number in member.partitions}
        return {partition.number for partition in partitions} - taken

    async def partition_count(self, topic: str) -> int | None:
        """Return the number of partitions of a topic; None where there is no such topic."""
        try:
            return len((await self._partitions(topic))[1])
        except UnknownTopicOrPartitionError:
            return None

    async def logs(
        self, topic: str, snapshots: Mapping[int, LogSnapshot | None]
    ) -> dict[int, LogState]:
        """Return the present logs of the partitions of a topic for which the reader's snapshots, or None, are given.

        A missing topic and a partition without a leader raise a `KafkaError`, too.
        """
        topic_id, partitions = await self._partitions(topic)
        states: dict[int, LogState] = {}
        by_leader: defaultdict[int, list[_Partition]] = defaultdict(list)
        for partition in partitions:
            if partition.number in snapshots:
                raise_for(partition.error)
                by_leader[partition.leader].append(partition)
        for leader, some in by_leader.items():
            # Ends come last: an offset committed before is never beyond the end of an intact log.
            kept = await self._kept(leader, topic, some, snapshots)
            starts = await self._offsets(leader, topic, some, _EARLIEST)
            ends = await self._offsets(leader, topic, some, _LATEST)
            for partition in some:
                n = partition.number
                states[n] = LogState(
                    starts[n], ends[n], topic_id, partition.leader_epoch, kept.get(n)
                )
        return states

    async def _partitions(self, topic: str) -> tuple[str, list[_Partition]]:
        """Return the id of a topic and all its partitions."""
        response = await self.ask(TopicRequest(topic))
        ((code, _, *details),) = response.topics
        raise_for(code)
        if response.API_VERSION == TopicIdsResponse.API_VERSION:
            topic_id, _, partitions = details[:3]
            return topic_id, [_Partition(*partition[:4]) for partition in partitions]
        _, partitions = details
        return "", [_Partition(*partition[:3]) for partition in partitions]

    async def _offsets(
        self, leader: int, topic: str, partitions: Iterable[_Partition], which: int
    ) -> dict[int, int]:
        asked = [(partition.number, which) for partition in partitions]
        request = OffsetRequest(CONSUMER, READ_COMMITTED, [(topic, asked)])
        ((_, answers),) = (await self.ask(request, leader)).topics
        for _, code, *_ in answers:
            raise_for(code)
        return {number: offset for number, _, _, offset in answers}

    async def _kept(
        self,
        leader: int,
        topic: str,
        partitions: Iterable[_Partition],
        snapshots: Mapping[int, LogSnapshot | None],
    ) -> dict[int, int]:
        """Return the offsets at which the records of the snapshots' leaders end in the present logs."""
        known = {partition.number: snapshots[partition.number] for partition in partitions}
        epochs = {
            number: snapshot.leader_epoch
            for number, snapshot in known.items()
            if snapshot is not None
        }
        asked = {number: epoch for number, epoch in epochs.items() if epoch >= 0}
        if not asked:
            return {}
        ((_, answers),) = (await self.ask(EpochEnds(topic, asked), leader)).topics
        for code, *_ in answers:
            raise_for(code)
        return {number: end for _, number, _, end in answers if end >= 0}


async def ask_for_logs(
    broker: BrokerAccess, question: Callable[[LogReader], Awaitable[Answer]]
) -> Answer:
    """Return the answer to a question, asked again for a minute while the broker does not answer.

    Raises:
        BrokerProblem: There was no answer for a minute.
    """
    until = time.monotonic() + NO_PROGRESS_S
    while True:
        try:
            async with log_reader(broker) as reader:
                return await question(reader)
        except (KafkaError, OSError) as error:
            if time.monotonic() > until:
                raise BrokerProblem(f"{broker} does not describe its logs: {error!r}") from error
        await asyncio.sleep(_RETRY_S)


@asynccontextmanager
async def log_reader(broker: BrokerAccess) -> AsyncIterator[LogReader]:
    """Connect a reader of logs, and close it at the end."""
    reader = LogReader(**broker.client_options(), request_timeout_ms=_REQUEST_TIMEOUT_MS)
    try:
        await reader.start()
        yield reader
    finally:
        await reader.close()


def raise_for(code: int) -> None:
    """Raise the `KafkaError` of a code, unless the code is no error."""
    if for_code(code) is not NoError:
        raise for_code(code)


def _assigned(assignment: bytes, topic: str) -> tuple[int, ...]:
    """Return the partitions of a topic in the assignment of a member; none while the group forms."""
    if not assignment:
        return ()
    topics = ConsumerProtocolMemberAssignment.decode(assignment).assignment
    return tuple(sorted(number for name, numbers in topics if name == topic for number in numbers))
