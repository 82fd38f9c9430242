"""Asks the broker what the logs of a topic are now, and what a group has committed.

aiokafka has no requests for topic ids and leader epochs, nor a public method that sends other requests than
its own. Those at the end follow the message definitions of Apache Kafka.
"""
# mypy: disable-error-code="misc"
# aiokafka has no types, so all its classes are Any to mypy.

import asyncio
import random
import time
import uuid
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from io import BytesIO
from typing import Any, TypeVar

import msgspec
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.consumer.fetcher import READ_COMMITTED
from aiokafka.coordinator.protocol import ConsumerProtocolMemberAssignment
from aiokafka.errors import (
    GroupCoordinatorNotAvailableError,
    KafkaError,
    NodeNotReadyError,
    NoError,
    UnknownTopicOrPartitionError,
    for_code,
)
from aiokafka.protocol.abstract import AbstractType
from aiokafka.protocol.api import Request, RequestStruct, Response
from aiokafka.protocol.metadata import MetadataRequest_v5
from aiokafka.protocol.offset import OffsetRequest
from aiokafka.protocol.types import (
    Array,
    Boolean,
    CompactArray,
    CompactString,
    Int16,
    Int32,
    Int64,
    Schema,
    String,
    TaggedFields,
)

from workers.errors import BrokerProblem
from workers.kafka.broker.access import BrokerAccess
from workers.kafka.broker.plain_clients import NO_PROGRESS_S
from workers.kafka.logs.resume import LogSnapshot, LogState, decode_snapshot

Answer = TypeVar("Answer")

LOOK_S = 2.0
"""Time between two looks at whether a log is still the one that was read."""
NEVER_FORMED = "Dead"
"""State of a group that was never formed."""
_REQUEST_TIMEOUT_MS = 10_000
_RETRY_S = 0.5
"""Time between two attempts to ask the broker."""
_FORMING = ("PreparingRebalance", "CompletingRebalance")
"""States of a group whose members are being assigned partitions."""
_CONSUMER = -1
"""Kafka's replica id of a reader that is no replica."""
_EARLIEST, _LATEST = -2, -1
"""Kafka's timestamps of the start and the end of a log."""


class Committed(msgspec.Struct, frozen=True):
    """What a group has committed for a partition."""

    offset: int
    snapshot: LogSnapshot | None
    """The log that the offset is of, as far as known."""


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


class BrokerClient(AIOKafkaAdminClient):
    """An admin client that sends any request, and asks another broker where one of a cluster is away.

    aiokafka would ask a random one, also one that has just failed, until the cluster no longer names it.
    """

    async def ask(self, request: Any, node: int | None = None) -> Any:
        """Return the answer of a broker, or of any broker, to a request.

        Raises:
            KafkaError: The broker does not answer.
        """
        return await self._send_request(request, node)

    async def _send_request(self, request: Any, node_id: int | None = None) -> Any:
        if node_id is not None:
            return await super()._send_request(request, node_id)
        nodes = [one.nodeId for one in self._client.cluster.brokers()]
        for node in random.sample(nodes, len(nodes)):
            if await self._client.ready(node):
                return await super()._send_request(request, node)
        raise NodeNotReadyError(f"none of the brokers {nodes} can be reached")


