"""Files that training reads and writes."""

import hashlib
from pathlib import Path

from workers.errors import InputProblem


def file_digest(path: Path) -> str:
    """Return the BLAKE2b-128 digest of a file in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def write_file(path: Path, body: bytes) -> None:
    """Write a file.

    Raises:
        InputProblem: The file cannot be written.
    """
    try:
        path.write_bytes(body)
    except OSError as error:
        raise InputProblem(f"{path}: {error.strerror}; name a place that can be written") from None
