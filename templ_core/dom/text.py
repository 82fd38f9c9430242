"""Kept segments to text."""

import numpy as np
import numpy.typing as npt

from templ_core.dom.document import Document
from templ_core.dom.tags import CELLS


def render_text(document: Document, kept: npt.NDArray[np.bool_]) -> str:
    """Text of the kept segments in document order.

    Each segment starts a line; cells of one table row are separated by tabs; `pre` is verbatim.

    Args:
        document: The page.
        kept: For each segment, whether it stays; length n_segments.
    """
    parts: list[str] = []
    row = -1
    for segment in np.flatnonzero(kept):
        owner = int(document.segments.owner[segment])
        is_cell = document.nodes.tags[owner] in CELLS
        this_row = int(document.nodes.parent[owner]) if is_cell else -1
        if parts:
            parts.append("\t" if is_cell and this_row == row else "\n")
        parts.append(document.segments.texts[segment])
        row = this_row
    return "".join(parts)
