"""Text that stands on a page more than once is kept once, where it is surest.

Mobile and desktop markup side by side and quotes repeat text; equal cells and code do mean it.
"""

import msgspec
import numpy as np

from templ_core.array_types import Bools, Floats, Int64s, UInt64s
from templ_core.dom._tree import tag_bits
from templ_core.dom.document import Document, bits_around
from templ_core.page_level.model.page_type import PageType
from templ_core.page_level.selection._repeats import surest_copies
from templ_core.page_level.selection.expected_f1 import best_cut

REPEAT_WORDS_MIN = 10
"""With 20, documentation gains 0.002 and wcxb_dev loses 0.001."""
_MEANT_TAGS = dict.fromkeys(("pre", "table", "dl", "td"), 1)


class Copies(msgspec.Struct, frozen=True, kw_only=True):
    """What of a page may repeat what; columns of length n_segments."""

    text: UInt64s
    """Hash of each segment's words."""
    path: Int64s
    """Path group of each segment."""
    once: Bools
    """Segments of which one copy is enough."""


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """What of a page is kept."""

    kept: Bools
    """Length n_segments."""
    repeated: Bools
    """Segments left out because a surer one has the same text; length n_segments."""
    expected_f1: float
    """Word F1 to expect, 0 to 1."""


def choose(
    content_log_odds: Floats,
    copies: Copies | None,
    words: Floats,
    recall_share: float,
    left_out: Bools | None = None,
) -> Choice:
    """The cut with the best expected F1 over all segments that repeat no surer one.

    Args:
        content_log_odds: Log-odds for content of each segment.
        copies: What may repeat what; None = all copies are meant.
        words: Words of each segment, at least 1.
        recall_share: lambda of `best_cut`.
        left_out: Segments that are not kept unless that leaves none; None = no others.
    """
    if copies is None:
        repeated = np.zeros(len(words), np.bool_)
    else:
        repeated = repeats(copies.text, copies.path, copies.once, content_log_odds)
    out = repeated if left_out is None else repeated | left_out
    kept, expected = best_cut(content_log_odds, out, words, recall_share)
    if expected == 0:
        kept, expected = best_cut(content_log_odds, repeated, words, recall_share)
    return Choice(kept=kept, repeated=repeated, expected_f1=expected)


DOCUMENTATION_MIN = 0.5
"""From this probability on a page is documentation, which repeats itself on purpose."""


def one_copy_enough(once: Bools, page: PageType) -> Bools:
    """The segments of `may_repeat` on a page of this page_type: none on documentation."""
    return once if page.documentation <= DOCUMENTATION_MIN else np.zeros(len(once), np.bool_)


def may_repeat(document: Document, words: Floats) -> Bools:
    """Segments of which one copy is enough: long, and not in code, tables or definition lists."""
    meant = bits_around(document, tag_bits(document.nodes.element_types, _MEANT_TAGS))
    result: Bools = (words >= REPEAT_WORDS_MIN) & (meant == 0)
    return result


def repeats(text: UInt64s, path: Int64s, once: Bools, content_log_odds: Floats) -> Bools:
    """Segments that repeat the surest one of the same text, which stands on another path.

    Of equally sure ones the first is the surest. On one path, equal texts are records of one list
    and meant.

    Args:
        text: Hash of each segment's words.
        path: Path group of each segment.
        once: Segments of which one copy is enough.
        content_log_odds: How sure it is that each is content.
    """
    surest = surest_copies(text, np.ascontiguousarray(content_log_odds))
    result: Bools = once & (path != path[surest])
    return result
