"""RocksDB behind a few verbs: the only place where the engine is named."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from rocksdict import (
    BlockBasedOptions,
    Cache,
    DBCompressionType,
    Options,
    Rdict,
    WriteBatch,
    WriteBufferManager,
)

from workers.errors import DiskProblem, OtherFormat, StateProblem

_BLOCK_CACHE_BYTES = 64 << 20
_WRITE_BUFFERS_BYTES = 64 << 20
_WRITE_BUFFER_BYTES = 8 << 20
_BLOB_BYTES = 4 << 10
_LOCK_FILE = "/LOCK: "
"""In every message about a database that is open elsewhere; "lock" alone is in "block" too."""
_OTHER_FAMILIES = "olumn famil"
"""In the messages about families that are there and not asked for, or the other way round."""
_CANNOT_WRITE = "IO error: "
"""Begins the messages about a disk that is full or fails."""
_FULL = ("No space left", "Disk quota exceeded", "File too large")
_LOCK_WAIT_S = 15.0
_LOCK_RETRY_S = 0.25


class RocksBatch:
    """Changes that are written together or not at all."""

    def __init__(self, database: "RocksDatabase") -> None:
        self._handles = database.handles
        self.writes = WriteBatch(raw_mode=True)

    def put(self, family: str, key: bytes, value: bytes) -> None:
        """Set a value."""
        self.writes.put(key, value, self._handles[family])

    def delete(self, family: str, key: bytes) -> None:
        """Remove a key, there or not."""
        self.writes.delete(key, self._handles[family])


class RocksDatabase:
    """A database with named column families; keys and values are bytes."""

    def __init__(self, path: Path, families: tuple[str, ...]) -> None:
        """Open or make the database.

        A process that was killed may hold the lock a moment longer, so it is tried for some
        seconds.

        Raises:
            OtherFormat: it has other families.
            DiskProblem: the disk is full, or fails.
            StateProblem: in use, damaged or not writable.
        """
        self._path = path
        self._db = _open(path, families)
        self._families = {name: self._db.get_column_family(name) for name in families}
        self.handles = {name: self._db.get_column_family_handle(name) for name in families}

    def get(self, family: str, key: bytes) -> bytes | None:
        """The value of `key`; None when there is none."""
        return self._families[family].get(key)

    def put(self, family: str, key: bytes, value: bytes) -> None:
        """Set one value.

        Raises:
            DiskProblem: the disk is full, or fails.
        """
        with _disk_problems(self._path):
            self._families[family][key] = value

    def scan(self, family: str, prefix: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        """Entries whose key starts with `prefix`, in order of the keys."""
        entries = self._families[family].items(from_key=prefix or None)
        for key, value in entries:
            if not key.startswith(prefix):
                return
            yield key, value

    def scan_back(self, family: str, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        """The same from the last to the first; `prefix` does not end with the byte 255."""
        behind = prefix[:-1] + bytes([prefix[-1] + 1])
        for key, value in self._families[family].items(backwards=True, from_key=behind):
            if key.startswith(prefix):
                yield key, value
            elif key < prefix:
                return

    def batch(self) -> RocksBatch:
        """An empty batch."""
        return RocksBatch(self)

    def write(self, batch: RocksBatch) -> None:
        """Apply a batch, whole or not at all.

        Raises:
            DiskProblem: the disk is full, or fails.
        """
        with _disk_problems(self._path):
            self._db.write(batch.writes)

    def close(self) -> None:
        """Write what is in memory, and let the database go.

        Raises:
            DiskProblem: the disk is full, or fails.
        """
        self._families.clear()
        self.handles.clear()
        with _disk_problems(self._path):
            self._db.close()


@contextmanager
def _disk_problems(path: Path) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        if str(error).startswith(_CANNOT_WRITE):
            raise _disk_problem(path, error) from None
        raise


def _disk_problem(path: Path, error: Exception) -> DiskProblem:
    reason = str(error).removeprefix(_CANNOT_WRITE)
    return DiskProblem(f"cannot write {path}: {reason}; make room, nothing is lost")


@cache
def _block_cache() -> Cache:
    """One block cache for all databases of the process."""
    return Cache(_BLOCK_CACHE_BYTES)


@cache
def _write_buffers() -> WriteBufferManager:
    """One budget of write buffers for all databases of the process."""
    return WriteBufferManager.new_write_buffer_manager_with_cache(
        _WRITE_BUFFERS_BYTES, allow_stall=False, cache=_block_cache()
    )


def _options() -> Options:
    options = Options(raw_mode=True)
    options.create_if_missing(True)
    options.create_missing_column_families(True)
    options.set_keep_log_file_num(1)
    options.set_stats_dump_period_sec(0)
    options.set_compression_type(DBCompressionType.zstd())
    options.set_write_buffer_size(_WRITE_BUFFER_BYTES)
    options.set_write_buffer_manager(_write_buffers())
    options.set_enable_blob_files(True)
    options.set_min_blob_size(_BLOB_BYTES)
    options.set_enable_blob_gc(True)
    table = BlockBasedOptions()
    table.set_block_cache(_block_cache())
    table.set_bloom_filter(10, False)
    table.set_cache_index_and_filter_blocks(True)
    options.set_block_based_table_factory(table)
    return options


def _open(path: Path, families: tuple[str, ...]) -> Rdict:
    until = time.monotonic() + _LOCK_WAIT_S
    while True:
        try:
            path.mkdir(parents=True, exist_ok=True)
            return Rdict(
                str(path), _options(), column_families={name: _options() for name in families}
            )
        except Exception as error:  # noqa: BLE001 - rocksdict raises bare Exception
            message = str(error)
            if _OTHER_FAMILIES in message:
                raise OtherFormat(
                    f"{path} was written by another version: delete it; it is rebuilt"
                ) from None
            if _LOCK_FILE not in message and any(one in message for one in _FULL):
                raise _disk_problem(path, error) from None
            if _LOCK_FILE not in message:
                raise StateProblem(
                    f"cannot open {path}: {message}; delete it and it is rebuilt"
                ) from None
            if time.monotonic() > until:
                raise StateProblem(
                    f"{path} is in use by another process: stop that, or choose another --state"
                ) from None
        time.sleep(_LOCK_RETRY_S)
