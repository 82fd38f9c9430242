"""Pages from JSON Lines files."""

from collections.abc import Iterator
from pathlib import Path

from schemas.source import Source
from workers.errors import InputProblem
from workers.feeds.first_lines import check_first_lines
from workers.feeds.identity import file_source
from workers.feeds.reading import BEGINNING, Place, PlacedRecord, Reading
from workers.feeds.records import DAMAGED_INPUT, PAGE_TOO_LARGE, page_from_json
from workers.feeds.streams import Lines, damage, damage_told, open_decompressed
from workers.page import Page, Rejected

_LINE_PER_PAGE = 4
"""Ratio of the longest line to the largest page; escapes and base64 take room."""
KEPT_BYTES = 64 << 10
"""Bytes that a dead letter keeps of a record that is too large to hold in memory."""
_FIRST_BYTES = 64 << 10
"""Bytes at the beginning of a file by which it is checked whether there are pages in it."""
_SKIPPED_BYTES = 1 << 20
"""Most bytes that are read at once in order to be skipped."""


def read_json_lines(
    path: Path, name: str, reading: Reading, start: Place = BEGINNING
) -> Iterator[PlacedRecord]:
    """Yield the pages of a JSON Lines file, each with the place behind it; blank lines are no records.

    Args:
        path: The file, which may be compressed.
        name: Name of the file in sources and ids.
        reading: What it is read with.
        start: Where reading begins: a place that was yielded before. The content of a compressed file is
            decompressed up to there.

    Raises:
        InputProblem: The file cannot be read, is damaged, or holds something else than pages. The whole
            records before the damage were yielded, and then what is left of the damaged one.
        UsageProblem: No record has the time field.
    """
    number, offset = start.number, start.offset
    timeline, limit_bytes = reading.timeline, reading.limit_bytes
    longest = _LINE_PER_PAGE * limit_bytes
    damages: list[str] = []
    with (
        damage_told(path, lambda: f"after its first {number} records"),
        open_decompressed(path, reading.on_progress, damages.append) as stream,
    ):
        if start == BEGINNING:
            check_first_lines(path, stream.peek(_FIRST_BYTES), timeline.time_field, limit_bytes)
        _skip_bytes(stream, offset)
        while line := stream.readline(longest + 1):
            offset += len(line)
            if damages and not line.endswith(b"\n"):
                break
            if len(line) > longest:
                offset += _skip_line(stream, line)
                record: Page | Rejected = _too_long(file_source(name, number, line), line, longest)
            elif not line.strip():
                offset += _skip_blank_lines(stream)
                continue
            else:
                record = page_from_json(
                    line.rstrip(b"\r\n"),
                    file_source(name, number, line.rstrip(b"\r\n")),
                    default_id=f"{name}:{number}",
                    event_time_ms=timeline.event_time_ms,
                    time_field=timeline.time_field,
                    limit_bytes=limit_bytes,
                )
            number += 1
            if isinstance(record, Page):
                timeline.passed(record)
            yield PlacedRecord(record, Place(offset, number, timeline.next_ms))
    if damages:
        rest = _damaged(file_source(name, number, line), line, damages[0])
        yield PlacedRecord(rest, Place(offset, number + 1, timeline.next_ms))
        where = f"after its first {number} records"
        raise InputProblem(damage(path, where, damages[0]))


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


def _skip_bytes(stream: Lines, size_bytes: int) -> None:
    while size_bytes and (piece := stream.read(min(size_bytes, _SKIPPED_BYTES))):
        size_bytes -= len(piece)


def _skip_blank_lines(stream: Lines) -> int:
    """Move past blank lines a block at a time, because there may be millions; return their bytes."""
    skipped = 0
    while size_bytes := _blank_bytes(stream.peek(1)):
        skipped += len(stream.read(size_bytes))
    return skipped


def _blank_bytes(block: bytes) -> int:
    """Return the size of the blank lines that a block begins with."""
    return block.rfind(b"\n", 0, len(block) - len(block.lstrip())) + 1


def _skip_line(stream: Lines, piece: bytes) -> int:
    """Move past the rest of a line that begins with `piece`; return its bytes."""
    skipped = 0
    while piece and not piece.endswith(b"\n"):
        piece = stream.readline(_SKIPPED_BYTES)
        skipped += len(piece)
    return skipped