class LogReader(BrokerClient):
    """A client that asks for the state of logs. Every method raises `KafkaError` when it fails."""

    async def committed(self, group: str, topic: str) -> dict[int, Committed]:
        """Return what a group has committed, by partition; partitions without it are left out."""
        found = await self.list_consumer_group_offsets(group)
        return {
            one.partition: Committed(place.offset, decode_snapshot(place.metadata))
            for one, place in found.items()
            if one.topic == topic and place.offset >= 0
        }

    async def members(self, group: str, topic: str) -> tuple[str, list[GroupMember]]:
        """Return the state of a group in Kafka's words, and its members with their partitions."""
        try:
            (answer,) = await self.describe_consumer_groups([group])
        except GroupCoordinatorNotAvailableError:  # no group was ever formed on a new broker
            return NEVER_FORMED, []
        ((code, _, state, _, _, found, *_),) = answer.groups
        raise_for(code)
        return state, [
            GroupMember(
                id=member, host=host.removeprefix("/"), partitions=_assigned(assignment, topic)
            )
            for member, _client, host, _metadata, assignment in found
        ]

    async def unassigned(self, group: str, topic: str) -> set[int]:
        """Return the partitions of a topic that no member of a group has; none while the group forms."""
        state, members = await self.members(group, topic)
        if state in _FORMING:
            return set()
        _, partitions = await self._partitions(topic)
        taken = {number for one in members for number in one.partitions}
        return {one.number for one in partitions} - taken

    async def partition_count(self, topic: str) -> int | None:
        """Return the number of partitions of a topic; None where there is no such topic."""
        try:
            return len((await self._partitions(topic))[1])
        except UnknownTopicOrPartitionError:
            return None

    async def logs(
        self, topic: str, snapshots: Mapping[int, LogSnapshot | None]
    ) -> dict[int, LogState]:
        """Return the present logs of those partitions of a topic of which the reader's snapshots, or None, are given.

        A `KafkaError` is raised also where there is no such topic, or a partition has no leader.
        """
        topic_id, partitions = await self._partitions(topic)
        found: dict[int, LogState] = {}
        by_leader: defaultdict[int, list[_Partition]] = defaultdict(list)
        for one in partitions:
            if one.number in snapshots:
                raise_for(one.error)
                by_leader[one.leader].append(one)
        for leader, some in by_leader.items():
            # Ends come last: an offset committed before is never beyond the end of an intact log.
            kept = await self._kept(leader, topic, some, snapshots)
            starts = await self._offsets(leader, topic, some, _EARLIEST)
            ends = await self._offsets(leader, topic, some, _LATEST)
            for one in some:
                n = one.number
                found[n] = LogState(starts[n], ends[n], topic_id, one.leader_epoch, kept.get(n))
        return found

    async def _partitions(self, topic: str) -> tuple[str, list[_Partition]]:
        """Return the id of a topic and all its partitions."""
        response = await self.ask(TopicRequest(topic))
        ((code, _, *details),) = response.topics
        raise_for(code)
        if response.API_VERSION == TopicIdsResponse.API_VERSION:
            topic_id, _, partitions = details[:3]
            return topic_id, [_Partition(*one[:4]) for one in partitions]
        _, partitions = details
        return "", [_Partition(*one[:3]) for one in partitions]

    async def _offsets(
        self, leader: int, topic: str, partitions: Iterable[_Partition], which: int
    ) -> dict[int, int]:
        asked = [(one.number, which) for one in partitions]
        request = OffsetRequest(_CONSUMER, READ_COMMITTED, [(topic, asked)])
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
        known = {one.number: snapshots[one.number] for one in partitions}
        epochs = {number: one.leader_epoch for number, one in known.items() if one is not None}
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
    """Raise the `KafkaError` of a code, unless it is none."""
    if for_code(code) is not NoError:
        raise for_code(code)


def _assigned(assignment: bytes, topic: str) -> tuple[int, ...]:
    """Return the partitions of a topic in the assignment of a member; none while the group forms."""
    if not assignment:
        return ()
    topics = ConsumerProtocolMemberAssignment.decode(assignment).assignment
    return tuple(sorted(number for name, numbers in topics if name == topic for number in numbers))


class _TopicId(AbstractType[str]):
    """A topic id, as hexadecimal digits; empty for the zero id of a broker that gives none."""

    @classmethod
    def encode(cls, value: str) -> bytes:
        return uuid.UUID(hex=value or "0" * 32).bytes

    @classmethod
    def decode(cls, data: BytesIO) -> str:
        found = uuid.UUID(bytes=data.read(16))
        return found.hex if found.int else ""


