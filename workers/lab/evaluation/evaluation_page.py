"""A page of a corpus with its gold text, ready to be scored."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from templ_core.lab.training.labels.gold_labels import GoldSelectors
from workers.errors import InputProblem
from workers.feeds.identity import file_source
from workers.feeds.records import page_from_json
from workers.page import Page


class EvaluationPage(msgspec.Struct, frozen=True, kw_only=True):
    """One page to be scored, with its gold."""

    corpus: str
    offset: int
    """Number of the record in its corpus, from 0; it equals `source.offset` of a cleaned record."""
    checksum: int = 0
    """Checksum of the record, which equals `source.partition` of a cleaned record; 0 = not known."""
    url: str
    site: str
    page_type: str
    """Page type that the corpus names; empty if it names none."""
    seen: int
    """Position of the page among the pages of its site, from 1, in the order of the corpus."""
    body: bytes
    charset: str | None
    content_type: str | None
    gold_text: str
    selectors: GoldSelectors | None
    """Selectors of the content; None if only its text is known."""
    neutral: str | None
    """CSS selector of text that is neither content nor template."""


def read_evaluation_pages(
    corpus: str, records: Iterable[tuple[bytes, Mapping[str, Any]]]
) -> Iterator[EvaluationPage]:
    """Yield the pages with gold text among the records of a corpus.

    Args:
        corpus: Name of the corpus.
        records: JSON objects, each after its line.

    Raises:
        InputProblem: A record with gold text is not a page.
    """
    seen: Counter[str] = Counter()
    for offset, (line, record) in enumerate(records):
        site = str(record.get("site") or record.get("url") or "")
        seen[site] += 1
        if record.get("gold_text"):
            yield _evaluation_page(corpus, offset, line, record, site, seen[site])


def _evaluation_page(
    corpus: str, offset: int, line: bytes, record: Mapping[str, Any], site: str, seen: int
) -> EvaluationPage:
    source = file_source(corpus, offset, line.rstrip(b"\r\n"))
    page = page_from_json(line, source, default_id="", event_time_ms=lambda _: 0)
    if not isinstance(page, Page) or page.body is None:
        reason = "it records a deletion" if isinstance(page, Page) else page.message
        raise InputProblem(f"{corpus}, record {offset}: has gold text but is not a page: {reason}")
    gold = {name: record.get(name) for name in _GOLD}
    for name, value in gold.items():
        if value is not None and not isinstance(value, str):
            raise InputProblem(f"{corpus}, record {offset}: `{name}` is not a text")
    return EvaluationPage(
        corpus=corpus,
        offset=offset,
        checksum=source.partition,
        url=page.url,
        site=site,
        page_type=str(record.get("kind") or ""),
        seen=seen,
        body=page.body,
        charset=page.charset,
        content_type=page.content_type,
        gold_text=gold["gold_text"] or "",
        selectors=GoldSelectors.of(gold),
        neutral=gold["gold_neutral"],
    )


_GOLD = ("gold_text", "gold_selector", "gold_exclude", "gold_neutral")
