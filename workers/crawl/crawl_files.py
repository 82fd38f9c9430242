"""Files that a crawl appends records to; after a crash they hold exactly what the frontier says."""

import base64
import hashlib
import io
from collections.abc import Mapping
from fnmatch import fnmatch
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
from scrapy.http import Headers, Response
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from schemas.codec import encode_json
from templ_core import __version__
from workers.crawl.config import ROBOTS_NAME
from workers.errors import DiskProblem, StateProblem
from workers.feeds.records import page_record
from workers.page import Page

_WARC_BYTES = 1 << 30
"""Size from which on a further WARC file is begun, as the WARC guidelines of the IIPC advise."""
_CHANGED_HEADERS = frozenset(["content-encoding", "transfer-encoding", "content-length"])
"""Headers of an answer that do not describe the decompressed body that is kept."""

_KNOWN_STATUSES = frozenset(HTTPStatus)
_NOT_MODIFIED = "http://netpreserve.org/warc/1.0/revisit/server-not-modified"


class _GrowingFile:
    """A file that is cut to the length that it had at the last transaction, and then grows.

    A missing file was moved away by an operator, so it begins empty.
    """

    def __init__(self, path: Path, length: int) -> None:
        self.path = path
        try:
            is_there = path.exists()
            self._file = path.open("r+b" if is_there else "xb", 0)
            self.length = length if is_there else 0
            if self._file.seek(0, io.SEEK_END) < self.length:
                self._file.close()
                raise StateProblem(
                    f"{path} was truncated after the crawl wrote it: move it away, "
                    "and a new one is begun"
                )
            self._file.truncate(self.length)
            self._file.seek(self.length)
        except OSError as error:
            raise _problem(path, error) from None

    def write(self, data: bytes) -> None:
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            raise _problem(self.path, error) from None
        self.length += len(data)

    def close(self) -> None:
        self._file.close()


class PageLines(_GrowingFile):
    """A JSON Lines file of pages or feeds, as `templ run` reads it."""

    def __init__(self, path: Path, lengths: Mapping[str, int]) -> None:
        super().__init__(path, lengths.get(path.name, 0))

    def add(self, page: Page) -> None:
        """Add a page, or the end of one."""
        self.write(encode_json(page_record(page)) + b"\n")


def warc_digest(body: bytes) -> str:
    """Return the digest of a body in the form of WARC files.

    >>> warc_digest(b"")
    'sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ'
    """
    digest = hashlib.sha1(body, usedforsecurity=False).digest()
    return f"sha1:{base64.b32encode(digest).decode()}"


class WarcFiles:
    """WARC files in a row (`crawl-00001.warc.gz` and so on), with requests, answers and revisits."""

    def __init__(
        self, directory: Path, prefix: str, lengths: Mapping[str, int], contact: str
    ) -> None:
        self._directory = directory
        self._prefix = prefix
        self._contact = contact
        names = f"{prefix}-*.warc.gz"
        kept = sorted(name for name in lengths if fnmatch(name, names))
        for path in directory.glob(names):
            if path.name not in kept:
                path.unlink()  # begun, but no answer in it was kept
        self._number = len(kept)
        has_file = kept and (directory / kept[-1]).exists()
        self.file = (
            _GrowingFile(directory / kept[-1], lengths[kept[-1]]) if has_file else self._next()
        )
        """The present file."""

    def write(self, records: bytes) -> None:
        """Add a request and its answer, as `warc_records` has made them."""
        if self.file.length > _WARC_BYTES:
            self.file.close()
            self.file = self._next()
        self.file.write(records)

    def _next(self) -> _GrowingFile:
        self._number += 1
        file = _GrowingFile(self._directory / f"{self._prefix}-{self._number:05}.warc.gz", 0)
        about = {
            "software": f"{ROBOTS_NAME}/{__version__}",
            "format": "WARC File Format 1.0",
            "operator": self._contact,
            "robots": "obey",
        }
        buffer = io.BytesIO()
        writer = WARCWriter(buffer, gzip=True)
        writer.write_record(writer.create_warcinfo_record(file.path.name, about))
        file.write(buffer.getvalue())
        return file


def warc_records(
    response: Response, record_id: str, date: str, same_as: tuple[str, str] | None = None
) -> bytes:
    """Return the records of a request and its answer; a body that is known becomes a revisit record.

    Compressing a large page takes a while, so call this in a thread. The body of the answer is decompressed, its id
    is a UUID as URN, and `same_as` are digest and date of the earlier answer that had this body. Dates have the form
    of WARC files.
    """
    buffer = io.BytesIO()
    writer = WARCWriter(buffer, gzip=True)
    request = writer.create_warc_record(
        response.url,
        "request",
        http_headers=_request_head(response),
        warc_headers_dict={"WARC-Date": date},
    )
    answer = _answer(
        response, writer, {"WARC-Date": date, "WARC-Record-ID": f"<{record_id}>"}, same_as
    )
    writer.write_request_response_pair(request, answer)
    return buffer.getvalue()


