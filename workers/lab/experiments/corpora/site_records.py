"""Samples of several pages a site from corpora without gold."""

import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from templ_core.lab.training.labels.site_pages import SitePage
from workers.lab.jsonl import corpus_name, read_objects


def read_site_pages(corpora: Sequence[Path]) -> Iterator[SitePage]:
    """Yield all pages of the corpora, in order."""
    for path in corpora:
        for _, record in read_objects(path):
            yield SitePage(
                corpus=corpus_name(path),
                site=record.get("site") or record["url"],
                url=record["url"],
                body=(record.get("html") or "").encode("utf-8", "replace"),
                charset="utf-8",
            )


def sample_uniformly(pages: Sequence[SitePage], per_site: int) -> list[SitePage]:
    """Return pages of each site drawn by the hash of their address, like those of a crawl."""
    return _first(pages, per_site, lambda page: (zlib.crc32(page.url.encode()), page.url))


def sample_shortest_paths(pages: Sequence[SitePage], per_site: int) -> list[SitePage]:
    """Return the pages of each site with the shortest paths, like those that a directory lists."""
    return _first(pages, per_site, lambda page: (len(urlsplit(page.url).path), page.url))


def _first(
    pages: Sequence[SitePage], per_site: int, key: Callable[[SitePage], tuple[int, str]]
) -> list[SitePage]:
    by_site: dict[tuple[str, str], list[SitePage]] = {}
    for page in pages:
        by_site.setdefault((page.corpus, page.site), []).append(page)
    return [page for some in by_site.values() for page in sorted(some, key=key)[:per_site]]
