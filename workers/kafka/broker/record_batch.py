"""Batches of Kafka records, of which one that cannot be read costs no other one.

aiokafka reads a batch as a whole. A header name that is not UTF-8 makes it raise, so its partition
stands still for ever, and 1 MB of compressed records may take gigabytes of memory.

References:
    Kafka's documentation, "Implementation", section 5.3 "Messages": the record batch of format 2.
"""

import struct
from collections.abc import Iterator
from typing import Any, NamedTuple, Self

from aiokafka.record.default_records import _DefaultRecordBatchPy
from aiokafka.record.memory_records import _MemoryRecordsPy
from aiokafka.record.util import decode_varint_py

from schemas.codec import SchemaError
from workers.kafka.broker.batch_content import BatchContent, ContentError

KEPT_BYTES = 64 << 10
"""Bytes that are kept of the value of a record that is too large, and largest size of its key."""
_SKIP_BYTES_MAX = 2 << 30
"""Most bytes of a batch that are decompressed to be left out, which is Kafka's largest record."""
_NO_TIME = -1
"""Kafka's time stamp of a record without one."""
_OFFSET = struct.Struct(">q")
"""The first field of a batch, which is the offset of its first record."""
_FORMAT_2 = 2
"""First format of batches whose records have headers; older ones are left to aiokafka."""

Headers = list[tuple[str, bytes | None]]


class RefusedValue(bytes):
    """What there is of the value of a record that is not to be processed, with the reason."""

    exception: str
    """Name of the problem."""
    message: str
    size_bytes: int
    """Size of the whole value; 0 where it is not known."""

    def __new__(cls, kept: bytes, exception: str, message: str, size_bytes: int) -> Self:
        """Return the value with the reason."""
        value = super().__new__(cls, kept)
        value.exception, value.message, value.size_bytes = exception, message, size_bytes
        return value


def processable(value: bytes | None) -> bytes | None:
    """Return the value of a record.

    Raises:
        SchemaError: The record is not to be processed.
    """
    if isinstance(value, RefusedValue):
        raise SchemaError(value.message)
    return value


class BatchRecord(NamedTuple):
    """A record as aiokafka's fetcher takes it from a batch."""

    offset: int
    timestamp: int
    timestamp_type: int
    key: bytes | None
    value: bytes | None
    headers: Headers
    checksum: None = None


