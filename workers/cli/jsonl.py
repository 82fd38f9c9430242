"""Corpora: JSON Lines, perhaps compressed."""

import gzip
import json
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from workers.errors import InputProblem

_OPENERS = {".gz": gzip.open, ".xz": lzma.open}


def read_lines(path: Path) -> Iterator[bytes]:
    """Lines that are not blank; `.gz` and `.xz` are decompressed.

    Raises:
        InputProblem: the file cannot be read.
    """
    opener = _OPENERS.get(path.suffix, open)
    try:
        with opener(path, "rb") as lines:
            for line in lines:
                if line.strip():
                    yield line
    except (OSError, EOFError, lzma.LZMAError) as error:
        raise InputProblem(f"{path}: {error}; name a readable JSON Lines file") from None


def read_objects(path: Path) -> Iterator[tuple[bytes, dict[str, Any]]]:
    """JSON objects, each with the line it stands on.

    Raises:
        InputProblem: the file cannot be read, or a line is no JSON object.
    """
    for number, line in enumerate(read_lines(path), 1):
        try:
            record = json.loads(line)
        except ValueError as error:
            raise InputProblem(f"{path}, line {number}: not JSON: {error}") from None
        if not isinstance(record, dict):
            raise InputProblem(f"{path}, line {number}: not a JSON object")
        yield line, record
