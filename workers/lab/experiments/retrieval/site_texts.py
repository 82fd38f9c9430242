"""The texts that several cleaners make of the pages of a site."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from templ_core import CleanedPage, clean_site
from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.dom.document import parse_document
from templ_core.errors import PageError
from templ_core.metadata.page_metadata import read_metadata
from workers.lab.evaluation.peers import load_peer
from workers.lab.experiments.corpora.scored_pages import record_markup
from workers.lab.jsonl import read_objects

SYSTEMS = ("raw", "page level", "site level", "trafilatura", "gold")
"""What makes the texts; gold is the text that a person would keep, and the site level's where none is known."""


class PageTexts(msgspec.Struct, frozen=True):
    """The texts of a page."""

    site: str
    page_title: str
    """Title as it stands in the page."""
    headline: str
    """Headline that the page states, without the name of the site."""
    gold: str | None
    texts: dict[str, str]
    """The text by the name of each of `SYSTEMS`."""


def read_sites(corpora: Sequence[Path], pages: int) -> Iterator[list[dict[str, Any]]]:
    """Yield the records of each site with at least two pages, pages with gold text first.

    Args:
        corpora: JSON Lines files.
        pages: Most pages with gold text of a site, spread evenly; half as many others are kept.
    """
    for path in corpora:
        sites: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
        for _, record in read_objects(path):
            sites[record.get("site") or record["url"]].append(record)
        for records in sites.values():
            gold = [one for one in records if one.get("gold_text")]
            others = [one for one in records if not one.get("gold_text")]
            chosen = [*_spread(gold, pages), *_spread(others, pages // 2)]
            if len(gold) > 1:
                yield chosen


def site_texts(records: Sequence[dict[str, Any]]) -> list[PageTexts]:
    """Return the texts of the pages of one site; a page that cannot be cleaned is left out."""
    peer = load_peer("trafilatura")
    config = CoreConfig()
    markups = [record_markup(one).encode("utf-8", "replace").decode() for one in records]
    urls = [str(one["url"]) for one in records]
    by_site = clean_site(list(zip(urls, markups, strict=True)))
    found = []
    for record, url, markup, cleaned in zip(records, urls, markups, by_site, strict=True):
        if not isinstance(cleaned, CleanedPage):
            continue
        try:
            document = parse_document(markup, url)
        except PageError:
            continue
        alone = clean(document, None, config).text
        gold = record.get("gold_text")
        raw = "\n".join(document.segments.texts)
        texts = (raw, alone, cleaned.text, peer(markup), gold or cleaned.text)
        found.append(
            PageTexts(
                site=str(record.get("site") or url),
                page_title=document.title,
                headline=read_metadata(document, url, alone).title or "",
                gold=gold,
                texts=dict(zip(SYSTEMS, texts, strict=True)),
            )
        )
    return found


def _spread(records: list[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    """Return at most `count` records, spread evenly over the list."""
    return records[:: max(1, -(-len(records) // max(count, 1)))]
