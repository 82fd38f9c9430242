"""Replacements of parts of the Kafka libraries that have no setting for what this worker needs.

Checked with aiokafka 0.14.0, faust-streaming 0.15.3 and mode-streaming 0.7.1. For each replacement
`tests/workers/kafka/test_patches.py` shows what the library does by itself, and fails when an update makes
the replacement needless.

| here | what the library does by itself |
|---|---|
| `RecordBatch`, `FetchedRecords` | aiokafka raises for a whole batch, forever, where one header name is not UTF-8 or a checksum is wrong, and decompresses a batch without any bound |
| `BoundedResult` | aiokafka hands over a number of records, however many bytes they have |
| `WatchedRecords` | aiokafka does not report the leader of a batch, nor that offsets at the end hold no record |
| `ThreadedRequest` | aiokafka compresses on the event loop, 30 to 50 ms for a megabyte |
| `gzip_encode` | aiokafka uses the slowest level of gzip, also for what is compressed already |
| `PatientClient` | the sender of a producer asks for a topic's leader again at once, with all of a core, while no broker answers |
| `ByteQueue` | mode bounds the number of waiting events, however many bytes they have |
| `LogConsumer` | faust acknowledges a record that it skips during a rebalance, waits forever for the acknowledgement of one that it dropped, takes a commit that failed for one that was made, and never commits beyond the last record |
| `_LogConsumerThread` | faust reads aborted transactions, commits offsets without metadata, has no hook for an offset that the log does not have, ends where a rebalance has left nothing to commit, cannot join its group again, and prints a traceback where the broker is gone |
"""
# mypy: disable-error-code="misc"
# aiokafka has no types, so all its classes are Any to mypy.

import asyncio
import gzip
import struct
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

import faust
from aiokafka import TopicPartition
from aiokafka.client import AIOKafkaClient
from aiokafka.consumer import fetcher
from aiokafka.errors import KafkaError, NoOffsetForPartitionError, OffsetOutOfRangeError
from aiokafka.producer import producer, sender
from aiokafka.record import default_records
from aiokafka.record._crecords import default_records as compiled_records
from aiokafka.record.default_records import _DefaultRecordBatchPy
from aiokafka.record.memory_records import _MemoryRecordsPy
from aiokafka.structs import OffsetAndMetadata
from faust.transport.drivers.aiokafka import AIOKafkaConsumerThread, Consumer
from faust.types import TP, Message
from mode.utils.queues import ThrowableQueue

from workers.kafka.broker.batch_content import BatchContent, ContentError, read_record
from workers.kafka.broker.received import Header, RefusedValue
from workers.kafka.logs.fetched import EMPTY_TAILS, FETCHED
from workers.kafka.logs.resume import LogSnapshot

_TAKEN_BYTES = 32 << 20
"""Size of values after which a consumer gets no further record of a partition in one take."""
_SKIP_BYTES_MAX = 2 << 30
"""Most bytes of a batch that are decompressed to be left out, which is Kafka's largest record."""
_SAMPLE_BYTES = 1 << 10
_COMPRESSED_RATIO = 0.95
"""Share of its size that a sample of a batch keeps under gzip, above which the batch counts as compressed already."""
_NO_TIME = -1
"""Kafka's timestamp for a record without one."""
_OFFSET = struct.Struct(">q")
"""The first field of a batch, which is the offset of its first record."""
_FORMAT_2 = 2
"""First format of batches whose records have headers; older ones are left to aiokafka."""


def bound_fetches(record_limit_bytes: int) -> None:
    """Have every consumer of this process read records up to a size, after decompression, and refuse single larger ones."""
    FetchedRecords.record_limit_bytes = record_limit_bytes
    fetcher.MemoryRecords = FetchedRecords
    fetcher.PartitionRecords = WatchedRecords
    fetcher.FetchResult = BoundedResult


def compress_off_loop() -> None:
    """Have every producer of this process compress what it sends in threads."""
    sender.SendProduceReqHandler = ThreadedRequest


def compress_quickly() -> None:
    """Have every producer of this process spend little time on gzip."""
    default_records.gzip_encode = compiled_records.gzip_encode = gzip_encode


