"""A Parquet file of cleaned records, one row a page."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from schemas.cleaned import CleanedRecord
from templ_core.page_quality import KINDS
from workers.errors import DISK_ERRORS, DiskProblem, UsageProblem, disk_remedy
from workers.local.record_file import cannot_write

SUFFIX = ".parquet"
_ROWS_AT_ONCE = 1000
_TEXTS = (
    "url", "site", "id", "fetched_at", "title", "text", "markdown", "html", "language", "page_type", "published_at",
    "method", "fingerprint", "duplicate_of",
)  # fmt: skip
_OBJECTS = ("metadata", "records", "chunks", "segments", "links", "changes", "observed")
"""Fields whose values are JSON texts."""
_LISTS = ("authors", "warnings")
_NUMBERS = ("confidence", *(f"quality_{kind}" for kind in KINDS))


class ParquetFile:
    """A file of rows, which is complete once it is closed; an interrupted run leaves the rows before."""

    def __init__(self, path: Path) -> None:
        """Open the file of --out.

        Raises:
            UsageProblem: pyarrow is not installed, or the file cannot be written.
            DiskProblem: The disk is full or fails.
        """
        try:
            import pyarrow as pa  # noqa: PLC0415 - an extra
            from pyarrow import parquet  # noqa: PLC0415
        except ModuleNotFoundError:
            raise UsageProblem(
                f"--out {path} needs pyarrow: install templ-worker with its extra `parquet`"
            ) from None
        self._path = path
        self._from_rows = pa.Table.from_pylist
        self._schema = pa.schema(
            [(name, pa.string()) for name in (*_TEXTS, *_OBJECTS)]
            + [(name, pa.list_(pa.string())) for name in _LISTS]
            + [(name, pa.float64()) for name in _NUMBERS]
        )
        self._rows: list[dict[str, Any]] = []
        with self._as_worker_errors(DISK_ERRORS - {errno.EROFS}):
            self._writer = parquet.ParquetWriter(path, self._schema, compression="zstd")

    def add(self, record: CleanedRecord) -> None:
        """Add the row of a page.

        Raises:
            DiskProblem: The disk is full or fails.
        """
        self._rows.append(_row(record))
        if len(self._rows) >= _ROWS_AT_ONCE:
            self.flush()

    def flush(self) -> None:
        """Write the rows that are in memory as a row group."""
        rows, self._rows = self._rows, []
        if rows:
            with self._as_worker_errors():
                self._writer.write_table(self._from_rows(rows, self._schema))

    def close(self) -> None:
        """Write the rows that are in memory, and the footer that makes the file readable."""
        try:
            self.flush()
        finally:
            with self._as_worker_errors():
                self._writer.close()

    @contextmanager
    def _as_worker_errors(self, disk_errors: frozenset[int] = DISK_ERRORS) -> Iterator[None]:
        """Turn an error of writing the file into one line; that of the disk where it is one of these."""
        try:
            yield
        except OSError as error:
            if error.errno not in disk_errors:
                raise cannot_write("--out", self._path, error) from None
            reason = os.strerror(error.errno)
            raise DiskProblem(f"--out {self._path}: {reason}; {disk_remedy(reason)}") from None


def _row(record: CleanedRecord) -> dict[str, Any]:
    metadata, quality = record.metadata, record.quality or None
    plain = msgspec.structs.asdict(record)
    objects = {name: plain[name] for name in _OBJECTS}
    return {
        **{name: value for name in _TEXTS if (value := plain.get(name)) is not msgspec.UNSET},
        **{
            name: msgspec.json.encode(value).decode() if value else None
            for name, value in objects.items()
        },
        "language": metadata.language if metadata else None,
        "published_at": metadata.published_at if metadata else None,
        "authors": list(metadata.authors) if metadata else [],
        "fingerprint": record.fingerprint.value if record.fingerprint else None,
        "warnings": record.warnings,
        "confidence": record.confidence,
        **{f"quality_{kind}": getattr(quality, kind, None) for kind in KINDS},
    }
