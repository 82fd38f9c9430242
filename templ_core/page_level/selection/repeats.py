"""Text that stands on a page more than once is kept once, where it is surest to be content.

Markup for phones beside markup for desktops, and pull quotes, repeat text without need. Equal cells
of a table and equal lines of code are repeated on purpose.
"""

import msgspec
import numpy as np

from templ_core.array_types import Bools, Floats, Int32s, Int64s, UInt64s
from templ_core.dom._tree import has_bits
from templ_core.page_level.config import SELECTION_CONFIG
from templ_core.page_level.features.surroundings import REPEATING
from templ_core.page_level.model.page_type import PageType
from templ_core.page_level.selection import _selection
from templ_core.page_level.selection.expected_f1 import best_cut


class Copies(msgspec.Struct, frozen=True, kw_only=True):
    """What is needed to find repeated text on a page; columns of length n_segments."""

    text: UInt64s
    """Hash of each segment's words."""
    path: Int64s
    """Path group of each segment."""
    once: Bools
    """Segments of which one copy is enough."""


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """The segments of a page that are kept; columns of length n_segments."""

    kept: Bools
    """Whether each segment is kept."""
    repeated: Bools
    """Whether each segment is left out because a surer one has the same text."""


def select_segments(
    content_log_odds: Floats,
    copies: Copies | None,
    words: Floats,
    recall_share: float,
    left_out: Bools | None = None,
) -> Selection:
    """Return the cut with the best expected F1 over all segments that repeat no surer one.

    Args:
        content_log_odds: Log-odds for content of each segment; length n_segments.
        copies: What is needed to find repeats; without it all text may repeat.
        words: Number of words of each segment, at least 1; length n_segments.
        recall_share: lambda of `best_cut`, 0 to 1.
        left_out: Further segments to leave out, unless that leaves nothing; length n_segments.

    Example:
        >>> twice = Copies(
        ...     text=np.array([7, 7, 8], np.uint64),
        ...     path=np.array([0, 1, 1]),
        ...     once=np.ones(3, np.bool_),
        ... )
        >>> words = np.array([20.0, 20.0, 30.0])
        >>> selection = select_segments(np.array([2.0, 3.0, 3.0]), twice, words, 0.85)
        >>> selection.kept.tolist(), selection.repeated.tolist()
        ([False, True, True], [True, False, False])
    """
    if copies is None:
        repeated = np.zeros(len(words), np.bool_)
    else:
        repeated = repeated_segments(copies, content_log_odds)
    out = repeated if left_out is None else repeated | left_out
    kept, expected = best_cut(content_log_odds, out, words, recall_share)
    if expected == 0:
        kept, _ = best_cut(content_log_odds, repeated, words, recall_share)
    return Selection(kept=kept, repeated=repeated)


def may_repeat(surroundings: Int32s, words: Floats) -> Bools:
    """Return the segments of which one copy is enough; length n_segments.

    They are long, and do not stand in code, tables or definition lists.

    Args:
        surroundings: The bits of `read_surroundings`.
        words: Number of words of each segment, at least 1.

    Example:
        >>> may_repeat(np.array([0, REPEATING, 0], np.int32), np.array([12.0, 12.0, 2.0])).tolist()
        [True, False, False]
    """
    is_long = words >= SELECTION_CONFIG.repeat_words_min
    result: Bools = is_long & ~has_bits(surroundings, REPEATING)
    return result


def one_copy_enough(once: Bools, page: PageType) -> Bools:
    """Return the segments of `may_repeat`, or none of them on documentation.

    Args:
        once: The segments of `may_repeat`.
        page: The type of the page.
    """
    if page.documentation > SELECTION_CONFIG.documentation_min:
        return np.zeros(len(once), np.bool_)
    return once


def repeated_segments(copies: Copies, content_log_odds: Floats) -> Bools:
    """Return the segments that repeat the surest one of the same text; length n_segments.

    Equal texts on one path are records of one list, and no repeats.

    Args:
        copies: Texts and paths of the segments.
        content_log_odds: Log-odds for content of each segment.
    """
    surest = surest_copies(copies.text, content_log_odds)
    result: Bools = copies.once & (copies.path != copies.path[surest])
    return result


def surest_copies(text: UInt64s, content_log_odds: Floats) -> Int64s:
    """Return for each segment the surest one with the same text, itself if there is no other.

    Of equally sure ones it is the first.

    Args:
        text: Hash of each segment's words; length n_segments.
        content_log_odds: Log-odds for content of each segment; length n_segments.

    Example:
        >>> surest_copies(np.array([7, 8, 7], np.uint64), np.array([1.0, 0.0, 2.0])).tolist()
        [2, 1, 2]
    """
    return _selection.surest_copies(text, np.ascontiguousarray(content_log_odds))
