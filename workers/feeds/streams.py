"""Files as streams of bytes, with decompression, progress and one clear line for each problem."""

from __future__ import annotations

import asyncio
import io
import lzma
import sys
import zlib
from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import zstandard

from workers.errors import InputProblem

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

OnProgress = Callable[[int], None]
"""A function that is called with the number of bytes of each read."""
OnDamage = Callable[[str], None]
"""A function that is called with what is wrong with compressed data."""


Item = TypeVar("Item")
_END = object()
STDIN = Path("-")
"""The path that stands for standard input."""


class _CountedFile(io.FileIO):
    """A file that reports the number of bytes of each read."""

    def __init__(self, path: Path, on_progress: OnProgress) -> None:
        is_stdin = path == STDIN
        super().__init__(sys.stdin.fileno() if is_stdin else path, closefd=not is_stdin)
        self._on_progress = on_progress

    def readinto(self, buffer: WriteableBuffer) -> int:
        size = super().readinto(buffer) or 0
        self._on_progress(size)
        return size


class Compression(NamedTuple):
    """How the files of a suffix are read."""

    new: Callable[[], Any]
    """Makes what decompresses one member or frame; gzip and zstd files may have several."""
    name: str
    magic: bytes
    """The bytes that each member begins with."""
    piece_bytes: int
    """Compressed bytes that are decompressed at once; the content of a damaged piece may be lost."""


COMPRESSIONS = {
    ".gz": Compression(lambda: zlib.decompressobj(wbits=31), "gzip", b"\x1f\x8b\x08", 4 << 10),
    ".xz": Compression(lzma.LZMADecompressor, "xz", b"\xfd7zXZ\0", 256),
    ".zst": Compression(
        lambda: zstandard.ZstdDecompressor().decompressobj(), "zstd", b"\x28\xb5\x2f\xfd", 1 << 10
    ),
}
"""How compressed files are read, by their suffix in lower case."""
_TEXT_BEGINNINGS = (b"{", b"[", b"<")
"""How files begin that are no compressed data."""
_PROBE_BYTES = 4 << 10
"""Compressed bytes that must be sound where a member seems to begin behind damage."""
_SEARCH_BYTES = 1 << 20


_DAMAGES = (EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError)