def _answer(
    response: Response, writer: WARCWriter, headers: dict[str, str], same_as: tuple[str, str] | None
) -> object:
    status = response.status
    # Scrapy does not keep the phrase of a status.
    phrase = HTTPStatus(status).phrase if status in _KNOWN_STATUSES else "Unknown"
    head = StatusAndHeaders(f"{status} {phrase}", _kept_headers(response), "HTTP/1.1")
    given = {"http_headers": head, "warc_headers_dict": headers}
    if same_as is None:
        size = len(response.body)
        return writer.create_warc_record(
            response.url, "response", payload=io.BytesIO(response.body), length=size, **given
        )
    digest, date = same_as
    revisit = writer.create_revisit_record(
        response.url, digest=digest, refers_to_uri=response.url, refers_to_date=date, **given
    )
    if status == 304:
        revisit.rec_headers.replace_header("WARC-Profile", _NOT_MODIFIED)
    return revisit


def _kept_headers(response: Response) -> list[tuple[str, str]]:
    """Return the headers of an answer; those of the body as it was sent are set aside by their names."""
    kept = [
        (f"X-Crawler-{name}" if name.lower() in _CHANGED_HEADERS else name, value)
        for name, value in header_list(response.headers)
    ]
    return [*kept, ("Content-Length", str(len(response.body)))]


def header_list(headers: Headers) -> list[tuple[str, str]]:
    """Return each header with its value, as often as it was sent."""
    return [
        (name.decode("latin-1"), value.decode("latin-1"))
        for name, values in headers.items()
        for value in values
    ]


def _request_head(response: Response) -> StatusAndHeaders:
    parts, request = urlsplit(response.url), response.request
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    own = header_list(request.headers) if request is not None else []
    return StatusAndHeaders(
        f"GET {path} HTTP/1.1", [("Host", parts.netloc), *own], is_http_request=True
    )


def _problem(path: Path, error: OSError) -> DiskProblem:
    return DiskProblem(f"{path} cannot be written: {error.strerror or error}")


_FILES = ("pages.jsonl", "feeds.jsonl", "crawl-*.warc.gz", "other-*.warc.gz")
"""The files of a crawl besides its frontier."""


def files_of_crawl(directory: Path) -> list[Path]:
    """Return the files in a directory that a crawl there would go on with."""
    return sorted(path for pattern in _FILES for path in directory.glob(pattern))


class StoreKinds(msgspec.Struct, frozen=True, kw_only=True):
    """Which files a crawl keeps; feeds are kept in any case."""

    pages: bool = False
    """Whether pages are kept in `pages.jsonl`."""
    archive: bool = False
    """Whether requests and answers are kept in WARC files.

    Like in the archives of Common Crawl, `crawl-*.warc.gz` has the pages and their ends, which `templ run`
    reads, and `other-*.warc.gz` has robots.txt, sitemaps, feeds, redirects and errors.
    """


class CrawlStore:
    """The files of a crawl, which grow together with the frontier's transactions."""

    def __init__(
        self, directory: Path, lengths: Mapping[str, int], kinds: StoreKinds, contact: str
    ) -> None:
        self._pages = PageLines(directory / "pages.jsonl", lengths) if kinds.pages else None
        self._feeds = PageLines(directory / "feeds.jsonl", lengths)
        prefixes = ("crawl", "other") if kinds.archive else ()
        self._archives = [WarcFiles(directory, prefix, lengths, contact) for prefix in prefixes]

    def keep_page(self, page: Page) -> None:
        """Add a page, or the end of one, where pages are kept."""
        if self._pages is not None:
            self._pages.add(page)

    def keep_feed(self, feed: Page) -> None:
        """Add a feed."""
        self._feeds.add(feed)

    @property
    def keeps_exchanges(self) -> bool:
        """Whether requests and answers are kept."""
        return bool(self._archives)

    def keep_exchange(self, records: bytes, *, is_page: bool) -> None:
        """Add what `warc_records` has made of a request and its answer, if these are kept.

        Pages, and answers that say that one is unchanged or gone, are kept apart from all others.
        """
        if records:
            self._archives[not is_page].write(records)

    def lengths(self) -> dict[str, int]:
        """Return the lengths of the present files by name, in bytes."""
        return {file.path.name: file.length for file in self._files()}

    def close(self) -> None:
        """Close the files."""
        for file in self._files():
            file.close()

    def _files(self) -> list[_GrowingFile]:
        lines = [self._feeds] if self._pages is None else [self._pages, self._feeds]
        return [*lines, *(archive.file for archive in self._archives)]
