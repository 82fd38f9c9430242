"""Pages from JSON Lines files.

Whoever gives a file of another kind gets one line that says what it is, and not a dead letter for each of its
records.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from io import BufferedReader
from pathlib import Path
from typing import Any

import msgspec

from schemas.source import Source
from templ_core.patterns import pattern
from workers.errors import InputProblem, UsageProblem
from workers.feeds.reading import (
    BEGINNING,
    INVALID_RECORD,
    KEPT_BYTES,
    NO_TIME_FIELD,
    PAGE_TOO_LARGE,
    Place,
    PlacedRecord,
    Reading,
    damaged_record,
    file_source,
)
from workers.feeds.records import NOT_JSON, page_from_json
from workers.feeds.streams import STDIN, as_input_problem, damage, open_parts
from workers.log_lines import counted
from workers.page import Page, Rejected

_NO_SOURCE = Source("", 0, 0)
_DEFAULT_TIME_FIELD = "fetched_at"
_NAMES_MAX = 8
_COLUMNS = pattern(rb"[^{\[,;\t]+(?:[,;\t][^{,;\t]*)+$")
"""A line of a table."""
_OTHER_KINDS = (
    (b"\x1f\x8b", "is compressed with gzip: add .gz to its name, or decompress it (`gzip -dc`)"),
    (b"\xfd7zXZ", "is compressed with xz: add .xz to its name, or decompress it (`xz -dc`)"),
    (
        b"\x28\xb5\x2f\xfd",
        "is compressed with zstd: add .zst to its name, or decompress it (`zstd -dc`)",
    ),
    (b"\xff\xfe", "is UTF-16 and not UTF-8: convert it (`iconv -f utf-16 -t utf-8 FILE`)"),
    (b"\xfe\xff", "is UTF-16 and not UTF-8: convert it (`iconv -f utf-16 -t utf-8 FILE`)"),
    (b"WARC/", "is a WARC file: end its name with .warc"),
    (b"[", "is a JSON array and not JSON Lines: write one object a line (`jq -c '.[]' FILE`)"),
    (
        b"<",
        "is HTML or XML and not JSON Lines: give a file that ends in .html, or wrap each page in an object",
    ),
)
"""How files of other kinds begin, and what to do with them."""


def check_first_lines(path: Path, head: bytes, time_field: str, limit_bytes: int) -> None:
    """Check that a file begins with pages in JSON Lines; broken records among others are let pass.

    Raises:
        InputProblem: The file is of another kind, or none of its first records is a page.
        UsageProblem: None of its first records has the time field.
    """
    name = "standard input" if path == STDIN else str(path)
    lines = [line for line in head.removeprefix(b"\xef\xbb\xbf").splitlines() if line.strip()]
    if not lines:
        return
    is_whole = len(lines) > 1 or head.endswith(b"\n")
    if not head.endswith(b"\n") and len(lines) > 1:
        lines.pop()  # its rest is not in `head`
    records = [fields for fields in map(_fields, lines) if fields is not None]
    _refuse_other_kind(name, lines[0].strip(), is_whole=is_whole)
    if is_whole and not records and _COLUMNS.match(lines[0].strip()):
        raise InputProblem(
            f"{name} looks like a table (CSV) and not like JSON Lines: write one JSON object a line, "
            "with `url` and `html`"
        )
    reasons = [_rejection(line, limit_bytes) for line in lines]
    if is_whole and None not in reasons:
        fields = f"; its fields are {_names(records[0])}" if records else ""
        which = "its record is no page"
        if len(lines) > 1:
            which = f"none of its first {len(lines)} records is a page"
        raise InputProblem(
            f"{name}: {which}: {reasons[0]}{fields}; schemas/README.md says what a page has"
        )
    if records:
        check_time_field(name, time_field, {name for record in records for name in record})


def check_time_field(name: str, time_field: str, names: set[str]) -> None:
    """Check that a time field is among the fields of the first records of a file.

    Raises:
        UsageProblem: It is not; the message names the nearest one.
    """
    if time_field in {*names, NO_TIME_FIELD, _DEFAULT_TIME_FIELD}:
        return
    near = get_close_matches(time_field, [*names, NO_TIME_FIELD], n=1)
    advice = f"did you mean {near[0]}?" if near else f"their fields are {_names(sorted(names))}"
    raise UsageProblem(
        f"--time-field {time_field}: no record at the beginning of {name} has it; {advice}"
    )


def _refuse_other_kind(name: str, line: bytes, *, is_whole: bool) -> None:
    for beginning, advice in _OTHER_KINDS:
        if line.startswith(beginning) and not _is_array_among_records(line, is_whole=is_whole):
            raise InputProblem(f"{name} {advice}")
    if line == b"{":
        raise InputProblem(
            f"{name} has an object over several lines: JSON Lines has one object a line (`jq -c . FILE`)"
        )


def _is_array_among_records(line: bytes, *, is_whole: bool) -> bool:
    """Return whether a line is a whole array, as a broken record among others may be."""
    return is_whole and line.startswith(b"[") and line.endswith(b"]") and b"{" not in line


def _rejection(line: bytes, limit_bytes: int) -> str | None:
    """Return why a line is not a page, or None for a page and for one that is too large."""
    page = page_from_json(
        line, _NO_SOURCE, default_id="", event_time_ms=lambda _said: 0, limit_bytes=limit_bytes
    )
    if isinstance(page, Page) or page.exception != INVALID_RECORD:
        return None
    return page.message


def _fields(line: bytes) -> dict[str, object] | None:
    try:
        fields = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return fields if isinstance(fields, dict) else None


def _names(fields: Iterable[str]) -> str:
    return ", ".join(list(fields)[:_NAMES_MAX]) or "none"


_LINE_PER_PAGE = 4
"""Ratio of the longest line to the largest page; escapes and base64 take room."""
_FIRST_BYTES = 64 << 10
"""Bytes at the beginning of a file by which it is checked whether there are pages in it."""
_SKIPPED_BYTES = 1 << 20
"""Most bytes that are read at once in order to be skipped."""


class _CountedLines:
    def __init__(self, stream: BufferedReader[Any]) -> None:
        self._stream = stream
        self.peek = stream.peek
        self.read_bytes = 0

    def read(self, size: int) -> bytes:
        piece = self._stream.read(size)
        self.read_bytes += len(piece)
        return piece

    def readline(self, size: int) -> bytes:
        line = self._stream.readline(size)
        self.read_bytes += len(line)
        return line


def read_json_lines(
    path: Path, name: str, reading: Reading, start: Place = BEGINNING
) -> Iterator[PlacedRecord]:
    """Yield the pages of a JSON Lines file, compressed or not, each with the place behind it; blank lines are no records.

    Of a damaged file the records before the damage are read, what is left of the damaged one is a
    rejected record, and reading goes on where compressed data can be read again. In the offset of a place
    each damage before it counts as one byte. The name is that of the file in sources and ids; reading begins at a
    place that was yielded before, and a compressed file is decompressed up to there.

    Raises:
        InputProblem: The file cannot be read, is damaged, or holds something else than pages. Of a
            damaged file all whole records were yielded.
        UsageProblem: No record has the time field.
    """
    number, longest = start.number, _LINE_PER_PAGE * reading.limit_bytes
    offset, to_skip_bytes = 0, start.offset
    damages: list[str] = []
    problem: str | None = None
    with as_input_problem(path, lambda: f"after its first {counted(number, 'record')}"):
        for part in open_parts(path, reading.on_progress, damages.append):
            stream = _CountedLines(part)
            if not number:
                check_first_lines(
                    path, stream.peek(_FIRST_BYTES), reading.time_field, reading.limit_bytes
                )
            _skip_bytes(stream, to_skip_bytes)
            to_skip_bytes -= stream.read_bytes
            rest = b""
            for line in _lines(stream, longest):
                if damages and not line.endswith(b"\n") and len(line) <= longest:
                    rest = line
                    continue
                record = _record(line, name, number, reading)
                if _is_cut(record, line):
                    problem = problem or (
                        f"{path} is cut off in its last line, after its first {counted(number, 'record')}: fetch the file "
                        "again, or delete the line"
                    )
                number += 1
                if isinstance(record, Page):
                    reading.passed(record)
                place = Place(offset + stream.read_bytes, number, reading.next_ms)
                yield PlacedRecord(record, place)
            offset += stream.read_bytes
            if not damages:
                continue
            reason = damages.pop()
            offset += 1
            if to_skip_bytes:  # it was reported before the place where reading begins
                to_skip_bytes -= 1
                continue
            problem = problem or damage(
                path, f"after its first {counted(number, 'record')}", reason
            )
            record = damaged_record(name, number, rest, reason)
            number += 1
            yield PlacedRecord(record, Place(offset, number, reading.next_ms))
    if problem is not None:
        raise InputProblem(problem)


def _lines(stream: _CountedLines, longest: int) -> Iterator[bytes]:
    """Yield the lines of a stream that are not blank, and of too long ones one byte too many."""
    while line := stream.readline(longest + 1):
        if len(line) > longest:
            _skip_line(stream, line)
            yield line
        elif line.strip():
            yield line
        else:
            _skip_blank_lines(stream)


def _record(line: bytes, name: str, number: int, reading: Reading) -> Page | Rejected:
    longest = _LINE_PER_PAGE * reading.limit_bytes
    if len(line) > longest:
        reason = f"a line of more than {longest} bytes; the first {KEPT_BYTES} are kept"
        source = file_source(name, number, line)
        return Rejected(source, None, PAGE_TOO_LARGE, reason, line[:KEPT_BYTES])
    value = line.rstrip(b"\r\n")
    return page_from_json(
        value,
        file_source(name, number, value),
        default_id=f"{name}:{number}",
        event_time_ms=reading.event_time_ms,
        time_field=reading.time_field,
        limit_bytes=reading.limit_bytes,
    )


def _is_cut(record: Page | Rejected, line: bytes) -> bool:
    """Return whether a line is the beginning of a record at the end of a file."""
    is_no_json = isinstance(record, Rejected) and record.message.startswith(NOT_JSON)
    return is_no_json and not line.endswith(b"\n")


def _skip_bytes(stream: _CountedLines, size_bytes: int) -> None:
    while size_bytes and (piece := stream.read(min(size_bytes, _SKIPPED_BYTES))):
        size_bytes -= len(piece)


def _skip_blank_lines(stream: _CountedLines) -> None:
    """Move past blank lines a block at a time, because there may be millions of them."""
    while size_bytes := _blank_bytes(stream.peek(1)):
        stream.read(size_bytes)


def _blank_bytes(block: bytes) -> int:
    """Return the size of the blank lines that a block begins with."""
    return block.rfind(b"\n", 0, len(block) - len(block.lstrip())) + 1


def _skip_line(stream: _CountedLines, piece: bytes) -> None:
    while piece and not piece.endswith(b"\n"):
        piece = stream.readline(_SKIPPED_BYTES)
