"""Pages from WARC files."""

import re
from collections.abc import Iterator
from pathlib import Path

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from schemas.source import Source
from templ_core.site_cleaner.fetch_times import parse_time_ms, rfc3339
from templ_core.site_key import site_key
from workers.errors import InputProblem
from workers.feeds.lines import KEPT_BYTES
from workers.feeds.records import INVALID_RECORD, PAGE_TOO_LARGE, clean_text
from workers.feeds.streams import OnProgress, damage_told, open_counted
from workers.feeds.times import Timeline
from workers.page import Page, Rejected

_PAGE_RECORDS = WarcRecordType.response | WarcRecordType.resource
_HEAD_ROOM_BYTES = 256 << 10
"""Room in an HTTP block besides the page, for headers and the framing of chunks."""
_STATUS_LINE = re.compile(rb"HTTP/\d(?:\.\d)? +(\d{3})\b")
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_CHUNK_SIZE = re.compile(rb"[ \t]*([0-9a-fA-F]{1,8})[ \t]*(?:;[^\r\n]*)?\r?\n")
_NO_PAGES = re.compile(
    r"(?:image|video|audio|font|message|multipart)/|text/(?:css|javascript|dns|x-)"
    r"|application/(?:(?:x-)?javascript|(?:\w+\+)?json|octet-stream|font|vnd\.ms-fontobject)"
)
"""Content types of records that are not pages."""


class HttpResponse:
    """An HTTP response with its status, headers by lower-case name, and body without chunks."""

    def __init__(self, block: bytes) -> None:
        """Read a response as it was sent.

        Args:
            block: Status line, headers and body.

        Raises:
            ValueError: The block does not begin with a status line.
        """
        status = _STATUS_LINE.match(block)
        if status is None:
            raise ValueError("the HTTP block does not begin with a status line")
        end = _HEAD_END.search(block)
        head, body = (block[: end.start()], block[end.end() :]) if end else (block, b"")
        self.status = int(status[1])
        self.headers: dict[str, str] = {}
        for line in head.split(b"\n")[1:]:
            name, colon, value = line.decode("latin-1").partition(":")
            if colon:
                self.headers.setdefault(name.strip().lower(), value.strip())
        is_chunked = "chunked" in self.headers.get("transfer-encoding", "").lower()
        self.body = _without_chunks(body) if is_chunked else body


def _without_chunks(body: bytes) -> bytes:
    """Return the chunks joined; a body that a crawler has joined already stays as it is."""
    pieces: list[bytes] = []
    start = 0
    while found := _CHUNK_SIZE.match(body, start):
        size = int(found[1], 16)
        if size == 0:
            return b"".join(pieces)
        piece = body[found.end() : found.end() + size]
        pieces.append(piece)
        start = found.end() + size
        start += (
            2
            if body[start : start + 2] == b"\r\n"
            else 1
            if body[start : start + 1] == b"\n"
            else 0
        )
    is_cut = bool(pieces) and start >= len(body)
    return b"".join(pieces) if is_cut else body


def read_warc(
    path: Path, name: str, timeline: Timeline, limit_bytes: int, on_progress: OnProgress
) -> Iterator[Page | Rejected]:
    """Yield the pages of a WARC file (`.warc`, `.warc.gz`, `.warc.zst`).

    Pages are response and resource records. Redirects and records of images, styles, scripts, fonts
    and data are left out.

    Args:
        path: The file.
        name: Name of the file in sources and ids.
        timeline: Sets the times of pages; its field is a WARC header, or `fetched_at` for WARC-Date.
        limit_bytes: Largest page.
        on_progress: Called with the number of bytes of each read of the file.

    Raises:
        InputProblem: The file cannot be read or is damaged; records before the damage were yielded.
    """
    done = 0
    with open_counted(path, on_progress) as file:
        records = ArchiveIterator(file, record_types=_PAGE_RECORDS, parse_http=False)
        with damage_told(path, lambda: f"after its first {done} page records"):
            for record in records:
                block = _read_block(record, limit_bytes + _HEAD_ROOM_BYTES, path, done)
                found = _page(record, block, Source(name, 0, done), timeline, limit_bytes)
                done += 1
                if isinstance(found, Page):
                    timeline.passed(found)
                if found is not None:
                    yield found


def _read_block(record: WarcRecord, limit: int, path: Path, number: int) -> bytes:
    """Return the record's block, cut after `limit` bytes."""
    expected = min(record.content_length, limit)
    pieces: list[bytes] = []
    size = 0
    while size < expected and (piece := record.reader.read(expected - size)):
        pieces.append(piece)
        size += len(piece)
    if size < expected:
        raise InputProblem(
            f"{path} ends in the middle of page record {number}, after {size} of its "
            f"{record.content_length} bytes: everything before that was read; fetch the file again"
        )
    return b"".join(pieces)


def _page(
    record: WarcRecord, block: bytes, source: Source, timeline: Timeline, limit_bytes: int
) -> Page | Rejected | None:
    url = clean_text((record.headers.get("WARC-Target-URI") or "").strip("<> "))
    if not url.lower().startswith(("http:", "https:", "file:")):
        return None if url else _rejected(source, None, "the record has no WARC-Target-URI", block)
    status = 200
    content_encoding = None
    content_type = record.headers.get("Content-Type")
    body = block
    if record.record_type == WarcRecordType.response:
        try:
            response = HttpResponse(block)
        except ValueError as error:
            return _rejected(source, url, str(error), block)
        status, body = response.status, response.body
        content_type = response.headers.get("content-type")
        content_encoding = response.headers.get("content-encoding")
    if 300 <= status < 400 or _NO_PAGES.match((content_type or "").strip().lower()):
        return None
    if len(body) > limit_bytes or record.content_length > len(block):
        return Rejected(
            source=source,
            url=url,
            exception=PAGE_TOO_LARGE,
            message=f"{record.content_length} bytes, at most {limit_bytes} are allowed",
            value=block[:KEPT_BYTES],
        )
    fetched_at = record.headers.get("WARC-Date")
    time_ms = parse_time_ms(fetched_at)
    field = timeline.time_field
    said = fetched_at if field == "fetched_at" else record.headers.get(field)
    return Page(
        source=source,
        url=url,
        site=site_key(url),
        id=f"{source.topic}:{source.offset}",
        event_time_ms=timeline.event_time_ms(said),
        fetched_at=None if time_ms is None else rfc3339(time_ms),
        warnings=("time-replaced",) if time_ms is None and fetched_at else (),
        content_type=content_type,
        content_encoding=content_encoding,
        status=status,
        body=body,
    )


def _rejected(source: Source, url: str | None, message: str, block: bytes) -> Rejected:
    return Rejected(source=source, url=url, exception=INVALID_RECORD, message=message, value=block)
