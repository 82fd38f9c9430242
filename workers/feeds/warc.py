"""Pages from WARC files."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from fastwarc.warc import ArchiveIterator, HeaderMap, WarcRecord, WarcRecordType

from templ_core.patterns import pattern
from templ_core.site_key import site_key
from templ_core.times import parse_time_ms, rfc3339
from workers.errors import InputProblem
from workers.feeds.lines import check_time_field
from workers.feeds.reading import (
    BEGINNING,
    INVALID_RECORD,
    KEPT_BYTES,
    PAGE_TOO_LARGE,
    Place,
    PlacedRecord,
    Reading,
    damaged_record,
    file_source,
)
from workers.feeds.records import clean_text
from workers.feeds.streams import as_input_problem, damage, occurrences, open_counted
from workers.page import Page, Rejected

_PAGE_TYPES = frozenset(["response", "resource"])
_MAGIC = {".gz": b"\x1f\x8b\x08", ".zst": b"\x28\xb5\x2f\xfd"}
"""How each record of a compressed file begins, which is a member or a frame by itself."""
_HEAD_ROOM_BYTES = 256 << 10
"""Room in an HTTP block besides the page, for headers and the framing of chunks."""
_STATUS_LINE = pattern(rb"HTTP/\d(?:\.\d)? +(\d{3})\b")
_HEAD_END = pattern(rb"\r?\n\r?\n")
_CHUNK_SIZE = pattern(rb"[ \t]*([0-9a-fA-F]{1,8})[ \t]*(?:;[^\r\n]*)?\r?\n")
_NO_PAGES = pattern(
    r"(?:image|video|audio|font|message|multipart)/|text/(?:css|javascript|dns|x-)"
    r"|application/(?:(?:x-)?javascript|(?:\w+\+)?json|octet-stream|font|vnd\.ms-fontobject)"
)
"""Content types of records that are not pages."""


def _http_response(block: bytes) -> tuple[int, dict[str, str], bytes] | None:
    """Return status, headers by lower-case name and body without chunks; None without a status line."""
    status = _STATUS_LINE.match(block)
    if status is None:
        return None
    end = _HEAD_END.search(block)
    head, body = (block[: end.start()], block[end.end() :]) if end else (block, b"")
    headers: dict[str, str] = {}
    for line in head.split(b"\n")[1:]:
        name, colon, value = line.decode("latin-1").partition(":")
        if colon:
            headers.setdefault(name.strip().lower(), value.strip())
    is_chunked = "chunked" in headers.get("transfer-encoding", "").lower()
    return int(status[1]), headers, _without_chunks(body) if is_chunked else body


def _without_chunks(body: bytes) -> bytes:
    """Return the chunks joined; a body that a crawler has joined already stays as it is."""
    pieces: list[bytes] = []
    start = 0
    while match := _CHUNK_SIZE.match(body, start):
        size = int(match[1], 16)
        if size == 0:
            return b"".join(pieces)
        piece = body[match.end() : match.end() + size]
        pieces.append(piece)
        start = match.end() + size
        start += 2 if body.startswith(b"\r\n", start) else body.startswith(b"\n", start)
    is_cut = bool(pieces) and start >= len(body)
    return b"".join(pieces) if is_cut else body


def read_warc(
    path: Path, name: str, reading: Reading, start: Place = BEGINNING
) -> Iterator[PlacedRecord]:
    """Yield the pages of a WARC file (`.warc`, `.warc.gz`, `.warc.zst`), each with the place behind it.

    Pages are response and resource records. Redirects and records of images, styles, scripts, fonts
    and data are left out. Reading begins at a place that was yielded before, and goes on with the next whole record
    behind damage. The name is that of the file in sources and ids. The time field is a WARC header, or `fetched_at`
    for WARC-Date.

    Raises:
        InputProblem: The file cannot be read or is damaged; all whole records were yielded.
        UsageProblem: The first page record does not have the header of the time field.
    """
    number = start.number
    damaged: str | None = None
    with as_input_problem(path, lambda: f"after its first {number} page records"):
        for record, behind in _with_ends(_records(path, reading, start.offset), path):
            if isinstance(record, _Damage):
                damaged = damaged or damage(
                    path, f"after its first {number} page records", record.reason
                )
                rest = damaged_record(name, number, record.rest, record.reason)
                number += 1
                yield PlacedRecord(rest, Place(behind, number, reading.next_ms))
                continue
            if record.kind not in _PAGE_TYPES:
                reading.left_out[record.kind] += 1
                continue
            if not number:
                names = {key for key, _ in record.headers.items()}
                check_time_field(str(path), reading.time_field, names)
            page = _page(record, name, number, reading)
            number += 1
            if isinstance(page, str):
                reading.left_out[page] += 1
                continue
            if isinstance(page, Page):
                reading.passed(page)
            yield PlacedRecord(page, Place(behind, number, reading.next_ms))
    if damaged is not None:
        raise InputProblem(damaged)


class _Damage(NamedTuple):
    reason: str
    rest: bytes
    """What is left of the damaged record."""
    start: int
    """Where it begins in the file."""


class _CutRecordError(EOFError):
    def __init__(self, rest: bytes) -> None:
        super().__init__("the file ends in the middle of a record")
        self.rest = rest
        """What is left of the record's block."""


