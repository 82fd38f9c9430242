"""Sending pages to the topic `pages`, and what a run on files has learned to the workers' topics.

Every call that sends raises `BrokerProblem` where the broker cannot be reached, or has refused a record.
"""

from collections.abc import Iterator
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from typing import Self

from aiokafka.errors import KafkaError, OutOfOrderSequenceNumber

from schemas.codec import encode_msgpack
from schemas.dead_letter import DeadLetter
from schemas.document import document_key
from schemas.page import (
    HEADER_CONTENT_ENCODING,
    HEADER_CONTENT_TYPE,
    HEADER_FETCHED_AT,
    HEADER_ID,
    HEADER_SITE,
    HEADER_STATUS,
    HEADER_URL,
)
from schemas.source import HEADER_SOURCE_ID
from schemas.topics import DOCUMENTS, PAGES, SITE_MODELS
from workers.feeds.streams import items_off_loop
from workers.kafka.broker.access import BrokerAccess, as_broker_problem
from workers.kafka.broker.admin import FEED_RIGHTS, SEED_RIGHTS, partition_count, require_topics
from workers.kafka.broker.partitioning import partition_of
from workers.kafka.broker.plain_clients import PRODUCER_ROOM_BYTES, plain_producer
from workers.page import Page
from workers.settings import Settings
from workers.state.model_store import ModelStore
from workers.state.window_store import WindowStore

_ENVELOPE_BYTES = 4 << 10
"""Room for what a message has besides its value and headers."""
_SeedRecord = tuple[str, str, bytes, bytes, list[tuple[str, bytes]]]
"""Topic, site, key, value and headers of a record."""


class Feeder:
    """An asynchronous context that sends pages, keyed by site."""

    def __init__(self, broker: BrokerAccess, limit_bytes: int) -> None:
        self._broker = broker
        self._limit_bytes = limit_bytes
        self._exits = AsyncExitStack()

    async def __aenter__(self) -> Self:
        """Connect to the broker.

        Raises:
            TopicProblem: A topic is missing or has wrong settings.
        """
        await require_topics(self._broker, FEED_RIGHTS)
        request_bytes = self._limit_bytes + PRODUCER_ROOM_BYTES
        self._exits.enter_context(as_broker_problem(self._refused))
        self._producer = await self._exits.enter_async_context(
            plain_producer(self._broker, request_bytes)
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        """Wait until all pages are acknowledged, and disconnect."""
        await self._exits.aclose()

    async def settle(self) -> None:
        """Wait until all pages are acknowledged."""
        with as_broker_problem(self._refused):
            await self._producer.settle()

    async def send(self, page: Page) -> DeadLetter | None:
        """Queue a page for sending; return a dead letter if it is too large for a message, otherwise None."""
        headers = page_headers(page)
        size_bytes = len(page.body or b"") + sum(len(k) + len(v or b"") for k, v in headers)
        if size_bytes + _ENVELOPE_BYTES > self._limit_bytes:
            return DeadLetter(
                exception="PageTooLarge",
                message=f"{page.url}: {size_bytes} bytes, a Kafka message holds "
                f"{self._limit_bytes}; clean it with `templ run`",
                stage="publish",
            )
        with as_broker_problem(self._refused):
            await self._producer.send(
                self._broker.topic(PAGES), page.body, page.site.encode(), headers=headers
            )
        return None

    async def send_surely(self, page: Page) -> DeadLetter | None:
        """Send a page, see `send`, and wait until it is acknowledged."""
        letter = await self.send(page)
        await self.settle()
        return letter

    def _refused(self, error: KafkaError) -> str:
        has_lost = isinstance(error, OutOfOrderSequenceNumber)
        remedy = "; it has lost pages that it had acknowledged: send the feed again"
        return f"{self._broker} refused a page: {error}{remedy if has_lost else ''}"


def page_headers(page: Page) -> list[tuple[str, bytes | None]]:
    """Return the headers of a page message; `fetched-at` is the event time.

    Headers that came with the page and are not templ's follow unchanged.
    """
    moment = datetime.fromtimestamp(page.event_time_ms / 1000, UTC)
    content_type = page.content_type
    if page.charset and "charset" not in (content_type or ""):
        content_type = f"{content_type or 'text/html'}; charset={page.charset}"
    values = {
        HEADER_URL: page.url,
        HEADER_SITE: page.site,
        HEADER_FETCHED_AT: moment.isoformat(timespec="milliseconds"),
        HEADER_CONTENT_TYPE: content_type,
        HEADER_CONTENT_ENCODING: page.content_encoding,
        HEADER_STATUS: str(page.status),
        HEADER_ID: page.id,
    }
    own = [(name, value.encode()) for name, value in values.items() if value]
    return [*own, *page.headers]


async def seed_broker(
    broker: BrokerAccess, windows: WindowStore, models: ModelStore, settings: Settings
) -> int:
    """Send the windows and site models of a run on files, and return the number of records sent.

    Windows on Kafka take these documents like any others, so sending them twice does no harm.
    Deletions are not sent, because no window holds what they have deleted.

    Raises:
        TopicProblem: A topic is missing or has wrong settings.
    """
    await require_topics(broker, SEED_RIGHTS)
    partitions = await partition_count(broker)
    request_bytes = settings.message_limit_bytes + PRODUCER_ROOM_BYTES
    sent = 0
    with as_broker_problem(lambda error: f"{broker} refused a record: {error}"):
        async with plain_producer(broker, request_bytes) as producer:
            async for topic, site, key, value, headers in items_off_loop(_records(windows, models)):
                number = partition_of(site, partitions)
                await producer.send(broker.topic(topic), value, key, number, headers=headers)
                sent += 1
    return sent


def _records(windows: WindowStore, models: ModelStore) -> Iterator[_SeedRecord]:
    """Yield the documents of each site in order, followed by the site's model."""
    for site, _ in windows.sites():
        for document in windows.window(site):
            headers = [(HEADER_SOURCE_ID, str(document.source).encode())]
            key = document_key(site, document.source)
            yield DOCUMENTS, site, key, encode_msgpack(windows.compressed(document)), headers
        model = models.get(site)
        if model is not None:
            yield SITE_MODELS, site, site.encode(), encode_msgpack(model), []
