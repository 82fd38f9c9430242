"""Corpora: JSON Lines, perhaps compressed."""

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from workers.errors import InputProblem
from workers.feeds.streams import damage_told, open_decompressed


def read_lines(path: Path, on_progress: Callable[[int], None] | None = None) -> Iterator[bytes]:
    """Lines that are not blank; `.gz`, `.xz` and `.zst` are decompressed, `-` is standard input.

    Args:
        path: The file.
        on_progress: Called with the number of bytes of each read of the file.

    Raises:
        InputProblem: the file cannot be read.
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
    """Nobody asked."""


def read_objects(path: Path) -> Iterator[tuple[bytes, dict[str, Any]]]:
    """JSON objects, each with the line it stands on.

    Raises:
        InputProblem: the file cannot be read, or a line is no JSON object.
    """
    return parse_objects(path, read_lines(path))


def parse_objects(path: Path, lines: Iterable[bytes]) -> Iterator[tuple[bytes, dict[str, Any]]]:
    """The JSON objects of lines, each with its line.

    Args:
        path: Where they stand, for the message.
        lines: One JSON object each.

    Raises:
        InputProblem: a line is no JSON object.
    """
    for number, line in enumerate(lines, 1):
        try:
            record = json.loads(line)
        except ValueError as error:
            raise InputProblem(f"{path}, line {number}: not JSON: {error}") from None
        if not isinstance(record, dict):
            raise InputProblem(f"{path}, line {number}: not a JSON object")
        yield line, record
