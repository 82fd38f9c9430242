"""Rows of a page: those of tables, and those of other elements by their names and style sheets."""

from collections import defaultdict

import numpy as np

from templ_core.array_types import Bools, Int32s
from templ_core.dom._tree import tag_bits, types_with_name
from templ_core.dom.document import Document, Nodes
from templ_core.dom.tags import CELLS

_CELL_CHARS_MAX = 100
"""Characters of the longest text in a row that is no row of a table; columns of running text are no cells."""
_CELLS_MAX = 50
_DEPTH_MAX = 4
"""Most cells of such a row, and most elements around the text of a cell, the cell included."""
_CELLS = dict.fromkeys(CELLS, 1)
_NAMES = ("row", "flex", "grid", "tr")
"""What the role or a class of rows is, or has as a part between hyphens."""


def rows_of_segments(document: Document, kept: Bools) -> Int32s | None:
    """Return the number of the row that each segment is a cell of, -1 = none; None where the page has no rows.

    A text in an element inside a cell is that of the cell if it is the only one. The elements of a style sheet's grid are rows if their role or class says so, each of their cells has one short
    text, and an element beside them of the same type has as many cells.

    Args:
        document: The page.
        kept: Whether each segment stays; of rows without one nothing is found out.

    >>> from templ_core.dom.document import parse_document
    >>> row = "<div class=row><div>{}</div><div>{}</div></div>"
    >>> page = parse_document(row.format("Weight", "1 kg") + row.format("Colour", "blue"), "")
    >>> rows_of_segments(page, np.ones(4, bool)).tolist()
    [2, 2, 5, 5]
    """
    nodes, owner = document.nodes, document.segments.owner
    cells = tag_bits(nodes.element_types, _CELLS)
    grid = types_with_name(nodes.element_types, _NAMES)
    if not grid and not np.count_nonzero(cells):
        return None
    cell = owner
    for _ in range(_DEPTH_MAX):
        is_cell = cells[nodes.element_type[cell]] != 0
        cell = np.where(is_cell | (cell == 0), cell, nodes.parent[cell])
    texts = np.bincount(cell[kept], minlength=len(nodes.parent))
    rows: Int32s = np.where(
        is_cell & ((cell == owner) | (texts[cell] == 1)), nodes.parent[cell], -1
    )
    if grid:
        _note_grid_rows(document, kept, grid, rows)
    return rows


def _note_grid_rows(document: Document, kept: Bools, types: list[int], rows: Int32s) -> None:
    """Note the rows among the elements of some types that have text that stays."""
    nodes, segments = document.nodes, document.segments
    is_named = np.zeros(len(nodes.element_types), np.bool_)
    is_named[types] = True
    (named,) = is_named[nodes.element_type].nonzero()
    first = segments.inline_from.searchsorted(named, side="right")
    behind = segments.inline_from.searchsorted(nodes.end[named], side="right")
    stay = np.concatenate([[0], kept.cumsum()])
    holds_cells = (behind - first > 1) & (stay[behind] - stay[first] > 1)
    alike: dict[tuple[int, int, int], list[tuple[int, int, int]]] = defaultdict(list)
    for row in zip(*(one[holds_cells].tolist() for one in (named, first, behind)), strict=True):
        node, begin, end = row
        while end > begin and segments.owner[end - 1] < node:
            end -= 1
        if 1 < end - begin <= _CELLS_MAX:
            kind = int(nodes.parent[node]), int(nodes.element_type[node]), end - begin
            alike[kind].append((node, begin, end))
    for group in alike.values():
        cells = [one for one in group if _are_cells(document, *one)] if len(group) > 1 else []
        if len(cells) > 1:
            for node, begin, end in cells:
                rows[begin:end] = node


def _are_cells(document: Document, row: int, first: int, behind: int) -> bool:
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


def _child_of(nodes: Nodes, row: int, node: int) -> int:
    """Return the child of an element that holds a node; the element itself for a node outside its children."""
    while node > row and nodes.parent[node] != row:
        node = int(nodes.parent[node])
    return max(node, row)
