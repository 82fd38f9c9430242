"""Keeps the site models of a cleaner up to date, with all of `site-models` or its own partitions.

Writes to the store of models happen in threads, a batch of records at a time, so that the event loop
goes on answering the broker.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence

from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition

from schemas.codec import SchemaError
from schemas.topics import SITE_MODELS
from workers.kafka.broker.partitioning import MisplacedRecords
from workers.kafka.broker.plain_consumer import plain_consumer, read_until, settled_offset
from workers.kafka.broker.received import processable
from workers.kafka.config import KafkaConfig
from workers.kafka.logs.log_reader import ask_for_logs, follow, log_reader
from workers.kafka.logs.resume import LogSnapshot, LogState, Resume, decode_snapshot, resume
from workers.log_lines import record_fields
from workers.site_settings import SettingsBook
from workers.state.model_store import ModelStore

log = logging.getLogger("templ")


class ModelFollower:
    """Reads partitions on from where the store has got to, without a consumer group."""

    def __init__(
        self, config: KafkaConfig, models: ModelStore, book: SettingsBook, count: Callable[[], None]
    ) -> None:
        """Set what is followed.

        Args:
            config: Where the broker is, and which models are wanted at first.
            models: Where models are kept.
            book: Tells which sites are taken down; their models are stepped over.
            count: Called for each record that was read.
        """
        self._book = book
        self._config = config
        self._count = count
        self._models = models
        self._topic = config.topic(SITE_MODELS)
        self._wanted = [] if config.settings.own_models else list(range(config.partitions))
        self._misplaced = MisplacedRecords(config.partitions)
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
        broker = self._config.broker
        async with plain_consumer(broker) as consumer, log_reader(broker) as reader:
            while True:
                self._changed.clear()
                if self._wanted:
                    ends = await self._start(consumer)
                    async for records in read_until(consumer, ends):
                        await self._take_all(records)
                if not self._changed.is_set():
                    self._misplaced.warn()
                    self.ready.set()
                if not self._wanted:
                    await self._changed.wait()
                async for found in follow(consumer, reader, self._topic, self._snapshots):
                    for records in found.batches:
                        await self._take_all(records)
                    if self._changed.is_set() or await self._has_other_log(found.logs):
                        break

    async def _has_other_log(self, logs: Mapping[int, LogState]) -> bool:
        """Return whether a log is another one; otherwise note the logs as they are now."""
        goes_on = await asyncio.to_thread(self._goes_on, logs)
        if any(one.is_other_log for one in goes_on.values()):
            return True
        await asyncio.to_thread(self._note_logs, logs)
        return False

    async def _start(self, consumer: AIOKafkaConsumer) -> dict[TopicPartition, int]:
        """Put the consumer where reading goes on; return the ends of the logs."""
        logs = await ask_for_logs(
            self._config.broker, lambda reader: reader.logs(self._topic, self._snapshots())
        )
        ends = {TopicPartition(self._topic, number): one.end for number, one in logs.items()}
        consumer.assign(list(ends))
        await self._forget_what_may_be_gone(consumer, ends)
        for number, goes_on in (await asyncio.to_thread(self._goes_on, logs)).items():
            if goes_on.is_other_log:
                log.warning(
                    "%s-%s is read again from its start: %s",
                    *(self._topic, number, goes_on.reason),
                    extra={"topic": self._topic, "partition": number},
                )
                await asyncio.to_thread(self._models.skip, number, goes_on.offset - 1)
            consumer.seek(TopicPartition(self._topic, number), goes_on.offset)
        await asyncio.to_thread(self._note_logs, logs)
        return ends

    def _snapshots(self) -> dict[int, LogSnapshot | None]:
        return {number: decode_snapshot(self._models.log_mark(number)) for number in self._wanted}

    def _goes_on(self, logs: Mapping[int, LogState]) -> dict[int, Resume]:
        """Decide where reading goes on in each partition; models that a log has lost stay known."""
        models, known = self._models, self._snapshots()
        return {
            number: resume(models.next_offset(number), known[number], state, "earliest")
            for number, state in logs.items()
        }

    def _note_logs(self, logs: Mapping[int, LogState]) -> None:
        """Note which logs the models are of."""
        for number, state in logs.items():
            text = state.snapshot.encode()
            if text != self._models.log_mark(number):
                self._models.mark_log(number, text)

    async def _forget_what_may_be_gone(
        self, consumer: AIOKafkaConsumer, ends: dict[TopicPartition, int]
    ) -> None:
        """Read everything again where tombstones that were never read may be gone from the topic."""
        for one, end in ends.items():
            known = self._models.next_offset(one.partition)
            if 0 < known < await settled_offset(consumer, one, end):
                log.warning(
                    "site models are read again from the start: those of ended sites may be among them"
                )
                await asyncio.to_thread(self._models.clear)
                return

    async def _take_all(self, records: Sequence[ConsumerRecord]) -> None:
        await asyncio.to_thread(self._store, records)
        self.taken += len(records)
        for _ in records:
            self._count()

    def _store(self, records: Sequence[ConsumerRecord]) -> None:
        for record in records:
            self._take(record)

    def _take(self, record: ConsumerRecord) -> None:
        try:
            value, site = processable(record.value), record.key.decode()
            if self._misplaced.holds(site, record) or self._book.is_forgotten(site):
                self._models.skip(record.partition, record.offset)
            else:
                self._models.put(site, value, record.partition, record.offset)
        except (SchemaError, AttributeError, UnicodeDecodeError) as error:
            place = f"{record.topic}-{record.partition}-{record.offset}"
            log.warning(
                "site model at %s cannot be used: %s", place, error, extra=record_fields(record)
            )
            self._models.skip(record.partition, record.offset)