class FetchedRecords(_MemoryRecordsPy):  # type: ignore[misc]
    """The batches that a broker has sent for a partition, in place of aiokafka's class."""

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
        """Return what stands for a batch that is not to be read, and ends where it ends.

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


class DamagedBatch:
    """Stands for a batch whose checksum is wrong, with one refused record at its last offset."""

    is_control_batch = is_transactional = False
    producer_id = None

    def __init__(self, base_offset: int, next_offset: int) -> None:
        self.base_offset = base_offset
        self.next_offset = next_offset

    def validate_crc(self) -> bool:
        """Return that nothing further is wrong; aiokafka would raise for ever."""
        return True

    def __iter__(self) -> Iterator["BatchRecord"]:
        """Yield a record that names the offsets of the batch."""
        last = self.next_offset - 1
        problem = f"the batch of the offsets {self.base_offset} to {last} has a wrong checksum"
        value = RefusedValue(b"", "DamagedBatch", problem, 0)
        yield BatchRecord(last, _NO_TIME, 0, None, value, [])


class RecordBatch(_DefaultRecordBatchPy):  # type: ignore[misc]
    """A batch whose iterator never raises: what cannot be read becomes a `RefusedValue`."""

    def __init__(self, stored: bytes | memoryview, limit_bytes: int) -> None:
        """Read the head of a batch.

        Args:
            stored: The batch as a broker sends it.
            limit_bytes: Size of the largest record that is read as a whole.
        """
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
            content = BatchContent(
                self.compression_type, bytes(self._buffer[self._pos :]), _SKIP_BYTES_MAX
            )
            for _ in range(self._num_records):
                record = self._read_record(content)
                _check_offset(record.offset, next_offset, self.next_offset)
                next_offset = record.offset + 1
                yield record
        except (ContentError, IndexError, ValueError) as error:
            for offset in range(next_offset, self.next_offset):
                reason = f"the batch cannot be read from this record on: {error}"
                value = RefusedValue(b"", "DamagedBatch", reason, 0)
                yield BatchRecord(
                    offset, self.first_timestamp, self.timestamp_type, None, value, []
                )

    def _read_record(self, content: BatchContent) -> BatchRecord:
        size_bytes = content.varint()
        if size_bytes > self._limit_bytes:
            return self._read_large(content, size_bytes)
        body = content.read(_not_negative(size_bytes))
        shift_ms, at = decode_varint_py(body, 1)
        shift, at = decode_varint_py(body, at)
        key, at = _nullable(body, at)
        value, at = _nullable(body, at)
        headers, problem = _headers(body, at)
        if problem:
            kept = value or b""
            value = RefusedValue(kept, "InvalidHeader", problem, len(kept))
        return self._record(shift_ms, shift, key, value, headers)

    def _read_large(self, content: BatchContent, size_bytes: int) -> BatchRecord:
        """Read what is kept of a record that is too large, and move past it."""
        end = content.position + size_bytes
        content.skip(1)
        shift_ms, shift = content.varint(), content.varint()
        key, _ = _kept(content)
        kept, value_bytes = _kept(content)
        rest_bytes = _not_negative(end - content.position)
        headers: Headers = []
        if rest_bytes <= KEPT_BYTES:
            headers, _ = _headers(content.read(rest_bytes), 0)
        else:
            content.skip(rest_bytes)
        reason = f"a record of {size_bytes} bytes, at most {self._limit_bytes} are allowed"
        value = RefusedValue(kept or b"", "RecordTooLarge", reason, value_bytes)
        return self._record(shift_ms, shift, key, value, headers)

    def _record(
        self, shift_ms: int, shift: int, key: bytes | None, value: bytes | None, headers: Headers
    ) -> BatchRecord:
        is_stamped = self.timestamp_type == self.LOG_APPEND_TIME
        stamp_ms = self.max_timestamp if is_stamped else self.first_timestamp + shift_ms
        offset = self.base_offset + shift
        return BatchRecord(offset, stamp_ms, self.timestamp_type, key, value, headers)


def _kept(content: BatchContent) -> tuple[bytes | None, int]:
    """Return the first bytes of the key or value that comes next, and its size."""
    size = content.varint()
    if size < 0:
        return None, 0
    found = content.read(min(size, KEPT_BYTES))
    content.skip(size - len(found))
    return found, size


def _check_offset(offset: int, first: int, end: int) -> None:
    if not first <= offset < end:
        raise ContentError(f"offset {offset} is not between {first} and {end}")


def _not_negative(size: int) -> int:
    if size < 0:
        raise ContentError("a negative size")
    return size


def _nullable(body: bytes, at: int) -> tuple[bytes | None, int]:
    """Return the key or value that begins at a position, and the position after it."""
    size, at = decode_varint_py(body, at)
    if size < 0:
        return None, at
    return _bytes(body, at, size), at + size


def _bytes(body: bytes, at: int, size: int) -> bytes:
    if size > len(body) - at:
        raise ContentError("a field that is longer than its record")
    return body[at : at + size]


def _headers(body: bytes, at: int) -> tuple[Headers, str | None]:
    """Return the headers that begin at a position, and what is wrong with the name of one of them."""
    count, at = decode_varint_py(body, at)
    headers: Headers = []
    problem = None
    for _ in range(count):
        size, at = decode_varint_py(body, at)
        name_bytes = _bytes(body, at, _not_negative(size))
        value, at = _nullable(body, at + size)
        try:
            name = name_bytes.decode()
        except UnicodeDecodeError:
            name = name_bytes.decode(errors="backslashreplace")
            problem = f"the header name {name} is not UTF-8"
        headers.append((name, value))
    return headers, problem
