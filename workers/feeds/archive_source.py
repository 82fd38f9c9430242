"""The records of archives in the order of their times, and the file that keeps how far they were sent."""

import zlib
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import msgspec

from schemas.codec import encode_json
from workers.errors import DiskProblem, StateProblem
from workers.feeds.archives import read_archives
from workers.feeds.reading import BEGINNING, Place, Reading
from workers.feeds.streams import as_input_problem, items_off_loop
from workers.page import Page, Rejected
from workers.whole_file import write_whole

_PROGRESS_FORMAT = 1
_HEAD_BYTES = 4096
"""Bytes at the beginning of a file by which it is known again."""


class _FileProgress(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    place: Place
    head_crc: int
    """CRC-32 of the first bytes of the file."""
    head_bytes: int
    """Number of these bytes."""


class _Progress(msgspec.Struct, forbid_unknown_fields=True):
    format: int
    files: dict[str, _FileProgress]
    """How far files were sent, by their address (`file:`)."""


class ArchiveSource:
    """The records of archives in the order of time, from the place on up to which they were sent.

    A file of progress holds the place of each archive behind its last record that was sent. It is replaced
    as a whole, so a kill at any moment leaves the old or the new one.
    """

    def __init__(self, files: Sequence[Path], progress: Path, how: Reading) -> None:
        """Read how far the archives were sent.

        Raises:
            StateProblem: The file of progress cannot be used, or an archive is another one than before.
            InputProblem: An archive cannot be read.
        """
        self._files = files
        self._path = progress
        self._how = how
        self._known = _read_progress(progress)
        self.is_resumed = progress.exists()
        """Whether an earlier replay was begun."""
        places = {file: self._start(file) for file in files}
        self._places = places
        self.sent_before = sum(place.number for place in places.values())
        """Number of records before the places at which reading begins."""

    def records(self) -> AsyncIterator[Page | Rejected]:
        """Yield the records, which are read in a thread."""
        return items_off_loop(self)

    def __iter__(self) -> Iterator[Page | Rejected]:
        for file, record, behind in read_archives(self._files, dict(self._places), self._how):
            self._places[file] = behind
            yield record

    def _start(self, file: Path) -> Place:
        known = self._known.files.get(file.resolve().as_uri())
        if known is None:
            return BEGINNING
        if _head_crc(file, known.head_bytes) != known.head_crc:
            raise StateProblem(
                f"{file} has changed since {self._path} noted how far it was sent: delete "
                f"{self._path} to send everything again"
            )
        return known.place

    async def note(self) -> None:
        """Store that all records that were yielded are sent.

        Raises:
            DiskProblem: The file of progress cannot be written.
        """
        for file, place in self._places.items():
            if place != BEGINNING:
                self._note_file(file, place)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._path, encode_json(self._known) + b"\n")
        except OSError as error:
            raise DiskProblem(f"--progress {self._path}: {error.strerror}") from None

    def _note_file(self, file: Path, place: Place) -> None:
        name = file.resolve().as_uri()
        known = self._known.files.get(name)
        if known is None:
            size = min(_HEAD_BYTES, file.stat().st_size)
            known = _FileProgress(place, _head_crc(file, size), size)
        self._known.files[name] = msgspec.structs.replace(known, place=place)


def _read_progress(path: Path) -> _Progress:
    try:
        progress = msgspec.json.decode(path.read_bytes(), type=_Progress)
    except FileNotFoundError:
        return _Progress(_PROGRESS_FORMAT, {})
    except OSError as error:
        raise StateProblem(f"--progress {path}: {error.strerror}") from None
    except msgspec.DecodeError:
        raise StateProblem(f"{path} is no file of progress; name another one") from None
    if progress.format != _PROGRESS_FORMAT:
        raise StateProblem(f"{path} was written by another version; delete it and replay again")
    return progress


def _head_crc(file: Path, size_bytes: int) -> int:
    with as_input_problem(file, lambda: ""), file.open("rb") as opened:
        return zlib.crc32(opened.read(size_bytes))
