"""Keeps the site models of a cleaner up to date, with all of `site-models` or its own partitions."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence

from aiokafka import ConsumerRecord, TopicPartition

from schemas.codec import SchemaError
from schemas.topics import SITE_MODELS
from workers.kafka.broker.partitioning import MisplacedRecords
from workers.kafka.broker.received import processable
from workers.kafka.config import KafkaConfig
from workers.kafka.logs.follower import LogFollower, Logs, Position
from workers.log_lines import record_fields
from workers.site_settings import SettingsBook
from workers.state.model_store import ModelStore

log = logging.getLogger("templ")


class ModelFollower(LogFollower):
    """Reads models on from where their store has got to; models that a log has lost stay known."""

    def __init__(
        self, config: KafkaConfig, models: ModelStore, book: SettingsBook, count: Callable[[], None]
    ) -> None:
        """Follow all models at first, or none if the cleaner has its own partitions' only; count each record.

        Models of sites that the book says are taken down are stepped over.
        """
        wanted = [] if config.settings.own_models else range(config.partitions)
        super().__init__(config.broker, config.topic(SITE_MODELS), wanted)
        self._partitions = config.partitions
        self._models = models
        self._book = book
        self._count = count
        self._misplaced = MisplacedRecords(config.partitions)
        self.taken = 0
        """How many records were read."""

    def follow(self, partitions: Iterable[int]) -> None:
        """Keep the models of these partitions up to date from now on."""
        super().follow(one for one in partitions if one < self._partitions)

    def follow_all(self) -> None:
        """Keep all models up to date from now on."""
        self.follow(range(self._partitions))

    def _position(self, number: int) -> Position:
        return self._models.next_offset(number), self._models.log_mark(number)

    def _begin(self, logs: Logs, settled: Mapping[int, int]) -> Mapping[int, int]:
        if any(0 < self._models.next_offset(number) < settled[number] for number in logs):
            log.warning(
                "site models are read again from the start: those of ended sites may be among them"
            )
            self._models.clear()
        found = self._resumes(logs)
        for number, goes_on in found.items():
            if goes_on.is_other_log:
                self._warn_of_reading_again(number, goes_on.reason)
                self._models.skip(number, goes_on.offset - 1)
        self._note(logs)
        return {number: goes_on.offset for number, goes_on in found.items()}

    def _note(self, logs: Logs) -> None:
        for number, state in logs.items():
            text = state.snapshot.encode()
            if text != self._models.log_mark(number):
                self._models.mark_log(number, text)

    def _reach(self, _ends: Mapping[TopicPartition, int]) -> None:
        self._misplaced.warn()

    def _take(self, records: Sequence[ConsumerRecord]) -> None:
        for record in records:
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
            self._count()
        self.taken += len(records)
