"""Pages from JSON Lines files."""

from collections.abc import Iterator
from pathlib import Path

from schemas.source import Source
from workers.errors import InputProblem
from workers.feeds.first_lines import check_first_lines
from workers.feeds.identity import file_source
from workers.feeds.reading import Reading
from workers.feeds.records import DAMAGED_INPUT, PAGE_TOO_LARGE, page_from_json
from workers.feeds.streams import Lines, damage, damage_told, open_parts
from workers.page import Page, Rejected

_LINE_PER_PAGE = 4
"""Ratio of the longest line to the largest page; escapes and base64 take room."""
KEPT_BYTES = 64 << 10
"""Bytes that a dead letter keeps of a record that is too large to hold in memory."""
_FIRST_BYTES = 64 << 10
"""Bytes at the beginning of a file by which it is checked whether there are pages in it."""


def read_json_lines(path: Path, name: str, reading: Reading) -> Iterator[Page | Rejected]:
    """Yield the pages of a JSON Lines file; blank lines do not count as records.

    Of a damaged file the records before the damage are read, what is left of the damaged one is a
    rejected record, and reading goes on where compressed data can be read again.

    Args:
        path: The file, which may be compressed.
        name: Name of the file in sources and ids.
        reading: What it is read with.

    Raises:
        InputProblem: The file cannot be read, is damaged, or holds something else than pages. Of a
            damaged file all whole records were yielded.
        UsageProblem: No record has the time field.
    """
    number, longest = 0, _LINE_PER_PAGE * reading.limit_bytes
    damages: list[str] = []
    problem: str | None = None
    with damage_told(path, lambda: f"after its first {number} records"):
        for stream in open_parts(path, reading.on_progress, damages.append):
            if not number:
                head = stream.peek(_FIRST_BYTES)
                check_first_lines(path, head, reading.timeline.time_field, reading.limit_bytes)
            rest = b""
            for line in _lines(stream, longest):
                if damages and not line.endswith(b"\n") and len(line) <= longest:
                    rest = line
                    continue
                record = _record(line, name, number, reading)
                number += 1
                if isinstance(record, Page):
                    reading.timeline.passed(record)
                yield record
            if damages:
                reason = damages.pop()
                problem = problem or damage(path, f"after its first {number} records", reason)
                yield _damaged(file_source(name, number, rest), rest, reason)
                number += 1
    if problem is not None:
        raise InputProblem(problem)


def _lines(stream: Lines, longest: int) -> Iterator[bytes]:
    """Yield the lines of a stream that are not blank, and of too long ones one byte too many."""
    while line := stream.readline(longest + 1):
        if len(line) > longest:
            yield line
            _skip_line(stream, line)
        elif line.strip():
            yield line
        else:
            _skip_blank_lines(stream)


def _record(line: bytes, name: str, number: int, reading: Reading) -> Page | Rejected:
    longest = _LINE_PER_PAGE * reading.limit_bytes
    if len(line) > longest:
        return _too_long(file_source(name, number, line), line, longest)
    value = line.rstrip(b"\r\n")
    return page_from_json(
        value,
        file_source(name, number, value),
        default_id=f"{name}:{number}",
        event_time_ms=reading.timeline.event_time_ms,
        time_field=reading.timeline.time_field,
        limit_bytes=reading.limit_bytes,
    )


def _too_long(source: Source, line: bytes, longest: int) -> Rejected:
    return Rejected(
        source=source,
        url=None,
        exception=PAGE_TOO_LARGE,
        message=f"a line of more than {longest} bytes; the first {KEPT_BYTES} are kept",
        value=line[:KEPT_BYTES],
    )


def _damaged(source: Source, rest: bytes, reason: str) -> Rejected:
    return Rejected(
        source=source,
        url=None,
        exception=DAMAGED_INPUT,
        message=f"the file is damaged here ({reason}); the value is what is left of the record",
        value=rest[:KEPT_BYTES],
    )


def _skip_blank_lines(stream: Lines) -> None:
    """Move past blank lines a block at a time, because there may be millions of them."""
    while size_bytes := _blank_bytes(stream.peek(1)):
        stream.read(size_bytes)


def _blank_bytes(block: bytes) -> int:
    """Return the size of the blank lines that a block begins with."""
    return block.rfind(b"\n", 0, len(block) - len(block.lstrip())) + 1


def _skip_line(stream: Lines, piece: bytes) -> None:
    while piece and not piece.endswith(b"\n"):
        piece = stream.readline(1 << 20)
