"""The files that a crawl keeps in its directory."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import msgspec

from workers.crawl.crawl_files import PageLines, WarcFiles
from workers.page import Page

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


class PageTarget(Protocol):
    """A place beside the crawl's files that pages are sent to, such as `KafkaOutput`."""

    async def open(self) -> None:
        """Connect, inside the event loop."""

    async def send(self, page: Page) -> str | None:
        """Send a page, and return why it cannot be sent, or None once it will not get lost."""

    async def close(self) -> None:
        """Disconnect."""


class CrawlStore:
    """The files of a crawl, which grow together with the frontier's transactions."""

    def __init__(
        self, directory: Path, lengths: Mapping[str, int], kinds: StoreKinds, contact: str
    ) -> None:
        """Open the files, and cut them to what was kept at the last transaction.

        Args:
            directory: The crawl's directory.
            lengths: Lengths of the files at the last transaction, by name.
            kinds: Which files are kept.
            contact: Who crawls, for the beginning of WARC files.
        """
        self._pages = PageLines(directory / "pages.jsonl", lengths) if kinds.pages else None
        self._feeds = PageLines(directory / "feeds.jsonl", lengths)
        prefixes = ("crawl", "other") if kinds.archive else ()
        self._archives = [WarcFiles(directory, prefix, lengths, contact) for prefix in prefixes]

    def keep_page(self, page: Page) -> None:
        """Add a page, or the end of one, where pages are kept."""
        if self._pages is not None:
            self._pages.write(page)

    def keep_feed(self, feed: Page) -> None:
        """Add a feed."""
        self._feeds.write(feed)

    @property
    def keeps_exchanges(self) -> bool:
        """Whether requests and answers are kept."""
        return bool(self._archives)

    def keep_exchange(self, records: bytes, *, is_page: bool) -> None:
        """Add a request and its answer.

        Args:
            records: What `warc_records` has made of them; empty where they are not kept.
            is_page: Whether the answer is a page, or says that a page is unchanged or gone.
        """
        if records:
            self._archives[not is_page].write(records)

    def lengths(self) -> dict[str, int]:
        """Return the lengths of the present files by name, in bytes."""
        return {name: length for one in self._files() for name, length in one.lengths().items()}

    def close(self) -> None:
        """Close the files."""
        for one in self._files():
            one.close()

    def _files(self) -> list[PageLines | WarcFiles]:
        lines = [self._feeds] if self._pages is None else [self._pages, self._feeds]
        return [*lines, *self._archives]
