"""Pages with keywords, before and after cleaning, for keyword extraction."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from lxml import etree

from templ_core.dom.document import Document, parse_document
from templ_core.dom.parse.parse_page import parse_markup
from templ_core.dom.tags import HEADING_LEVELS
from templ_core.errors import PageError
from templ_core.lab.layout import read_presentation
from templ_core.lab.papers.kolcz_yih.keywords import (
    PHRASE_WORDS_MAX,
    KeywordPage,
    Passage,
    document_frequency,
    normal_phrase,
)
from templ_core.page_level.features.characters import read_characters
from templ_core.page_level.features.own_features import link_density
from workers.lab.experiments.corpora.scored_pages import record_markup
from workers.lab.jsonl import read_objects

_SITE_SHARE_MAX = 0.3
"""Largest share of a site's pages on which a keyword may be; others do not describe a page."""
_META = {
    "name": ("keywords", "news_keywords", "parsely-tags"),
    "property": ("article:tag", "og:article:tag"),
}
_SEPARATORS = str.maketrans(";，、\n", ",,,,")

SegmentFilter = Callable[[Document, Any], np.ndarray]
"""Returns which segments of a document stay; the second argument is its presentation."""


class KeywordTestPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page without its list of tags, before and after cleaning."""

    site: str
    wanted: frozenset[str]
    """Keywords to be found, in the form that `normal_phrase` returns."""
    found: KeywordPage
    cleaned: KeywordPage


class _Marked(msgspec.Struct, frozen=True, kw_only=True):
    site: str
    url: str
    markup: str
    """Markup of the page without links to tags."""
    keywords: frozenset[str]


def read_tagged_pages(
    corpora: Sequence[Path], pages_per_site: int, keeps: SegmentFilter
) -> Iterator[KeywordTestPage]:
    """Yield the pages that have keywords of their own which occur in their text.

    Args:
        corpora: JSON Lines files with `url` and `html`.
        pages_per_site: Largest number of pages to use of each site.
        keeps: The cleaner.
    """
    for pages in _by_site(corpora).values():
        on_pages = Counter(keyword for page in pages for keyword in page.keywords)
        most = max(_SITE_SHARE_MAX * len(pages), 1)
        taken = 0
        for page in pages:
            own = frozenset(one for one in page.keywords if on_pages[one] <= most)
            tagged = _tagged(page, own, keeps) if own and taken < pages_per_site else None
            if tagged is not None:
                taken += 1
                yield tagged


def read_plain_pages(corpora: Sequence[Path]) -> Iterator[KeywordPage]:
    """Yield all readable pages, not cleaned."""
    for path in corpora:
        for _, record in read_objects(path):
            try:
                document = parse_document(record_markup(record), record["url"])
            except PageError:
                continue
            yield _keyword_page(document, np.ones(len(document.segments.texts), np.bool_))


def _by_site(corpora: Sequence[Path]) -> dict[str, list[_Marked]]:
    by_site: defaultdict[str, list[_Marked]] = defaultdict(list)
    for path in corpora:
        for _, record in read_objects(path):
            marked = _marked(record)
            if marked is not None and marked.keywords:
                by_site[marked.site].append(marked)
    return by_site


def _marked(record: dict[str, Any]) -> _Marked | None:
    try:
        root = parse_markup(record_markup(record))
    except PageError:
        return None
    if root is None:
        return None
    texts = [
        meta.get("content") or ""
        for meta in root.iter("meta")
        if any((meta.get(name) or "").lower() in names for name, names in _META.items())
    ]
    tags = [link for link in root.iter("a") if _is_tag(link)]
    texts += ["".join(link.itertext()) for link in tags]
    for link in tags:
        link.tag = "script"  # invisible, and its tail stays
        for inner in list(link):
            link.remove(inner)
    phrases = {
        normal_phrase(one) for text in texts for one in text.translate(_SEPARATORS).split(",")
    }
    return _Marked(
        site=record.get("site") or record["url"],
        url=record["url"],
        markup=etree.tostring(root, encoding="unicode", method="html"),
        keywords=frozenset(one for one in phrases if one and one.count(" ") < PHRASE_WORDS_MAX),
    )


def _is_tag(link: Any) -> bool:
    names = (link.get("rel") or "").lower().split()
    return "tag" in names and "category" not in names


def _tagged(page: _Marked, own: frozenset[str], keeps: SegmentFilter) -> KeywordTestPage | None:
    try:
        document = parse_document(page.markup, page.url)
        presentation = read_presentation(document, page.markup)
    except PageError:
        return None
    if presentation is None or not document.segments.texts:
        return None
    found = _keyword_page(document, np.ones(len(document.segments.texts), np.bool_))
    wanted = own & document_frequency([found]).pages_with.keys()
    if not wanted:
        return None
    cleaned = _keyword_page(document, keeps(document, presentation))
    return KeywordTestPage(site=page.site, wanted=wanted, found=found, cleaned=cleaned)


def _keyword_page(document: Document, kept: np.ndarray) -> KeywordPage:
    segments, tags = document.segments, document.nodes.tags
    if not segments.texts:
        return KeywordPage(title=document.title, passages=[])
    shares = np.round(link_density(read_characters(segments.texts), segments), 3).tolist()
    columns = zip(segments.texts, shares, segments.owner.tolist(), kept.tolist(), strict=True)
    return KeywordPage(
        title=document.title,
        passages=[
            Passage(text=text, link_share=share, heading=tags[owner] in HEADING_LEVELS)
            for text, share, owner, stays in columns
            if stays
        ],
    )
