"""Files of JSON Lines that a command writes: only whole lines, compressed by their suffix, resumable."""

import errno
import fcntl
import gzip
import lzma
import os
import shlex
import stat
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, cast

import zstandard

from workers.errors import DISK_ERRORS, DiskProblem, UsageProblem, disk_remedy
from workers.feeds.streams import COMPRESSIONS

STDOUT = Path("-")
"""The output path that stands for standard output."""
_CHUNK_BYTES = 64 << 10
"""Bytes of whole lines that are written at once."""
_PACKED_CHUNK_BYTES = 1 << 20
"""Bytes of whole lines that are written at once to a compressed file, as a member of its own."""
_READ_BYTES = 1 << 16
_PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": lambda chunk: gzip.compress(chunk, 6, mtime=0),
    ".xz": lzma.compress,
    ".zst": lambda chunk: zstandard.compress(chunk, 3),
}


class RecordFile:
    """A file of lines that holds whole lines only, even when the disk is full."""

    def __init__(self, option: str, path: Path, *, resumes: bool = False) -> None:
        """Open the file of an option; `.gz`, `.xz` and `.zst` are compressed.

        If it `resumes`, lines are added behind the whole lines of a file that is there already, and what is left of a torn
        line is cut off. Otherwise the file is emptied. Either happens with the first `flush`, so a command that fails
        before it has anything to write leaves the file as it was.

        Raises:
            UsageProblem: The file cannot be opened.
            DiskProblem: The disk is full.
        """
        self._option = option
        self._path = path
        self._pack = _PACKERS.get(path.suffix)
        self._chunk_bytes = _PACKED_CHUNK_BYTES if self._pack else _CHUNK_BYTES
        self._lines = bytearray()
        try:
            mode = "wb" if not resumes else "r+b" if path.exists() else "w+b"
            file = open(path, mode, 0, opener=_open_as_it_is)  # noqa: SIM115 - `close` closes it
            self._file = cast("BinaryIO", file)
        except OSError as error:
            if error.errno == errno.EROFS:
                raise cannot_write(option, path, error) from None
            raise self._problem(error) from None
        self._refuse_second_writer()
        self._end = 0
        self._is_cut = False

    def _refuse_second_writer(self) -> None:
        """Lock the file until it is closed, so that two commands do not mix their lines."""
        if not stat.S_ISREG(os.fstat(self._file.fileno()).st_mode):  # as a pipe, or /dev/null
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.close()
            raise UsageProblem(
                f"{self._option} {self._path} is being written by another command: wait until it ends, or "
                "give another file"
            ) from None
        except OSError:  # a file system without locks
            return

    def lines_before(self) -> Iterator[bytes]:
        """Yield the whole lines of a file that is resumed.

        Raises:
            UsageProblem: The file has something else in it: no whole line, and no torn compressed one.
        """
        for end, chunk in _chunks(self._file, self._path.suffix):
            yield from chunk.splitlines(keepends=True)
            self._end = end
        if not self._end:
            self._file.seek(0)
            head = self._file.read(_READ_BYTES)
            packed = COMPRESSIONS.get(self._path.suffix)
            if head and not (packed and head.startswith(packed.magic[: len(head)])):
                raise UsageProblem(
                    f"--resume: {self._path} has no whole line to go on from; give --force to replace it"
                )

    def write(self, line: bytes) -> None:
        """Add a line, which ends with a line feed.

        Raises:
            DiskProblem: The disk is full or fails; the file ends with a whole line.
        """
        self._lines += line
        if len(self._lines) >= self._chunk_bytes:
            self.flush()

    def flush(self) -> None:
        """Write the lines that are in memory."""
        if not self._is_cut:
            self._is_cut = True
            with suppress(OSError):  # a pipe or a device has no end
                self._file.truncate(self._end)
                self._file.seek(self._end)
        chunk = bytes(self._lines)
        self._lines.clear()
        if not chunk:
            return
        packed = memoryview(self._pack(chunk) if self._pack else chunk)
        try:
            written = 0
            while written < len(packed):
                written += self._file.write(packed[written:])
            self._end += written
        except OSError as error:
            whole = 0 if self._pack else chunk[:written].rfind(b"\n") + 1
            self._end += whole
            with suppress(OSError):  # a pipe or a device has no end
                self._file.truncate(self._end)
            raise self._problem(error) from None

    def close(self) -> None:
        """Write the lines that are in memory, if there are any, and close the file."""
        try:
            if self._lines and not self._file.closed:
                self.flush()
        finally:
            self._file.close()

    def _problem(self, error: OSError) -> DiskProblem | UsageProblem:
        if error.errno in DISK_ERRORS:
            return DiskProblem(
                f"{self._option} {self._path}: {error.strerror}; its lines are whole: "
                f"{disk_remedy(str(error))} and go on (`templ run`: with --resume)"
            )
        return cannot_write(self._option, self._path, error)


def _open_as_it_is(path: str, flags: int) -> int:
    return os.open(path, flags & ~os.O_TRUNC, 0o666)


def cannot_write(option: str, path: Path, error: OSError) -> UsageProblem:
    """Return the problem that the file of an option cannot be opened; it says what to write."""
    advice = "give a file that can be written"
    if error.errno == errno.ENOENT and not path.parent.exists():
        advice = f"make its folder first: mkdir -p {shlex.quote(str(path.parent))}"
    return UsageProblem(f"{option} {path}: {error.strerror}; {advice}")


def _chunks(file: BinaryIO, suffix: str) -> Iterator[tuple[int, bytes]]:
    """Yield each run of whole lines of a file, and where in the file it ends."""
    if suffix in COMPRESSIONS:
        yield from _packed_chunks(file, suffix)
        return
    end, rest = 0, b""
    while piece := file.read(_READ_BYTES):
        rest += piece
        size = rest.rfind(b"\n") + 1
        if size:
            end += size
            yield end, rest[:size]
            rest = rest[size:]


def _packed_chunks(file: BinaryIO, suffix: str) -> Iterator[tuple[int, bytes]]:
    """Yield the content of each whole member of a compressed file, and where the member ends."""
    end, rest, new = 0, b"", COMPRESSIONS[suffix].new
    member, content, size = new(), bytearray(), 0
    while rest or (rest := file.read(_READ_BYTES)):
        try:
            content += member.decompress(rest)
        except (EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError):
            return
        size += len(rest) - len(member.unused_data)
        rest = member.unused_data
        if member.eof:
            end += size
            yield end, bytes(content)
            member, content, size = new(), bytearray(), 0
