"""What an answer is (a page, a feed or a sitemap), what it says, and which addresses it names."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from io import BytesIO
from itertools import islice
from typing import Literal

import feedparser
import msgspec
from lxml import etree
from scrapy.linkextractors import IGNORED_EXTENSIONS
from scrapy.utils.gz import gunzip
from scrapy.utils.misc import rel_has_nofollow
from scrapy.utils.sitemap import Sitemap
from scrapy.utils.url import url_has_any_extension
from w3lib.html import strip_html5_whitespace
from w3lib.url import safe_url_string

from templ_core.dom.decode.decode_page import decode_page
from templ_core.dom.parse.parse_page import parse_markup
from templ_core.errors import PageError
from templ_core.patterns import pattern
from workers.crawl.addresses import URL_CHARS_MAX, absolute_address
from workers.crawl.frontier import (
    NEW_LINKED,
    NEW_LISTED,
    NEW_LISTING,
    FoundAddress,
    found_addresses,
)


def feed_links(body: bytes) -> Iterator[str]:
    """Yield the addresses that the entries of a feed name, without reading the entries' texts.

    >>> list(
    ...     feed_links(b"<rss version='2.0'><channel><item><link>/1</link></item></channel></rss>")
    ... )
    ['/1']
    """
    feed = feedparser.parse(BytesIO(body), sanitize_html=False, resolve_relative_uris=False)
    return (entry.link for entry in feed.entries if entry.get("link"))


AnswerKind = Literal["page", "feed", "sitemap", "other"]
_GZIP = b"\x1f\x8b"
_HEAD_BYTES = 2048
_KINDS: tuple[tuple[re.Pattern[bytes], AnswerKind], ...] = (
    (pattern(rb"<(?:rss|feed|rdf:RDF)[\s>]"), "feed"),
    (pattern(rb"<(?:\w+:)?(?:urlset|sitemapindex)[\s>]"), "sitemap"),
    (pattern(rb"<(?:!doctype html|html|head|body)[\s>]", re.IGNORECASE), "page"),
)
"""Root elements by which an answer is known; content types of feeds and sitemaps are often wrong."""
_PAGE_TYPES = frozenset(["text/html", "application/xhtml+xml"])
_TYPES = pattern(
    r"text/(?:html|plain|xml)|application/(?:[\w.-]+\+)?xml|application/(?:x-)?gzip"
    r"|application/octet-stream|"
)
"""Content types whose answers are read to their end; the empty one stands for a missing type."""
_FEED_LINKS = (
    "//link[contains(concat(' ', translate(@rel, 'ALTERN', 'altern'), ' '), ' alternate ')]"
    "[contains(@type, 'rss+xml') or contains(@type, 'atom+xml')]/@href"
)
_WORDS = "//body//text()[not(ancestor::script or ancestor::style or ancestor::noscript)]"
_FILES = {f".{extension}" for extension in IGNORED_EXTENSIONS}
_LINKS_MAX = 50_000
"""Most addresses of one answer, which is the limit of a sitemap (sitemaps.org)."""


class AnswerContent(msgspec.Struct, frozen=True, kw_only=True):
    """What an answer with status 200 holds."""

    kind: AnswerKind
    digest: str
    """Digest of the page's words, or of the addresses that a feed or sitemap names."""
    links: list[FoundAddress] = []
    """The addresses that it names and that may be requested."""

    @property
    def is_list(self) -> bool:
        """Whether it lists pages, as feeds and sitemaps do."""
        return bool(self.links) and self.links[0].rank == NEW_LISTED


def may_be_read(content_type: str) -> bool:
    """Return whether an answer of a content type may be a page, a feed or a sitemap.

    >>> may_be_read("text/html; charset=utf-8"), may_be_read("image/png")
    (True, False)
    """
    return _TYPES.fullmatch(_media_type(content_type)) is not None


