"""The text of the segments that are kept."""

from collections.abc import Sequence
from itertools import chain

import numpy as np

from templ_core.array_types import Bools
from templ_core.dom._tree import tag_bits
from templ_core.dom.document import Document
from templ_core.dom.tags import CELLS

_CELLS = dict.fromkeys(CELLS, 1)

Cuts = dict[int, list[tuple[int, int]]]
"""For each segment that loses some parts, the first character of each part and the one behind it, in
order."""


def render_text(document: Document, kept: Bools, cuts: Cuts | None = None) -> str:
    r"""Return the text of the kept segments in document order.

    Each segment starts a line, but the cells of a table row are separated by tabs. The text of
    `pre` elements is verbatim.

    Args:
        document: The page.
        kept: Whether each segment stays; length n_segments.
        cuts: What is cut out of segments that stay; None = nothing.

    >>> from templ_core.dom.document import parse_document
    >>> document = parse_document("<nav>Menu</nav><table><tr><td>a<td>b</table>", "")
    >>> render_text(document, np.array([False, True, True]))
    'a\tb'
    >>> document = parse_document("<p>One. Two. Three.", "")
    >>> render_text(document, np.array([True]), {0: [(5, 10)]})
    'One. Three.'
    """
    nodes, segments = document.nodes, document.segments
    (stays,) = kept.nonzero()
    texts = [segments.texts[segment] for segment in stays.tolist()]
    if cuts:
        texts = [
            without_parts(text, cuts[segment]).strip() if segment in cuts else text
            for text, segment in zip(texts, stays.tolist(), strict=True)
        ]
    cells = tag_bits(nodes.element_types, _CELLS)
    if not cells.any():
        return "\n".join(texts)
    owner = segments.owner[stays]
    is_cell = cells[nodes.element_type[owner]] != 0
    row = np.where(is_cell, nodes.parent[owner], -1)
    same_row = is_cell[1:] & (row[1:] == row[:-1])
    borders = ["\t" if is_same else "\n" for is_same in same_row.tolist()]
    return "".join(chain.from_iterable(zip(texts, [*borders, ""], strict=False)))


def without_parts(text: str, parts: Sequence[tuple[int, int]]) -> str:
    """Return a text without some parts: the first character of each and the one behind it, in order."""
    starts = [0, *(end for _, end in parts)]
    ends = [*(begin for begin, _ in parts), len(text)]
    return "".join(text[start:end] for start, end in zip(starts, ends, strict=True))
