"""Pages of a site with a text that their site repeats: what the fusion learns repetition from."""

from collections.abc import Sequence
from random import Random
from typing import Any

import msgspec
from lxml import html

from templ_core.config import CoreConfig
from templ_core.dom.decode.decode_page import decode_page
from templ_core.errors import PageError
from templ_core.lab.evaluation.words import word_counts
from templ_core.lab.training.fusion.fusion_page import LINK_BOX
from templ_core.lab.training.labels.gold_labels import GoldSelectors
from workers.lab.experiments.site_level.injected_pages import (
    Injection,
    inject,
    inject_box,
    injected_text,
    link_box,
    on_page,
    parsed,
    serialised,
    vocabulary_of,
)
from workers.page import Page

SHARES = (1.0, 0.3, 0.1)
"""Shares of the pages that may get a text, 0 to 1."""
_FORMS = ("", "", "changing", "varying", "scattered")
_SITES_WITHOUT_BOX = 0.5


class CorpusRecord(msgspec.Struct, frozen=True):
    """A page of a corpus with the fields of its record."""

    corpus: str
    fields: dict[str, Any]
    page: Page
    injected: "InjectedSentences | None" = None
    """The text that was put into the page; None = there is none."""


class InjectedSentences(msgspec.Struct, frozen=True):
    """A text in a page."""

    sentences: tuple[str, ...]
    kind: str
    """What of the text changes from page to page; empty = nothing. `LINK_BOX` for lines of links."""
    share: float
    """Share of the site's pages that have the text, 0 to 1."""
    taught: int
    """Pages of the site that had the text before this page."""


def with_injection(records: Sequence[CorpusRecord], seed: str) -> list[CorpusRecord]:
    """Return the pages of one site, some of them with a text; empty where the site has too few words.

    Which share of the pages gets the text, and what of it changes from page to page, is drawn by `seed`.
    """
    rng = Random(seed)  # noqa: S311 - not for secrets
    form = rng.choice(_FORMS)
    run = Injection(share=rng.choice(SHARES), **({form: True} if form else {}))
    vocabulary = _vocabulary(records)
    if not vocabulary:
        return []
    text = injected_text(vocabulary, rng)
    result, taught = [], 0
    for record in records:
        one, selectors = record, GoldSelectors.of(record.fields)
        if selectors is not None and record.fields.get("gold_text") and rng.random() < run.share:
            try:
                root = parsed(_markup(record.page))
            except PageError:
                continue
            sentences = on_page(text, run, vocabulary, rng)
            if inject(root, selectors, sentences, text.form, beside=False, rng=rng):
                one = _changed(record, root, InjectedSentences(sentences, form, run.share, taught))
                taught += 1
        result.append(one)
    return result


def with_link_box(records: Sequence[CorpusRecord], seed: str) -> list[CorpusRecord]:
    """Return the pages of one site, with a box of links by section in all whose content has a selector.

    Half of the sites get none, and those with too few words; the result is empty then.
    """
    rng = Random(seed)  # noqa: S311 - not for secrets
    vocabulary = _vocabulary(records)
    if not vocabulary or rng.random() < _SITES_WITHOUT_BOX:
        return []
    box = link_box(vocabulary, rng)
    result, taught = [], 0
    for record in records:
        one, selectors = record, GoldSelectors.of(record.fields)
        section = rng.randrange(len(box.sections))
        if selectors is not None and record.fields.get("gold_text"):
            try:
                root = parsed(_markup(record.page))
            except PageError:
                continue
            if inject_box(root, selectors, box, section):
                put = InjectedSentences(box.sections[section], LINK_BOX, 1.0, taught)
                one = _changed(record, root, put)
                taught += 1
        result.append(one)
    return result


def _vocabulary(records: Sequence[CorpusRecord]) -> list[str]:
    """Return the words of the site's content that a text for it is made of; none where it has too few."""
    return vocabulary_of(
        word for one in records for word in word_counts(one.fields.get("gold_text") or "")
    )


def _changed(record: CorpusRecord, root: html.HtmlElement, put: InjectedSentences) -> CorpusRecord:
    """Return a record with another page and what was put into it."""
    page = msgspec.structs.replace(
        record.page, body=serialised(root), charset="utf-8", content_type=None
    )
    return msgspec.structs.replace(record, page=page, injected=put)


def _markup(page: Page) -> str:
    return decode_page(
        page.body or b"",
        content_type=None,
        charset=page.charset,
        content_encoding=None,
        limit_bytes=CoreConfig().page_limit_bytes,
    ).text
