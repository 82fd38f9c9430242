"""Keeps an index up to date with the topic `cleaned`.

The index stores how far it has read in the transaction that holds what was read, so that a record is
neither lost nor applied twice.
"""

import logging
from collections.abc import Mapping, Sequence

from aiokafka import ConsumerRecord, TopicPartition

from schemas.cleaned import CleanedRecord, DeletedRecord
from schemas.codec import SchemaError, decode_json
from schemas.source import HEADER_SOURCE_ID, Source
from schemas.topics import CLEANED
from workers.indexes.cleaned_index import LogPlace
from workers.indexes.open_index import CleanedIndex
from workers.kafka.broker.access import BrokerAccess
from workers.kafka.broker.admin import topic_partitions
from workers.kafka.logs.follower import LogFollower, Logs, Position
from workers.log_lines import record_fields

log = logging.getLogger("templ")


class CleanedFollower(LogFollower):
    """Applies the records of `cleaned` to an index."""

    def __init__(self, broker: BrokerAccess, index: CleanedIndex) -> None:
        super().__init__(broker, broker.topic(CLEANED), ())
        self._index = index

    async def run(self, *, stays: bool = True) -> None:
        """Apply what the topic holds, and if it `stays`, what comes later.

        Raises:
            BrokerProblem: The broker cannot be reached, or there is no progress for a minute.
            TopicProblem: The topic is missing.
            StateProblem: The index cannot be written.
        """
        self._wanted = list(range(await topic_partitions(self._broker, self._topic)))
        await super().run(stays=stays)

    def _position(self, number: int) -> Position:
        return self._index.position(self._topic, number)

    def _begin(self, logs: Logs, settled: Mapping[int, int]) -> Mapping[int, int]:
        offsets = {}
        for number, resume in self._resumes(logs).items():
            known, state, offset = self._position(number)[0], logs[number], resume.offset
            with self._index.transaction():
                if resume.is_other_log:
                    self._warn_of_reading_again(number, resume.reason)
                elif 0 < known < settled[number]:
                    reason = "deletions that were never read may be gone from it"
                    self._warn_of_reading_again(number, reason)
                    offset = state.start
                    self._index.begin_rereading(self._topic, number, state.end)
                self._index.move(self._topic, number, offset)
                self._index.mark(self._topic, number, state.snapshot.encode())
            offsets[number] = offset
        return offsets

    def _note(self, logs: Logs) -> None:
        with self._index.transaction():
            for number, state in logs.items():
                self._index.mark(self._topic, number, state.snapshot.encode())

    def _take(self, records: Sequence[ConsumerRecord]) -> None:
        if not records:
            return
        with self._index.transaction():
            for record in records:
                place = LogPlace(record.topic, record.partition, record.offset)
                try:
                    self._index.apply(cleaned_record(record), place)
                except (SchemaError, ValueError) as error:
                    extra = record_fields(record)
                    log.warning(
                        "the record at %s-%s-%s is left out: %s", *place, error, extra=extra
                    )
            self._index.move(record.topic, record.partition, record.offset + 1)

    def _reach(self, ends: Mapping[TopicPartition, int]) -> None:
        """Note that the ends were reached; compaction may have removed the last records before them."""
        with self._index.transaction():
            for tp, end in ends.items():
                self._index.move(tp.topic, tp.partition, max(end, self._position(tp.partition)[0]))


def cleaned_record(record: ConsumerRecord) -> CleanedRecord | DeletedRecord:
    """Return the content of a record of `cleaned`; a null value is a deletion of the URL that is its key.

    Raises:
        SchemaError: The value is no cleaned record.
        ValueError: The key is not text, or the source is not of its form.
    """
    if record.value is not None:
        return decode_json(record.value, CleanedRecord)
    said = dict(record.headers).get(HEADER_SOURCE_ID)
    source = (
        Source.parse(said.decode())
        if said
        else Source(record.topic, record.partition, record.offset)
    )
    url = (record.key or b"").decode()
    return DeletedRecord(url=url, site="", id=str(source), source=source)
