"""Pages from the files of a crawl in the order of their times, from any position in each file on.

Each file is taken to be about in the order of time, as crawlers write it. The files are merged by the times of
their next pages, and a file is open only from its first page's time on, so memory is bounded by the files that
overlap in time. The order within a file stays as it is.
"""

import heapq
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from workers.errors import InputProblem, UsageProblem
from workers.feeds.files import LINES_SUFFIXES, WARC_SUFFIXES, input_names
from workers.feeds.lines import read_json_lines
from workers.feeds.reading import BEGINNING, Place, PlacedRecord, Reading, ignore
from workers.feeds.streams import STDIN, as_input_problem
from workers.feeds.warc import read_warc
from workers.page import Page, Rejected

OPEN_FILES_MAX = 64
"""Most files that are read at the same time; each holds two pages and less than 1 MB of buffers."""


class ArchivedRecord(NamedTuple):
    """A record of one of several files."""

    file: Path
    record: Page | Rejected
    behind: Place
    """Where the file goes on."""


_Next = tuple[int, int, PlacedRecord, Iterator[PlacedRecord]]
"""The next record of a file behind its time and the number of the file, by which records are merged."""


def archive_files(inputs: Sequence[Path]) -> list[Path]:
    """Return the archives among the inputs, and below those that are directories, sorted by path.

    A file that a crawler still writes (Heritrix calls it `.open`) is no archive yet.

    Raises:
        UsageProblem: An input is no archive, or a directory has none.
        InputProblem: An input cannot be read.
    """
    archives: list[Path] = []
    for path in inputs:
        with as_input_problem(path, lambda: ""):
            if path == STDIN:
                raise UsageProblem(
                    "--by-time reads files, which can be read again after a kill: drop it to send the pages of "
                    "standard input"
                )
            path.stat()
            some = sorted(path.rglob("*")) if path.is_dir() else [path]
        some = [archive for archive in some if not path.is_dir() or _is_archive(archive)]
        if not some or not all(map(_is_archive, some)):
            raise UsageProblem(
                f"{path} is no archive and no directory with archives: give files of .warc or .jsonl, compressed or not, "
                "or directories of them"
            )
        archives += some
    return list(dict.fromkeys(archives))


def _is_archive(path: Path) -> bool:
    return path.name.lower().endswith((*LINES_SUFFIXES, *WARC_SUFFIXES)) and path.is_file()


def read_archives(
    files: Sequence[Path],
    places: Mapping[Path, Place],
    how: Reading,
    open_files_max: int = OPEN_FILES_MAX,
) -> Iterator[ArchivedRecord]:
    """Yield the records of all files, merged by time.

    If more files overlap in time than are read at the same time, some begin later.

    Raises:
        UsageProblem: A file has no field of the name of the time field.
    """
    names = input_names(files)
    waiting = [
        (_first_ms(file, places.get(file, BEGINNING), how), number)
        for number, file in enumerate(files)
    ]
    heapq.heapify(waiting)
    merged: list[_Next] = []
    while waiting or merged:
        while waiting and len(merged) < open_files_max:
            if merged and waiting[0] > merged[0][:2]:
                break
            _, number = heapq.heappop(waiting)
            file = files[number]
            rest = _read(file, names[number], how, places.get(file, BEGINNING))
            _push_next(merged, number, rest)
        if merged:
            _, number, placed, rest = heapq.heappop(merged)
            yield ArchivedRecord(files[number], placed.record, placed.behind)
            _push_next(merged, number, rest)


def _first_ms(file: Path, start: Place, how: Reading) -> int:
    """Return the time of a file's next record, or about that; 0 for a file that has none."""
    if start != BEGINNING:
        return start.next_ms
    quiet = msgspec.structs.replace(how, on_progress=ignore, on_problem=ignore)
    first = next(_read(file, "", quiet, start), None)
    return 0 if first is None else _time_ms(first)


def _push_next(merged: list[_Next], number: int, rest: Iterator[PlacedRecord]) -> None:
    page = next(rest, None)
    if page is not None:
        heapq.heappush(merged, (_time_ms(page), number, page, rest))


def _time_ms(placed: PlacedRecord) -> int:
    record = placed.record
    return record.event_time_ms if isinstance(record, Page) else placed.behind.next_ms


def _read(file: Path, name: str, how: Reading, start: Place) -> Iterator[PlacedRecord]:
    """Yield the records of a file from a place on; a problem ends it and is reported."""
    reading = msgspec.structs.replace(how, next_ms=start.next_ms)
    read = read_warc if file.name.lower().endswith(WARC_SUFFIXES) else read_json_lines
    try:
        yield from read(file, name, reading, start)
    except InputProblem as problem:
        if how.on_problem is None:
            raise
        how.on_problem(problem)
