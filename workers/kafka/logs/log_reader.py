"""Asks the broker what the logs of a topic are now, and what a group has committed."""

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import TypeVar

import msgspec
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.consumer.fetcher import READ_COMMITTED
from aiokafka.coordinator.protocol import ConsumerProtocolMemberAssignment
from aiokafka.errors import KafkaError, NoError, UnknownTopicOrPartitionError, for_code
from aiokafka.protocol.offset import OffsetRequest

from workers.errors import BrokerProblem
from workers.kafka.access.broker_access import BrokerAccess
from workers.kafka.broker.plain_consumer import NO_PROGRESS_S
from workers.kafka.logs.requests import CONSUMER, EpochEnds, TopicIdsResponse, TopicRequest
from workers.kafka.logs.resume import LogMark, LogState, decode_mark

Answer = TypeVar("Answer")

REQUEST_TIMEOUT_MS = 10_000
_RETRY_S = 0.5
"""Time between two attempts to ask the broker."""
_FORMING = ("PreparingRebalance", "CompletingRebalance")
"""States of a group whose members are being assigned partitions."""
_EARLIEST, _LATEST = -2, -1
"""Kafka's timestamps that stand for the start and the end of a log."""


class Committed(msgspec.Struct, frozen=True):
    """What a group has committed for a partition."""

    offset: int
    mark: LogMark | None
    """The log that the offset is of, as far as known."""


class _Partition(msgspec.Struct, frozen=True):
    error: int
    """Kafka's code of an error; 0 for none."""
    number: int
    leader: int
    leader_epoch: int = -1


class LogReader(AIOKafkaAdminClient):  # type: ignore[misc]
    """A client that asks for the state of logs. Every method raises `KafkaError` when it fails."""

    async def committed(self, group: str, topic: str) -> dict[int, Committed]:
        """Return what a group has committed, by partition; partitions without it are left out."""
        found = await self.list_consumer_group_offsets(group)
        return {
            one.partition: Committed(place.offset, decode_mark(place.metadata))
            for one, place in found.items()
            if one.topic == topic and place.offset >= 0
        }

    async def unassigned(self, group: str, topic: str) -> set[int]:
        """Return the partitions of a topic that no member of a group has; none while the group forms."""
        (answer,) = await self.describe_consumer_groups([group])
        ((code, _, state, _, _, members, *_),) = answer.groups
        _raise_for(code)
        if state in _FORMING:
            return set()
        _, partitions = await self._partitions(topic)
        unassigned = {one.number for one in partitions}
        for *_, assignment in members:
            if assignment:
                for name, numbers in ConsumerProtocolMemberAssignment.decode(assignment).assignment:
                    if name == topic:
                        unassigned.difference_update(numbers)
        return unassigned

    async def partition_count(self, topic: str) -> int | None:
        """Return the number of partitions of a topic; None where there is no such topic."""
        try:
            return len((await self._partitions(topic))[1])
        except UnknownTopicOrPartitionError:
            return None

    async def logs(self, topic: str, marks: Mapping[int, LogMark | None]) -> dict[int, LogState]:
        """Return the present logs of partitions.

        Args:
            topic: Full name of the topic.
            marks: The partitions that are asked for, each with the mark that its reader has.

        Raises:
            KafkaError: The topic does not exist, a partition has no leader, or the broker does not
                answer.
        """
        topic_id, partitions = await self._partitions(topic)
        found: dict[int, LogState] = {}
        by_leader: defaultdict[int, list[_Partition]] = defaultdict(list)
        for one in partitions:
            if one.number in marks:
                _raise_for(one.error)
                by_leader[one.leader].append(one)
        for leader, some in by_leader.items():
            # Ends come last: an offset committed before is never beyond the end of an intact log.
            kept = await self._kept(leader, topic, some, marks)
            starts = await self._offsets(leader, topic, some, _EARLIEST)
            ends = await self._offsets(leader, topic, some, _LATEST)
            for one in some:
                found[one.number] = LogState(
                    starts[one.number],
                    ends[one.number],
                    topic_id,
                    one.leader_epoch,
                    kept.get(one.number),
                )
        return found

    async def _partitions(self, topic: str) -> tuple[str, list[_Partition]]:
        """Return the id of a topic and all its partitions."""
        response = await self._send_request(TopicRequest(topic))
        ((code, _, *details),) = response.topics
        _raise_for(code)
        if response.API_VERSION == TopicIdsResponse.API_VERSION:
            topic_id, _, partitions = details[:3]
            return topic_id, [_Partition(*one[:4]) for one in partitions]
        _, partitions = details
        return "", [_Partition(*one[:3]) for one in partitions]

    async def _offsets(
        self, leader: int, topic: str, partitions: Iterable[_Partition], which: int
    ) -> dict[int, int]:
        asked = [(one.number, which) for one in partitions]
        request = OffsetRequest(CONSUMER, READ_COMMITTED, [(topic, asked)])
        response = await self._send_request(request, leader)
        ((_, answers),) = response.topics
        for _, code, *_ in answers:
            _raise_for(code)
        return {number: offset for number, _, _, offset in answers}

    async def _kept(
        self,
        leader: int,
        topic: str,
        partitions: Iterable[_Partition],
        marks: Mapping[int, LogMark | None],
    ) -> dict[int, int]:
        """Return the offsets at which the records of the marks' leaders end in the present logs."""
        epochs = {
            one.number: mark.leader_epoch
            for one in partitions
            if (mark := marks[one.number]) is not None and mark.leader_epoch >= 0
        }
        if not epochs:
            return {}
        response = await self._send_request(EpochEnds(topic, epochs), leader)
        ((_, answers),) = response.topics
        for code, *_ in answers:
            _raise_for(code)
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
                raise BrokerProblem(f"{broker} does not tell its logs: {error!r}") from error
        await asyncio.sleep(_RETRY_S)


@asynccontextmanager
async def log_reader(broker: BrokerAccess) -> AsyncIterator[LogReader]:
    """Connect a reader of logs, and close it at the end."""
    reader = LogReader(**broker.client_options(), request_timeout_ms=REQUEST_TIMEOUT_MS)
    try:
        await reader.start()
        yield reader
    finally:
        await reader.close()


def _raise_for(code: int) -> None:
    if for_code(code) is not NoError:
        raise for_code(code)