_NAME = CompactString("utf-8")
_NUMBERS = CompactArray(Int32)
_TAGS = ("tags", TaggedFields)
_BROKER = ("id", Int32), ("host", _NAME), ("port", Int32), ("rack", _NAME), _TAGS
_LEADER = ("error", Int16), ("partition", Int32), ("leader", Int32), ("leader_epoch", Int32)
_PARTITION = *_LEADER, ("replicas", _NUMBERS), ("isr", _NUMBERS), ("offline", _NUMBERS), _TAGS
_TOPIC = ("error", Int16), ("topic", _NAME), ("id", _TopicId), ("is_internal", Boolean)
_RIGHTS = ("operations", Int32), _TAGS


class TopicIdsResponse(Response):
    """Kafka's `MetadataResponse.json`: topics with their ids, and partitions with leader epochs."""

    API_KEY = 3
    API_VERSION = 12
    SCHEMA = Schema(
        ("throttle_time_ms", Int32),
        ("brokers", CompactArray(*_BROKER)),
        ("cluster_id", _NAME),
        ("controller_id", Int32),
        ("topics", CompactArray(*_TOPIC, ("partitions", CompactArray(*_PARTITION)), *_RIGHTS)),
        _TAGS,
    )


class _TopicIdsRequest(RequestStruct):
    API_KEY = 3
    API_VERSION = 12
    FLEXIBLE_VERSION = True
    RESPONSE_TYPE = TopicIdsResponse
    SCHEMA = Schema(
        ("topics", CompactArray(("id", _TopicId), ("topic", _NAME), _TAGS)),
        ("allow_auto_topic_creation", Boolean),
        ("include_topic_authorized_operations", Boolean),
        _TAGS,
    )


class TopicRequest(Request[MetadataRequest_v5 | _TopicIdsRequest]):
    """Asks for the partitions of a topic, with ids and epochs where the broker can tell them."""

    API_KEY = 3

    def __init__(self, topic: str, *, with_rights: bool = False) -> None:
        """Ask for a topic, which is not created, and if wanted for the operations that the user may do."""
        self._topic = topic
        self._with_rights = with_rights

    def build(self, request_struct_class: type[Any]) -> Any:
        """Return the request in a version that the broker knows."""
        if request_struct_class is _TopicIdsRequest:
            return _TopicIdsRequest([("", self._topic, {})], False, self._with_rights, {})  # noqa: FBT003
        return request_struct_class([self._topic], False)  # noqa: FBT003


_EPOCH_END = ("error", Int16), ("partition", Int32), ("leader_epoch", Int32), ("end", Int64)
_EPOCH = ("partition", Int32), ("current_leader_epoch", Int32), ("leader_epoch", Int32)


class _EpochEndsResponse(Response):
    """Kafka's `OffsetForLeaderEpochResponse.json`."""

    API_KEY = 23
    API_VERSION = 3
    SCHEMA = Schema(
        ("throttle_time_ms", Int32),
        ("topics", Array(("topic", String("utf-8")), ("partitions", Array(*_EPOCH_END)))),
    )


class _EpochEndsRequest(RequestStruct):
    API_KEY = 23
    API_VERSION = 3
    RESPONSE_TYPE = _EpochEndsResponse
    SCHEMA = Schema(
        ("replica_id", Int32),
        ("topics", Array(("topic", String("utf-8")), ("partitions", Array(*_EPOCH)))),
    )


class EpochEnds(Request[_EpochEndsRequest]):
    """Asks at which offsets the records of leaders end."""

    API_KEY = 23

    def __init__(self, topic: str, epochs: Mapping[int, int]) -> None:
        self._topic = topic
        self._epochs = epochs

    def build(self, request_struct_class: type[_EpochEndsRequest]) -> _EpochEndsRequest:
        """Return the request."""
        asked = [(number, -1, epoch) for number, epoch in self._epochs.items()]
        return request_struct_class(_CONSUMER, [(self._topic, asked)])
