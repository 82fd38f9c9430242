"""Files as streams of bytes, with decompression, progress and one clear line for each problem."""

import io
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

import zstandard

from workers.errors import InputProblem

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

OnProgress = Callable[[int], None]
"""A function that is called with the number of bytes of each read."""
OnDamage = Callable[[str], None]
"""A function that is called with what is wrong with compressed data."""


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


class Decompressor(Protocol):
    """One member or frame of a compressed file, of which gzip and zstd files may have several."""

    @property
    def eof(self) -> bool:
        """Whether the member has ended."""

    @property
    def unused_data(self) -> bytes:
        """What was handed in behind the end of the member."""

    def decompress(self, data: bytes, /) -> bytes:
        """Return the content of the next compressed bytes."""


class Compression(NamedTuple):
    """How the files of a suffix are read."""

    new: Callable[[], Decompressor]
    name: str
    piece_bytes: int
    """Compressed bytes that are decompressed at once; the content of a damaged piece may be lost."""


COMPRESSIONS = {
    ".gz": Compression(lambda: zlib.decompressobj(wbits=31), "gzip", 4 << 10),
    ".xz": Compression(lzma.LZMADecompressor, "xz", 256),
    ".zst": Compression(lambda: zstandard.ZstdDecompressor().decompressobj(), "zstd", 1 << 10),
}
"""How compressed files are read, by their suffix."""


class _DecompressedFile(io.RawIOBase):
    """The content of a compressed file, up to its end or to the place where it is damaged."""

    def __init__(
        self, file: io.BufferedReader, compression: Compression, on_damage: OnDamage
    ) -> None:
        self._file = file
        self._compression = compression
        self._on_damage = on_damage
        self._member = compression.new()
        self._is_between_members = True
        self._compressed = b""
        self._content = memoryview(b"")
        self._has_ended = False

    def readable(self) -> bool:
        """Return True, since the file is open for reading."""
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        """Read content into `buffer`; where the file is damaged, say so once and end."""
        while not self._content and not self._has_ended:
            try:
                self._read_piece()
            except (EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError) as error:
                self._has_ended = True
                self._on_damage(str(error))
        space = memoryview(buffer).cast("B")
        size = min(len(space), len(self._content))
        space[:size] = self._content[:size]
        self._content = self._content[size:]
        return size

    def _read_piece(self) -> None:
        self._compressed = self._compressed or self._file.read(self._compression.piece_bytes)
        if not self._compressed:
            self._has_ended = True
            if not self._is_between_members:
                raise EOFError(f"the file ends within its {self._compression.name} data")
            return
        if self._is_between_members and not self._compressed.strip(b"\0"):
            self._compressed = b""  # padding behind the last member
            return
        self._is_between_members = False
        piece, self._compressed = self._compressed, b""
        self._content = memoryview(self._decompressed(piece))
        self._compressed = self._member.unused_data
        if self._member.eof:
            self._is_between_members = True
            self._member = self._compression.new()

    def _decompressed(self, piece: bytes) -> bytes:
        """Return the content of a piece; of a damaged piece of gzip what comes before the damage."""
        member = self._member
        if not hasattr(member, "copy"):
            return member.decompress(piece)
        before = member.copy()
        try:
            return member.decompress(piece)
        except zlib.error as error:
            content = bytearray()
            for place in range(len(piece)):
                try:
                    content += before.decompress(piece[place : place + 1])
                except zlib.error:
                    break
            self._has_ended = True
            self._on_damage(str(error))
            return bytes(content)


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
def open_decompressed(
    path: Path, on_progress: OnProgress, on_damage: OnDamage | None = None
) -> Iterator[Lines]:
    """Open a file and decompress it if its suffix is `.gz`, `.xz` or `.zst`.

    Args:
        path: File to read; `-` stands for standard input.
        on_progress: Called with the number of compressed bytes of each read.
        on_damage: Called with what is wrong where compressed data are damaged; the content ends
            there. None = `EOFError` is raised.

    Raises:
        InputProblem: The file cannot be opened.
    """
    with open_counted(path, on_progress) as file:
        compression = COMPRESSIONS.get(path.suffix)
        if compression is None:
            yield file
            return
        content = _DecompressedFile(file, compression, on_damage or _raise_damage)
        with io.BufferedReader(content, 1 << 18) as lines:
            yield lines


def _raise_damage(reason: str) -> None:
    raise EOFError(reason)


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
    except (EOFError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise InputProblem(_cannot_read(path, error)) from None
        raise InputProblem(damage(path, where(), str(error))) from None


def damage(path: Path, where: str, reason: str) -> str:
    """Return the line about a damaged file.

    Args:
        path: The file.
        where: How far reading got, in words that follow "is damaged".
        reason: What is wrong.
    """
    return (
        f"{path} is damaged {where} ({reason}): every whole record was read; fetch the file again"
    )


def _cannot_read(path: Path, error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return f"{path} does not exist: check the path"
    if isinstance(error, PermissionError):
        return f"{path} may not be read: give this user read permission"
    return f"{path} cannot be read: {error.strerror or error}"