def gzip_encode(batch: bytes) -> bytes:
    """Return a batch compressed at gzip's quickest level, or stored as it is where that gains nothing.

    Documents and site models are compressed before they are sent.
    """
    middle = batch[len(batch) // 2 :][:_SAMPLE_BYTES]
    is_compressed = len(zlib.compress(middle, 1)) > _COMPRESSED_RATIO * len(middle)
    return gzip.compress(batch, 0 if is_compressed else 1, mtime=0)


def pause_without_broker() -> None:
    """Have every producer of this process pause between its questions while no broker answers."""
    producer.AIOKafkaClient = PatientClient


class BoundedResult(fetcher.FetchResult):
    """The fetched records of a partition, taken in bounded numbers of bytes.

    A refused record is the last of its take: the event loop can send heartbeats before the next
    gigabyte is decompressed.
    """

    def getall(self, max_records: int | None = None) -> list[Any]:
        """Return the next records, at least one if there is one."""
        records: list[Any] = []
        size_bytes = 0
        while size_bytes < _TAKEN_BYTES and (max_records is None or len(records) < max_records):
            record = self.getone()
            if record is None:
                break
            records.append(record)
            if isinstance(record.value, RefusedValue):
                break
            size_bytes += len(record.value or b"")
        return records


class WatchedRecords(fetcher.PartitionRecords):
    """The fetched records of a partition, which note their leaders and the empty offsets at the end."""

    def __init__(self, partition: Any, records: "FetchedRecords", *arguments: Any) -> None:
        _, fetch_offset, *_ = arguments
        records.position = fetch_offset
        self._place = partition.topic, partition.partition
        self._empty_from = fetch_offset
        FETCHED.note(*self._place, records.content)
        super().__init__(partition, records, *arguments)

    def __next__(self) -> Any:
        try:
            record = super().__next__()
        except StopIteration:
            EMPTY_TAILS.note(*self._place, self._empty_from, self.next_fetch_offset)
            raise
        self._empty_from = record.offset + 1
        return record


class FetchedRecords(_MemoryRecordsPy):
    """The batches that a broker has sent for a partition."""

    record_limit_bytes = 64 << 20
    """Size of the largest record that is read."""
    position = 0
    """Offset that the records were fetched for; a batch may begin before it."""

    @property
    def content(self) -> bytes:
        """The batches as the broker has sent them."""
        return bytes(self._buffer)

    def next_batch(self) -> Any:
        """Return the next batch, or None at the end."""
        stored = self._next_slice
        is_new = stored is not None and len(stored) > self.MAGIC_OFFSET
        if not is_new or stored[self.MAGIC_OFFSET] < _FORMAT_2:
            return super().next_batch()
        self._cache_next()
        batch = RecordBatch(stored, self.record_limit_bytes)
        return batch if batch.validate_crc() else self._stepped_over(batch)

    def _stepped_over(self, batch: "RecordBatch") -> "DamagedBatch":
        """Return what takes the place of a batch that is not to be read, and ends where it ends.

        The first offset of the following batch says where. Without one, of two fields of the batch's
        head the smaller one is believed: too large an end would skip records, while too small a one
        only has the same batch fetched again.
        """
        first = batch.base_offset
        if self._next_slice is not None and len(self._next_slice) >= _OFFSET.size:
            (end,) = _OFFSET.unpack_from(self._next_slice)
        else:
            end = min(batch.next_offset, first + batch.record_count)
        return DamagedBatch(first, max(end, self.position + 1, first + 1))


class BatchRecord(NamedTuple):
    """A record as aiokafka's fetcher takes it from a batch."""

    offset: int
    timestamp: int
    timestamp_type: int
    key: bytes | None
    value: bytes | None
    headers: list[Header]
    checksum: None = None


class DamagedBatch:
    """Takes the place of a batch whose checksum is wrong: one refused record at its last offset."""

    is_control_batch = is_transactional = False
    producer_id = None

    def __init__(self, base_offset: int, next_offset: int) -> None:
        self.base_offset = base_offset
        self.next_offset = next_offset

    def validate_crc(self) -> bool:
        """Return that nothing further is wrong; aiokafka would raise forever."""
        return True

    def __iter__(self) -> Iterator[BatchRecord]:
        """Yield a record that names the offsets of the batch."""
        last = self.next_offset - 1
        problem = f"the batch of the offsets {self.base_offset} to {last} has a wrong checksum"
        value = RefusedValue(b"", "DamagedBatch", problem, 0)
        yield BatchRecord(last, _NO_TIME, 0, None, value, [])


class RecordBatch(_DefaultRecordBatchPy):
    """A batch whose iterator never raises: what cannot be read becomes a `RefusedValue`."""

    def __init__(self, stored: bytes | memoryview, limit_bytes: int) -> None:
        """Read the head of a batch as a broker sends it; records that exceed a size are not read."""
        super().__init__(stored)
        self._limit_bytes = limit_bytes
        self._is_intact: bool | None = None

    @property
    def record_count(self) -> int:
        """Number of records in the batch, as its head says."""
        return int(self._num_records)

    def validate_crc(self) -> bool:
        """Return whether the checksum of the batch is right, computed once."""
        if self._is_intact is None:
            self._is_intact = bool(super().validate_crc())
        return self._is_intact

    def __iter__(self) -> Iterator[BatchRecord]:
        """Yield the records of the batch; where the rest is damaged, one for each missing offset."""
        next_offset = self.base_offset
        try:
            stored = bytes(self._buffer[self._pos :])
            content = BatchContent(self.compression_type, stored, _SKIP_BYTES_MAX)
            for _ in range(self._num_records):
                record = self._record(*read_record(content, self._limit_bytes))
                self._check_offset(record.offset, next_offset)
                next_offset = record.offset + 1
                yield record
        except (ContentError, IndexError, ValueError) as error:
            reason = f"the batch cannot be read from this record on: {error}"
            value = RefusedValue(b"", "DamagedBatch", reason, 0)
            for offset in range(next_offset, self.next_offset):
                yield self._record(0, offset - self.base_offset, None, value, [])

    def _check_offset(self, offset: int, first: int) -> None:
        if not first <= offset < self.next_offset:
            raise ContentError(f"offset {offset} is not between {first} and {self.next_offset}")

    def _record(
        self,
        shift_ms: int,
        shift: int,
        key: bytes | None,
        value: bytes | None,
        headers: list[Header],
    ) -> BatchRecord:
        is_stamped = self.timestamp_type == self.LOG_APPEND_TIME
        stamp_ms = self.max_timestamp if is_stamped else self.first_timestamp + shift_ms
        offset = self.base_offset + shift
        return BatchRecord(offset, stamp_ms, self.timestamp_type, key, value, headers)


class ThreadedRequest(sender.SendProduceReqHandler):
    """A request of a producer whose batches are compressed in a thread.

    Batches of a partition still follow each other, because a partition has one request at a time.
    """

    async def do(self, node_id: int) -> Any:
        """Compress the batches, which keep the result, and send the request."""
        await asyncio.to_thread(self._compress)
        return await super().do(node_id)

    def _compress(self) -> None:
        for batch in self._batches.values():
            batch.get_data_buffer()


class PatientClient(AIOKafkaClient):
    """The client of a producer, which pauses after a question about the cluster that no broker answered.

    Without the pause, a worker takes the processor from a broker that starts on the same machine.
    """

    async def _metadata_update(self, *arguments: Any) -> bool:
        is_answered = bool(await super()._metadata_update(*arguments))
        if not is_answered:
            await asyncio.sleep(self._retry_backoff)
        return is_answered


class ByteQueue(ThrowableQueue[faust.EventT[Any]]):
    """A queue that is also full when the values of its events have reached a number of bytes."""

    def __init__(self, *args: Any, most_bytes: int, **options: Any) -> None:
        self._bytes = 0
        self._most_bytes = most_bytes
        super().__init__(*args, **options)

    def full(self) -> bool:
        """Return whether a producer has to wait."""
        return self._bytes >= self._most_bytes or super().full()

    def clear(self) -> None:
        """Drop all waiting events."""
        super().clear()
        self._bytes = 0

    def _put(self, item: faust.EventT[Any]) -> None:
        super()._put(item)
        self._bytes += value_bytes(item)

    def _get(self) -> faust.EventT[Any]:
        item: faust.EventT[Any] = super()._get()
        self._bytes -= value_bytes(item)
        return item


def value_bytes(event: faust.EventT[Any]) -> int:
    """Return the size of an event's value in bytes."""
    return len(event.message.value or b"")


class LogConsumer(Consumer):
    """A consumer of committed records that commits each offset with the snapshot of its log.

    The snapshot travels in the metadata of the committed offset, so whichever worker has the partition
    next can find out whether the log is still the one that was read. The App has the snapshots.

    The records of a partition are finished in the order of their offsets, so the offset after the last
    finished one is committed. faust would look for holes between the records that were acknowledged.
    """

    def on_init(self) -> None:
        """Start without finished records."""
        super().on_init()
        self._finished: dict[TP, int] = {}
        self._confirmed: dict[TP, int] = {}

    def _new_consumer_thread(self) -> AIOKafkaConsumerThread:
        return _LogConsumerThread(self, loop=self.loop, beacon=self.beacon)

    async def go_to(self, offsets: Mapping[TP, int]) -> bool:
        """Commit offsets, which may be smaller than those committed before, and read on there.

        Return whether that was done, which it is not where another rebalance has begun.
        """
        if not (offsets.keys() <= self.assignment() and await self._thread.commit(offsets)):
            return False
        await self._thread.seek_wait(offsets)
        return True

    def finish(self, message: Message) -> None:
        """Note that a record and all before it in its partition need not be read again.

        A record of an assignment that has ended does not count: whoever has its partition now reads it again.
        """
        if message.generation_id == self.app.consumer_generation_id:
            self._finished[message.tp] = message.offset + 1

    def ack(self, message: Message) -> bool:
        """Wait no longer for a record; faust also acknowledges records that it skips."""
        is_first = not message.acked
        message.acked = True
        self._unacked_messages.discard(message)
        return is_first

    async def on_partitions_assigned(self, assigned: set[TP], generation_id: int = 0) -> None:
        """Start again at the committed offsets."""
        self._finished.clear()
        self._confirmed.clear()
        await super().on_partitions_assigned(assigned, generation_id)

    def _filter_tps_with_pending_acks(self, _topics: Any = None) -> Iterator[TP]:
        """Yield the partitions that may have an offset to commit, with or without a finished record."""
        return iter(self._finished.keys() | (self._active_partitions or set()))

    def _new_offset(self, tp: TP) -> int | None:
        """Return the offset to commit, past all offsets that hold nothing to process.

        None where nothing was done since the last assignment: the offset that was committed before may be of another log.
        """
        done = self._finished.get(tp)
        at = (self._committed_offset[tp] or 0) if done is None else done
        end = EMPTY_TAILS.end_after(tp.topic, tp.partition, at)
        return end if end > at else done

    def _should_commit(self, tp: TP, offset: int) -> bool:
        return offset > self._confirmed.get(tp, 0)

    async def _commit(self, offsets: Mapping[TP, int]) -> bool:
        is_made = await super()._commit(offsets)
        if is_made:
            self._confirmed.update(offsets)
        return is_made

    def join_again(self) -> None:
        """Join the group again, from any thread; if this process leads the group, the group rebalances."""
        thread = cast("_LogConsumerThread", self._thread)
        thread.thread_loop.call_soon_threadsafe(thread.join_again)

    def event_loops(self) -> list[asyncio.AbstractEventLoop]:
        """Return the loop of the thread that polls the broker, once it runs."""
        thread = cast("_LogConsumerThread", self._thread)
        return [thread.thread_loop] if thread.started else []


class _LogConsumerThread(AIOKafkaConsumerThread):
    def _create_consumer(self, loop: asyncio.AbstractEventLoop) -> Any:
        consumer = super()._create_consumer(loop)
        consumer._isolation_level = "read_committed"  # noqa: SLF001
        commit = consumer.commit
        snapshots: dict[int, LogSnapshot] = self.app.snapshots  # type: ignore[attr-defined]

        async def commit_with_log(offsets: Mapping[TopicPartition, OffsetAndMetadata]) -> None:
            known = {tp: snapshots.get(tp.partition) for tp in offsets}
            texts = {tp: log.encode().decode() if log else "" for tp, log in known.items()}
            if (
                texts
            ):  # a rebalance may have taken all partitions whose offsets were to be committed
                await commit({tp: OffsetAndMetadata(offsets[tp].offset, texts[tp]) for tp in texts})

        consumer.commit = commit_with_log
        return consumer

    def on_crash(self, msg: str, *fmt: Any, **kwargs: Any) -> None:
        """Tell the App of a broker that is gone; the library would print a traceback, and Python log one."""
        for error in fmt:
            if isinstance(error, KafkaError):
                self.app.on_lost_broker(error)  # type: ignore[attr-defined]
        super().on_crash(msg, *fmt, **kwargs)

    def join_again(self) -> None:
        if self._consumer is not None:
            self._consumer._coordinator.request_rejoin()  # noqa: SLF001

    async def _fetch_records(self, *arguments: Any, **options: Any) -> Any:
        """Return fetched records; notify the App where the broker has none at an offset."""
        try:
            return await super()._fetch_records(*arguments, **options)
        except OffsetOutOfRangeError as error:
            ((partition, offset),) = error.args[0].items()
            await self.app.on_missing_offset(partition, offset)  # type: ignore[attr-defined]
            raise
        except NoOffsetForPartitionError as error:
            await self.app.on_missing_offset(error.args[0], None)  # type: ignore[attr-defined]
            raise
