"""What an answer is (a page, a feed or a sitemap), what it says, and which addresses it names."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Literal

import msgspec
from lxml.etree import LxmlError
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.linkextractors import LinkExtractor
from scrapy.utils.gz import gunzip
from scrapy.utils.sitemap import Sitemap

from workers.crawl.feeds import feed_entries
from workers.crawl.frontier import NEW_LINKED, NEW_LISTED, NEW_LISTING

AnswerKind = Literal["page", "feed", "sitemap", "other"]
_GZIP = b"\x1f\x8b"
_HEAD_BYTES = 2048
_KINDS: tuple[tuple[re.Pattern[bytes], AnswerKind], ...] = (
    (re.compile(rb"<(?:rss|feed|rdf:RDF)[\s>]"), "feed"),
    (re.compile(rb"<(?:\w+:)?(?:urlset|sitemapindex)[\s>]"), "sitemap"),
    (re.compile(rb"<(?:!doctype html|html|head|body)[\s>]", re.IGNORECASE), "page"),
)
"""Root elements by which an answer is known; content types of feeds and sitemaps are often wrong."""
_PAGE_TYPES = frozenset(["text/html", "application/xhtml+xml"])
_TYPES = re.compile(
    r"text/(?:html|plain|xml)|application/(?:[\w.-]+\+)?xml|application/(?:x-)?gzip"
    r"|application/octet-stream|"
)
"""Content types whose answers are read to their end; the empty one stands for a missing type."""
_FEED_LINKS = (
    "//link[contains(concat(' ', translate(@rel, 'ALTERN', 'altern'), ' '), ' alternate ')]"
    "[contains(@type, 'rss+xml') or contains(@type, 'atom+xml')]/@href"
)
_WORDS = "//body//text()[not(ancestor::script or ancestor::style or ancestor::noscript)]"
_LINKS = LinkExtractor(unique=True, canonicalize=False)
_LINKS_MAX = 50_000
"""Most addresses of one answer, which is the limit of a sitemap (sitemaps.org)."""


class AnswerContent(msgspec.Struct, frozen=True, kw_only=True):
    """What an answer with status 200 holds."""

    kind: AnswerKind
    digest: str
    """Digest of the page's words, or of the addresses that a feed or sitemap names."""
    links: dict[str, int] = {}
    """Rank of each absolute address that it names."""


def may_be_read(content_type: str) -> bool:
    """Return whether an answer of a content type may be a page, a feed or a sitemap.

    >>> may_be_read("text/html; charset=utf-8"), may_be_read("image/png")
    (True, False)
    """
    return _TYPES.fullmatch(_media_type(content_type)) is not None


def read_answer(response: Response, bytes_max: int) -> AnswerContent:
    """Return what an answer holds.

    Args:
        response: An answer with status 200.
        bytes_max: Most bytes of a compressed sitemap after decompression.
    """
    body = response.body
    if body.startswith(_GZIP):
        body = _decompressed(body, bytes_max)
    kind = _kind(body, (response.headers.get("Content-Type") or b"").decode("latin-1"))
    if kind == "page":
        return _page_content(response)
    links: dict[str, int] = {}
    if kind == "feed":
        named = (entry.link for entry in feed_entries(body) if entry.link)
        links = dict.fromkeys(_absolute(response, named), NEW_LISTED)
    elif kind == "sitemap":
        links = _sitemap_links(response, body)
    digest = _digest(sorted(links)) if links else hashlib.sha1(body, usedforsecurity=False)
    return AnswerContent(kind=kind, digest=digest.hexdigest(), links=links)


def _media_type(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


def _kind(body: bytes, content_type: str) -> AnswerKind:
    head = body[:_HEAD_BYTES]
    for pattern, kind in _KINDS:
        if pattern.search(head):
            return kind
    return "page" if _media_type(content_type) in _PAGE_TYPES else "other"


def _decompressed(body: bytes, bytes_max: int) -> bytes:
    try:
        return gunzip(body, max_size=bytes_max)
    except (OSError, EOFError, ValueError):
        return b""


def _page_content(response: Response) -> AnswerContent:
    if not isinstance(response, TextResponse):
        response = HtmlResponse(response.url, body=response.body, headers=response.headers)
    try:
        found = islice(_LINKS.extract_links(response), _LINKS_MAX)
        links = {link.url: NEW_LINKED for link in found if not link.nofollow}
        feeds = response.xpath(_FEED_LINKS).getall()
        words = response.xpath(_WORDS).getall()
    except (LxmlError, ValueError, LookupError):  # bytes that are no HTML at all
        links, feeds, words = {}, [], [response.text]
    links |= dict.fromkeys(_absolute(response, feeds), NEW_LISTING)
    return AnswerContent(kind="page", digest=_digest(words).hexdigest(), links=links)


def _sitemap_links(response: Response, body: bytes) -> dict[str, int]:
    try:
        sitemap = Sitemap(body)
        rank = NEW_LISTING if sitemap.type == "sitemapindex" else NEW_LISTED
        named = (one["loc"] for one in sitemap if one["loc"])
        return dict.fromkeys(_absolute(response, named), rank)
    except (LxmlError, ValueError, StopIteration):
        return {}


def _absolute(response: Response, links: Iterable[str]) -> Iterator[str]:
    """Yield the absolute addresses of the first links, without those that cannot be read as addresses."""
    for link in islice(links, _LINKS_MAX):
        try:
            yield response.urljoin(link)
        except ValueError:
            continue


def _digest(texts: Iterable[str]) -> "hashlib._Hash":
    digest = hashlib.sha1(usedforsecurity=False)
    for text in texts:
        for word in text.split():
            digest.update(word.encode("utf-8", "replace") + b" ")
    return digest
