"""The days that the parts of a page show; a part's own day stands in elements of one shape."""

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from templ_core.metadata.dates import (
    MAY_BE_YEAR,
    before_change,
    day_in_text,
    day_order,
    point_in_time,
)
from templ_core.patterns import pattern
from templ_core.records.siblings import ShapedPage, Stretch

_CHARS_MAX = 200
"""Characters of the longest text that states the day of its part."""
_JOINED = pattern(
    r"\b(?:join|regist|inscri|member since|mitglied seit|dabei seit|born|birth|last (?:seen|visit|active|login)|beigetreten)",
    re.IGNORECASE,
)
"""Words before a day of an author, which is no day of a post."""


class Day(NamedTuple):
    """A day in a part of a page."""

    node: int
    """Number of the element that shows it."""
    segment: int
    """Number of the segment that shows it."""
    date: str
    """RFC 3339, as `point_in_time` writes it."""


def days_of_parts(
    page: ShapedPage,
    parts: Sequence[Stretch],
    times: Sequence[tuple[dict[str, str], str]],
    language: str,
) -> list[Day | None]:
    """Return the day of each part, or None where it has none in the place where most parts have theirs.

    Of the elements of one shape those count that show a day in most parts, and in the order of the page or against it.

    Args:
        page: The page.
        parts: Its parts, in order.
        times: Attributes and text of each `time` element in its markup, in order.
        language: Language tag of the page; empty = not known.
    """
    shown = _times_of_nodes(page, times, language)
    days_of_shape: dict[int, dict[int, Day]] = defaultdict(dict)
    texts = _day_texts(page, parts)
    order = day_order(page.texts, language)
    for number, segment, text in texts:
        date = day_in_text(text, language, order)
        if date is not None:
            owner = int(page.segments.owner[segment])
            days_of_shape[int(page.shape[owner])].setdefault(number, Day(owner, segment, date))
    for number, part in enumerate(parts):
        for node in range(part.begin, part.end) if shown else ():
            if node in shown:
                day = Day(node, page.segment_of(node), shown[node])
                days_of_shape[-1 - int(page.shape[node])].setdefault(number, day)
    if not days_of_shape:
        return [None] * len(parts)
    best = max(days_of_shape.values(), key=lambda days: (_in_order(days), -min(days.values()).node))
    return [best.get(number) for number in range(len(parts))]


def _times_of_nodes(
    page: ShapedPage, times: Sequence[tuple[dict[str, str], str]], language: str
) -> dict[int, str]:
    """Return what each `time` element states, by its number; nothing where markup and document have different numbers."""
    nodes = [node for node, tag in enumerate(page.tags) if tag == "time"]
    if len(nodes) != len(times):
        return {}
    stated = (
        (node, point_in_time(attributes.get("datetime") or text, language))
        for node, (attributes, text) in zip(nodes, times, strict=True)
    )
    return {node: date for node, date in stated if date is not None}


def _day_texts(page: ShapedPage, parts: Sequence[Stretch]) -> list[tuple[int, int, str]]:
    """Return part, number and text of the short segments that may name the day of their part."""
    texts = []
    for number, part in enumerate(parts):
        for segment in page.segments_in(part.begin, part.end):
            text = page.texts[segment]
            if len(text) > _CHARS_MAX or not MAY_BE_YEAR.search(text):
                continue
            text = before_change(text)
            if not _JOINED.search(text):
                texts.append((number, segment, text))
    return texts


def _in_order(days: dict[int, Day]) -> int:
    """Return in how many parts the day is not before, or not behind, that of the part before; the first counts."""
    dates = [days[number].date for number in sorted(days)]
    rising = sum(one <= other for one, other in pairwise(dates))
    falling = sum(one >= other for one, other in pairwise(dates))
    return 1 + max(rising, falling)
