"""RocksDB behind the operations of `workers.state.database`.

No other module names RocksDB's Python interface.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import cast

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
from workers.state.batch import Batch

_BLOCK_CACHE_BYTES = 64 << 20
"""Memory for cached blocks of all databases of the process together."""
_WRITE_BUFFERS_BYTES = 64 << 20
"""Memory for changes not yet written to files, of all databases of the process together."""
_WRITE_BUFFER_BYTES = 8 << 20
"""Size at which one family's write buffer is written to a file."""
_BLOB_BYTES = 4 << 10
"""Values of at least this size are stored apart from the keys, so that compaction skips them."""
_LOCK_FILE = "/LOCK: "
"""Text in every message about a database that another process has open; "lock" is in "block" too."""
_OTHER_FAMILIES = "olumn famil"
"""Text in messages about families that exist and were not asked for, or the other way round."""
_CANNOT_WRITE = "IO error: "
"""Beginning of messages about a disk that is full or fails."""
_FULL = ("No space left", "Disk quota exceeded", "File too large")
_LOCK_WAIT_S = 15.0
"""How long opening waits for a lock: a process that was killed may hold it a little longer."""
_LOCK_RETRY_S = 0.25


class RocksDatabase:
    """A RocksDB database with named column families.

    It may be used from several threads. Every method blocks its thread, and opening may sleep for
    15 seconds, so an event loop must call them from another thread.
    """

    def __init__(self, path: Path, families: tuple[str, ...]) -> None:
        """Open the database, and create it when it does not exist.

        Raises:
            OtherFormat: The database has other families.
            DiskProblem: The disk is full or fails.
            StateProblem: The database is in use, damaged or not writable.
        """
        self._path = path
        self._db = _open(path, families)
        self._families = {name: self._db.get_column_family(name) for name in families}
        self._handles = {name: self._db.get_column_family_handle(name) for name in families}

    def get(self, family: str, key: bytes) -> bytes | None:
        """Return the value of a key, or None when there is none."""
        value: bytes | None = self._families[family].get(key)
        return value

    def put(self, family: str, key: bytes, value: bytes) -> None:
        """Set one value.

        Raises:
            DiskProblem: The disk is full or fails.
        """
        with _disk_problems(self._path):
            self._families[family][key] = value

    def scan(self, family: str, prefix: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        """Yield keys that start with `prefix` and their values, in ascending order of the keys."""
        for key, value in self._items(family, prefix or None):
            if not key.startswith(prefix):
                return
            yield key, value

    def scan_back(self, family: str, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Yield keys that start with `prefix` and their values, in descending order of the keys."""
        behind = prefix[:-1] + bytes([prefix[-1] + 1])
        for key, value in self._items(family, behind, backwards=True):
            if key.startswith(prefix):
                yield key, value
            elif key < prefix:
                return

    def _items(
        self, family: str, from_key: bytes | None, *, backwards: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        """Return keys and values from a key on; a database in raw mode has bytes only."""
        items = self._families[family].items(backwards=backwards, from_key=from_key)
        return cast(Iterator[tuple[bytes, bytes]], items)

    def write(self, batch: Batch) -> None:
        """Apply a batch, either all of its changes or none.

        Raises:
            DiskProblem: The disk is full or fails.
        """
        writes = WriteBatch(raw_mode=True)
        for family, key, value in batch.changes:
            if value is None:
                writes.delete(key, self._handles[family])
            else:
                writes.put(key, value, self._handles[family])
        with _disk_problems(self._path):
            self._db.write(writes)

    def close(self) -> None:
        """Write what is in memory to disk, and release the database.

        Raises:
            DiskProblem: The disk is full or fails.
        """
        self._families.clear()
        self._handles.clear()
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
    return DiskProblem(f"cannot write {path}: {reason}; free some disk space, nothing is lost")


@cache
def _block_cache() -> Cache:
    """Return the block cache that all databases of the process share."""
    return Cache(_BLOCK_CACHE_BYTES)


@cache
def _write_buffers() -> WriteBufferManager:
    """Return the budget of write buffers that all databases of the process share."""
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
    """Open the database; sleeps and tries again while another process holds its lock."""
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
                    f"{path} was written by another version of templ: delete it to start anew"
                ) from None
            if _LOCK_FILE not in message and any(one in message for one in _FULL):
                raise _disk_problem(path, error) from None
            if _LOCK_FILE not in message:
                raise StateProblem(
                    f"cannot open {path}: {message}; delete it to start anew"
                ) from None
            if time.monotonic() > until:
                raise StateProblem(
                    f"{path} is in use by another process: stop that process or choose another --state"
                ) from None
        time.sleep(_LOCK_RETRY_S)
