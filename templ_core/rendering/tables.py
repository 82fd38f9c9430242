"""Tables of data as rows of cells that stand under their heads."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from templ_core.dom.tags import CELLS
from templ_core.rendering.outline import Outline

_CELL_CHARS_MAX = 1000
"""Characters of the longest cell of a table of data."""
_GRID_RATIO_MAX = 20
"""Places of a table for each cell that it has; with more, spans do not count, so no table grows far beyond its page."""
_GROUPS = ("thead", "", "tfoot")
"""The groups of rows in the order in which they are shown; the second are all others."""


class CellText(NamedTuple):
    """A text in a table."""

    owner: int
    """Number of the element that it stands in."""
    text: str
    is_code: bool
    """Whether it is in a `pre`."""


class DataTable(NamedTuple):
    """A table of data."""

    captions: list[str]
    rows: list[list[list[str]]]
    """Texts of the cells of each row, a text for each block of a cell; places that a cell spans are empty."""
    has_header: bool
    """Whether the first row has headings."""


class _Row(NamedTuple):
    cells: list[int]
    """Numbers of the elements."""
    group: int
    """Number of the `thead`, `tbody` or `tfoot` around it; -1 = none."""


def data_table(outline: Outline, table: int, texts: Sequence[CellText]) -> DataTable | None:
    """Return a table of data; None for the layout of a page.

    A table of data has a row with two cells or more, and cells of some length at most. If its cells have
    several blocks in them, it must have heads or several such rows. Cells without kept text are empty.

    Args:
        outline: The kept parts of the page.
        table: Number of the table element, which has no other table in it.
        texts: The texts in it, in document order.
    """
    rows = _rows(outline, table)
    starts = [cell for row in rows for cell in row.cells]
    starts.sort()
    end = outline.document.nodes.end
    captions: list[str] = []
    filled: dict[int, list[CellText]] = {}
    for text in texts:
        at = bisect_right(starts, text.owner) - 1
        if at >= 0 and text.owner < end[starts[at]]:
            filled.setdefault(starts[at], []).append(text)
        elif "caption" in map(outline.tag, outline.chain(text.owner, within=table)):
            captions.append(text.text)
        else:
            return None
    kept = [row for row in _in_order(outline, rows) if any(cell in filled for cell in row.cells)]
    if not kept or not _is_data(outline, kept, filled):
        return None
    of_rows = [[[one.text for one in filled.get(cell, ())] for cell in row.cells] for row in kept]
    columns = _columns(outline, rows)
    if columns is not None:
        numbers = {
            at: number for number, at in enumerate(sorted(set(map(columns.__getitem__, starts))))
        }
        if len(numbers) * len(kept) <= _GRID_RATIO_MAX * len(starts):
            of_rows = _spread(kept, of_rows, {cell: numbers[columns[cell]] for cell in starts})
    heads = [cell for cell in kept[0].cells if cell in filled]
    are_heads = all(outline.tag(cell) == "th" for cell in heads)
    has_header = _group_of(outline, kept[0]) == 0 or are_heads
    return DataTable(captions, of_rows, has_header)


def _is_data(outline: Outline, rows: list[_Row], filled: dict[int, list[CellText]]) -> bool:
    of_cells = list(filled.values())
    if any(sum(len(text.text) for text in texts) > _CELL_CHARS_MAX for texts in of_cells):
        return False
    if max(len(row.cells) for row in rows) < 2:
        return False
    has_heads = any(outline.tag(cell) == "th" for cell in filled)
    wide = sum(sum(cell in filled for cell in row.cells) > 1 for row in rows)
    if any(len(texts) > 1 or texts[0].is_code for texts in of_cells):
        is_listing = all(
            text.is_code or text.text.isdecimal() for texts in of_cells for text in texts
        )
        return not is_listing and (has_heads or wide > 1)
    return has_heads or wide > 0


def _rows(outline: Outline, table: int) -> list[_Row]:
    """Return the rows of a table in the order of the markup."""
    nodes = outline.document.nodes
    rows: list[_Row] = []
    node, end, group, group_end = table + 1, int(nodes.end[table]), -1, 0
    while node < end:
        tag = outline.tag(node)
        if node >= group_end:
            group = -1
        if tag in CELLS:
            if not rows:
                rows.append(_Row([], group))
            rows[-1].cells.append(node)
            node = int(nodes.end[node])
            continue
        if tag == "tr":
            rows.append(_Row([], group))
        elif tag in {"thead", "tbody", "tfoot"}:
            group, group_end = node, int(nodes.end[node])
        node += 1
    return rows


def _group_of(outline: Outline, row: _Row) -> int:
    """Return the place of a row's group among the others."""
    tag = outline.tag(row.group) if row.group >= 0 else ""
    return _GROUPS.index(tag) if tag in _GROUPS else 1


def _in_order(outline: Outline, rows: list[_Row]) -> list[_Row]:
    return sorted(rows, key=lambda row: _group_of(outline, row))


def _columns(outline: Outline, rows: list[_Row]) -> dict[int, int] | None:
    """Return the column at which each cell begins (HTML standard, section 4.9.12.1); None if it costs too much."""
    columns: dict[int, int] = {}
    left = _GRID_RATIO_MAX * sum(1 + len(row.cells) for row in rows)
    held: list[tuple[int, int, int]] = []
    behind = _group_ends(rows)
    for number, row in enumerate(rows):
        held = [one for one in held if one[2] > number]
        left -= len(held)
        if left < 0:
            return None
        at, passed = 0, 0
        begun: list[tuple[int, int, int]] = []
        for cell in row.cells:
            while passed < len(held) and held[passed][0] <= at:
                at = max(at, held[passed][1])
                passed += 1
            width, height = outline.spans(cell)
            until = min(number + height, behind[number]) if height else behind[number]
            columns[cell] = at
            if until > number + 1:
                begun.append((at, at + width, until))
            at += width
        held = sorted([*held, *begun])
    return columns


def _group_ends(rows: list[_Row]) -> list[int]:
    """Return for each row the number of the row behind its group, which no cell of it spans."""
    ends = [len(rows)] * len(rows)
    for number in range(len(rows) - 2, -1, -1):
        is_last = rows[number].group != rows[number + 1].group
        ends[number] = number + 1 if is_last else ends[number + 1]
    return ends


def _spread(
    rows: list[_Row], texts: list[list[list[str]]], columns: dict[int, int]
) -> list[list[list[str]]]:
    """Return the cells of each row at their columns, with empty ones between them."""
    width = max(columns.values()) + 1
    spread = []
    for row, of_cells in zip(rows, texts, strict=True):
        places: list[list[str]] = [[] for _ in range(width)]
        for cell, of_cell in zip(row.cells, of_cells, strict=True):
            places[columns[cell]] = of_cell
        spread.append(places)
    return spread
