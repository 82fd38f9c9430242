"""Taking a site's phrases out of its pages: Foschini's thesis (2007), sections 3.4.1 and 6.1."""

import re
from collections.abc import Sequence
from typing import TypeAlias

import msgspec

Span: TypeAlias = tuple[int, int]
"""Index of the first character, and the index behind the last one."""

_WORD = re.compile(r"\w")


class Locality(msgspec.Struct, frozen=True, kw_only=True):
    """When the text around a span overrules it; both numbers are 0 or more."""

    gap_chars: int = 16
    """Spans with fewer characters between them become one."""
    island_chars: int = 12
    """A shorter span with text on both sides in its line is dropped."""


def union_of_spans(spans: Sequence[Span]) -> list[Span]:
    """Return the spans in order, with those that overlap or touch made one.

    >>> union_of_spans([(7, 9), (0, 3), (2, 5)])
    [(0, 5), (7, 9)]
    """
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def settled_spans(page: str, spans: Sequence[Span], locality: Locality) -> list[Span]:
    r"""Return the spans after the locality heuristics of Foschini's thesis, section 6.1.

    "A little chunk of good text in between two large templated strings is probably part of the
    template too", "a few characters removed in the middle of a clean chunk of text are probably a
    false positive".

    >>> settled_spans("Home | News\nOur tea is fresh", [(0, 4), (7, 11), (16, 19)], Locality())
    [(0, 19)]
    >>> settled_spans("Home | News\nOur tea is fresh", [(16, 19)], Locality())
    []

    Args:
        page: The text.
        spans: The spans that phrases cover, in order and apart from each other.
        locality: When to merge spans and when to drop one.
    """
    merged: list[Span] = []
    for start, end in spans:
        if merged and start - merged[-1][1] < locality.gap_chars:
            merged[-1] = merged[-1][0], end
        else:
            merged.append((start, end))
    return [
        span
        for span in merged
        if span[1] - span[0] >= locality.island_chars or not _inside_a_line(page, span)
    ]


def _inside_a_line(page: str, span: Span) -> bool:
    """Return whether a line has words on both sides of a span."""
    before = page[page.rfind("\n", 0, span[0]) + 1 : span[0]]
    end_of_line = page.find("\n", span[1])
    after = page[span[1] : end_of_line if end_of_line >= 0 else None]
    return bool(_WORD.search(before) and _WORD.search(after))


def text_outside(page: str, spans: Sequence[Span]) -> str:
    r"""Return the text outside the spans; lines that keep no word go.

    >>> text_outside("Home\nRead more: boats", [(0, 4), (5, 15)])
    'boats'
    """
    parts, place = [], 0
    for start, end in spans:
        parts.append(page[place:start])
        place = end
    parts.append(page[place:])
    lines = "".join(parts).split("\n")
    return "\n".join(line.strip() for line in lines if _WORD.search(line))
