"""Files as streams of bytes, with decompression, progress and one clear line for each problem."""

import gzip
import io
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import zstandard

from workers.errors import InputProblem

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

OnProgress = Callable[[int], None]
"""A function that is called with the number of bytes of each read."""


class Lines(Protocol):
    """A stream of bytes from which lines can be read, and whose next bytes can be looked at."""

    def __iter__(self) -> Iterator[bytes]:
        """Yield the lines."""

    def peek(self, size: int, /) -> bytes:
        """Return bytes that come next, without moving; there are none at the end only."""

    def read(self, size: int, /) -> bytes:
        """Return the next bytes, at most `size`."""

    def readline(self, size: int, /) -> bytes:
        """Return the rest of the line with its line feed, or its first `size` bytes."""


STDIN = Path("-")
"""The path that stands for standard input."""


_ZSTD_PIECE_BYTES = 1 << 10
"""Compressed bytes that are decompressed at once, to 32 MiB at most."""


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


class _ZstdFile(io.RawIOBase):
    """The content of a file of zstd frames; unlike zstandard's reader it tells when the file is cut."""

    def __init__(self, file: io.BufferedReader) -> None:
        self._file = file
        self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._is_between_frames = True
        self._compressed = b""
        self._content = memoryview(b"")

    def readable(self) -> bool:
        """Return True, since the file is open for reading."""
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        """Read content into `buffer`.

        Raises:
            EOFError: The file ends within a frame.
        """
        while not self._content:
            self._compressed = self._compressed or self._file.read(_ZSTD_PIECE_BYTES)
            if not self._compressed:
                if self._is_between_frames:
                    return 0
                raise EOFError("the file ends within a zstd frame")
            self._read_piece()
        space = memoryview(buffer).cast("B")
        size = min(len(space), len(self._content))
        space[:size] = self._content[:size]
        self._content = self._content[size:]
        return size

    def _read_piece(self) -> None:
        self._content = memoryview(self._frame.decompress(self._compressed))
        self._compressed = self._frame.unused_data
        self._is_between_frames = self._frame.eof
        if self._frame.eof:
            self._frame = zstandard.ZstdDecompressor().decompressobj()


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
def open_decompressed(path: Path, on_progress: OnProgress) -> Iterator[Lines]:
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
            with io.BufferedReader(_ZstdFile(file), 1 << 18) as lines:
                yield lines
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
