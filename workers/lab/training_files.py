"""Files that training reads and writes."""

import hashlib
from pathlib import Path

from workers.errors import InputProblem


def corpus_name(path: Path) -> str:
    """What a corpus is called: its file's name without ending."""
    return path.name.partition(".")[0]


def digest(path: Path) -> str:
    """BLAKE2b-128 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def write(path: Path, body: bytes) -> None:
    """Write a file.

    Raises:
        InputProblem: the place cannot be written.
    """
    try:
        path.write_bytes(body)
    except OSError as error:
        raise InputProblem(f"{path}: {error.strerror}; name a place that can be written") from None
