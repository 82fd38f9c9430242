"""Pages from JSON Lines files."""

from collections.abc import Iterator
from pathlib import Path

from schemas.source import Source
from workers.feeds.records import PAGE_TOO_LARGE, page_from_json
from workers.feeds.streams import Lines, OnProgress, damage_told, open_decompressed
from workers.feeds.times import Timeline
from workers.page import Page, Rejected

_LINE_PER_PAGE = 4
"""Ratio of the longest line to the largest page; escapes and base64 take room."""
KEPT_BYTES = 64 << 10
"""Bytes that a dead letter keeps of a record that is too large to hold in memory."""


def read_json_lines(
    path: Path, name: str, timeline: Timeline, limit_bytes: int, on_progress: OnProgress
) -> Iterator[Page | Rejected]:
    """Yield the pages of a JSON Lines file; blank lines do not count as records.

    Args:
        path: The file, which may be compressed.
        name: Name of the file in sources and ids.
        timeline: Sets the times of pages that have none.
        limit_bytes: Largest page.
        on_progress: Called with the number of bytes of each read of the file.

    Raises:
        InputProblem: The file cannot be read or is damaged; records before the damage were yielded.
    """
    number = 0
    longest = _LINE_PER_PAGE * limit_bytes
    with (
        damage_told(path, lambda: f"after its first {number} records"),
        open_decompressed(path, on_progress) as stream,
    ):
        while line := stream.readline(longest + 1):
            source = Source(name, 0, number)
            if len(line) > longest:
                _skip_line(stream, line)
                record: Page | Rejected = _too_long(source, line, longest)
            elif not line.strip():
                _skip_blank_lines(stream)
                continue
            else:
                record = page_from_json(
                    line.rstrip(b"\r\n"),
                    source,
                    default_id=f"{name}:{number}",
                    event_time_ms=timeline.event_time_ms,
                    time_field=timeline.time_field,
                    limit_bytes=limit_bytes,
                )
            number += 1
            if isinstance(record, Page):
                timeline.passed(record)
            yield record


def _too_long(source: Source, line: bytes, longest: int) -> Rejected:
    return Rejected(
        source=source,
        url=None,
        exception=PAGE_TOO_LARGE,
        message=f"a line of more than {longest} bytes; the first {KEPT_BYTES} are kept",
        value=line[:KEPT_BYTES],
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
