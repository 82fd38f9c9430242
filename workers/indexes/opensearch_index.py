"""An index of cleaned records on an OpenSearch or Elasticsearch server, which holds the newest text of each URL.

The server itself compares the versions of records (external versioning), so records may come again, in any order
and from several processes. How far a topic was read is noted in an index beside it, after what was read.
"""

import hashlib
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self
from urllib.parse import urlsplit

import msgspec
from opensearchpy import OpenSearch
from opensearchpy.exceptions import OpenSearchException, RequestError
from opensearchpy.helpers import streaming_bulk

from schemas.cleaned import CleanedRecord, DeletedRecord
from templ_core.fingerprint import min_hashes
from workers.errors import ServerProblem, SettingsProblem, StateProblem, UsageProblem
from workers.indexes.cleaned_index import IndexCounts, LogPlace, LogPosition, version_of
from workers.settings import Settings

_BATCH_RECORDS = 500
_BATCH_BYTES = 8 << 20
_BUSY_STATUSES = frozenset([429, 502, 503, 504, "N/A", "TIMEOUT"])
"""What the client reports for a record that the server may take later."""
_ATTEMPTS = 8
_FIRST_WAIT_S = 0.5
"""Time before the second attempt; each further one waits twice as long."""
_REVISION_BITS = 20
"""Bits of a version for the revision; those above are the time in milliseconds."""
_MAX_KEYWORD_CHARS = 8000
"""Longest URL that can be searched for; longer ones are stored only."""
_DATE = {"type": "date", "ignore_malformed": True}
_KEYWORD = {"type": "keyword", "ignore_above": _MAX_KEYWORD_CHARS}
_MAPPING: dict[str, Any] = {
    "dynamic": False,
    "properties": {
        "url": _KEYWORD,
        "site": _KEYWORD,
        "fetched_at": _DATE,
        "published_at": _DATE,
        "page_type": _KEYWORD,
        "fingerprint": _KEYWORD,
        "min_hashes": _KEYWORD,
        "title": {"type": "text"},
        "text": {"type": "text"},
        "is_deleted": {"type": "boolean"},
        "source": _KEYWORD,
        "revision": {"type": "long"},
    },
}
_POSITION_MAPPING = {"dynamic": False}
log = logging.getLogger("templ")


class _Position(msgspec.Struct):
    topic: str
    partition: int
    next_offset: int = 0
    mark: str | None = None


