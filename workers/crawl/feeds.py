"""Entries of RSS and Atom feeds."""

from collections.abc import Iterator
from io import BytesIO

import feedparser
import msgspec


class FeedEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of a feed, with HTML as it stands there."""

    link: str
    """Address of the page, perhaps relative; empty where the entry has none."""
    guid: str
    """Identity of the entry, which is often the address of the page as well; may be empty."""
    title: str
    summary: str
    """What the feed tells of the page in short; empty where it has only the whole text."""
    full_text: str
    """The whole text of the page (`content:encoded`, Atom's `content`); empty where there is none."""


def feed_links(body: bytes) -> Iterator[str]:
    """Yield the addresses that the entries of a feed name, without reading what the entries tell.

    >>> list(
    ...     feed_links(b"<rss version='2.0'><channel><item><link>/1</link></item></channel></rss>")
    ... )
    ['/1']
    """
    feed = feedparser.parse(BytesIO(body), sanitize_html=False, resolve_relative_uris=False)
    return (entry.link for entry in feed.entries if entry.get("link"))


def feed_entries(body: bytes) -> Iterator[FeedEntry]:
    """Yield the entries of an RSS or Atom feed; what is damaged is read as far as it can be.

    >>> feed = b"<rss version='2.0'><channel><item><link>http://a.example/1</link></item></channel></rss>"
    >>> [entry.link for entry in feed_entries(feed)]
    ['http://a.example/1']
    """
    for entry in feedparser.parse(BytesIO(body)).entries:
        contents = [one.get("value") or "" for one in entry.get("content", ())]
        full_text = max(contents, key=len, default="")
        summary = entry.get("summary") or ""
        yield FeedEntry(
            link=entry.get("link") or "",
            guid=entry.get("id") or "",
            title=entry.get("title") or "",
            summary="" if summary == full_text else summary,
            full_text=full_text,
        )
