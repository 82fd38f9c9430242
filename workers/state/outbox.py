"""Records that are to be sent because of changes of windows, kept until the broker has stored them.

A null value goes to `documents` for each document that leaves its window. A document is sent again when
a null value that does not count has removed it from the topic. The newest text of a URL is published
again when its last output may belong to an older fetch that arrived late or was revised late.
"""

from collections.abc import Iterable, Iterator
from itertools import islice

from workers.state.database import Database, delete_keys
from workers.state.rocks import Batch

_FAMILY, _SUPERSEDED = "outbox", "superseded"
_NULL, _AGAIN = b"", b"again"
"""Values of a key whose record is to be replaced by a null value, or sent again."""


class Outbox:
    """Keys of `documents` and URLs under which something is to be sent, in the database of the windows."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._sent_again: set[bytes] = set()
        self.superseded_writes = 0
        """Batches with a URL to publish again that were written; count each after it was written."""
        self._none_superseded_at = -1
        """Value of that number at which there was no such URL."""

    def remove(self, batch: Batch, key: bytes) -> None:
        """Add to a batch that the null value of a document is to be sent."""
        batch.put(_FAMILY, key, _NULL)

    def send_again(self, batch: Batch, key: bytes) -> None:
        """Add to a batch that a document is to be sent again."""
        batch.put(_FAMILY, key, _AGAIN)

    def nulls(self, limit: int) -> list[bytes]:
        """Return at most `limit` keys whose null values are to be sent next."""
        return list(islice(self._keys(_NULL), limit))

    def documents(self) -> list[bytes]:
        """Return the keys whose documents are to be sent again and were not since the store was opened.

        A key stays until the document is read from the topic, since the topic may lose it once more.
        """
        return [key for key in self._keys(_AGAIN) if key not in self._sent_again]

    def _keys(self, wanted: bytes) -> Iterator[bytes]:
        return (key for key, value in self._db.scan(_FAMILY) if value == wanted)

    def drop(self, keys: Iterable[bytes]) -> None:
        """Drop keys whose null values the broker has stored; sending one twice does no harm."""
        delete_keys(self._db, _FAMILY, keys)

    def mark_sent(self, key: bytes) -> None:
        """Note that a document was sent again."""
        self._sent_again.add(key)

    def supersede(self, batch: Batch, url_key: bytes, url: str) -> None:
        """Add to a batch that the newest text of a URL is to be published again."""
        batch.put(_SUPERSEDED, url_key, url.encode())

    def superseded(self, limit: int, prefix: bytes = b"") -> list[tuple[bytes, str]]:
        """Return at most `limit` URLs to publish again, of all sites or of a prefix of keys.

        Each comes with the key for `WindowStore.newest`.
        """
        writes = self.superseded_writes
        if self._none_superseded_at == writes:
            return []
        entries = islice(self._db.scan(_SUPERSEDED, prefix), limit)
        urls = [(key, url.decode()) for key, url in entries]
        if not urls and not any(True for _ in self._db.scan(_SUPERSEDED)):
            self._none_superseded_at = writes
        return urls

    def drop_superseded(self, url_key: bytes) -> None:
        """Drop a URL whose newest text was published."""
        delete_keys(self._db, _SUPERSEDED, [url_key])
