"""The text of the segments that are kept."""

from itertools import chain

import numpy as np

from templ_core.array_types import Bools
from templ_core.dom.document import Document
from templ_core.dom.tags import CELLS


def render_text(document: Document, kept: Bools) -> str:
    r"""Return the text of the kept segments in document order.

    Each segment starts a line, but the cells of a table row are separated by tabs. The text of
    `pre` elements is verbatim.

    Args:
        document: The page.
        kept: Whether each segment stays; length n_segments.

    >>> from templ_core.dom.document import parse_document
    >>> document = parse_document("<nav>Menu</nav><table><tr><td>a<td>b</table>", "")
    >>> render_text(document, np.array([False, True, True]))
    'a\tb'
    """
    nodes, segments = document.nodes, document.segments
    stays = np.flatnonzero(kept)
    texts = [segments.texts[segment] for segment in stays.tolist()]
    cells = [tag in CELLS for tag, _ in nodes.element_types]
    if not any(cells):
        return "\n".join(texts)
    owner = segments.owner[stays]
    is_cell = np.array(cells)[nodes.element_type[owner]]
    row = np.where(is_cell, nodes.parent[owner], -1)
    same_row = is_cell[1:] & (row[1:] == row[:-1])
    borders = ["\t" if is_same else "\n" for is_same in same_row.tolist()]
    return "".join(chain.from_iterable(zip(texts, [*borders, ""], strict=False)))
