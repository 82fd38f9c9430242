"""INPUT... of a command, and how far it has been read."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from workers.errors import UsageProblem
from workers.feeds.files import read_feed, total_bytes
from workers.feeds.streams import STDIN
from workers.page import Page, Rejected
from workers.settings import Settings

STDOUT = Path("-")
"""As an output stands for standard output."""


def refuse_overwriting(inputs: Sequence[Path], **outputs: Path | None) -> None:
    """Outputs that are an input, or each other, would destroy it.

    Raises:
        UsageProblem: one is; by the option's name.
    """
    taken = {path.resolve(): f"the input {path}" for path in inputs if path != STDIN}
    for name, path in outputs.items():
        if path is None or path == STDOUT:
            continue
        option = f"--{name.replace('_', '-')}"
        place = path.resolve()
        if place in taken:
            raise UsageProblem(f"{option} {path} is {taken[place]} too; name another file")
        if path.is_file() or not path.exists():
            taken[place] = option


class FeedReader:
    """Pages of the inputs in order; counts the bytes it has read."""

    def __init__(self, paths: Sequence[Path], *, time_field: str, settings: Settings) -> None:
        """Look at the inputs; what is dated later than now and the allowed skew counts as that.

        Raises:
            InputProblem: one that is unknown or cannot be read.
        """
        self._paths = paths
        self._time_field = time_field
        self._settings = settings
        self._latest_ms = round(time.time() * 1000) + settings.clock_skew_ms
        self.bytes_total = total_bytes(paths)
        self.bytes_read = 0

    def __iter__(self) -> Iterator[Page | Rejected]:
        return read_feed(
            self._paths,
            time_field=self._time_field,
            latest_ms=self._latest_ms,
            limit_bytes=self._settings.page_limit_bytes,
            on_progress=self._count,
        )

    def _count(self, size_bytes: int) -> None:
        self.bytes_read += size_bytes
