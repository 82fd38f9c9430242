"""Files as streams of bytes, with decompression, progress and one clear line for each problem."""

import gzip
import io
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import zstandard

from workers.errors import InputProblem

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

OnProgress = Callable[[int], None]
"""A function that is called with the number of bytes of each read."""

STDIN = Path("-")
"""The path that stands for standard input."""


class _CountedFile(io.RawIOBase):
    """A file that reports how many bytes were read from it."""

    def __init__(self, file: io.RawIOBase, on_progress: OnProgress) -> None:
        self._file = file
        self._on_progress = on_progress

    def readable(self) -> bool:
        """Return True, since the file is open for reading."""
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int | None:
        """Read into `buffer`, and report the number of bytes."""
        size = self._file.readinto(buffer)
        self._on_progress(size or 0)
        return size

    def seekable(self) -> bool:
        """Return whether the file allows seeking, which FastWARC asks."""
        return self._file.seekable()

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move to another position of the file."""
        return self._file.seek(offset, whence)

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()


def open_counted(path: Path, on_progress: OnProgress) -> io.BufferedReader:
    """Open a file without decompression.

    Args:
        path: File to read; `-` stands for standard input.
        on_progress: Called with the number of bytes of each read.

    Raises:
        InputProblem: The file cannot be opened.
    """
    try:
        file = _open(path)
    except OSError as error:
        raise InputProblem(_cannot_read(path, error)) from None
    return io.BufferedReader(_CountedFile(file, on_progress), 1 << 18)


def _open(path: Path) -> io.FileIO:
    if path == STDIN:
        return io.FileIO(sys.stdin.fileno(), closefd=False)
    return path.open("rb", buffering=0)


@contextmanager
def open_decompressed(path: Path, on_progress: OnProgress) -> Iterator[io.BufferedIOBase]:
    """Open a file and decompress it if its suffix is `.gz`, `.xz` or `.zst`.

    Args:
        path: File to read; `-` stands for standard input.
        on_progress: Called with the number of compressed bytes of each read.

    Raises:
        InputProblem: The file cannot be opened.
    """
    with open_counted(path, on_progress) as file:
        if path.suffix == ".gz":
            with gzip.open(file, "rb") as stream:
                yield stream
        elif path.suffix == ".xz":
            with lzma.open(file, "rb") as stream:
                yield stream
        elif path.suffix == ".zst":
            reader = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
            with io.BufferedReader(reader, 1 << 18) as stream:
                yield stream
        else:
            yield file


@contextmanager
def damage_told(path: Path, where: Callable[[], str]) -> Iterator[None]:
    """Turn errors of reading into one line that says where the file is damaged.

    Args:
        path: File that is read.
        where: Returns how far reading got, in words that follow "is damaged".

    Raises:
        InputProblem: Reading failed.
    """
    try:
        yield
    except (EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise InputProblem(_cannot_read(path, error)) from None
        raise InputProblem(
            f"{path} is damaged {where()} ({error}): everything before that was read; fetch the file again"
        ) from None


def _cannot_read(path: Path, error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return f"{path} does not exist: check the path"
    if isinstance(error, PermissionError):
        return f"{path} may not be read: give this user read permission"
    return f"{path} cannot be read: {error.strerror or error}"
