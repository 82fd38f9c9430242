"""Corpora: JSON Lines, perhaps compressed."""

import gzip
import json
import lzma
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from workers.errors import InputProblem

STDIN = Path("-")


def read_lines(path: Path, on_progress: Callable[[int], None] | None = None) -> Iterator[bytes]:
    """Lines that are not blank; `.gz` and `.xz` are decompressed, `-` is standard input.

    Args:
        path: The file.
        on_progress: Called with the number of bytes of the file, as stored, that were read since.

    Raises:
        InputProblem: the file cannot be read.
    """
    if path == STDIN:
        yield from (line for line in sys.stdin.buffer if line.strip())
        return
    told = 0
    try:
        with path.open("rb") as raw, _decompressed(path, raw) as lines:
            for line in lines:
                if on_progress is not None and (at := raw.tell()) > told:
                    on_progress(at - told)
                    told = at
                if line.strip():
                    yield line
    except (OSError, EOFError, lzma.LZMAError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputProblem(f"{path}: {reason}; name a readable JSON Lines file") from None


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


def _decompressed(path: Path, raw: IO[bytes]) -> IO[bytes] | gzip.GzipFile | lzma.LZMAFile:
    if path.suffix == ".gz":
        return gzip.GzipFile(fileobj=raw)
    return lzma.LZMAFile(raw) if path.suffix == ".xz" else raw
