"""Text that stands on a page more than once is kept once, where it is surest.

Mobile and desktop markup side by side and quotes repeat text; equal cells and code do mean it.
"""

import numpy as np
import numpy.typing as npt

from templ_core.dom.document import Document
from templ_core.dom.tree import sums_above
from templ_core.page_level.characters import UInt64s

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

REPEAT_WORDS_MIN = 10
_MEANT_TAGS = frozenset(("pre", "table", "dl", "td"))


def may_repeat(document: Document, words: Floats) -> Bools:
    """Segments of which one copy is enough: long, and not in code, tables or definition lists."""
    meant = np.array([tag in _MEANT_TAGS for tag in document.nodes.tags], np.float64)
    inside = sums_above(document.nodes.end, meant)[document.segments.owner]
    result: Bools = (inside < 0.5) & (words >= REPEAT_WORDS_MIN)
    return result


def repeats(text: UInt64s, once: Bools, content_odds: Floats) -> Bools:
    """Segments that repeat a surer one; of equally sure ones the first stays.

    Args:
        text: Hash of each segment's words.
        once: Segments of which one copy is enough.
        content_odds: How sure it is that each is content.
    """
    order = np.lexsort((-content_odds, text))
    same = np.zeros(len(text), np.bool_)
    same[order[1:]] = text[order[1:]] == text[order[:-1]]
    result: Bools = same & once
    return result
