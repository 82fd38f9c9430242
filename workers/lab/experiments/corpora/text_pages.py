"""Pages as lines of text, with labels that say which of them are content."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import msgspec

from templ_core.dom.document import Document, parse_document
from templ_core.errors import PageError
from templ_core.lab.papers.foschini.phrase_corpus import page_text
from templ_core.lab.training.labels.gold_labels import GoldSelectors, Labels, selected_labels
from workers.errors import InputProblem
from workers.lab.experiments.corpora.scored_pages import record_markup
from workers.lab.jsonl import read_objects


class TextPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page as text."""

    site: str
    text: str
    document: Document
    labels: Labels | None
    """Labels of the segments; None if no selector names the content."""


def read_text_pages(corpora: Sequence[Path]) -> dict[str, list[TextPage]]:
    """Return the readable pages of each site, in the order of the files.

    Raises:
        InputProblem: No page has a `gold_selector` that names its content.
    """
    sites: defaultdict[str, list[TextPage]] = defaultdict(list)
    for path in corpora:
        for _, record in read_objects(path):
            site = record.get("site") or record["url"]
            try:
                markup = record_markup(record)
                document = parse_document(markup, record["url"])
            except PageError:
                continue
            gold = GoldSelectors.of(record)
            labels = selected_labels(document, markup, gold) if gold else None
            if labels is not None and not labels.content.any():
                labels = None
            text = page_text(document)
            sites[site].append(TextPage(site=site, text=text, document=document, labels=labels))
    if not any(page.labels for pages in sites.values() for page in pages):
        raise InputProblem("no page has a `gold_selector` that names its content")
    return dict(sites)
