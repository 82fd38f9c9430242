"""Rows of a label and its value in the gold of a page, and how many of them are kept whole, in part, and not at all.

The rows are those that the fields of a page are read from (`templ_core.records.fields`), whatever is kept: rows of
tables, terms with their meanings, lines such as "Weight: 1 kg", and boxes of two texts among others of their shape.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from templ_core.array_types import Bools
from templ_core.dom.document import Document
from templ_core.records.fields import find_rows
from templ_core.records.siblings import ShapedPage


class RowCounts(NamedTuple):
    """Numbers of rows."""

    whole: int
    """Rows of which all segments are kept."""
    in_part: int
    """Rows of which some segments are kept and some are not."""
    lost: int
    """Rows of which no segment is kept."""


NO_ROWS = RowCounts(0, 0, 0)


def gold_rows(document: Document, content: Bools) -> list[tuple[int, ...]]:
    """Return the segments of each row of label and value that is content by the gold, each row once.

    Args:
        document: The page; its signs belong to no row.
        content: Whether each segment is content by the gold; length n_segments.

    >>> from templ_core.dom.document import parse_document
    >>> page = parse_document("<table><tr><th>Weight<td>1 kg<tr><th>Cart<td>empty</table>", "")
    >>> gold_rows(page, np.array([True, True, False, False]))
    [(0, 1)]
    """
    no_signs = msgspec.structs.replace(document.signs, texts=[])
    page = ShapedPage(msgspec.structs.replace(document, signs=no_signs), content)
    rows = {tuple(row.segments) for row in find_rows(page)}
    return sorted(row for row in rows if content[list(row)].all())


def count_rows(rows: Iterable[Sequence[int]], kept: Bools) -> RowCounts:
    """Return how many of some rows are kept.

    >>> count_rows([(0, 1), (2, 3), (4, 5), (6,)], np.array([1, 1, 0, 1, 0, 0, 1], np.bool_))
    RowCounts(whole=2, in_part=1, lost=1)

    Args:
        rows: The segments of each row.
        kept: Whether each segment is kept; length n_segments.
    """
    stays = [kept[list(row)] for row in rows]
    whole, lost = sum(map(np.all, stays)), sum(not one.any() for one in stays)
    return RowCounts(int(whole), len(stays) - int(whole) - lost, lost)
