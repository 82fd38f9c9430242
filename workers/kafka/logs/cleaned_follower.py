"""Keeps an index up to date with the topic `cleaned`, without a consumer group.

The index stores how far it has read in the transaction that holds what was read, so that a record is
neither lost nor applied twice. Writing happens in a thread, and the event loop goes on answering the broker.
"""

import asyncio
import logging
from collections.abc import Sequence
from functools import partial

from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition

from schemas.cleaned import CleanedRecord, DeletedRecord
from schemas.codec import SchemaError, decode_json
from schemas.source import HEADER_SOURCE_ID, Source
from schemas.topics import CLEANED
from workers.indexes.cleaned_index import CleanedIndex, LogPlace
from workers.kafka.broker.access import BrokerAccess
from workers.kafka.broker.admin import topic_partitions
from workers.kafka.broker.plain_consumer import plain_consumer, read_until, settled_offset
from workers.kafka.logs.log_reader import ask_for_logs, follow, log_reader
from workers.kafka.logs.resume import LogSnapshot, LogState, decode_snapshot, resume
from workers.log_lines import record_fields

log = logging.getLogger("templ")


class CleanedFollower:
    """Applies the records of `cleaned` to an index."""

    def __init__(self, broker: BrokerAccess, prefix: str, index: CleanedIndex) -> None:
        """Prepare without connecting."""
        self._broker = broker
        self._prefix = prefix
        self._topic = prefix + CLEANED
        self._index = index

    async def run(self, *, stays: bool) -> None:
        """Apply what the topic holds.

        Args:
            stays: Whether to wait for further records for ever; otherwise the end is where the topic ended
                at the start.

        Raises:
            BrokerProblem: The broker cannot be reached, or there is no progress for a minute.
            TopicProblem: The topics are missing.
            StateProblem: The index cannot be written.
        """
        partitions = range(await topic_partitions(self._broker, self._topic))
        async with plain_consumer(self._broker) as consumer, log_reader(self._broker) as reader:
            while True:
                ends = await self._start(consumer, partitions)
                async for records in read_until(consumer, ends):
                    await asyncio.to_thread(self._take, records)
                await asyncio.to_thread(self._reach, ends)
                if not stays:
                    return
                snapshots = partial(self._snapshots, partitions)
                async for found in follow(consumer, reader, self._topic, snapshots):
                    for records in found.batches:
                        await asyncio.to_thread(self._take, records)
                    if await asyncio.to_thread(self._has_other_log, found.logs):
                        break

    async def _start(
        self, consumer: AIOKafkaConsumer, partitions: Sequence[int]
    ) -> dict[TopicPartition, int]:
        """Put the consumer where reading goes on; return the ends of the logs."""
        logs = await ask_for_logs(
            self._broker, lambda reader: reader.logs(self._topic, self._snapshots(partitions))
        )
        ends = {TopicPartition(self._topic, number): one.end for number, one in logs.items()}
        consumer.assign(list(ends))
        for one, end in ends.items():
            settled = await settled_offset(consumer, one, end)
            consumer.seek(one, self._go_on(one.partition, logs[one.partition], settled))
        return ends

    def _snapshots(self, partitions: Sequence[int]) -> dict[int, LogSnapshot | None]:
        positions = {number: self._index.position(self._topic, number) for number in partitions}
        return {number: decode_snapshot(one.mark) for number, one in positions.items()}

    def _go_on(self, partition: int, state: LogState, settled: int) -> int:
        """Return the offset at which reading of a partition goes on, and note it.

        Args:
            partition: The partition.
            state: Its log now.
            settled: Offset below which null values may be gone.
        """
        known = self._index.position(self._topic, partition)
        found = resume(known.next_offset, decode_snapshot(known.mark), state, "earliest")
        offset, place = found.offset, (self._topic, partition)
        extra = {"topic": self._topic, "partition": partition}
        with self._index.transaction():
            if found.is_other_log:
                log.warning(
                    "%s-%s is read again from its start: %s", *place, found.reason, extra=extra
                )
            elif 0 < known.next_offset < settled:
                reason = "deletions that were never read may be gone from it"
                log.warning("%s-%s is read again from its start: %s", *place, reason, extra=extra)
                offset = state.start
                self._index.read_anew(self._topic, partition, state.end)
            self._index.move(self._topic, partition, offset)
            self._index.mark(self._topic, partition, state.snapshot.encode())
        return offset

    def _has_other_log(self, logs: dict[int, LogState]) -> bool:
        """Return whether a log is another one; otherwise note the logs as they are now."""
        for number, state in logs.items():
            known = self._index.position(self._topic, number)
            if resume(known.next_offset, decode_snapshot(known.mark), state).is_other_log:
                return True
        with self._index.transaction():
            for number, state in logs.items():
                self._index.mark(self._topic, number, state.snapshot.encode())
        return False

    def _take(self, records: Sequence[ConsumerRecord]) -> None:
        """Apply records of one partition and note how far it was read, in one transaction."""
        if not records:
            return
        with self._index.transaction():
            for one in records:
                place = LogPlace(one.topic, one.partition, one.offset)
                try:
                    self._index.apply(cleaned_record(one), place)
                except (SchemaError, ValueError) as error:
                    extra = record_fields(one)
                    log.warning(
                        "the record at %s-%s-%s is left out: %s", *place, error, extra=extra
                    )
            last = records[-1]
            self._index.move(last.topic, last.partition, last.offset + 1)

    def _reach(self, ends: dict[TopicPartition, int]) -> None:
        """Note that the ends were reached; compaction may have removed the last records before them."""
        with self._index.transaction():
            for one, end in ends.items():
                known = self._index.position(one.topic, one.partition)
                self._index.move(one.topic, one.partition, max(end, known.next_offset))


def cleaned_record(record: ConsumerRecord) -> CleanedRecord | DeletedRecord:
    """Return what a record of `cleaned` says; a null value is a deletion of the URL that is its key.

    Raises:
        SchemaError: The value is no cleaned record.
        ValueError: The key is not text, or the source is not of its form.
    """
    if record.value is not None:
        return decode_json(record.value, CleanedRecord)
    headers = dict(record.headers)
    said = headers.get(HEADER_SOURCE_ID)
    source = (
        Source.parse(said.decode())
        if said
        else Source(record.topic, record.partition, record.offset)
    )
    url = (record.key or b"").decode()
    return DeletedRecord(url=url, site="", id=str(source), source=source)
