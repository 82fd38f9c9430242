"""RocksDB behind the operations of `workers.state.database`.

Besides `site_copy.py`, which reads only, no other module names RocksDB's Python interface.
"""

import errno
import os
import resource
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from rocksdict import (
    BlockBasedOptions,
    BottommostLevelCompaction,
    Cache,
    CompactOptions,
    DBCompressionType,
    Options,
    Rdict,
    WriteBatch,
    WriteBufferManager,
)

from workers.errors import DamagedStore, DiskProblem, OtherFormat, StateProblem, disk_remedy

CACHE_BYTES = 16 << 20
"""Size of the cache that databases share unless they ask for another size."""
_WRITE_BUFFER_BYTES = 8 << 20
"""Size at which one family's write buffer is written to a file."""
_BUFFER_STEP_BYTES = 64 << 10
"""Step by which a write buffer grows. By the 1 MiB of RocksDB's default, the nearly empty buffers of a process's families
would exceed the cache together, so that every write would end in files of a few keys, without end."""
_LOG_BYTES = 1 << 20
"""Size at which RocksDB begins a new log of its operations."""
_FILE_BYTES = 8 << 20
"""Size of a file of keys. The filter and the index of a larger one exceed a shard of the cache, about 1 MiB, and would be
read again for each key."""
_BLOB_BYTES = 4 << 10
"""Values of at least this size are stored apart from the keys, so that compaction skips them."""
_LOCK_FILE = "/LOCK: "
"""Text in every message about a database that another process has open; "lock" is in "block" too."""
_OTHER_FAMILIES = "olumn famil"
"""Text in messages about families that exist and were not asked for, or the other way round."""
_CANNOT_WRITE = "IO error: "
"""Beginning of messages about a disk that is full or fails."""
_TOO_MANY_FILES = os.strerror(errno.EMFILE)
_FILES_RESERVED_COUNT = 256
"""Files and connections that a process has open besides its databases, as far as its limit allows."""
_FILES_MIN_COUNT = 20
"""Fewest files that RocksDB can be set to hold open."""
_FULL = ("No space left", "Disk quota exceeded", "File too large")
_DAMAGED = ("Corruption", "No such file or directory", "Input/output error")
"""Text in messages about files with wrong bytes, missing files and unreadable sectors."""
_DAMAGE_MARK = "DAMAGED"
"""File in the directory of a database in which damage was found; it holds the reason."""
_FILES_NOTE = "FILES"
"""File in the directory of a database with name, size and CRC-32 of its list of files, the MANIFEST.

It is written when the database is opened and when it is closed.
"""
_REASON_CHARS = 300
"""Longest reason in a message, in characters; RocksDB repeats paths in it."""
_LOCK_WAIT_S = 15.0
"""How long opening waits for a lock: a process that was killed may hold it a little longer."""
_LOCK_RETRY_S = 0.25


class Batch:
    """Changes of keys that a database applies in order, and either all of them or none."""

    def __init__(self) -> None:
        self.changes: list[tuple[str, bytes, bytes | None]] = []
        """Family, key and new value of each change; the value None removes the key."""

    def put(self, family: str, key: bytes, value: bytes) -> None:
        """Set the value of a key."""
        self.changes.append((family, key, value))

    def delete(self, family: str, key: bytes) -> None:
        """Remove a key, whether it exists or not."""
        self.changes.append((family, key, None))


