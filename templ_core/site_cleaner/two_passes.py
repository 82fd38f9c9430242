"""Cleans whole crawls site by site, so that the first page of a site profits from the others, too."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

import msgspec

from templ_core.clean_document import ExaminedPage
from templ_core.errors import PageError
from templ_core.site_cleaner.cleaned_page import CleanedPage
from templ_core.site_cleaner.site_cleaner import (
    CleanerOptions,
    SiteCleaner,
    _Fetch,
    check_body,
)
from templ_core.site_key import site_key


class CrawledPage(NamedTuple):
    """A page of a crawl."""

    url: str
    body: bytes | str
    """The page as fetched, or its HTML as text."""
    site: str | None = None
    """Key of the site, whose pages share templates; None = the registrable domain of `url`."""
    content_type: str | None = None
    """The Content-Type header, where known."""
    status: int = 200
    """The HTTP status; nothing is learned from error pages."""

    @property
    def site_key(self) -> str:
        """Key of the site that the page is cleaned with."""
        return self.site or site_key(self.url)


class SampleBounds(msgspec.Struct, frozen=True, kw_only=True):
    """How many pages of a site are held to learn from them before the first one is cleaned."""

    pages_max: int = 200
    """Most pages. From some dozens of different pages on, a site model hardly changes any more."""
    bytes_max: int = 64 << 20
    """Most bytes of bodies; at least one page is held.

    It bounds the memory, which is several times as large, because held pages are kept as they were read.
    """


class PageOutcome(NamedTuple):
    """What became of a page."""

    page: CrawledPage
    cleaned: CleanedPage | PageError
    """The cleaned page, or why there is none."""


def clean_crawl(
    pages: Iterable[CrawledPage],
    options: CleanerOptions | None = None,
    sample: SampleBounds | None = None,
) -> Iterator[PageOutcome]:
    """Clean the pages of many sites in two passes, and yield what became of each, in order.

    The first pages of a site are held and learned from. Then they are cleaned, each with what all of them
    share. Pages behind them are cleaned and learned from one by one. Nothing is kept of a site when the
    next one begins, so memory is bounded however many sites and pages there are. Times do not count: the
    pages of a site are taken for one crawl. Of each site that was cleaned only its key is kept, so that a
    site that comes back is refused.

    Args:
        pages: The pages, those of a site one after the other.
        options: Options of the cleaner.
        sample: How many pages of a site are held; None = the defaults.

    Raises:
        ValueError: A page is neither bytes nor text, or follows pages of another site that came behind its own.

    >>> story = "The council met on Monday, and it said that the bridge stays open until May. " * 3
    >>> html = f"<nav><a href=/>Home</a></nav><p>{story}</p>"
    >>> outcomes = clean_crawl([CrawledPage("https://example.com/bridge", html)])
    >>> [outcome.cleaned.text == story.strip() for outcome in outcomes]
    [True]
    """
    bounds = sample or SampleBounds()
    done: set[str] = set()
    for key, of_site in groupby(pages, lambda page: page.site_key):
        if key in done:
            raise ValueError(
                f"pages of the site {key} come again behind those of another site: sort the pages by site, "
                "or clean them with SiteCleaner as they come"
            )
        done.add(key)
        with _HoldingCleaner(options) as cleaner:
            yield from _clean_site(key, of_site, cleaner, bounds)


class _HoldingCleaner(SiteCleaner):
    """A cleaner that reads the pages of a sample once, although it learns from them and then cleans them."""

    def __init__(self, options: CleanerOptions | None) -> None:
        super().__init__(options)
        self._held: dict[tuple[str, int, str | None], ExaminedPage] = {}
        self.holds = True
        """Whether pages that are read are held."""

    def _read(self, fetch: _Fetch) -> ExaminedPage:
        key = (fetch.url, hash(fetch.body), fetch.content_type)
        if not self.holds:
            return self._held.pop(key, None) or super()._read(fetch)
        read = super()._read(fetch)
        self._held[key] = read
        return read


def _clean_site(
    key: str, pages: Iterator[CrawledPage], cleaner: _HoldingCleaner, bounds: SampleBounds
) -> Iterator[PageOutcome]:
    held = _hold(pages, bounds)
    for page in held:
        try:
            cleaner.learn(
                page.url, page.body, site=key, content_type=page.content_type, status=page.status
            )
        except PageError:
            continue  # cleaning it says why
    cleaner.fit(key)
    cleaner.holds = False
    for page in held:
        yield _clean(cleaner, key, page, learns=False)
    for page in pages:
        yield _clean(cleaner, key, page, learns=True)


def _hold(pages: Iterator[CrawledPage], bounds: SampleBounds) -> list[CrawledPage]:
    """Return the first pages as far as the bounds allow; the iterator goes on behind them."""
    held: list[CrawledPage] = []
    size_bytes = 0
    for page in pages:
        held.append(page)
        check_body(page.body, page.url)
        size_bytes += len(page.body)
        if len(held) >= bounds.pages_max or size_bytes >= bounds.bytes_max:
            break
    return held


def _clean(cleaner: SiteCleaner, key: str, page: CrawledPage, *, learns: bool) -> PageOutcome:
    try:
        cleaned = cleaner.clean(
            page.url,
            page.body,
            site=key,
            content_type=page.content_type,
            status=page.status,
            learns=learns,
        )
    except PageError as error:
        return PageOutcome(page, error)
    return PageOutcome(page, cleaned)
