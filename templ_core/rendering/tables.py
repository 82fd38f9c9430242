"""Tables as rows of cells, where a table holds data and not the layout of a page."""

from collections.abc import Sequence
from typing import NamedTuple

from templ_core.rendering.outline import Outline

_CELL_CHARS_MAX = 1000
"""Characters of the longest cell of a table of data."""
_CELLS = (["tr", "td"], ["tr", "th"])
Cells = dict[int, str]


class DataTable(NamedTuple):
    """A table of data."""

    captions: list[str]
    rows: list[list[str]]
    """Texts of the cells of each row."""
    has_header: bool
    """Whether the first row has headings."""


def data_table(found: Outline, table: int, texts: Sequence[tuple[int, str]]) -> DataTable | None:
    """Return a table of data; None for the layout of a page.

    A table of data has a row with two cells or more, cells of some length at most, and no lists,
    headings or code in them. Cells without kept text are empty.

    Args:
        found: The kept parts of the page.
        table: Number of the table element.
        texts: The texts in it with the numbers of their elements, in document order.
    """
    rows: dict[int, Cells] = {}
    captions: list[str] = []
    has_header = False
    for owner, text in texts:
        inside = found.chain(owner, within=table)
        tags = [found.tag(node) for node in inside]
        if tags == ["caption"] and not rows:
            captions.append(text)
            continue
        if (
            len(text) > _CELL_CHARS_MAX
            or tags[:2] not in _CELLS
            or any(tag != "p" for tag in tags[2:])
        ):
            return None
        row, cell = inside[:2]
        if not rows:
            has_header = tags[1] == "th"
        cells = rows.setdefault(row, {})
        cells[cell] = f"{cells[cell]} {text}" if cell in cells else text
    of_rows = [_cells(found, row) for row in rows]
    if max(map(len, of_rows), default=0) < 2:
        return None
    texts_of_rows = [
        [kept.get(cell, "") for cell in cells]
        for cells, kept in zip(of_rows, rows.values(), strict=True)
    ]
    return DataTable(captions, texts_of_rows, has_header)


def _cells(found: Outline, row: int) -> list[int]:
    end = found.document.nodes.end
    cells = []
    node = row + 1
    while node < end[row]:
        if found.tag(node) in {"td", "th"}:
            cells.append(node)
        node = int(end[node])
    return cells
