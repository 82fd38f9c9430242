"""Short rows of tables stay or go as a whole: a label is of no use without its value."""

import msgspec
import numpy as np

from templ_core.array_types import Floats, Int64s
from templ_core.dom._tree import tag_bits
from templ_core.dom.document import Document
from templ_core.page_level.config import SELECTION_CONFIG, SelectionConfig
from templ_core.page_level.page_tree import PageTree

_ROW = 1


class TableRows(msgspec.Struct, frozen=True, kw_only=True):
    """The short rows of a page's tables."""

    segments: Int64s
    """The segments of all rows, row after row in document order."""
    starts: Int64s
    """Where each row starts in `segments`; length n_rows."""


_NO_ROWS = TableRows(segments=np.empty(0, np.int64), starts=np.empty(0, np.int64))


def short_rows(
    document: Document, tree: PageTree, config: SelectionConfig = SELECTION_CONFIG
) -> TableRows:
    """Return the rows of a few segments and words, such as a label and its value.

    Args:
        document: The page.
        tree: The page's tree.
        config: What a short row is.
    """
    nodes = document.nodes
    bits = tag_bits(nodes.element_types, {"tr": _ROW})
    if not bits.any():
        return _NO_ROWS
    row = np.flatnonzero(bits[nodes.element_type])
    size = tree.last[row] - tree.first[row]
    is_short = (size > 1) & (size <= config.row_segments_max)
    is_short &= tree.sums(tree.words, row) <= config.row_words_max
    first, size = tree.first[row][is_short], size[is_short]
    starts = np.cumsum(size) - size
    return TableRows(
        segments=np.arange(size.sum()) + np.repeat(first - starts, size), starts=starts
    )


def pooled_by_row(log_odds: Floats, words: Floats, rows: TableRows) -> Floats:
    """Return log-odds in which all segments of a row have their mean by words.

    >>> rows = TableRows(segments=np.array([0, 1]), starts=np.array([0]))
    >>> pooled_by_row(np.array([-1.0, 1.0, 3.0]), np.array([1.0, 3.0, 1.0]), rows).tolist()
    [0.5, 0.5, 3.0]

    Args:
        log_odds: Log-odds for content of each segment; length n_segments.
        words: Number of words of each segment, at least 1; length n_segments.
        rows: The rows of the page.
    """
    if not rows.starts.size:
        return log_odds
    weights = words[rows.segments]
    sums = np.add.reduceat(weights * log_odds[rows.segments], rows.starts)
    means = sums / np.add.reduceat(weights, rows.starts)
    size = np.diff(rows.starts, append=len(rows.segments))
    pooled = log_odds.copy()
    pooled[rows.segments] = np.repeat(means, size)
    return pooled
