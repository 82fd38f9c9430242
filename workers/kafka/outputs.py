"""Records on their way to the topics: which topic, key, partition and headers each of them has."""

import asyncio
from collections.abc import Awaitable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, cast

import faust

from schemas.cleaned import CleanedRecord
from schemas.codec import encode_json, encode_msgpack
from schemas.dead_letter import HEADER_CUT_FROM, DeadLetter
from schemas.document import DocumentRecord, document_key, site_of_key
from schemas.site_model import SiteModelRecord
from schemas.source import HEADER_SOURCE_ID, Source
from schemas.topics import CLEANED, DEAD_LETTERS, DOCUMENTS, SITE_MODELS
from templ_core import __version__
from workers.kafka.app import max_value_bytes
from workers.kafka.broker.partitioning import partition_of
from workers.kafka.broker.received import Header, Received, RefusedValue
from workers.kafka.config import KafkaConfig
from workers.kafka.logs.resume import LogSnapshot
from workers.kafka.logs.tombstones import DECIDED_FROM_HEADER
from workers.pipeline.actions import OutputRecord

Sending = Awaitable[Awaitable[Any]]
"""Awaiting it hands the record to the producer; awaiting the result waits for the broker."""


async def send_all(sends: Iterable[Sending]) -> None:
    """Hand records to the producer in order, then wait until the broker has stored them all."""
    pending = [await send for send in sends]
    await asyncio.gather(*pending)


class TopicOutputs:
    """The output topics of a worker."""

    def __init__(self, app: faust.App, config: KafkaConfig) -> None:
        self._counts = config.counts
        self._limit_bytes = max_value_bytes(config.settings)
        self._topic = config.broker.topic
        self._app = app

    def send(self, record: OutputRecord, headers: Iterable[Header] = ()) -> Sending:
        """Send a record, a document with its own headers, another with those given; a deletion is a null value."""
        site = record.site
        if isinstance(record, SiteModelRecord):
            return self.send_keyed(SITE_MODELS, site, site.encode(), encode_msgpack(record))
        if isinstance(record, DocumentRecord):
            key, value = document_key(site, record.source), encode_msgpack(record)
            own = _headers(record.source, record.headers)
            return self.send_keyed(DOCUMENTS, site, key, value, own)
        text = encode_json(record) if isinstance(record, CleanedRecord) else None
        theirs = _headers(record.source, headers)
        return self.send_keyed(CLEANED, site, record.url.encode(), text, theirs)

    def forget(self, keys: Iterable[bytes], decided_from: LogSnapshot) -> Iterable[Sending]:
        """Send a null value to `documents` for each key, decided from a log that was read up to its end."""
        headers = [(DECIDED_FROM_HEADER, decided_from.encode())]
        for key in keys:
            yield self.send_keyed(DOCUMENTS, site_of_key(key), key, None, headers)

    def send_dead_letter(self, message: Received, letter: DeadLetter) -> Sending:
        """Send a message's bytes to the dead letters, with its own headers and what went wrong.

        A value beyond the largest message is cut, and a header says how large it was. A record that was too large to
        be read has only its beginning.
        """
        value, headers = message.value, _dead_headers(message, letter)
        if value is not None:
            size_bytes = max(len(value), value.size_bytes if isinstance(value, RefusedValue) else 0)
            value = bytes(value[: self._limit_bytes])
            if size_bytes > len(value):
                headers.append((HEADER_CUT_FROM, str(size_bytes).encode()))
        # Records go to the producer directly, past the serializers and sensors of faust's topics.
        topic = self._topic(DEAD_LETTERS)
        return self._app.producer.send(topic, message.key, value, None, None, headers)

    def send_keyed(
        self,
        topic: str,
        site: str,
        key: bytes,
        value: bytes | None,
        headers: Sequence[tuple[str, bytes]] = (),
    ) -> Sending:
        """Send a record of a site under a key of its own to the partition of the site."""
        partition = partition_of(site, self._counts[topic])
        return self._app.producer.send(
            self._topic(topic), key, value, partition, None, list(headers)
        )


def _headers(source: Source, passed_on: Iterable[Header]) -> list[tuple[str, bytes]]:
    """Return the headers of an output: the id of its source, and those of its page message."""
    # A header may be null, which faust passes on and does not declare.
    theirs = cast("Iterable[tuple[str, bytes]]", passed_on)
    return [(HEADER_SOURCE_ID, str(source).encode()), *theirs]


def _dead_headers(message: Received, letter: DeadLetter) -> list[tuple[str, bytes]]:
    """Return the message's own headers, each as often as it came, and what went wrong."""
    ours = letter.headers(
        message.topic,
        message.partition,
        message.offset,
        datetime.now(UTC).isoformat(timespec="milliseconds"),
        __version__,
    )
    theirs = [(name, value) for name, value in message.headers if name not in ours]
    # A header may be null, which faust passes on and does not declare.
    return cast("list[tuple[str, bytes]]", [*theirs, *ours.items()])
