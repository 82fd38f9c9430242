"""The library: a cleaner that learns each site as its pages come, and a function for one page.

Pages go in, clean text comes out, and nothing else is touched.
"""

import functools
from collections.abc import Callable, Iterator
from datetime import datetime
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeVar, cast, get_args

import msgspec

from templ_core.clean_document import (
    CleanedText,
    ExaminedPage,
    clean_page,
    examine,
)
from templ_core.cleaner_version import cleaner_version
from templ_core.config import Balance, Comments, CoreConfig, WindowBounds
from templ_core.decide import NOTHING, Decision
from templ_core.dom.codec import compress_columns, document_columns
from templ_core.dom.document import Document, read_document
from templ_core.encodable import encodable
from templ_core.errors import CleanerClosed, CodecError, PageGone
from templ_core.metadata.fields import Metadata
from templ_core.page_level.model.model_file import decode_model, shipped_model
from templ_core.page_quality import page_quality
from templ_core.patterns import pattern
from templ_core.site_cleaner.call_lock import CallLock
from templ_core.site_cleaner.cleaned_page import CleanedPage
from templ_core.site_cleaner.learned_site import (
    LearnedSite,
    SitesInMemory,
    WindowDocument,
    decode_site,
    encode_site,
)
from templ_core.site_key import site_key
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.window.page_summary import encode_page_summary
from templ_core.stored.compact import content_digest
from templ_core.times import FIRST_TIME_MS, SPACING_MS, parse_time_ms, rfc3339

_GONE_STATUSES = frozenset([404, 410])
_URL = pattern(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s<>]+")
_URL_CHARS_MAX = 4096
"""Longest text that may be an address in place of a page."""
_SHOWN_CHARS = 200
"""Characters of a value that a message shows."""
_DOCUMENT_BYTES_MAX = (8 << 20) - (16 << 10)
"""Largest document in compact form that a site learns from, as on Kafka."""
_SAVED_FORMAT = 1
_CLOSED = "this SiteCleaner is closed: make a new one, or load what was saved with from_bytes()"


_Method = TypeVar("_Method", bound=Callable[..., Any])


class CleanerOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options of a `SiteCleaner`; one with a value that it cannot have raises `ValueError`.

    Attributes:
        comments: How to treat readers' comments: `keep`, `drop`, or `auto`, which drops them on articles and keeps
            them in forums.
        balance: `precision` keeps less template, `recall` misses less content, `even` gives the best word F1.
        page_model: Content of a file that `templ train` wrote; empty means the page model that comes with templ.
        page_bytes_max: Largest page after decompression, in bytes.
        window: The bounds of each site's window.
        with_links: Whether pages keep links, images and emphasis for `markdown()`, `html()` and `links()`.
        with_quality: Whether pages say how probably they are error pages, walls, empty shells or mere templates.
        with_records: Whether the posts of threads, the items of listings and the fields of pages are read; links are
            kept, too.
    """

    comments: Comments = "auto"
    balance: Balance = "even"
    page_model: bytes = b""
    page_bytes_max: int = 32 << 20
    window: WindowBounds = WindowBounds()
    with_links: bool = False
    with_quality: bool = False
    with_records: bool = False

    def __post_init__(self) -> None:
        """Refuse values that options cannot have."""
        for name, known in (("comments", get_args(Comments)), ("balance", get_args(Balance))):
            if (value := getattr(self, name)) not in known:
                raise ValueError(f"{name}={shown(value)}: give one of {', '.join(known)}")
        kinds = {
            "page_model": bytes,
            "page_bytes_max": int,
            "window": WindowBounds,
            "with_links": bool,
            "with_quality": bool,
            "with_records": bool,
        }
        for name, kind in kinds.items():
            if not isinstance(value := getattr(self, name), kind):
                raise ValueError(f"{name}={shown(value)}: give a value of type {kind.__name__}")  # noqa: TRY004
        if self.page_bytes_max < 1:
            raise ValueError(f"page_bytes_max={self.page_bytes_max}: give 1 or more")


def one_at_a_time(method: _Method) -> _Method:
    """Have a method of a cleaner that threads share wait until the call of another thread has ended."""

    @functools.wraps(method)
    def locked(self: "SiteCleaner", /, *args: Any, **kwargs: Any) -> Any:
        with self._lock:
            return method(self, *args, **kwargs)

    return cast("_Method", locked)


class CrawledPage(NamedTuple):
    """A page of a crawl.

    Attributes:
        body: The page as fetched, or its HTML as text.
        url: The address of the page.
        site: Key of the site, whose pages share templates; None = the registrable domain of `url`.
        content_type: The Content-Type header, where known.
        status: The HTTP status; nothing is learned from error pages.
    """

    body: bytes | str
    url: str
    site: str | None = None
    content_type: str | None = None
    status: int = 200

    @property
    def site_key(self) -> str:
        """Key of the site that the page is cleaned with."""
        return encodable(self.site) if self.site else site_key(self.url)

    def encodable(self) -> "CrawledPage":
        """Return the page with `encodable` text in its fields; the body is decoded by itself.

        Raises:
            ValueError: A field is no text.
        """
        if _are_swapped(self.body, self.url):
            raise ValueError("the page comes first, then its URL: clean(html, url)")
        if not isinstance(self.url, str):
            raise ValueError(  # noqa: TRY004 - as for a time, so that callers catch one error
                f"url={shown(self.url)} is no text: give the address of the page, or call "
                "templ_core.clean(html) for a page without one"
            )
        for name, text in (("site", self.site), ("content_type", self.content_type)):
            if not isinstance(text, str | None):
                raise ValueError(f"{name}={shown(text)} is no text: give a text, or None")  # noqa: TRY004
        return self._replace(
            url=encodable(self.url),
            site=self.site and encodable(self.site),
            content_type=self.content_type and encodable(self.content_type),
        )


class Fetch(NamedTuple):
    """One fetch of a page."""

    page: CrawledPage
    site: str
    time_ms: int
    fetched_at: str | None
    """RFC 3339 time in UTC; None where none was given."""

    @property
    def id(self) -> str:
        """Name of the fetch: a fetch that comes twice counts once."""
        return f"{self.page.url}-0-{self.time_ms}"


class SiteCleaner:
    """Cleans pages as they come, and learns the templates of each site on the way.

    Equal pages in equal order give equal text here and in `templ run`. Threads may share an object: a call waits
    until the call of another thread has ended, and so does a fork. After `close`, every method raises `CleanerClosed`.
    Nothing is read or written: `to_bytes` returns what was learned, and `from_bytes` takes it back.

    >>> story = "The council met on Monday, and it said that the bridge stays open until May. " * 3
    >>> html = f"<nav><a href=/>Home</a></nav><p>{story}</p>"
    >>> with SiteCleaner() as cleaner:
    ...     text = cleaner.clean(html, "https://example.com/bridge").text
    ...     saved = cleaner.to_bytes()
    >>> text == story.strip()
    True
    >>> SiteCleaner.from_bytes(saved).sites()
    ['example.com']
    """

    def __init__(self, options: CleanerOptions | None = None) -> None:
        """Start without knowing any site.

        Raises:
            CodecError: The page model of the options cannot be used.
            ValueError: The options are something else; the message says what to give.
        """
        if not isinstance(options, CleanerOptions | None):
            raise ValueError(  # noqa: TRY004 - as for a time, so that callers catch one error
                f"options={shown(options)}: give CleanerOptions, such as CleanerOptions(with_links=True)"
            )
        self._lock = CallLock()
        with self._lock:
            self._start(options)

    def _start(self, options: CleanerOptions | None) -> None:
        self._options = options or CleanerOptions()
        self._config = CoreConfig(
            comments=self._options.comments,
            balance=self._options.balance,
            quality=self._options.with_quality,
            records=self._options.with_records,
        )
        body = self._options.page_model
        self._page_model = decode_model(body) if body else shipped_model()
        self._version = cleaner_version(self._config)
        self._sites: dict[str, LearnedSite] | None = {}
        self._memory = SitesInMemory(self._config, self._page_model)
        self._next_ms = FIRST_TIME_MS

    @one_at_a_time
    def clean(
        self,
        html: bytes | str,
        url: str,
        fetched_at: datetime | str | float | None = None,
        *,
        site: str | None = None,
        content_type: str | None = None,
        status: int = 200,
        learns: bool = True,
    ) -> CleanedPage:
        """Clean a page and learn from it.

        Args:
            html: The page as fetched, or its HTML as text.
            url: The address of the page.
            fetched_at: When it was fetched: a datetime, an ISO 8601 string, or Unix seconds or
                milliseconds; a missing time zone means UTC. None means a minute after the latest page.
            site: Key of the site, whose pages share templates; None = the registrable domain of `url`.
            content_type: The Content-Type header, where known.
            status: The HTTP status. Error pages are cleaned, and nothing is learned from them; 404
                and 410 make the site forget the URL.
            learns: Whether the site learns from the page.

        Raises:
            PageError: The page cannot be cleaned; `PageGone` where it no longer exists.
            ValueError: The page is neither bytes nor text, the URL, the site or the content type is no text,
                or the time of the fetch cannot be read.
        """
        page = CrawledPage(html, url, site, content_type, status)
        return self._clean(self._fetch(page, fetched_at), learns=learns)

    @one_at_a_time
    def learn(
        self,
        html: bytes | str,
        url: str,
        fetched_at: datetime | str | float | None = None,
        *,
        site: str | None = None,
        content_type: str | None = None,
        status: int = 200,
    ) -> str:
        """Add a page to its site's window without cleaning it, and return the key of the site.

        The site's model stays as it is until `fit` is called. So a batch of pages is learned first and
        cleaned then, each with what all of them share. Arguments and errors are those of `clean`.
        """
        fetch = self._fetch(CrawledPage(html, url, site, content_type, status), fetched_at)
        self._learn(fetch)
        return fetch.site

    @one_at_a_time
    def fit(self, site: str) -> None:
        """Fit the model of a site to its window as it is; a site without a window stays unknown."""
        known = self._known().get(encodable(site))
        if known is not None and known.documents:
            self._memory.fit(known)

    @one_at_a_time
    def sites(self) -> list[str]:
        """Return the keys of the sites that something was learned about, sorted."""
        return sorted(key for key, site in self._known().items() if site.history.learned)

    @one_at_a_time
    def to_bytes(self) -> bytes:
        """Return all that was learned, for `from_bytes`; the cleaner can go on afterwards."""
        sites = [encode_site(site) for _, site in sorted(self._known().items())]
        return msgspec.msgpack.encode((_SAVED_FORMAT, self._next_ms, sites))

    @classmethod
    def from_bytes(cls, saved: bytes, options: CleanerOptions | None = None) -> Self:
        """Return a cleaner that goes on from what `to_bytes` returned.

        Raises:
            CodecError: The bytes are damaged, or of another format.
        """
        try:
            number, next_ms, sites = msgspec.msgpack.decode(
                saved, type=tuple[int, int, list[bytes]]
            )
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise CodecError(f"not saved by SiteCleaner.to_bytes: {error}") from None
        if number != _SAVED_FORMAT:
            raise CodecError(f"saved in format {number}, known is {_SAVED_FORMAT}")
        cleaner = cls(options)
        cleaner._next_ms = next_ms
        for body in sites:
            cleaner.restore_site(body)
        return cleaner

    def __reduce__(self) -> tuple[Any, ...]:
        """Have a pickle hold what was learned and the options."""
        return type(self).from_bytes, (self.to_bytes(), self._options)

    def changed_sites(self) -> Iterator[tuple[str, bytes]]:
        """Yield the key and the saved form of each site that has changed since it was yielded last.

        So what was learned can be saved often, and each site by itself, for `restore_site`.
        """
        with self._lock:
            keys = sorted(self._known())
        for key in keys:
            saved = self._changed_site(key)
            if saved is not None:
                yield key, saved

    @one_at_a_time
    def _changed_site(self, key: str) -> bytes | None:
        site = self._known()[key]
        if not site.has_changed:
            return None
        site.has_changed = False
        return encode_site(site)

    @one_at_a_time
    def restore_site(self, saved: bytes) -> str:
        """Take back what `changed_sites` yielded for a site, in place of what is known of it; return the site's key.

        Raises:
            CodecError: The bytes are damaged, or of another format.
        """
        site = decode_site(saved)
        self._known()[site.key] = site
        self._memory.forget(site.key)
        return site.key

    @one_at_a_time
    def close(self) -> None:
        """Free what was learned; it can be called again, and everything else fails from now on."""
        self._sites = None
        self._memory = SitesInMemory(self._config, self._page_model)

    def __enter__(self) -> Self:
        """Return the cleaner."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the cleaner."""
        self.close()

    def _known(self) -> dict[str, LearnedSite]:
        if self._sites is None:
            raise CleanerClosed(_CLOSED)
        return self._sites

    def _fetch(self, page: CrawledPage, fetched_at: datetime | str | float | None = None) -> Fetch:
        """Return a page with its time; arguments and errors are those of `clean`."""
        self._known()
        page = page.encodable()
        check_body(page.body, page.url)
        time_ms = self._time_ms(fetched_at)
        self._next_ms = max(self._next_ms, time_ms + SPACING_MS)
        return Fetch(page, page.site_key, time_ms, None if fetched_at is None else rfc3339(time_ms))

    def _time_ms(self, fetched_at: datetime | str | float | None) -> int:
        if fetched_at is None:
            return self._next_ms
        said = fetched_at.isoformat() if isinstance(fetched_at, datetime) else fetched_at
        time_ms = parse_time_ms(said)
        if time_ms is None:
            raise ValueError(
                f"fetched_at={shown(fetched_at)} is no time: give a datetime, an ISO 8601 string or Unix "
                "seconds"
            )
        return time_ms

    def _clean(
        self, fetch: Fetch, read: ExaminedPage | None = None, *, learns: bool
    ) -> CleanedPage:
        """Clean a page, which is read if it was not read before."""
        url, status = fetch.page.url, fetch.page.status
        if status in _GONE_STATUSES:
            if learns:
                self._forget(fetch)
            raise PageGone(f"{cut(url)} no longer exists: HTTP status {status}")
        known = self._known().get(fetch.site)
        read = read or self._read(fetch.page)
        model = self._memory.model(known) if known else None
        cleaned = clean_page(
            read, url, model, self._config, self._page_model, fetched_at=fetch.fetched_at
        )
        page = self._page(fetch, read.document, cleaned, model)
        if learns and self._enter(fetch, read, cleaned.decision):
            learned = self._known()[fetch.site]
            if learned.is_due:
                self._memory.fit(learned)
        return page

    def _learn(self, fetch: Fetch) -> ExaminedPage | None:
        """Add a page to its site's window, and return it as it was read; None for an error page."""
        read = None
        if fetch.page.status in _GONE_STATUSES:
            self._forget(fetch)
        elif _is_success(fetch.page):
            read = self._read(fetch.page)
            self._enter(fetch, read)
        return read

    def _read(self, page: CrawledPage) -> ExaminedPage:
        body, charset = page.body, None
        if isinstance(body, str):
            body, charset = body.encode("utf-8", "replace"), "utf-8"
        document = read_document(
            body,
            page.url,
            content_type=page.content_type,
            charset=charset,
            limit_bytes=self._options.page_bytes_max,
            with_marks=self._options.with_links or self._options.with_records,
        )
        return examine(document, self._page_model)

    def _page(
        self, fetch: Fetch, document: Document, cleaned: CleanedText, model: SiteModel | None
    ) -> CleanedPage:
        decision, warnings = cleaned.decision, list(cleaned.warnings)
        if fetch.page.status >= 400 and "error-page" not in warnings:
            warnings.append("error-page")
        return CleanedPage(
            url=fetch.page.url,
            site=fetch.site,
            id=fetch.id,
            fetched_at=fetch.fetched_at,
            title=document.title,
            text=cleaned.text,
            method="site" if decision.used_site else "page",
            confidence=decision.confidence,
            page_type=cleaned.page_type,
            warnings=warnings,
            metadata=cleaned.metadata or Metadata(),
            quality=page_quality(cleaned.quality_inputs),
            records=cleaned.records,
            site_model_version=model.version if model else None,
            page_model_version=self._page_model.version,
            cleaner_version=self._version,
            document=document,
            decision=decision,
        )

    def _enter(self, fetch: Fetch, read: ExaminedPage, decision: Decision = NOTHING) -> bool:
        """Add a page with what was decided of it to the window of its site; return whether it has entered."""
        page = read.summary() if _is_success(fetch.page) else None
        if page is None:
            return False
        columns = document_columns(read.document)
        body = compress_columns(columns)
        if len(body) > _DOCUMENT_BYTES_MAX:
            return False
        document = WindowDocument(
            time_ms=fetch.time_ms,
            page_id=fetch.id,
            url=fetch.page.url,
            content_digest=content_digest(columns),
            body=body,
            summary=encode_page_summary(page, self._page_model.version),
        )
        has_entered = self._site(fetch.site).enter(document, decision, self._options.window)
        if has_entered:
            self._memory.keep_read(fetch.site, document.content_digest, page)
        return has_entered

    def _forget(self, fetch: Fetch) -> None:
        self._site(fetch.site).forget(fetch.page.url, fetch.time_ms, self._options.window)

    def _site(self, key: str) -> LearnedSite:
        known = self._known()
        if key not in known:
            known[key] = LearnedSite(key)
        return known[key]


