"""Site models of a cleaner in RocksDB, with the offsets of `site-models` up to which they were read."""

from collections.abc import Iterable
from pathlib import Path

from schemas.codec import decode_site_model_record
from schemas.site_model import SITE_MODEL_FORMAT, SiteModelRecord
from workers.lru_cache import LruCache
from workers.state.database import (
    DatabaseEntry,
    erase_site,
    open_database,
    stored_values,
)
from workers.state.followed_store import FollowedStore
from workers.state.rocks import Batch

_MODELS_IN_MEMORY = 256
"""Site models that are kept in memory, as many as a child keeps decoded."""
_CACHE_BYTES = 8 << 20
"""Size of the cache of the database; a model that is used often is among those in memory."""


class ModelStore(FollowedStore):
    """The newest site model of every site."""

    _format = SITE_MODEL_FORMAT
    families = ("models", "offsets")

    def __init__(self, path: Path | None) -> None:
        """Open the database at `path`, and create it when it does not exist; None means in memory.

        Raises:
            StateProblem, DiskProblem: Those of `RocksDatabase`.
        """
        super().__init__(open_database(path, self.families, _CACHE_BYTES))
        self._hot: LruCache[str, SiteModelRecord | None] = LruCache(_MODELS_IN_MEMORY)

    def restore(self, entries: Iterable[DatabaseEntry]) -> None:
        """Write what another store held into this one, which must be empty."""
        for entry in entries:
            self._db.put(*entry)

    def get(self, site: str) -> SiteModelRecord | None:
        """Return the model of a site, or None."""
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

    def put(self, key: str, value: bytes | None, partition: int, offset: int) -> None:
        """Store the model of a site, whose key is that of the record; None means to forget it."""
        record = None if value is None else decode_site_model_record(value)
        batch = Batch()
        if value is None:
            batch.delete("models", key.encode())
            batch.delete("offsets", _origin_key(key))
        else:
            batch.put("models", key.encode(), value)
            origin = partition.to_bytes(4, "big") + offset.to_bytes(8, "big")
            batch.put("offsets", _origin_key(key), origin)
        with self._lock:
            self._write_next(batch, partition, offset)
            self._hot.drop(key)
            if record is not None:
                self._hot.put(key, record)

    def erase(self, site: str) -> bool:
        """Erase the model of a site from memory and disk; return whether there was one."""
        with self._lock:
            self._hot.drop(site)
            return erase_site(self._db, self.families, site)

    def _forget_memory(self) -> None:
        self._hot.clear()


def _origin_key(site: str) -> bytes:
    """Return the key of the place of a site's record; no format has the number 255."""
    return b"\xff" + site.encode()
