"""Sending pages to the topic `pages`."""

import asyncio
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Self

from aiokafka import AIOKafkaProducer

from schemas.dead_letter import DeadLetter
from schemas.page import (
    HEADER_CONTENT_ENCODING,
    HEADER_CONTENT_TYPE,
    HEADER_FETCHED_AT,
    HEADER_ID,
    HEADER_SITE,
    HEADER_STATUS,
    HEADER_URL,
)
from schemas.topics import PAGES
from workers.errors import TopicProblem
from workers.kafka.access.broker_access import BrokerAccess
from workers.kafka.access.rights import FEED_RIGHTS
from workers.kafka.access.told_problems import kafka_problems_told
from workers.kafka.broker.admin import check_topics
from workers.kafka.config import PRODUCER_ROOM_BYTES
from workers.page import Page

_IN_FLIGHT = 500
"""Pages that may wait for the broker's acknowledgement."""
_ENVELOPE_BYTES = 4 << 10
"""Room for what a message has besides its value and headers."""


class Feeder:
    """An asynchronous context that sends pages, keyed by site."""

    def __init__(self, broker: BrokerAccess, prefix: str, limit_bytes: int) -> None:
        """Prepare without connecting.

        Args:
            broker: How the broker is reached.
            prefix: Text before the name of each topic.
            limit_bytes: Largest message.
        """
        self._broker = broker
        self._prefix = prefix
        self._topic = prefix + PAGES
        self._limit_bytes = limit_bytes
        self._pending: set[asyncio.Future[object]] = set()

    async def __aenter__(self) -> Self:
        """Connect to the broker.

        Raises:
            BrokerProblem: The broker cannot be reached.
            TopicProblem: A topic is missing or has wrong settings.
        """
        problems = await check_topics(self._broker, self._prefix, rights=FEED_RIGHTS)
        if problems:
            raise TopicProblem("\ntempl: ".join(problems))
        self._producer = AIOKafkaProducer(
            **self._broker.client_options(),
            max_request_size=self._limit_bytes + PRODUCER_ROOM_BYTES,
            compression_type="zstd",
            linger_ms=5,
            enable_idempotence=True,
        )
        await self._producer.start()
        return self

    async def settle(self) -> None:
        """Wait until all pages are acknowledged.

        Raises:
            BrokerProblem: The broker refused a page.
        """
        pending = set(self._pending)
        await self._settle(pending)
        self._pending -= pending  # others may have sent and may settle meanwhile

    async def __aexit__(self, *_: object) -> None:
        """Wait until all pages are acknowledged, and disconnect."""
        try:
            await self.settle()
        finally:
            await self._producer.stop()

    async def send(self, page: Page) -> DeadLetter | None:
        """Queue a page for sending.

        Returns:
            A dead letter when the page is too large for a message; otherwise None.

        Raises:
            BrokerProblem: The broker refused an earlier page.
        """
        headers = page_headers(page)
        size_bytes = len(page.body or b"") + sum(len(k) + len(v or b"") for k, v in headers)
        if size_bytes + _ENVELOPE_BYTES > self._limit_bytes:
            return DeadLetter(
                exception="PageTooLarge",
                message=f"{page.url}: {size_bytes} bytes, a Kafka message holds "
                f"{self._limit_bytes}; clean it with `templ run`",
                stage="publish",
            )
        key = page.site.encode()
        future = await self._producer.send(self._topic, key=key, value=page.body, headers=headers)
        self._pending.add(future)
        if len(self._pending) >= _IN_FLIGHT:
            done, self._pending = await asyncio.wait(
                self._pending, return_when=asyncio.FIRST_COMPLETED
            )
            await self._settle(done)
        return None

    async def _settle(self, futures: Iterable[asyncio.Future[object]]) -> None:
        with kafka_problems_told(lambda error: f"{self._broker} refused a page: {error}"):
            await asyncio.gather(*futures)


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
