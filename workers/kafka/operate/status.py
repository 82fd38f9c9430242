"""Asking a broker how far the workers are, without changing anything there."""

from collections.abc import Iterable

import msgspec
from aiokafka import ConsumerRecord, TopicPartition

from schemas.codec import SchemaError, decode_site_model_record
from schemas.topics import CLEANED, DOCUMENTS, PAGES, SITE_MODELS
from templ_core.times import rfc3339
from workers.kafka.broker.access import BrokerAccess
from workers.kafka.broker.admin import connected_admin, topic_partitions
from workers.kafka.broker.plain_clients import plain_consumer, read_range
from workers.kafka.broker.received import processable
from workers.kafka.logs.log_reader import NEVER_FORMED, GroupMember, LogReader

ROLE_TOPICS = {"cleaner": PAGES, "refresher": DOCUMENTS, "watcher": CLEANED}
"""The topic that the consumer group of each role reads."""
_TAIL_OFFSETS = 20
"""Number of last offsets of each partition of `site-models` among which the newest models are looked for."""


class PartitionProgress(msgspec.Struct, frozen=True, kw_only=True):
    """How far a group is in a partition."""

    partition: int
    start: int
    """First offset that the log still has."""
    committed: int | None
    """Offset of the next record that the group reads; None where it has committed none."""
    end: int
    """Offset after the last record."""

    @property
    def lag(self) -> int:
        """Number of offsets that the group has not committed; compaction may have removed some records."""
        return max(self.end - self._at, 0)

    @property
    def done(self) -> int:
        """Number of offsets of the present log that the group has committed."""
        return self._at - self.start

    @property
    def _at(self) -> int:
        return max(self.committed or 0, self.start)


class RoleStatus(msgspec.Struct, frozen=True, kw_only=True):
    """How far the workers of a role are."""

    role: str
    group: str
    topic: str
    state: str
    """State of the consumer group in Kafka's words: Stable, Empty, Dead or one of a rebalance."""
    members: tuple[GroupMember, ...]
    unassigned: tuple[int, ...]
    """Partitions that no member has."""
    lag: int
    """Sum of all partitions, in offsets."""
    read_ratio: float
    """Committed share of the present logs' offsets, from 0 to 1; 1 where the logs are empty.

    For a group that is new, or whose offsets were lost, this is the progress of the rebuild.
    """
    partitions: tuple[PartitionProgress, ...]


class PublishedModel(msgspec.Struct, frozen=True, kw_only=True):
    """A site model in the topic `site-models`."""

    at: str
    """When it was published, as an RFC 3339 time."""
    site: str
    version: str
    documents: int
    """Number of documents that it was fitted on."""
    size_bytes: int


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """How far the workers on a broker are."""

    roles: tuple[RoleStatus, ...]
    """Cleaners and refreshers, and watchers if there ever were any."""
    models: tuple[PublishedModel, ...]
    """The models that were published last, the newest first."""


async def read_status(broker: BrokerAccess, *, models_max: int) -> Status:
    """Return how far the workers on a broker are, with at most this number of models; 0 = read none.

    Raises:
        BrokerProblem: The broker cannot be reached, or refuses.
        TopicProblem: A topic is missing.
    """
    statuses = [await _role_status(broker, role) for role in ROLE_TOPICS]
    roles = [
        status for status in statuses if status.role != "watcher" or status.state != NEVER_FORMED
    ]
    models = await _newest_models(broker, broker.topic(SITE_MODELS)) if models_max else []
    return Status(roles=tuple(roles), models=tuple(models[:models_max]))


def role_status(
    role: str,
    group: str,
    topic: str,
    state: str,
    members: Iterable[GroupMember],
    partitions: Iterable[PartitionProgress],
) -> RoleStatus:
    """Return the status of a role, with what follows from its members and partitions."""
    members, partitions = tuple(members), tuple(partitions)
    taken = {number for member in members for number in member.partitions}
    offsets = sum(partition.end - partition.start for partition in partitions)
    return RoleStatus(
        role=role,
        group=group,
        topic=topic,
        state=state or NEVER_FORMED,
        members=members,
        unassigned=tuple(
            partition.partition for partition in partitions if partition.partition not in taken
        ),
        lag=sum(partition.lag for partition in partitions),
        read_ratio=min(sum(partition.done for partition in partitions) / offsets, 1.0)
        if offsets
        else 1.0,
        partitions=partitions,
    )


async def _role_status(broker: BrokerAccess, role: str) -> RoleStatus:
    topic, group = broker.topic(ROLE_TOPICS[role]), broker.group(role)
    numbers = range(await topic_partitions(broker, topic))
    async with connected_admin(broker, LogReader) as reader:
        state, members = await reader.members(group, topic)
        committed = {} if state == NEVER_FORMED else await reader.committed(group, topic)
        logs = await reader.logs(topic, dict.fromkeys(numbers))
    partitions = [
        PartitionProgress(
            partition=number,
            start=logs[number].start,
            committed=committed[number].offset if number in committed else None,
            end=logs[number].end,
        )
        for number in numbers
    ]
    return role_status(role, group, topic, state, members, partitions)


async def _newest_models(broker: BrokerAccess, topic: str) -> list[PublishedModel]:
    """Return the models among the last offsets of each partition, the newest first."""
    count = await topic_partitions(broker, topic)
    partitions = [TopicPartition(topic, number) for number in range(count)]
    async with plain_consumer(broker) as consumer:
        ends = await consumer.end_offsets(partitions)
        starts = {tp: max(end - _TAIL_OFFSETS, 0) for tp, end in ends.items()}
        return models_by_time([record async for record in read_range(consumer, starts, ends)])


def models_by_time(records: Iterable[ConsumerRecord]) -> list[PublishedModel]:
    """Return the last model of each site in records of `site-models`, the newest first.

    A null value counts for its own partition only: where partitions were added, one says that the site's
    record has moved to another partition.
    """
    newest: dict[tuple[int, bytes], tuple[int, PublishedModel | None]] = {}
    for record in records:
        model = _model(record.timestamp, record.value)
        newest[record.partition, record.key or b""] = record.timestamp, model
    by_time = sorted(newest.values(), key=lambda model: model[0], reverse=True)
    return [model for _, model in by_time if model is not None]


def _model(timestamp_ms: int, body: bytes | None) -> PublishedModel | None:
    """Return the model in a record of `site-models`; None for a null value and for one that cannot be used."""
    try:
        value = processable(body)
        record = None if value is None else decode_site_model_record(value)
    except SchemaError:
        return None
    if record is None:
        return None
    return PublishedModel(
        at=rfc3339(timestamp_ms),
        site=record.site,
        version=record.version,
        documents=record.documents,
        size_bytes=len(record.body),
    )
