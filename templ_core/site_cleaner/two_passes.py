"""Cleans sites and whole crawls, so that the first page of a site profits from the others, too."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

import msgspec

from templ_core.clean_document import ExaminedPage
from templ_core.errors import PageError
from templ_core.site_cleaner.cleaned_page import CleanedPage
from templ_core.site_cleaner.site_cleaner import (
    CleanerOptions,
    CrawledPage,
    Fetch,
    SiteCleaner,
    cut,
    one_at_a_time,
)
from templ_core.times import FIRST_TIME_MS, SPACING_MS


class SampleBounds(msgspec.Struct, frozen=True, kw_only=True):
    """How many pages of a site are held to learn from them before the first one is cleaned.

    Attributes:
        pages_max: Most pages. From some dozens of different pages on, a site model hardly changes any more.
        bytes_max: Most bytes of bodies; at least one page is held. It bounds the memory, which is several times as
            large, because held pages are kept as they were read.
    """

    pages_max: int = 200
    bytes_max: int = 64 << 20


class _TwoPasses(SiteCleaner):
    """A cleaner that reads a page once, although it learns from it and then cleans it."""

    @one_at_a_time
    def fetch(self, page: CrawledPage, fetched_at: float | None = None) -> Fetch:
        """Return a page with its time in Unix seconds; None means a minute after the latest page."""
        return self._fetch(page, fetched_at)

    @one_at_a_time
    def learned(self, fetch: Fetch) -> ExaminedPage | None:
        """Learn from a page, and return it as it was read; None where it teaches nothing."""
        try:
            return self._learn(fetch)
        except PageError:
            return None  # cleaning it says why

    @one_at_a_time
    def cleaned(
        self, fetch: Fetch, read: ExaminedPage | None = None, *, learns: bool = False
    ) -> CleanedPage | PageError:
        """Return a page that was read or not as clean text, or why there is none."""
        try:
            return self._clean(fetch, read, learns=learns)
        except PageError as error:
            return error


def clean_site(
    pages: Iterable[tuple[bytes | str, str]],
    options: CleanerOptions | None = None,
    *,
    site: str | None = None,
) -> list[CleanedPage | PageError]:
    """Clean a list of pages of one site, each with what all of them share.

    Args:
        pages: Pairs of the page as fetched, or its HTML as text, and its URL. They count as fetched a
            minute apart.
        options: Options of the cleaner.
        site: Key of the site; None = the registrable domain of the URLs.

    Returns:
        The cleaned page for each page, in order, or why there is none.

    Raises:
        ValueError: The pages are of several sites, or one is no pair of a page and its URL.
    """
    pairs = (_fields(page, 2) for page in pages)
    crawled = [CrawledPage(body, url, site).encodable() for body, url in pairs]
    if not crawled:
        return []
    keys = list(dict.fromkeys(page.site_key for page in crawled))
    if len(keys) > 1:
        raise ValueError(
            f"pages of {len(keys)} sites ({cut(', '.join(keys))}): clean_crawl cleans many sites, and site=... takes them "
            "for one"
        )
    site = keys[0]
    with _TwoPasses(options) as cleaner:
        fetches = [
            cleaner.fetch(page, (FIRST_TIME_MS + number * SPACING_MS) // 1000)
            for number, page in enumerate(crawled)
        ]
        held = len(list(_sample((fetch.page for fetch in fetches), SampleBounds())))
        read = [cleaner.learned(fetch) for fetch in fetches[:held]]
        for fetch in fetches[
            held:
        ]:  # read again to be cleaned, since a page as it was read takes much memory
            cleaner.learned(fetch)
        cleaner.fit(site)
        return list(map(cleaner.cleaned, fetches, [*read, *[None] * (len(fetches) - held)]))


def clean_crawl(
    pages: Iterable[CrawledPage | tuple[Any, ...]],
    options: CleanerOptions | None = None,
    sample: SampleBounds | None = None,
) -> Iterator[tuple[CrawledPage, CleanedPage | PageError]]:
    """Clean the pages of many sites in two passes, and yield each with its clean text, or why there is none, in order.

    The first pages of a site are held and learned from. Then they are cleaned, each with what all of them
    share. Pages behind them are cleaned and learned from one by one. Nothing is kept of a site when the
    next one begins, so memory is bounded however many sites and pages there are. Times do not count: the
    pages of a site are taken for one crawl. Of each site that was cleaned only its key is kept, so that a
    site that comes back is refused.

    Args:
        pages: The pages, those of a site one after the other: `CrawledPage`, or tuples of its fields, such as
            `(html, url)`.
        options: Options of the cleaner.
        sample: How many pages of a site are held; None = the defaults.

    Raises:
        ValueError: A page is neither bytes nor text, or follows pages of another site that came behind its own.

    >>> story = "The council met on Monday, and it said that the bridge stays open until May. " * 3
    >>> html = f"<nav><a href=/>Home</a></nav><p>{story}</p>"
    >>> crawl = [(html, "https://example.com/bridge")]
    >>> [cleaned.text == story.strip() for page, cleaned in clean_crawl(crawl)]
    [True]
    """
    bounds = sample or SampleBounds()
    done: set[str] = set()
    for key, of_site in groupby(map(_crawled, pages), lambda page: page.encodable().site_key):
        if key in done:
            raise ValueError(
                f"pages of the site {key} come again behind those of another site: sort the pages by site, "
                "or clean them with SiteCleaner as they come"
            )
        done.add(key)
        with _TwoPasses(options) as cleaner:
            held = [
                (page, cleaner.learned(cleaner.fetch(page))) for page in _sample(of_site, bounds)
            ]
            cleaner.fit(key)
            for page, read in held:
                yield page, cleaner.cleaned(cleaner.fetch(page), read)
            held.clear()
            for page in of_site:
                yield page, cleaner.cleaned(cleaner.fetch(page), learns=True)


def _crawled(page: CrawledPage | tuple[Any, ...]) -> CrawledPage:
    return CrawledPage(*_fields(page, len(CrawledPage._fields)))


def _fields(page: object, fields_max: int) -> Sequence[Any]:
    """Return the fields of a page, 2 or more.

    Raises:
        ValueError: They are not given as a tuple; the message says what to give.
    """
    if not isinstance(page, tuple | list):
        given = f"of type {type(page).__name__}"
    elif not 2 <= len(page) <= fields_max:
        given = f"a {type(page).__name__} of {len(page)}"
    else:
        return page
    raise ValueError(f"a page is {given}: give each page as a tuple such as (html, url)")


def _sample(pages: Iterator[CrawledPage], bounds: SampleBounds) -> Iterator[CrawledPage]:
    """Yield the first pages as far as the bounds allow; the iterator goes on behind them."""
    size_bytes = 0
    for number, page in enumerate(pages, 1):
        yield page
        size_bytes += len(page.body)
        if number >= bounds.pages_max or size_bytes >= bounds.bytes_max:
            return
