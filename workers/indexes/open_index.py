"""The indexes of cleaned records, and how one of them is opened for writing."""

from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from workers.indexes.sqlite_index import SqliteIndex
from workers.settings import load_settings

if TYPE_CHECKING:
    from workers.indexes.opensearch_index import OpenSearchIndex

CleanedIndex: TypeAlias = "SqliteIndex | OpenSearchIndex"
"""An index that is open for writing; it knows how far each partition of a topic was read."""


def open_index(path: Path | None, url: str) -> CleanedIndex:
    """Open the SQLite index of a file, or without one the index of an OpenSearch server, which needs its extra."""
    if path is not None:
        return SqliteIndex(path)
    from workers.indexes.opensearch_index import OpenSearchIndex  # noqa: PLC0415 - an extra

    return OpenSearchIndex(url, load_settings())
