"""Keeps the site models of a cleaner up to date, with all of `site-models` or its own partitions.

Writes to the store of models happen in threads, a batch of records at a time, so that the event loop
goes on answering the broker.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence

from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition

from schemas.codec import SchemaError
from schemas.topics import SITE_MODELS
from workers.kafka.broker.plain_consumer import plain_consumer, read_until, settled_offset
from workers.kafka.broker.record_batch import processable
from workers.kafka.config import KafkaConfig
from workers.state.model_store import ModelStore

_POLL_MS = 1000
log = logging.getLogger("templ")


class ModelFollower:
    """Reads partitions on from where the store has got to, without a consumer group."""

    def __init__(self, config: KafkaConfig, models: ModelStore, count: Callable[[], None]) -> None:
        self._config = config
        self._count = count
        self._models = models
        self._wanted = [] if config.settings.own_models else list(range(config.partitions))
        self._changed = asyncio.Event()
        self.ready = asyncio.Event()
        """Set while all models are known that were there when the partitions became wanted."""
        self.taken = 0
        """How many records were read."""

    def follow(self, partitions: Iterable[int]) -> None:
        """Keep the models of these partitions up to date from now on."""
        wanted = sorted(one for one in partitions if one < self._config.partitions)
        if wanted != self._wanted:
            self._wanted = wanted
            self._changed.set()
            self.ready.clear()

    def follow_all(self) -> None:
        """Keep all models up to date from now on."""
        self.follow(range(self._config.partitions))

    async def run(self) -> None:
        """Follow the topic for ever.

        Raises:
            BrokerProblem: no progress for a minute before the start is read.
        """
        async with plain_consumer(self._config.broker) as consumer:
            while True:
                self._changed.clear()
                if self._wanted:
                    ends = await self._start(consumer)
                    async for records in read_until(consumer, ends):
                        await self._take_all(records)
                if not self._changed.is_set():
                    self.ready.set()
                if not self._wanted:
                    await self._changed.wait()
                while not self._changed.is_set():
                    batches = await consumer.getmany(timeout_ms=_POLL_MS)
                    for records in batches.values():
                        await self._take_all(records)

    async def _start(self, consumer: AIOKafkaConsumer) -> dict[TopicPartition, int]:
        topic = self._config.topic(SITE_MODELS)
        partitions = [TopicPartition(topic, n) for n in self._wanted]
        consumer.assign(partitions)
        ends = await consumer.end_offsets(partitions)
        starts = await consumer.beginning_offsets(partitions)
        await self._forget_what_may_be_gone(consumer, ends)
        for one in partitions:
            known = self._models.next_offset(one.partition)
            is_there = starts[one] <= known <= ends[one]
            consumer.seek(one, known if is_there else starts[one])
        return dict(ends)

    async def _forget_what_may_be_gone(
        self, consumer: AIOKafkaConsumer, ends: dict[TopicPartition, int]
    ) -> None:
        """Begin anew where null values that were never read may be gone from the topic."""
        for one, end in ends.items():
            known = self._models.next_offset(one.partition)
            if 0 < known < await settled_offset(consumer, one, end):
                log.warning("site models are read anew: those of ended sites may be among them")
                await asyncio.to_thread(self._models.clear)
                return

    async def _take_all(self, records: Sequence[ConsumerRecord]) -> None:
        await asyncio.to_thread(self._store_all, records)
        self.taken += len(records)
        for _ in records:
            self._count()

    def _store_all(self, records: Sequence[ConsumerRecord]) -> None:
        for record in records:
            self._take(record)

    def _take(self, record: ConsumerRecord) -> None:
        try:
            value = processable(record.value)
            self._models.put(record.key.decode(), value, record.partition, record.offset)
        except (SchemaError, AttributeError, UnicodeDecodeError) as error:
            place = f"{record.topic}-{record.partition}-{record.offset}"
            log.warning("site model at %s cannot be used: %s", place, error)
            self._models.skip(record.partition, record.offset)
