"""Site models of a cleaner, in RocksDB, with the offsets of `site-models` they were read up to."""

import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

from schemas.codec import decode_site_model
from schemas.site_model import SITE_MODEL_FORMAT, SiteModelRecord
from workers.lru_cache import LruCache
from workers.state.database import Batch, Entry, entries_of, open_database, put_entries

_FAMILIES = ("models", "offsets")
_MODELS_IN_MEMORY = 1024


class ModelStore:
    """The newest site model of every site. Safe to use from several threads."""

    def __init__(self, path: Path | None) -> None:
        """Open or make the database at `path`; None = in memory.

        Raises:
            StateProblem: it is in use, damaged or not writable.
        """
        self._db = open_database(path, _FAMILIES)
        self._hot: LruCache[str, SiteModelRecord | None] = LruCache(_MODELS_IN_MEMORY)
        self._lock = threading.Lock()

    def entries(self) -> Iterator[Entry]:
        """All that is stored."""
        return entries_of(self._db, _FAMILIES)

    def restore(self, entries: Iterable[Entry]) -> None:
        """Take over what another store held, into an empty one."""
        put_entries(self._db, entries)

    def close(self) -> None:
        """Write what is in memory, and let the database go."""
        self._db.close()

    def get(self, site: str) -> SiteModelRecord | None:
        """The site's model; None when there is none."""
        with self._lock:
            hot = self._hot.get(site)
            if hot is None:
                stored = self._db.get("models", site.encode())
                if stored is not None:
                    hot = decode_site_model(stored)
                    self._hot.put(site, hot)
            return hot

    def put(self, site: str, value: bytes | None, partition: int, offset: int) -> None:
        """Take the model, or its end, read at an offset of `site-models`.

        Raises:
            SchemaError: the value is not a site-model record of a known format.
        """
        record = None if value is None else decode_site_model(value)
        batch = self._db.batch()
        if value is None:
            batch.delete("models", site.encode())
        else:
            batch.put("models", site.encode(), value)
        self._put_next(batch, partition, offset)
        with self._lock:
            self._db.write(batch)
            if record is None:
                self._hot.drop(site)
            else:
                self._hot.put(site, record)

    def clear(self) -> None:
        """Forget every model and how far the topic was read."""
        with self._lock:
            batch = self._db.batch()
            for family in _FAMILIES:
                for key, _ in self._db.scan(family):
                    batch.delete(family, key)
            self._db.write(batch)
            self._hot.clear()

    def skip(self, partition: int, offset: int) -> None:
        """Step over a record of `site-models` that cannot be used."""
        batch = self._db.batch()
        self._put_next(batch, partition, offset)
        self._db.write(batch)

    def next_offset(self, partition: int) -> int:
        """Offset of `site-models` to go on from."""
        stored = self._db.get("offsets", _offset_key(partition))
        return int.from_bytes(stored, "big") if stored else 0

    def _put_next(self, batch: Batch, partition: int, offset: int) -> None:
        batch.put("offsets", _offset_key(partition), (offset + 1).to_bytes(8, "big"))


def _offset_key(partition: int) -> bytes:
    """Offsets are of one format: a version that knows a newer one reads the topic anew."""
    return bytes([SITE_MODEL_FORMAT]) + partition.to_bytes(4, "big")
