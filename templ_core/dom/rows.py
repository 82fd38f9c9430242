"""Rows of a page: those of tables, and those that a page makes of other elements by names and style sheets."""

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from templ_core.array_types import Int32s
from templ_core.dom._tree import tag_bits, types_with_name
from templ_core.dom.tags import CELLS

if TYPE_CHECKING:
    from templ_core.dom.document import Document, Nodes

_CELL_CHARS_MAX = 100
"""Characters of the longest text in a row that is no row of a table; columns of running text are no cells."""
_CELLS_MAX = 50
_DEPTH_MAX = 4
"""Most cells of such a row, and most elements around the text of a cell, the cell included."""
_CELLS = dict.fromkeys(CELLS, 1)
_NAMES = ("row", "flex")
"""What the role or a class of rows is, or has as a part between hyphens."""


def rows_of_segments(document: "Document") -> Int32s | None:
    """Return the number of the row that each segment is a cell of, -1 = none; None where the page has no rows.

    The elements of a style sheet's grid are rows if their role or class says so, each of their cells has one short
    text, and an element beside them of the same type has as many cells.

    Args:
        document: The page.

    >>> from templ_core.dom.document import parse_document
    >>> row = "<div class=row><div>{}</div><div>{}</div></div>"
    >>> page = parse_document(row.format("Weight", "1 kg") + row.format("Colour", "blue"), "")
    >>> rows_of_segments(page).tolist()
    [2, 2, 5, 5]
    """
    nodes, owner = document.nodes, document.segments.owner
    cells = tag_bits(nodes.element_types, _CELLS)
    grid = types_with_name(nodes.element_types, _NAMES)
    if not grid and not np.count_nonzero(cells):
        return None
    is_cell = cells[nodes.element_type[owner]] != 0
    rows: Int32s = np.where(is_cell, nodes.parent[owner], -1)
    if grid:
        _note_grid_rows(document, grid, rows)
    return rows


def _note_grid_rows(document: "Document", types: list[int], rows: Int32s) -> None:
    """Note the rows among the elements of some types."""
    nodes, segments = document.nodes, document.segments
    found = np.flatnonzero(np.isin(nodes.element_type, types))
    firsts = np.searchsorted(segments.inline_from, found, side="right").tolist()
    ends = np.searchsorted(segments.inline_from, nodes.end[found], side="right").tolist()
    alike: dict[tuple[int, int, int], list[tuple[int, int, int]]] = defaultdict(list)
    for node, first, end in zip(found.tolist(), firsts, ends, strict=True):
        behind = end
        while behind > first and segments.owner[behind - 1] < node:
            behind -= 1
        if 1 < behind - first <= _CELLS_MAX and _are_cells(document, node, first, behind):
            kind = int(nodes.parent[node]), int(nodes.element_type[node]), behind - first
            alike[kind].append((node, first, behind))
    for rows_alike in alike.values():
        if len(rows_alike) > 1:
            for node, first, behind in rows_alike:
                rows[first:behind] = node


def _are_cells(document: "Document", row: int, first: int, behind: int) -> bool:
    """Return whether each of some segments is the only one, and a short one, of a child of an element."""
    nodes, segments = document.nodes, document.segments
    if (nodes.depth[segments.owner[first:behind]] - nodes.depth[row]).max() > _DEPTH_MAX:
        return False
    children = {_child_of(nodes, row, int(segments.owner[one])) for one in range(first, behind)}
    return (
        row not in children
        and len(children) == behind - first
        and all(len(text) <= _CELL_CHARS_MAX for text in segments.texts[first:behind])
    )


def _child_of(nodes: "Nodes", row: int, node: int) -> int:
    """Return the child of an element that holds a node; the element itself for a node outside its children."""
    while node > row and nodes.parent[node] != row:
        node = int(nodes.parent[node])
    return max(node, row)
