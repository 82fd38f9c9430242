"""A look at the beginning of a file: is it JSON Lines, and are there pages in it?

Somebody who gives a file of another kind gets one line that says what it is, and not a dead letter for each
of its records.
"""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

import msgspec

from schemas.source import Source
from workers.errors import InputProblem, UsageProblem
from workers.feeds.records import INVALID_RECORD, page_from_json
from workers.feeds.streams import STDIN
from workers.feeds.times import NO_TIME_FIELD
from workers.page import Rejected

_NO_SOURCE = Source("", 0, 0)
_DEFAULT_TIME_FIELD = "fetched_at"
_NAMES_MAX = 8
_COLUMNS = re.compile(rb"[^{\[,;\t]+(?:[,;\t][^{,;\t]*)+$")
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

    Args:
        path: The file, for messages.
        head: The first bytes of its content.
        time_field: Field that is to hold the event time.
        limit_bytes: Largest page.

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
    records = [one for one in map(_fields, lines) if one is not None]
    _refuse_other_kind(name, lines[0].strip(), is_whole=is_whole)
    if is_whole and not records and _COLUMNS.match(lines[0].strip()):
        raise InputProblem(
            f"{name} looks like a table (CSV) and not like JSON Lines: write one JSON object a line, "
            "with `url` and `html`"
        )
    rejected = [_rejection(line, limit_bytes) for line in lines]
    if is_whole and None not in rejected:
        fields = f"; its fields are {_names(records[0])}" if records else ""
        which = "its record is no page"
        if len(lines) > 1:
            which = f"none of its first {len(lines)} records is a page"
        raise InputProblem(
            f"{name}: {which}: {rejected[0]}{fields}; schemas/README.md says what a page has"
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
    """Refuse a file that is no JSON Lines, judging by its first line."""
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
    found = page_from_json(
        line, _NO_SOURCE, default_id="", event_time_ms=_no_time, limit_bytes=limit_bytes
    )
    is_invalid = isinstance(found, Rejected) and found.exception == INVALID_RECORD
    return found.message if is_invalid and isinstance(found, Rejected) else None


def _fields(line: bytes) -> dict[str, object] | None:
    try:
        found = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _names(fields: Iterable[str]) -> str:
    return ", ".join(list(fields)[:_NAMES_MAX]) or "none"


def _no_time(_said: object) -> int:
    return 0