def read_answer(url: str, body: bytes, content_type: str, bytes_max: int) -> AnswerContent:
    """Return what an answer with status 200 holds.

    The content type is the value of its header; empty without one. A compressed sitemap may have `bytes_max` after
    decompression.
    """
    if body.startswith(_GZIP):
        body = _decompressed(body, bytes_max)
    kind = _kind(body, content_type)
    links: dict[str, int] = {}
    if kind == "page":
        return _page_content(url, body, content_type, bytes_max)
    if kind == "feed":
        links = dict.fromkeys(_absolute(url, feed_links(body)), NEW_LISTED)
    elif kind == "sitemap":
        links = _sitemap_links(url, body)
    digest = _words_digest(sorted(links)) if links else _body_digest(body)
    return AnswerContent(kind=kind, digest=digest, links=list(found_addresses(links)))


def unread_answer(body: bytes, content_type: str) -> AnswerContent:
    """Return what is known of an answer that cannot be read; a page is sent on all the same."""
    return AnswerContent(kind=_kind(body, content_type), digest=_body_digest(body))


def _media_type(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


def _kind(body: bytes, content_type: str) -> AnswerKind:
    head = body[:_HEAD_BYTES]
    for beginning, kind in _KINDS:
        if beginning.search(head):
            return kind
    return "page" if _media_type(content_type) in _PAGE_TYPES else "other"


def _decompressed(body: bytes, bytes_max: int) -> bytes:
    try:
        return gunzip(body, max_size=bytes_max)
    except (OSError, EOFError, ValueError):
        return b""


def _page_content(url: str, body: bytes, content_type: str, bytes_max: int) -> AnswerContent:
    """Return the words and links of a page; the worker strips and repairs its markup as well."""
    try:
        page = decode_page(
            body,
            content_type=content_type or None,
            charset=None,
            content_encoding=None,
            limit_bytes=bytes_max,
        )
        root = parse_markup(page.markup.decode())
    except PageError:
        return AnswerContent(kind="page", digest=_body_digest(body))
    if root is None:
        return AnswerContent(kind="page", digest=_body_digest(b""))
    links = dict.fromkeys(_page_links(root, url, page.charset), NEW_LINKED)
    links |= dict.fromkeys(_absolute(url, map(str, root.xpath(_FEED_LINKS))), NEW_LISTING)
    digest = _words_digest(map(str, root.xpath(_WORDS)))
    return AnswerContent(kind="page", digest=digest, links=list(found_addresses(links)))


def _page_links(root: etree._Element, url: str, charset: str) -> Iterator[str]:
    """Yield the absolute addresses of a page's first links, without those to files such as images."""
    base = root.find(".//base[@href]")
    base_url = url if base is None else absolute_address(url, base.get("href", "")) or url
    links = (
        link
        for link in root.iter("a")
        if "href" in link.attrib and not rel_has_nofollow(link.get("rel"))
    )
    for link in islice(links, _LINKS_MAX):
        href = strip_html5_whitespace(link.get("href", ""))
        if len(href) > URL_CHARS_MAX:
            continue
        try:
            address = safe_url_string(absolute_address(base_url, href) or "", charset)
            if address and not url_has_any_extension(address, _FILES):
                yield address
        except ValueError:
            continue


def _sitemap_links(url: str, body: bytes) -> dict[str, int]:
    try:
        sitemap = Sitemap(body)
        rank = NEW_LISTING if sitemap.type == "sitemapindex" else NEW_LISTED
        named = (entry["loc"] for entry in sitemap if entry["loc"])
        return dict.fromkeys(_absolute(url, named), rank)
    except (etree.LxmlError, ValueError, StopIteration):
        return {}


def _absolute(base: str, links: Iterable[str]) -> Iterator[str]:
    for link in islice(links, _LINKS_MAX):
        address = absolute_address(base, link)
        if address is not None:
            yield address


def _body_digest(body: bytes) -> str:
    return hashlib.sha1(body, usedforsecurity=False).hexdigest()


def _words_digest(texts: Iterable[str]) -> str:
    digest = hashlib.sha1(usedforsecurity=False)
    for text in texts:
        for word in text.split():
            digest.update(word.encode("utf-8", "replace") + b" ")
    return digest.hexdigest()
