"""Labels of segments from a page's gold text or from its gold selectors."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import msgspec
import numpy as np
from lxml import etree
from lxml.cssselect import CSSSelector

from templ_core.array_types import Bools, Floats, Int64s, UInt8s, UInt64s
from templ_core.config import CoreConfig
from templ_core.dom.decode.decode_page import decode_page
from templ_core.dom.document import Document
from templ_core.dom.parse.parse_page import parse_markup
from templ_core.lab.evaluation.segments import words_with_places
from templ_core.lab.evaluation.words import in_shared_runs
from templ_core.lab.layout import visible_elements
from templ_core.lab.training.labels._alignment import aligned
from templ_core.tokens import tokenise

_MATCH, _RUN_MATCH = 2, 5
"""Score of a match, and of a match directly after another match on both sides."""
_CELLS_MAX = 60_000_000
"""Largest product of words and gold words for an exact alignment, which takes as many bytes."""
_SHINGLE_WORDS = 3


def matched_words(page: Sequence[str], gold: Sequence[str]) -> Bools:
    """Return, for each word of the page, whether it is matched with a word of the gold text.

    Gaps cost nothing. On pages that are too long for an exact alignment, all words of 3-grams that
    occur in the gold text are matched.

    >>> matched_words("the menu the cat sat".split(), "the cat sat".split()).tolist()
    [False, False, True, True, True]
    """
    matched = np.zeros(len(page), np.bool_)
    common = set(page) & set(gold)
    numbers = {word: number for number, word in enumerate(sorted(common))}
    page_at = np.array([at for at, word in enumerate(page) if word in common], np.int64)
    gold_at = np.array([at for at, word in enumerate(gold) if word in common], np.int64)
    if not len(page_at):
        return matched
    if len(page_at) * len(gold_at) > _CELLS_MAX:
        return in_shared_runs(page, gold, _SHINGLE_WORDS)
    pairs = aligned(
        np.array([numbers[page[at]] for at in page_at], np.int32),
        np.array([numbers[gold[at]] for at in gold_at], np.int32),
        _joins(page_at),
        _joins(gold_at),
        _MATCH,
        _RUN_MATCH,
    )
    matched[page_at[pairs]] = True
    return matched


def _joins(at: Int64s) -> UInt8s:
    """Return whether each word follows directly on the one before it."""
    joins: UInt8s = (np.diff(at, prepend=-2) == 1).astype(np.uint8)
    return joins


_COPY_WORDS_MIN = 6
"""Equal texts with fewer words are labelled apart, since they may mean different things."""


def decoded_markup(body: bytes, charset: str | None, content_type: str | None = None) -> str:
    """Return the markup of a page.

    Raises:
        PageError: The page cannot be decoded.
    """
    return decode_page(
        body,
        content_type=content_type,
        charset=charset,
        content_encoding=None,
        limit_bytes=CoreConfig().page_limit_bytes,
    ).text


class GoldSelectors(msgspec.Struct, frozen=True, kw_only=True):
    """CSS selectors of the content of a page."""

    content: str
    """Elements that are content."""
    exclude: str | None = None
    """Elements inside the content that are template."""
    neutral: str | None = None
    """Elements that are neither content nor template."""

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Self | None:
        """Return the selectors of a corpus record, or None if only its gold text is known."""
        if not record.get("gold_selector"):
            return None
        return cls(
            content=record["gold_selector"],
            exclude=record.get("gold_exclude"),
            neutral=record.get("gold_neutral"),
        )


class Labels(msgspec.Struct, frozen=True, kw_only=True):
    """The labels of the segments of a page; columns of length n_segments."""

    content: Floats
    """Share of the segment that is content, 0 to 1."""
    counts: Bools
    """Whether the segment has a label; others are neither content nor template, or doubtful."""


def aligned_labels(document: Document, text: UInt64s, gold_text: str) -> Labels:
    """Return labels from the gold text of a page: the share of words that are matched with it.

    `text` has the hash of each segment's words; segments with equal hashes get the best label of them.
    """
    words, segment = words_with_places(document.segments.texts)
    size = len(document.segments.texts)
    count = np.bincount(segment, minlength=size)
    matched = matched_words(words, tokenise(gold_text.lower()))
    share = np.bincount(segment, matched, size) / np.maximum(count, 1)
    group = np.unique(text, return_inverse=True)[1]
    best = np.zeros(size)
    np.maximum.at(best, group, share)
    content = np.where(count >= _COPY_WORDS_MIN, best[group], share)
    return Labels(content=content, counts=np.ones(size, np.bool_))


def without_lost_headline(labels: Labels, headline: Bools) -> Labels:
    """Return labels that leave out a headline which the gold lacks.

    >>> every = Labels(content=np.array([0.0, 1.0]), counts=np.ones(2, np.bool_))
    >>> without_lost_headline(every, np.array([True, False])).counts.tolist()
    [False, True]
    """
    return Labels(
        content=labels.content, counts=labels.counts & ~(headline & (labels.content < 0.5))
    )


def without_repeats(labels: Labels, repeated: Bools) -> Labels:
    """Return labels that leave out content which the gold of the site repeats.

    >>> every = Labels(content=np.array([0.0, 1.0]), counts=np.ones(2, np.bool_))
    >>> without_repeats(every, np.array([True, True])).counts.tolist()
    [True, False]
    """
    return Labels(
        content=labels.content, counts=labels.counts & ~(repeated & (labels.content >= 0.5))
    )


def selected_labels(document: Document, markup: str, gold: GoldSelectors) -> Labels | None:
    """Return labels from the elements that CSS selectors name; None if they are not the document's."""
    root = parse_markup(markup)
    if root is None:
        return None
    elements = list(visible_elements(root))
    if [element.tag for element in elements] != document.nodes.tags:
        return None
    content = _inside(root, elements, gold.content, document)
    content &= ~_inside(root, elements, gold.exclude, document)
    neutral = _inside(root, elements, gold.neutral, document) & ~content
    return Labels(content=content.astype(np.float64), counts=~neutral)


def _inside(
    root: etree._Element, elements: list[etree._Element], selector: str | None, document: Document
) -> Bools:
    """Return which segments are inside selected elements.

    A segment is inside if its owner is, or all of its inline elements are.
    """
    segments, nodes = document.segments, document.nodes
    if not selector:
        return np.zeros(len(segments.texts), np.bool_)
    selected = set(CSSSelector(selector, translator="html")(root))
    covered = np.zeros(len(elements) + 1, np.int64)
    for node, element in enumerate(elements):
        if element in selected:
            covered[node] += 1
            covered[nodes.end[node]] -= 1
    inside = np.cumsum(covered) > 0
    before = np.concatenate([[0], np.cumsum(inside)])
    held = before[segments.inline_to] - before[segments.inline_from]
    size = segments.inline_to - segments.inline_from
    result: Bools = inside[segments.owner] | ((size > 0) & (held == size))
    return result