class OpenSearchIndex:
    """An index on a server that is open for writing."""

    def __init__(self, url: str, settings: Settings) -> None:
        """Connect to an index at `https://HOST:9200/NAME`, and create it when it does not exist.

        Raises:
            UsageProblem: The address has not this form.
            SettingsProblem: The file of authorities does not exist.
            ServerProblem: The server cannot be reached, or refuses.
        """
        logging.getLogger("opensearch").setLevel(
            logging.ERROR
        )  # attempts that fail are reported below
        self.counts = IndexCounts()
        parts = urlsplit(url)
        self.name = parts.path.strip("/")
        if (
            parts.scheme not in {"http", "https"}
            or not parts.netloc
            or "/" in self.name
            or not self.name
        ):
            raise UsageProblem(
                f"{url} is no address of an index; write it as https://HOST:9200/NAME"
            )
        self._address = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        self._positions_name = f"{self.name}-positions"
        username, ca_file = settings.opensearch_username, settings.opensearch_ca_file
        if ca_file is not None and not ca_file.is_file():
            raise SettingsProblem(f"TEMPL_OPENSEARCH_CA_FILE={ca_file}: there is no such file")
        self._client = OpenSearch(
            hosts=[self._address],
            http_auth=None if username is None else (username, settings.opensearch_password or ""),
            ca_certs=None if ca_file is None else str(ca_file),
            http_compress=True,
            timeout=60,
        )
        self._batch: list[dict[str, Any]] = []
        self._batch_bytes = 0
        self._batch_urls: set[str] = set()
        with self._as_worker_errors():
            self._create(self.name, _MAPPING)
            self._create(self._positions_name, _POSITION_MAPPING)
            self._client.indices.refresh(index=self._positions_name)
            match = self._client.search(index=self._positions_name, size=10_000)
        stored = [msgspec.convert(hit["_source"], _Position) for hit in match["hits"]["hits"]]
        self._positions = {(position.topic, position.partition): position for position in stored}
        self._moved: set[tuple[str, int]] = set()

    def _create(self, name: str, mapping: dict[str, Any]) -> None:
        if self._client.indices.exists(index=name):
            return
        try:
            self._client.indices.create(index=name, body={"mappings": mapping})
        except RequestError as error:
            if error.error != "resource_already_exists_exception":
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Send all changes inside the block, and then the positions that are noted there.

        Raises:
            ServerProblem: The server cannot be reached, or refuses.
        """
        try:
            yield
            self._flush()
        finally:
            self._batch.clear()
            self._batch_urls.clear()
            self._batch_bytes = 0
        with self._as_worker_errors():
            for key in self._moved:
                position = self._positions[key]
                self._client.index(
                    index=self._positions_name,
                    id=f"{position.topic}/{position.partition}",
                    body=msgspec.to_builtins(position),
                )
        self._moved.clear()

    def apply(self, record: CleanedRecord | DeletedRecord, place: LogPlace | None = None) -> None:  # noqa: ARG002 - for indexes that find out what a log has lost
        """Apply a record inside a transaction; what the index knows already changes nothing."""
        if record.url in self._batch_urls:  # attempts would mix up the order of two records
            self._flush()
        action = _action(self.name, record)
        self._batch.append(action)
        self._batch_urls.add(record.url)
        self._batch_bytes += len(record.text.encode()) if isinstance(record, CleanedRecord) else 0
        if len(self._batch) >= _BATCH_RECORDS or self._batch_bytes >= _BATCH_BYTES:
            self._flush()

    def _flush(self) -> None:
        """Send the batch; what the server is too busy for is sent again, up to 8 times."""
        batch, self._batch = self._batch, []
        self._batch_urls.clear()
        self._batch_bytes = 0
        wait_s = _FIRST_WAIT_S
        for attempt in range(_ATTEMPTS):
            if not batch:
                return
            if attempt:
                time.sleep(wait_s)
                wait_s *= 2
            batch, reason = self._send(batch)
        if batch:
            raise ServerProblem(
                f"{self._address} did not take {len(batch)} records in {_ATTEMPTS} attempts: {reason}"
            )

    def _send(self, batch: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], str]:
        """Send records; return those that the server may take later, and why."""
        again, reason = [], ""
        with self._as_worker_errors():
            outcomes = streaming_bulk(
                self._client,
                map(dict, batch),
                chunk_size=_BATCH_RECORDS,
                max_chunk_bytes=2 * _BATCH_BYTES,
                raise_on_error=False,
                raise_on_exception=False,
            )
            for action, (_, outcome) in zip(batch, outcomes, strict=True):
                ((_, answer),) = outcome.items()
                if answer["status"] in _BUSY_STATUSES:
                    again.append(action)
                    reason = str(answer.get("error", answer["status"]))
                else:
                    self._count(action, answer)
        return again, reason

    def _count(self, action: dict[str, Any], answer: dict[str, Any]) -> None:
        status = answer["status"]
        if status in {404, 409}:  # not there, or not newer
            self.counts.unchanged += 1
        elif status >= 300:
            self.counts.refused += 1
            error = answer.get("error")
            reason = error.get("reason") if isinstance(error, dict) else error
            url = action.get("_source", {}).get("url", action["_id"])
            log.warning("%s is refused: %s", url, reason)
        elif action["_op_type"] == "delete" or action["_source"]["is_deleted"]:
            self.counts.deleted += 1
        else:
            self.counts.written += 1

    def position(self, topic: str, partition: int) -> LogPosition:
        """Return how far a partition was read."""
        stored = self._positions.get((topic, partition))
        if stored is None:
            return LogPosition()
        return LogPosition(
            stored.next_offset, None if stored.mark is None else stored.mark.encode()
        )

    def move(self, topic: str, partition: int, next_offset: int) -> None:
        """Note inside a transaction how far a partition was read."""
        self._position(topic, partition).next_offset = next_offset

    def mark(self, topic: str, partition: int, mark: bytes) -> None:
        """Note inside a transaction which log a partition's offsets belong to."""
        self._position(topic, partition).mark = mark.decode()

    def _position(self, topic: str, partition: int) -> _Position:
        key = (topic, partition)
        self._moved.add(key)
        return self._positions.setdefault(key, _Position(topic, partition))

    def begin_rereading(self, topic: str, partition: int, until: int) -> None:  # noqa: ARG002
        """Refuse, because a server cannot know what a log has lost.

        Raises:
            StateProblem: In every case.
        """
        raise StateProblem(
            f"{topic}-{partition} was not read into {self.name} for half a day, so deletions may be gone "
            "from it: read it into an index of a new name, and let the alias of your queries point there"
        )

    def text_count(self) -> int:
        """Return the number of URLs that have a text."""
        with self._as_worker_errors():
            self._client.indices.refresh(index=self.name)
            answer = self._client.count(
                index=self.name, body={"query": {"term": {"is_deleted": False}}}
            )
        return int(answer["count"])

    @contextmanager
    def _as_worker_errors(self) -> Iterator[None]:
        try:
            yield
        except OpenSearchException as error:
            raise ServerProblem(f"{self._address} cannot be reached, or refuses: {error}") from None


def _action(index: str, record: CleanedRecord | DeletedRecord) -> dict[str, Any]:
    """Return what the bulk interface is to do for a record.

    The server takes a record only if its version is higher than the one that it has: the time of the fetch,
    then the revision. A record without a time replaces what is there, because the order of arrival is all that
    is known.
    """
    version = version_of(record)
    action: dict[str, Any] = {
        "_index": index,
        "_id": hashlib.sha256(record.url.encode("utf-8", "replace")).hexdigest(),
        "_op_type": "index",
    }
    if version.time_ms is None:
        if isinstance(record, DeletedRecord):
            return action | {"_op_type": "delete"}
    else:
        revision = min(version.revision, (1 << _REVISION_BITS) - 1)
        action["version"] = max(version.time_ms, 0) << _REVISION_BITS | revision
        action["version_type"] = "external"
    return action | {"_source": _document(record)}


def _document(record: CleanedRecord | DeletedRecord) -> dict[str, Any]:
    """Return the document of a record; that of a deletion has no text, and keeps older texts out."""
    document: dict[str, Any] = {
        "url": record.url,
        "site": record.site,
        "fetched_at": record.fetched_at,
        "source": str(record.source),
        "is_deleted": isinstance(record, DeletedRecord),
    }
    if isinstance(record, DeletedRecord):
        return document
    metadata = record.metadata
    return document | {
        "published_at": metadata and metadata.published_at,
        "page_type": record.page_type,
        "fingerprint": record.fingerprint and record.fingerprint.value,
        "min_hashes": sorted(digest.hex() for digest in min_hashes(record.text)),
        "title": (metadata and metadata.title) or record.title,
        "text": record.text,
        "revision": record.revision,
    }
