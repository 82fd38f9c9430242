"""Kept segments to text."""

from itertools import chain

import numpy as np

from templ_core.array_types import Bools
from templ_core.dom.document import Document
from templ_core.dom.tags import CELLS


def render_text(document: Document, kept: Bools) -> str:
    """Text of the kept segments in document order.

    Each segment starts a line; cells of one table row are separated by tabs; `pre` is verbatim.

    Args:
        document: The page.
        kept: For each segment, whether it stays; length n_segments.
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
