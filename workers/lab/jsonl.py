"""Reading corpora: JSON Lines files, compressed or not."""

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from workers.errors import InputProblem
from workers.feeds.streams import damage_told, open_decompressed


def corpus_name(path: Path) -> str:
    """Return the name of a corpus: the name of its file without endings."""
    return path.name.partition(".")[0]


def read_nonblank_lines(
    path: Path, on_progress: Callable[[int], None] | None = None
) -> Iterator[bytes]:
    """Yield the lines of a file that are not blank.

    Files that end in `.gz`, `.xz` or `.zst` are decompressed.

    Args:
        path: The file to read; `-` is standard input.
        on_progress: Called with the number of bytes of each read of the file.

    Raises:
        InputProblem: The file cannot be read.
    """
    number = 0
    with (
        damage_told(path, lambda: f"after its first {number} lines"),
        open_decompressed(path, on_progress or _no_progress) as lines,
    ):
        for number, line in enumerate(lines, 1):  # noqa: B007 - for the message
            if line.strip():
                yield line


def _no_progress(size_bytes: int) -> None:
    """Ignore the progress."""


def read_objects(path: Path) -> Iterator[tuple[bytes, dict[str, Any]]]:
    """Yield the JSON objects of a file, each after its line.

    Raises:
        InputProblem: The file cannot be read, or a line is not a JSON object.
    """
    return parse_objects(path, read_nonblank_lines(path))


def parse_objects(path: Path, lines: Iterable[bytes]) -> Iterator[tuple[bytes, dict[str, Any]]]:
    """Yield the JSON objects of some lines, each after its line.

    Args:
        path: Where the lines come from, for error messages.
        lines: Lines with one JSON object each.

    Raises:
        InputProblem: A line is not a JSON object.
    """
    for number, line in enumerate(lines, 1):
        try:
            record = json.loads(line)
        except ValueError as error:
            raise InputProblem(f"{path}, line {number}: not JSON: {error}") from None
        if not isinstance(record, dict):
            raise InputProblem(f"{path}, line {number}: not a JSON object")
        yield line, record
