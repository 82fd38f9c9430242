"""INPUT... of a command, and how far it has been read."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from workers.feeds.files import read_pages, total_bytes
from workers.page import Page, Rejected


class FeedReader:
    """Pages of the inputs in order; counts the bytes it has read."""

    def __init__(self, paths: Sequence[Path], *, time_field: str, limit_bytes: int) -> None:
        """Look at the inputs.

        Raises:
            InputProblem: one that is unknown or cannot be read.
        """
        self._paths = paths
        self._time_field = time_field
        self._limit_bytes = limit_bytes
        self.bytes_total = total_bytes(paths)
        self.bytes_read = 0

    def __iter__(self) -> Iterator[Page | Rejected]:
        return read_pages(
            self._paths,
            time_field=self._time_field,
            limit_bytes=self._limit_bytes,
            on_progress=self._count,
        )

    def _count(self, size_bytes: int) -> None:
        self.bytes_read += size_bytes
