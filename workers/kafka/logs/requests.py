"""Requests for topic ids and leader epochs, which aiokafka does not define.

They follow the message definitions of Apache Kafka (`MetadataRequest.json`,
`OffsetForLeaderEpochRequest.json`).
"""
# mypy: disable-error-code="misc"
# aiokafka has no types, so all its classes are Any to mypy.

import uuid
from collections.abc import Mapping
from io import BytesIO
from typing import Any

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
"""Kafka's replica id of a reader that is no replica."""


class _TopicId(AbstractType[str]):
    """A topic id, as hexadecimal digits; empty for the zero id of a broker that gives none."""

    @classmethod
    def encode(cls, value: str) -> bytes:
        return uuid.UUID(hex=value or "0" * 32).bytes

    @classmethod
    def decode(cls, data: BytesIO) -> str:
        found = uuid.UUID(bytes=data.read(16))
        return found.hex if found.int else ""


class TopicIdsResponse(Response):
    """The partitions of topics, with the topics' ids and the leaders' epochs."""

    API_KEY = 3
    API_VERSION = 12
    SCHEMA = Schema(
        ("throttle_time_ms", Int32),
        (
            "brokers",
            CompactArray(
                ("node_id", Int32),
                ("host", CompactString("utf-8")),
                ("port", Int32),
                ("rack", CompactString("utf-8")),
                ("tags", TaggedFields),
            ),
        ),
        ("cluster_id", CompactString("utf-8")),
        ("controller_id", Int32),
        (
            "topics",
            CompactArray(
                ("error_code", Int16),
                ("topic", CompactString("utf-8")),
                ("topic_id", _TopicId),
                ("is_internal", Boolean),
                (
                    "partitions",
                    CompactArray(
                        ("error_code", Int16),
                        ("partition", Int32),
                        ("leader", Int32),
                        ("leader_epoch", Int32),
                        ("replicas", CompactArray(Int32)),
                        ("isr", CompactArray(Int32)),
                        ("offline", CompactArray(Int32)),
                        ("tags", TaggedFields),
                    ),
                ),
                ("authorized_operations", Int32),
                ("tags", TaggedFields),
            ),
        ),
        ("tags", TaggedFields),
    )


class _TopicIdsRequest(RequestStruct):
    API_KEY = 3
    API_VERSION = 12
    FLEXIBLE_VERSION = True
    RESPONSE_TYPE = TopicIdsResponse
    SCHEMA = Schema(
        (
            "topics",
            CompactArray(
                ("topic_id", _TopicId), ("topic", CompactString("utf-8")), ("tags", TaggedFields)
            ),
        ),
        ("allow_auto_topic_creation", Boolean),
        ("include_topic_authorized_operations", Boolean),
        ("tags", TaggedFields),
    )


class TopicRequest(Request[MetadataRequest_v5 | _TopicIdsRequest]):
    """Asks for the partitions of a topic, with ids and epochs where the broker can tell them."""

    API_KEY = 3

    def __init__(self, topic: str, *, with_rights: bool = False) -> None:
        """Set what is asked for.

        Args:
            topic: Full name of the topic, which is not created.
            with_rights: Whether the answer has the operations that the user may do.
        """
        self._topic = topic
        self._with_rights = with_rights

    def build(self, request_struct_class: type[Any]) -> Any:
        """Return the request in a version that the broker knows."""
        if request_struct_class is _TopicIdsRequest:
            return _TopicIdsRequest([("", self._topic, {})], False, self._with_rights, {})  # noqa: FBT003
        return request_struct_class([self._topic], False)  # noqa: FBT003


class _EpochEndsResponse(Response):
    API_KEY = 23
    API_VERSION = 3
    SCHEMA = Schema(
        ("throttle_time_ms", Int32),
        (
            "topics",
            Array(
                ("topic", String("utf-8")),
                (
                    "partitions",
                    Array(
                        ("error_code", Int16),
                        ("partition", Int32),
                        ("leader_epoch", Int32),
                        ("end_offset", Int64),
                    ),
                ),
            ),
        ),
    )


class _EpochEndsRequest(RequestStruct):
    API_KEY = 23
    API_VERSION = 3
    RESPONSE_TYPE = _EpochEndsResponse
    SCHEMA = Schema(
        ("replica_id", Int32),
        (
            "topics",
            Array(
                ("topic", String("utf-8")),
                (
                    "partitions",
                    Array(
                        ("partition", Int32),
                        ("current_leader_epoch", Int32),
                        ("leader_epoch", Int32),
                    ),
                ),
            ),
        ),
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
