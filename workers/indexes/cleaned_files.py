"""Cleaned records from files that `templ run` wrote."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from schemas.cleaned import CleanedRecord, DeletedRecord
from schemas.codec import SchemaError, decode_output
from workers.feeds.streams import OnProgress, damage_told, open_decompressed


class RefusedLine(NamedTuple):
    """A line that is no cleaned record."""

    number: int
    """Number of the line, counted from 1."""
    reason: str


def read_cleaned(
    path: Path, limit_bytes: int, on_progress: OnProgress
) -> Iterator[CleanedRecord | DeletedRecord | RefusedLine]:
    """Yield the records of a JSON Lines file that `templ run` wrote, which may be compressed.

    Args:
        path: The file; `-` is standard input.
        limit_bytes: Longest line; a longer one is refused.
        on_progress: Called with the number of bytes of each read of the file.

    Raises:
        InputProblem: The file cannot be read or is damaged; records before the damage were yielded.
    """
    number = 0
    with (
        damage_told(path, lambda: f"after its first {number} lines"),
        open_decompressed(path, on_progress) as stream,
    ):
        while line := stream.readline(limit_bytes + 1):
            number += 1
            if len(line) > limit_bytes:
                yield RefusedLine(number, f"it has more than {limit_bytes} bytes")
                while line and not line.endswith(b"\n"):
                    line = stream.readline(limit_bytes)
            elif line.strip():
                try:
                    yield decode_output(line)
                except SchemaError as error:
                    yield RefusedLine(number, str(error))