def _are_swapped(html: object, url: object) -> bool:
    """Return whether the address of a page was given as the page, or the page as its address."""
    if isinstance(html, str | bytes) and len(html) <= _URL_CHARS_MAX:
        text = html if isinstance(html, str) else html.decode("utf-8", "replace")
        if _URL.fullmatch(text.strip()):
            return True
    return isinstance(url, bytes) or (isinstance(url, str) and url.lstrip()[:1] == "<")


def shown(value: object) -> str:
    """Return a value for a message, which never holds a page."""
    return cut(repr(value))


def cut(text: str) -> str:
    """Return the beginning of a text for a message."""
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}..."


def _is_success(page: CrawledPage) -> bool:
    return 200 <= page.status < 300


def check_body(body: object, url: str) -> None:
    """Refuse a page that is neither bytes nor text.

    Raises:
        ValueError: It is something else; the message says what to give.
    """
    if not isinstance(body, bytes | str):
        said = "None" if body is None else f"of type {type(body).__name__}"
        raise ValueError(  # noqa: TRY004 - as for a time, so that callers catch one error
            f"the page{url and ' '}{cut(url)} is {said}: give its bytes as fetched, or its HTML as text"
        )


def clean(
    html: bytes | str, url: str | None = None, options: CleanerOptions | None = None
) -> CleanedPage:
    """Clean a page without knowing anything about its site.

    Args:
        html: The page as fetched, or its HTML as text.
        url: The URL of the page, which names the site and completes relative links; None = unknown.
        options: Options of the cleaner; `with_links=True` keeps links for `markdown()` and `html()`.

    Raises:
        PageError: The page cannot be cleaned.
        ValueError: The page is neither bytes nor text.

    >>> clean(
    ...     "<nav><a href=/>Home</a></nav><p>A ferry sank in the harbour. Nobody was hurt.</p>"
    ... ).text
    'A ferry sank in the harbour. Nobody was hurt.'
    """
    return SiteCleaner(options).clean(html, url or "", learns=False)
