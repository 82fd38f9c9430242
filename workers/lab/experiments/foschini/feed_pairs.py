"""Pages paired with the entries of feeds that tell of them."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from lxml import etree, html

from templ_core import CleanedPage, clean_site
from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.dom.decode.decode_page import decode_page
from templ_core.dom.document import Document, parse_document
from templ_core.errors import PageError
from workers.crawl.addresses import absolute_address, address_key, is_askable
from workers.crawl.feeds import FeedEntry, feed_entries
from workers.feeds.files import read_feed
from workers.page import Page

SYSTEMS = ("raw", "page level", "site level")
"""What makes the texts: everything visible, the page model alone, and the site's pages together."""
_FEED_ROOTS = (b"<rss", b"<feed", b"<rdf:RDF")
_HEAD_BYTES = 2048
_PAGE_BYTES_MAX = 32 << 20


class FeedPair(msgspec.Struct, frozen=True, kw_only=True):
    """A page and what a feed says of it, as plain texts."""

    site: str
    url: str
    summary: str
    full_text: str
    """The whole text in the feed; empty where it has only a summary."""
    texts: dict[str, str]
    """The page's text by the name of each of `SYSTEMS`."""


def read_pairs(paths: Sequence[Path]) -> Iterator[list[FeedPair]]:
    """Yield the pairs of each site that has a feed.

    An entry belongs to the page whose address is its link or its guid, or to the page that names one of
    them as its canonical address. Parameters of campaigns do not count.

    Args:
        paths: Files of a crawl with pages and feeds: WARC files, or JSON Lines.

    Raises:
        InputProblem: A file cannot be read.
    """
    pages: defaultdict[str, dict[str, Page]] = defaultdict(dict)
    entries: defaultdict[str, dict[str, FeedEntry]] = defaultdict(dict)
    for page in read_feed(paths):
        if not isinstance(page, Page) or page.body is None or page.status != 200:
            continue
        if is_feed(page.body):
            for entry in feed_entries(page.body):
                for address in (entry.guid, absolute_address(page.url, entry.link)):
                    if address is not None and is_askable(address):
                        entries[page.site][address_key(address)] = entry
        else:
            pages[page.site][page.url] = page
    for site in sorted(entries):
        yield list(pair_site(list(pages[site].values()), entries[site]))


def is_feed(body: bytes) -> bool:
    """Return whether the bytes of a page are a feed."""
    return any(root in body[:_HEAD_BYTES] for root in _FEED_ROOTS)


def pair_site(pages: Sequence[Page], entries: dict[str, FeedEntry]) -> Iterator[FeedPair]:
    """Yield the pairs of one site; its pages are cleaned together, those without an entry as well.

    Args:
        pages: All pages of the site.
        entries: Entries by the key of their addresses.
    """
    bodies = [page.body or b"" for page in pages]
    cleaned = clean_site([(page.url, body) for page, body in zip(pages, bodies, strict=True)])
    for page, body, found in zip(pages, bodies, cleaned, strict=True):
        if not isinstance(found, CleanedPage):
            continue
        canonical = found.metadata.canonical_url if found.metadata is not None else None
        keys = [address_key(url) for url in (page.url, canonical) if url and is_askable(url)]
        entry = next((entries[key] for key in keys if key in entries), None)
        if entry is None:
            continue
        try:
            document = _document(page, body)
        except PageError:
            continue
        raw = "\n".join(document.segments.texts)
        alone = clean(document, None, CoreConfig()).text
        yield FeedPair(
            site=page.site,
            url=page.url,
            summary=plain_text(entry.summary),
            full_text=plain_text(entry.full_text),
            texts=dict(zip(SYSTEMS, (raw, alone, found.text), strict=True)),
        )


def plain_text(markup: str) -> str:
    """Return the text of a summary, which may be HTML.

    >>> plain_text("<p>One</p><p>two &amp; three</p>")
    'One two & three'
    """
    if not markup.strip():
        return ""
    try:
        root = html.fragment_fromstring(markup, create_parent="div")
    except (etree.ParserError, ValueError):
        return markup
    return " ".join(" ".join(root.itertext()).split())


def _document(page: Page, body: bytes) -> Document:
    decoded = decode_page(
        body,
        content_type=page.content_type,
        charset=page.charset,
        content_encoding=page.content_encoding,
        limit_bytes=_PAGE_BYTES_MAX,
    )
    return parse_document(decoded.text, page.url)
