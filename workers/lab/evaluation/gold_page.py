"""A page with gold text, from a record of a corpus."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from schemas.source import Source
from templ_core.lab.training.labels.gold_labels import GoldSelectors
from workers.errors import InputProblem
from workers.feeds.records import page_from_json
from workers.page import Page


class GoldPage(msgspec.Struct, frozen=True, kw_only=True):
    """One page to be scored."""

    corpus: str
    offset: int
    """Which record of its corpus, from 0; what `source.offset` of a cleaned record says."""
    url: str
    site: str
    kind: str
    """Page type; empty where the corpus does not say."""
    seen: int
    """Which page of its site, from 1, in the order of the corpus."""
    body: bytes
    charset: str | None
    content_type: str | None
    gold_text: str
    selectors: GoldSelectors | None
    """Which elements are content; None where only the text is known."""
    neutral: str | None
    """CSS selector of text that is neither content nor template."""


def gold_pages(
    corpus: str, records: Iterable[tuple[bytes, Mapping[str, Any]]]
) -> Iterator[GoldPage]:
    """The pages with gold text among the records of a corpus.

    Args:
        corpus: Its name.
        records: JSON objects, each with its line.

    Raises:
        InputProblem: a record with gold text is no page.
    """
    seen: Counter[str] = Counter()
    for offset, (line, record) in enumerate(records):
        site = str(record.get("site") or record.get("url") or "")
        seen[site] += 1
        if record.get("gold_text"):
            yield _gold_page(corpus, offset, line, record, site, seen[site])


def _gold_page(
    corpus: str, offset: int, line: bytes, record: Mapping[str, Any], site: str, seen: int
) -> GoldPage:
    page = page_from_json(line, Source(corpus, 0, offset), default_id="", event_time_ms=lambda _: 0)
    if not isinstance(page, Page) or page.body is None:
        reason = "it is gone" if isinstance(page, Page) else page.message
        raise InputProblem(f"{corpus}, record {offset}: has gold text but no page: {reason}")
    gold = {name: record.get(name) for name in _GOLD}
    for name, value in gold.items():
        if value is not None and not isinstance(value, str):
            raise InputProblem(f"{corpus}, record {offset}: `{name}` is not a text")
    return GoldPage(
        corpus=corpus,
        offset=offset,
        url=page.url,
        site=site,
        kind=str(record.get("kind") or ""),
        seen=seen,
        body=page.body,
        charset=page.charset,
        content_type=page.content_type,
        gold_text=gold["gold_text"] or "",
        selectors=GoldSelectors.of(gold),
        neutral=gold["gold_neutral"],
    )


_GOLD = ("gold_text", "gold_selector", "gold_exclude", "gold_neutral")
