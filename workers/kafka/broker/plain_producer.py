"""Sending records to topics, without a worker; a bounded number of them waits for the broker."""

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager

from aiokafka import AIOKafkaProducer

from workers.kafka.broker.access import BrokerAccess

PRODUCER_ROOM_BYTES = 1 << 20
"""Room in a producer's request besides the largest message."""
BROKER_LIMIT_BYTES = 1 << 30
"""Largest request where only the topic's own limit is to count, since it took the record before."""
_IN_FLIGHT_COUNT = 500
_IN_FLIGHT_BYTES = 32 << 20
"""Records, and bytes of them, that may wait for the broker's acknowledgement."""


class PlainProducer:
    """Sends records in order to each partition."""

    def __init__(self, producer: AIOKafkaProducer) -> None:
        self._producer = producer
        self._waiting: dict[asyncio.Future[object], int] = {}

    async def send(
        self,
        topic: str,
        value: bytes | None,
        key: bytes | None,
        partition: int | None = None,
        *,
        headers: Sequence[tuple[str, bytes | None]] = (),
        timestamp_ms: int | None = None,
    ) -> None:
        """Send a record, and wait while too many wait for the broker.

        Without a partition the key decides, without a time it is now.

        Raises:
            KafkaError: The broker refuses this record or an earlier one.
        """
        future = await self._producer.send(
            topic, value, key, partition, timestamp_ms, list(headers)
        )
        self._waiting[future] = len(value or b"")
        while (
            len(self._waiting) >= _IN_FLIGHT_COUNT
            or sum(self._waiting.values()) >= _IN_FLIGHT_BYTES
        ):
            done, _ = await asyncio.wait(self._waiting, return_when=asyncio.FIRST_COMPLETED)
            await self._settle(done)

    async def settle(self) -> None:
        """Wait until the broker has stored all that was sent before.

        Raises:
            KafkaError: The broker refuses a record.
        """
        await self._settle(list(self._waiting))

    async def _settle(self, futures: Collection[asyncio.Future[object]]) -> None:
        await asyncio.gather(*futures)
        for one in futures:  # others may have sent and may settle meanwhile
            self._waiting.pop(one, None)


@asynccontextmanager
async def plain_producer(
    broker: BrokerAccess, request_bytes: int, compression: str = "zstd"
) -> AsyncIterator[PlainProducer]:
    """Start a producer; at the end, wait until all records are stored, and stop it."""
    producer = AIOKafkaProducer(
        **broker.client_options(),
        max_request_size=request_bytes,
        compression_type=None if compression == "none" else compression,
        linger_ms=5,
        enable_idempotence=True,
    )
    try:
        await producer.start()
        plain = PlainProducer(producer)
        yield plain
        await plain.settle()
    finally:
        await producer.stop()
