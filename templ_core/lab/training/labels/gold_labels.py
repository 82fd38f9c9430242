"""How much of each segment is content, from a page's gold text or its gold selector."""

from collections.abc import Mapping
from typing import Any, Self

import msgspec
import numpy as np
from lxml import etree
from lxml.cssselect import CSSSelector

from templ_core.array_types import Bools, Floats, UInt64s
from templ_core.dom.document import Document
from templ_core.dom.parse.parse_page import parse_markup
from templ_core.dom.tags import INVISIBLE
from templ_core.lab.training.labels.alignment import matched_words
from templ_core.tokens import tokenise

COPY_WORDS_MIN = 6
"""Shorter texts that stand on a page twice may mean different things."""


class GoldSelectors(msgspec.Struct, frozen=True, kw_only=True):
    """Where a page's content is, as CSS selectors; None = none."""

    content: str
    exclude: str | None = None
    neutral: str | None = None

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Self | None:
        """Those of a corpus record; None where only its gold text is known."""
        if not record.get("gold_selector"):
            return None
        return cls(
            content=record["gold_selector"],
            exclude=record.get("gold_exclude"),
            neutral=record.get("gold_neutral"),
        )


class Labels(msgspec.Struct, frozen=True, kw_only=True):
    """Columns of length n_segments."""

    content: Floats
    """Share of the segment that is content, 0 to 1."""
    counts: Bools
    """Whether the segment is content or template, and not text that is neither."""


def aligned_labels(document: Document, text: UInt64s, gold_text: str) -> Labels:
    """Labels from the gold text of a page: the share of matched words.

    Args:
        document: The page.
        text: Hash of each segment's words; copies get the best label of any copy.
        gold_text: The page's content.
    """
    words = [tokenise(segment.lower()) for segment in document.segments.texts]
    count = np.array([len(some) for some in words])
    segment = np.repeat(np.arange(len(words)), count)
    matched = matched_words([word for some in words for word in some], tokenise(gold_text.lower()))
    share = np.bincount(segment, matched, len(words)) / np.maximum(count, 1)
    group = np.unique(text, return_inverse=True)[1]
    best = np.zeros(len(words))
    np.maximum.at(best, group, share)
    content = np.where(count >= COPY_WORDS_MIN, best[group], share)
    return Labels(content=content, counts=np.ones(len(words), np.bool_))


def selected_labels(document: Document, markup: str, gold: GoldSelectors) -> Labels | None:
    """Labels from the elements a selector names; None when they cannot be told.

    Args:
        document: The page.
        markup: The decoded page.
        gold: Which elements are content.
    """
    root = parse_markup(markup)
    if root is None:
        return None
    elements = _visible_elements(root)
    if [element.tag for element in elements] != document.nodes.tags:
        return None
    content = _inside(root, elements, gold.content, document)
    content &= ~_inside(root, elements, gold.exclude, document)
    neutral = _inside(root, elements, gold.neutral, document) & ~content
    return Labels(content=content.astype(np.float64), counts=~neutral)


def _visible_elements(root: etree._Element) -> list[etree._Element]:
    """The elements that are nodes of the document, in order."""
    elements: list[etree._Element] = []
    todo = [root]
    while todo:
        element = todo.pop()
        if isinstance(element.tag, str) and element.tag not in INVISIBLE:
            elements.append(element)
            todo.extend(reversed(element))
    return elements


def _inside(
    root: etree._Element, elements: list[etree._Element], selector: str | None, document: Document
) -> Bools:
    """Which segments are inside selected elements, by owner or by all their inline elements."""
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