class RocksDatabase:
    """A RocksDB database with named column families.

    It may be used from several threads. Every method blocks its thread, and opening may sleep for
    15 seconds, so an event loop must call them from another thread. Every method raises `DamagedStore`
    where RocksDB finds damage, and `DiskProblem` where the disk is full or fails.
    """

    sharing = 4
    """Most databases of this process, which share the files that it may have open."""

    def __init__(
        self, path: Path, families: tuple[str, ...], cache_bytes: int = CACHE_BYTES
    ) -> None:
        """Open the database in the directory `path`, and create it when it does not exist.

        Its cache of blocks includes changes not yet written to files. All databases of the process that give the same
        size share one cache.

        Raises:
            OtherFormat: The database has other families.
            DamagedStore: The database is damaged, or damage was found in it before.
            StateProblem: The database is in use or not writable.
        """
        self._path = path
        self._memory = _memory(cache_bytes)
        _refuse_known_damage(path)
        self._open(families)

    def _open(self, families: Iterable[str]) -> None:
        self._db = _open(self._path, tuple(families), self._memory)
        _note_files(self._path)
        self._families = {name: self._db.get_column_family(name) for name in families}
        self._handles = {name: self._db.get_column_family_handle(name) for name in families}

    def get(self, family: str, key: bytes) -> bytes | None:
        """Return the value of a key, or None."""
        try:
            value: bytes | None = self._families[family].get(key)
        except Exception as error:  # noqa: BLE001 - rocksdict raises bare Exception
            raise self._problem(error) from None
        return value

    def put(self, family: str, key: bytes, value: bytes) -> None:
        """Set one value."""
        with self._problems():
            self._families[family][key] = value

    def scan(self, family: str, prefix: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        """Yield keys that start with `prefix` and their values, in ascending order of the keys."""
        with self._problems():
            yield from scanned(self._families[family], prefix)

    def write(self, batch: Batch) -> None:
        """Apply a batch, either all of its changes or none."""
        writes = WriteBatch(raw_mode=True)
        for family, key, value in batch.changes:
            if value is None:
                writes.delete(key, self._handles[family])
            else:
                writes.put(key, value, self._handles[family])
        try:
            self._db.write(writes)
        except Exception as error:  # noqa: BLE001 - rocksdict raises bare Exception
            raise self._problem(error) from None

    def damaged(self, reason: str) -> DamagedStore:
        """Mark the database as damaged for all who open it later, and return the error to raise."""
        with suppress(OSError):
            (self._path / _DAMAGE_MARK).write_text(reason)
        return DamagedStore(self._path, reason)

    def rewrite(self) -> None:
        """Rewrite all files, so that none of them holds a byte of what was deleted.

        It takes as long as reading and writing the whole database. No other thread may use the database
        meanwhile.
        """
        families = list(self._families)
        with self._problems():
            for name in families:
                # A reference that stays would keep the database open.
                _compact(self._families[name])
        self.close()  # opening the database makes new logs of changes and of files
        self._open(families)

    def close(self) -> None:
        """Write what is in memory to disk, and release the database.

        Damage that is found now is reported when the database is opened again.
        """
        self._families.clear()
        self._handles.clear()
        with suppress(DamagedStore), self._problems():
            self._db.close()
            _note_files(self._path)

    @contextmanager
    def _problems(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # noqa: BLE001 - rocksdict raises bare Exception
            raise self._problem(error) from None

    def _problem(self, error: Exception) -> Exception:
        """Return the error of templ for one of RocksDB; others are returned as they are."""
        message = one_line_of(error)
        if any(sign in message for sign in _DAMAGED):
            return self.damaged(message)
        if _TOO_MANY_FILES in message:
            return DiskProblem(_too_many_files(self._path))
        if message.startswith(_CANNOT_WRITE):
            return _disk_problem(self._path, message)
        return error


def scanned(family: Rdict, prefix: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
    """Yield keys of a family that start with `prefix` and their values, in ascending order of the keys."""
    entries = family.iter()
    entries.seek(prefix)
    while entries.valid():
        key = entries.key()
        if not key.startswith(prefix):
            return
        yield key, entries.value()
        entries.next()
    entries.status()  # On damage an iterator ends as if there were no more entries.


def one_line_of(error: object) -> str:
    """Return the message of an error of RocksDB as one line, cut to a length to read."""
    return " ".join(str(error).split())[:_REASON_CHARS]


def _disk_problem(path: Path, message: str) -> DiskProblem:
    reason = message.removeprefix(_CANNOT_WRITE)
    return DiskProblem(f"cannot write {path}: {reason}; {disk_remedy(reason)}, nothing is lost")


def open_files_max(databases: int) -> int:
    """Return how many files each of a number of databases may hold open; it opens and closes further ones as needed."""
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit == resource.RLIM_INFINITY:
        return -1
    room = max(limit - _FILES_RESERVED_COUNT, limit // 2)
    return max(room // databases, _FILES_MIN_COUNT)


def _too_many_files(path: Path) -> str:
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return (
        f"{path}: this process may have {limit} files open, which are too few: raise the limit (`ulimit -n`, "
        "or LimitNOFILE in the systemd unit); nothing is lost"
    )


def _note_files(path: Path) -> None:
    """Keep a checksum of RocksDB's list of a database's files, which only grows from now on."""
    with suppress(OSError):
        name = (path / "CURRENT").read_text().strip()
        content = (path / name).read_bytes()
        (path / _FILES_NOTE).write_text(f"{name} {len(content)} {zlib.crc32(content)}")


def _has_lost_files(path: Path) -> bool:
    """Return whether the list of files no longer has the checksum that was noted.

    RocksDB takes a list that it can read only in part for that of an earlier moment, at which the
    families do not agree with each other.
    """
    try:
        name, size_bytes, checksum = (path / _FILES_NOTE).read_text().split()
        if (path / "CURRENT").read_text().strip() != name:
            return False
        with (path / name).open("rb") as manifest:
            return zlib.crc32(manifest.read(int(size_bytes))) != int(checksum)
    except (OSError, ValueError):
        return False


def _refuse_known_damage(path: Path) -> None:
    """Raise `DamagedStore` for damage that was found before, and for damage that RocksDB overlooks.

    Without the file CURRENT it would make an empty database.
    """
    mark = path / _DAMAGE_MARK
    if mark.exists():
        raise DamagedStore(path, mark.read_text(errors="replace"))
    if not (path / "CURRENT").exists() and any(path.glob("*.sst")):
        raise DamagedStore(path, "the file CURRENT is missing")
    if _has_lost_files(path):
        raise DamagedStore(path, "its MANIFEST is not what was written")


class _Memory(NamedTuple):
    """A cache of blocks, and the write buffers that it contains."""

    blocks: Cache
    buffers: WriteBufferManager


_MEMORIES: dict[int, _Memory] = {}
"""What databases of this process share, by its size in bytes."""


def _memory(size_bytes: int) -> _Memory:
    if size_bytes not in _MEMORIES:
        blocks = Cache(size_bytes)
        buffers = WriteBufferManager.new_write_buffer_manager_with_cache(
            size_bytes, allow_stall=False, cache=blocks
        )
        _MEMORIES[size_bytes] = _Memory(blocks, buffers)
    return _MEMORIES[size_bytes]


def memory_bytes() -> dict[str, int]:
    """Return the memory that the databases of the process use, by part; the cache has the buffers."""
    every = list(_MEMORIES.values())  # Another thread may open a store meanwhile.
    return {
        "block_cache": sum(memory.blocks.get_usage() for memory in every),
        "write_buffers": sum(memory.buffers.get_usage() for memory in every),
    }


def _compact(family: Rdict) -> None:
    """Rewrite the files of a family, even those that a compaction would leave as they are."""
    options = CompactOptions()
    options.set_bottommost_level_compaction(BottommostLevelCompaction.force())
    family.flush()
    family.set_options({"blob_garbage_collection_age_cutoff": "1.0"})
    family.compact_range(None, None, options)


def _options(memory: _Memory) -> Options:
    options = Options(raw_mode=True)
    options.create_if_missing(True)
    options.create_missing_column_families(True)
    options.set_keep_log_file_num(1)
    options.set_max_log_file_size(_LOG_BYTES)
    options.set_max_open_files(open_files_max(RocksDatabase.sharing))
    options.set_table_cache_num_shard_bits(1)  # each shard holds a file at least, of 64 as a rule
    options.set_stats_dump_period_sec(0)
    options.set_compression_type(DBCompressionType.zstd())
    options.set_write_buffer_size(_WRITE_BUFFER_BYTES)
    options.set_arena_block_size(_BUFFER_STEP_BYTES)
    options.set_write_buffer_manager(memory.buffers)
    options.set_target_file_size_base(_FILE_BYTES)
    options.set_enable_blob_files(True)
    options.set_min_blob_size(_BLOB_BYTES)
    options.set_enable_blob_gc(True)
    # Without the log of changes, which may be lost, all families are of the same moment.
    options.set_atomic_flush(True)
    table = BlockBasedOptions()
    table.set_block_cache(memory.blocks)
    table.set_bloom_filter(10, False)
    table.set_cache_index_and_filter_blocks(True)
    options.set_block_based_table_factory(table)
    return options


def _open(path: Path, families: tuple[str, ...], memory: _Memory) -> Rdict:
    """Open the database; sleeps and tries again while another process holds its lock."""
    until = time.monotonic() + _LOCK_WAIT_S
    while True:
        try:
            path.mkdir(parents=True, exist_ok=True)
            options = {name: _options(memory) for name in families}
            return Rdict(str(path), _options(memory), column_families=options)
        except Exception as error:  # noqa: BLE001 - rocksdict raises bare Exception
            message = one_line_of(error)
            if _OTHER_FAMILIES in message:
                raise OtherFormat(
                    f"{path} was written by another version of templ: delete it to start with an empty one"
                ) from None
            if _LOCK_FILE not in message and any(sign in message for sign in _FULL):
                raise _disk_problem(path, message) from None
            if _TOO_MANY_FILES in message:
                raise StateProblem(_too_many_files(path)) from None
            if any(sign in message for sign in _DAMAGED):
                raise DamagedStore(path, message) from None
            if _LOCK_FILE not in message:
                raise StateProblem(
                    f"cannot open {path}: {message}; delete it to start with an empty one"
                ) from None
            if time.monotonic() > until:
                raise StateProblem(
                    f"{path} is in use by another process: stop that process or choose another --state"
                ) from None
        time.sleep(_LOCK_RETRY_S)