class _DecompressedFile(io.RawIOBase):
    """The content of a compressed file, up to its end or to the place where it is damaged."""

    def __init__(
        self, file: io.BufferedReader, compression: Compression, start: int, on_damage: OnDamage
    ) -> None:
        self.is_damaged = False
        self.member_start = start
        """Where the present member begins in the file, in bytes."""
        self._read_to = start
        self._file = file
        self._compression = compression
        self._on_damage = on_damage
        self._member = compression.new()
        self._is_between_members = True
        self._compressed = b""
        self._content = memoryview(b"")
        self._has_ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Read content into `buffer`; where the file is damaged, say so once and end."""
        while not self._content and not self._has_ended:
            try:
                self._read_piece()
            except _DAMAGES as error:
                self._end_at_damage(error)
        space = memoryview(buffer).cast("B")
        size = min(len(space), len(self._content))
        space[:size] = self._content[:size]
        self._content = self._content[size:]
        return size

    def _end_at_damage(self, error: Exception) -> None:
        self._has_ended = self.is_damaged = True
        self._on_damage(str(error))

    def _read_piece(self) -> None:
        if not self._compressed:
            self._compressed = self._file.read(self._compression.piece_bytes)
            self._read_to += len(self._compressed)
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
            self.member_start = self._read_to - len(self._compressed)

    def _decompressed(self, piece: bytes) -> bytes:
        """Return the content of a piece; of a damaged piece of gzip what comes before the damage."""
        member = self._member
        before: Any = member.copy() if hasattr(member, "copy") else None
        try:
            whole: bytes = member.decompress(piece)
        except zlib.error as error:
            content = bytearray()
            for place in range(len(piece)):
                try:
                    content += before.decompress(piece[place : place + 1])
                except zlib.error:
                    break
            self._end_at_damage(error)
            return bytes(content)
        return whole


def open_counted(path: Path, on_progress: OnProgress) -> io.BufferedReader:
    """Open a file without decompression.

    Raises:
        InputProblem: The file cannot be opened.
    """
    try:
        return io.BufferedReader(_CountedFile(path, on_progress), 1 << 18)
    except OSError as error:
        raise InputProblem(_cannot_read(path, error)) from None


@contextmanager
def open_decompressed(path: Path, on_progress: OnProgress) -> Iterator[io.BufferedReader[Any]]:
    """Open a file and decompress it if its suffix is `.gz`, `.xz` or `.zst`.

    Raises:
        InputProblem: The file cannot be opened.
        EOFError: Compressed data are damaged; it is raised while the content is read.
    """
    with closing(open_parts(path, on_progress, _raise_damage)) as parts:
        yield next(parts)


def open_parts(
    path: Path, on_progress: OnProgress, on_damage: OnDamage
) -> Generator[io.BufferedReader[Any], None, None]:
    """Yield the content of a file as one stream, or what is whole of a damaged one as several.

    It is decompressed if its suffix is `.gz`, `.xz` or `.zst`; `-` stands for standard input. A compressed file is
    damaged from some place to the next member or frame that can be read: gzip and zstd files that were written in
    several goes have several. Each stream must be read to its end before the next one is asked for. The number of
    compressed bytes of each read goes to `on_progress`, and what is wrong to `on_damage`, before the stream ends that
    comes before the damage.

    Raises:
        InputProblem: The file cannot be opened, or it is not compressed although its suffix says so.
    """
    with open_counted(path, on_progress) as file:
        compression = COMPRESSIONS.get(path.suffix.lower())
        if compression is None:
            yield file
            return
        if file.peek(1)[:1] in _TEXT_BEGINNINGS:
            raise InputProblem(
                f"{path} is not compressed with {compression.name}: take {path.suffix} off its name"
            )
        start: int | None = 0
        while start is not None:
            content = _DecompressedFile(file, compression, start, on_damage)
            with io.BufferedReader(content, 1 << 18) as lines:
                yield lines
            start = None
            if content.is_damaged and file.seekable():
                start = _next_member(file, compression, content.member_start + 1)


def _next_member(file: io.BufferedReader, compression: Compression, place: int) -> int | None:
    """Move to the next member from a place on, and return where it begins, or None."""
    for start in occurrences(file, compression.magic, place):
        file.seek(start)
        if _is_sound(compression, file.read(_PROBE_BYTES)):
            return file.seek(start)
    return None


def occurrences(file: io.BufferedReader, pattern: bytes, place: int) -> Iterator[int]:
    """Yield where a pattern is in a file from a place on; the caller may move in the file meanwhile."""
    block = b""
    file.seek(place)
    while piece := file.read(_SEARCH_BYTES):
        block += piece
        start = -1
        while (start := block.find(pattern, start + 1)) >= 0:
            yield place + start
        rest = block[-len(pattern) + 1 :]
        place += len(block) - len(rest)
        block = rest
        file.seek(place + len(block))


def _is_sound(compression: Compression, head: bytes) -> bool:
    try:
        compression.new().decompress(head)
    except _DAMAGES:
        return False
    return True


def _raise_damage(reason: str) -> None:
    raise EOFError(reason)


@contextmanager
def as_input_problem(path: Path, where: Callable[[], str]) -> Iterator[None]:
    """Turn errors of reading a file into one line that says `where` it is damaged, in words that follow "is damaged".

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
    """Return the line about a damaged file."""
    return (
        f"{path} is damaged {where} ({reason}): every whole record was read; fetch the file again"
    )


def _cannot_read(path: Path, error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return f"{path} does not exist: check the path"
    if isinstance(error, PermissionError):
        return f"{path} may not be read: give this user read permission"
    return f"{path} cannot be read: {error.strerror or error}"


async def items_off_loop(items: Iterable[Item]) -> AsyncIterator[Item]:
    """Yield the items, each produced in a thread so that the event loop can go on meanwhile."""
    iterator = iter(items)
    while (item := await asyncio.to_thread(next, iterator, _END)) is not _END:
        yield cast("Item", item)
