"""Site models of a cleaner in RocksDB, with the offsets of `site-models` up to which they were read."""

import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

from schemas.codec import decode_site_model_record
from schemas.site_model import SITE_MODEL_FORMAT, SiteModelRecord
from workers.lru_cache import LruCache
from workers.state.database import (
    DatabaseEntry,
    entries_of,
    erase_site,
    open_database,
    put_entries,
    stored_values,
)
from workers.state.rocks import Batch

_FAMILIES = ("models", "offsets")
_LOG = b"log"
_MODELS_IN_MEMORY = 1024
"""Decoded site models that are kept in memory."""
_CACHE_BYTES = 16 << 20
"""Size of the cache of the database; a model that is used often is among the decoded ones."""


class ModelStore:
    """The newest site model of every site.

    It is safe to use from several threads. Opening and every method block their thread, so an event
    loop must call them from another thread, for instance with `asyncio.to_thread`.
    """

    def __init__(self, path: Path | None) -> None:
        """Open the database at `path`, and create it when it does not exist; None means in memory.

        Raises:
            StateProblem, DiskProblem: Those of `RocksDatabase`.
        """
        self._db = open_database(path, _FAMILIES, _CACHE_BYTES)
        self._hot: LruCache[str, SiteModelRecord | None] = LruCache(_MODELS_IN_MEMORY)
        self._lock = threading.Lock()

    def entries(self) -> Iterator[DatabaseEntry]:
        """Yield everything that is stored."""
        return entries_of(self._db, _FAMILIES)

    def restore(self, entries: Iterable[DatabaseEntry]) -> None:
        """Write what another store held into this one, which must be empty."""
        put_entries(self._db, entries)

    def close(self) -> None:
        """Write what is in memory to disk, and release the database."""
        self._db.close()

    def get(self, site: str) -> SiteModelRecord | None:
        """Return the model of a site, or None when there is none."""
        with self._lock:
            hot = self._hot.get(site)
            if hot is None:
                stored = self._db.get("models", site.encode())
                if stored is not None:
                    with stored_values(self._db):
                        hot = decode_site_model_record(stored)
                    self._hot.put(site, hot)
            return hot

    def origin(self, site: str) -> str:
        """Return where in `site-models` the model of a site was read; empty where that is not known."""
        with self._lock:
            stored = self._db.get("offsets", _origin_key(site))
        if stored is None:
            return ""
        partition, offset = int.from_bytes(stored[:4], "big"), int.from_bytes(stored[4:], "big")
        return f"partition {partition}, offset {offset}"

    def put(self, site: str, value: bytes | None, partition: int, offset: int) -> None:
        """Store a record of `site-models` that was read at an offset; None has the site's model forgotten.

        Raises:
            SchemaError: The value is not a site-model record of a known format.
        """
        record = None if value is None else decode_site_model_record(value)
        batch = Batch()
        if value is None:
            batch.delete("models", site.encode())
            batch.delete("offsets", _origin_key(site))
        else:
            batch.put("models", site.encode(), value)
            origin = _four_bytes(partition) + offset.to_bytes(8, "big")
            batch.put("offsets", _origin_key(site), origin)
        with self._lock:
            self._write_next(batch, partition, offset)
            self._hot.drop(site)
            if record is not None:
                self._hot.put(site, record)

    def erase(self, site: str) -> bool:
        """Erase the model of a site from memory and disk; return whether there was one."""
        with self._lock:
            self._hot.drop(site)
            return erase_site(self._db, _FAMILIES, site)

    def clear(self) -> None:
        """Forget every model and how far the topic was read."""
        with self._lock:
            batch = Batch()
            for family in _FAMILIES:
                for key, _ in self._db.scan(family):
                    batch.delete(family, key)
            self._db.write(batch)
            self._hot.clear()

    def skip(self, partition: int, offset: int) -> None:
        """Move past a record of `site-models` that cannot be used."""
        with self._lock:
            self._write_next(Batch(), partition, offset)

    def _write_next(self, batch: Batch, partition: int, offset: int) -> None:
        batch.put("offsets", _offset_key(partition), (offset + 1).to_bytes(8, "big"))
        self._db.write(batch)

    def next_offset(self, partition: int) -> int:
        """Return the offset of `site-models` at which reading goes on."""
        with self._lock:
            stored = self._db.get("offsets", _offset_key(partition))
        return int.from_bytes(stored, "big") if stored else 0

    def log_mark(self, partition: int) -> bytes | None:
        """Return the mark of the log that `next_offset` is of; None where it was never set."""
        with self._lock:
            return self._db.get("offsets", _LOG + _offset_key(partition))

    def mark_log(self, partition: int, mark: bytes) -> None:
        """Set the mark of the log that `next_offset` is of."""
        with self._lock:
            self._db.put("offsets", _LOG + _offset_key(partition), mark)


def _offset_key(partition: int) -> bytes:
    """Return the key of a partition's offset.

    It holds the format of site models, so that a version with a newer format reads the topic again.
    """
    return bytes([SITE_MODEL_FORMAT]) + _four_bytes(partition)


def _origin_key(site: str) -> bytes:
    """Return the key of the place of a site's record; no format has the number 255."""
    return b"\xff" + site.encode()


def _four_bytes(partition: int) -> bytes:
    return partition.to_bytes(4, "big")
