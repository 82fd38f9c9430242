"""Requests that aiokafka does not send by itself: for topic ids, leader epochs and the operations that a user may do.

They follow the message definitions of Apache Kafka.
"""
# mypy: disable-error-code="misc"
# aiokafka has no types, so all its classes are Any to mypy.

import random
import uuid
from collections.abc import Mapping
from io import BytesIO
from typing import Any

from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import NodeNotReadyError
from aiokafka.protocol.abstract import AbstractType
from aiokafka.protocol.api import Request, RequestStruct, Response
from aiokafka.protocol.metadata import MetadataRequest_v5
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

CONSUMER = -1
"""Kafka's replica id for a reader that is not a replica."""


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
        nodes = [broker.nodeId for broker in self._client.cluster.brokers()]
        for node in random.sample(nodes, len(nodes)):
            if await self._client.ready(node):
                return await super()._send_request(request, node)
        raise NodeNotReadyError(f"none of the brokers {nodes} can be reached")


class _TopicId(AbstractType[str]):
    """A topic id, as hexadecimal digits; empty for the zero id of a broker that gives none."""

    @classmethod
    def encode(cls, value: str) -> bytes:
        return uuid.UUID(hex=value or "0" * 32).bytes

    @classmethod
    def decode(cls, data: BytesIO) -> str:
        topic_id = uuid.UUID(bytes=data.read(16))
        return topic_id.hex if topic_id.int else ""


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
    """Asks for the partitions of a topic, with ids and epochs where the broker knows them."""

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
        return request_struct_class(CONSUMER, [(self._topic, asked)])