class _WholeRecord(NamedTuple):
    kind: str
    """Its WARC-Type."""
    headers: HeaderMap
    block: bytes
    """The block, cut when it is too large."""
    length: int
    """Bytes of the whole block."""
    start: int
    """Where it begins in the file."""


def _with_ends(
    records: Iterator[_WholeRecord | _Damage], path: Path
) -> Iterator[tuple[_WholeRecord | _Damage, int]]:
    """Yield each record with the place where the next one begins; behind the last one the file ends."""
    last: _WholeRecord | _Damage | None = None
    for record in records:
        if last is not None:
            yield last, record.start
        last = record
    if last is not None:
        yield last, path.stat().st_size


def _records(path: Path, reading: Reading, offset: int) -> Iterator[_WholeRecord | _Damage]:
    """Yield the records from an offset of a file on, and a damage for each run without whole records."""
    limit = reading.limit_bytes + _HEAD_ROOM_BYTES
    start: int | None = offset
    was_damaged = False
    with open_counted(path, reading.on_progress) as file:
        while start is not None:
            file.seek(start)
            last = start - 1
            try:
                for record in ArchiveIterator(file, WarcRecordType.any_type, parse_http=False):
                    block = _block(record, limit)
                    last = record.stream_pos
                    was_damaged = False
                    kind = (record.headers.get("WARC-Type") or "no type").lower()
                    yield _WholeRecord(kind, record.headers, block, record.content_length, last)
            except (OSError, EOFError) as error:
                if isinstance(error, OSError) and error.errno is not None:
                    raise
                if not was_damaged:
                    was_damaged = True
                    rest = error.rest if isinstance(error, _CutRecordError) else b""
                    yield _Damage(str(error), rest[:KEPT_BYTES], max(last, start))
                start = _next_start(path, max(last, start) + 1)
            else:
                return


def _block(record: WarcRecord, limit: int) -> bytes:
    """Return the record's block, cut after `limit` bytes."""
    expected = min(record.content_length, limit)
    pieces: list[bytes] = []
    size = 0
    while size < expected and (piece := record.reader.read(expected - size)):
        pieces.append(piece)
        size += len(piece)
    block = b"".join(pieces)
    if size < expected or "Content-Length" not in record.headers:
        raise _CutRecordError(block)
    return block


def _next_start(path: Path, place: int) -> int | None:
    """Return where the next record may begin, from a place on, or None."""
    magic, skip = _MAGIC.get(path.suffix.lower()), 0
    if magic is None:
        magic, skip = b"\r\n\r\nWARC/1.", 4
    with path.open("rb") as file:
        start = next(occurrences(file, magic, max(place - skip, 0)), None)
    return None if start is None else start + skip


def _page(record: _WholeRecord, name: str, number: int, reading: Reading) -> Page | Rejected | str:
    """Return the page of a response or resource record, or the kind of a record that is left out."""
    block, limit_bytes = record.block, reading.limit_bytes
    url = clean_text((record.headers.get("WARC-Target-URI") or "").strip("<> "))
    fetched_at = record.headers.get("WARC-Date")
    source = file_source(name, number, url.encode(), (fetched_at or "").encode(), block)
    if not url.lower().startswith(("http:", "https:", "file:")):
        if url:
            return "no HTTP address"
        return Rejected(source, None, INVALID_RECORD, "the record has no WARC-Target-URI", block)
    status = 200
    content_encoding = None
    content_type = record.headers.get("Content-Type")
    body = block
    if record.kind == "response":
        response = _http_response(block)
        if response is None:
            reason = "the HTTP block does not begin with a status line"
            return Rejected(source, url, INVALID_RECORD, reason, block)
        status, headers, body = response
        content_type, content_encoding = map(headers.get, ("content-type", "content-encoding"))
    if 300 <= status < 400:
        return "redirect"
    media_type = (content_type or "").partition(";")[0].strip().lower()
    if _NO_PAGES.match(media_type):
        return media_type
    if len(body) > limit_bytes or record.length > len(block):
        reason = f"{record.length} bytes, at most {limit_bytes} are allowed"
        return Rejected(source, url, PAGE_TOO_LARGE, reason, block[:KEPT_BYTES])
    time_ms = parse_time_ms(fetched_at)
    field = reading.time_field
    said = fetched_at if field == "fetched_at" else record.headers.get(field)
    return Page(
        source=source,
        url=url,
        site=site_key(url),
        id=f"{source.topic}:{source.offset}",
        event_time_ms=reading.event_time_ms(said),
        fetched_at=None if time_ms is None else rfc3339(time_ms),
        warnings=("time-replaced",) if time_ms is None and fetched_at else (),
        content_type=content_type,
        content_encoding=content_encoding,
        status=status,
        body=body,
    )
