"""Keeps a store of a cleaner up to date with all of a topic, or with its own partitions of it."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence

from aiokafka import ConsumerRecord, TopicPartition

from schemas.codec import SchemaError
from schemas.document import site_of_key
from workers.kafka.broker.partitioning import MisplacedRecords
from workers.kafka.broker.received import processable
from workers.kafka.config import KafkaConfig
from workers.kafka.logs.follower import LogFollower, Logs, Position
from workers.log_lines import record_fields
from workers.site_settings import SettingsOfSites
from workers.state.followed_store import FollowedStore

log = logging.getLogger("templ")


class StoreFollower(LogFollower):
    """Reads records on from where their store has got to; what a log has lost stays known."""

    def __init__(
        self,
        config: KafkaConfig,
        topic: str,
        store: FollowedStore,
        site_settings: SettingsOfSites,
        count: Callable[[], None] | None = None,
        *,
        only_own: bool = False,
    ) -> None:
        """Follow all of a topic, named without the prefix, whose keys begin with the site; `only_own`, nothing at first.

        Records of sites that are taken down are stepped over. Each record is counted.
        """
        wanted = [] if only_own else range(config.partitions)
        super().__init__(config.broker, config.broker.topic(topic), wanted)
        self._partitions = config.partitions
        self._store = store
        self._site_settings = site_settings
        self._count = count
        self._misplaced = MisplacedRecords(config.partitions)
        self.taken = 0
        """How many records were read."""

    def follow(self, partitions: Iterable[int]) -> None:
        """Follow these partitions from now on, and no others."""
        super().follow(partition for partition in partitions if partition < self._partitions)

    def _position(self, number: int) -> Position:
        return self._store.next_offset(number), self._store.log_mark(number)

    def _begin(self, logs: Logs, settled: Mapping[int, int]) -> Mapping[int, int]:
        if any(0 < self._store.next_offset(number) < settled[number] for number in logs):
            log.warning(
                "%s is read again from the start, because tombstones may have been missed",
                self._topic,
            )
            self._store.clear()
        resumes = self._resumes(logs)
        for number, goes_on in resumes.items():
            if goes_on.is_other_log:
                self._warn_of_reading_again(number, goes_on.reason, goes_on.offset)
                self._store.skip(number, goes_on.offset - 1)
        self._note(logs)
        return {number: goes_on.offset for number, goes_on in resumes.items()}

    def _note(self, logs: Logs) -> None:
        for number, state in logs.items():
            text = state.snapshot.encode()
            if text != self._store.log_mark(number):
                self._store.mark_log(number, text)

    def _reach(self, _ends: Mapping[TopicPartition, int]) -> None:
        self._misplaced.warn()

    def _take(self, records: Sequence[ConsumerRecord]) -> None:
        for record in records:
            try:
                value, key = processable(record.value), record.key.decode()
                site = site_of_key(record.key)
                if self._misplaced.holds(site, record) or self._site_settings.is_forgotten(site):
                    self._store.skip(record.partition, record.offset)
                else:
                    self._store.put(key, value, record.partition, record.offset)
            except (SchemaError, AttributeError, UnicodeDecodeError) as error:
                place = f"{record.topic}-{record.partition}-{record.offset}"
                log.warning("%s cannot be used: %s", place, error, extra=record_fields(record))
                self._store.skip(record.partition, record.offset)
            if self._count is not None:
                self._count()
        self.taken += len(records)
