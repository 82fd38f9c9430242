"""Tables as rows of cells, where a table holds data and not the layout of a page."""

from templ_core.rendering.outline import Outline, Part

_CELL_CHARS_MAX = 600
"""Characters of the longest cell of a table of data."""
_IN_CELLS = frozenset(("table", "tr", "td", "th", "caption", "p"))


def data_rows(found: Outline, table: int, parts: list[Part]) -> list[list[list[Part]]] | None:
    """Return the rows of a table, each a list of cells, each a list of parts; None for a layout.

    A table of data has a row with two cells or more, cells of some length at most, and no lists,
    headings or code in them. Cells without kept text are empty lists.

    Args:
        found: The kept parts of the page.
        table: Number of the table element.
        parts: The parts in it, in document order.
    """
    rows: dict[int, dict[int, list[Part]]] = {}
    for part in parts:
        inside = part.chain[part.chain.index(table) + 1 :]
        tags = [found.tags[node] for node in inside]
        if not _IN_CELLS.issuperset(tags) or len(part.text) > _CELL_CHARS_MAX:
            return None
        row = next((node for node, tag in zip(inside, tags, strict=True) if tag == "tr"), -1)
        cell = next((node for node, tag in zip(inside, tags, strict=True) if tag in {"td", "th"}), -1)
        if row < 0 or cell < 0:
            return None
        rows.setdefault(row, {}).setdefault(cell, []).append(part)
    if max(map(len, rows.values()), default=0) < 2:
        return None
    return [[kept.get(cell, []) for cell in _cells(found, row)] for row, kept in rows.items()]


def has_header(found: Outline, parts: list[Part]) -> bool:
    """Return whether the first kept cell of a table is a heading of its column or row."""
    return any(found.tags[node] == "th" for node in parts[0].chain)


def _cells(found: Outline, row: int) -> list[int]:
    nodes = found.document.nodes
    cells = []
    node, end = row + 1, int(nodes.end[row])
    while node < end:
        if found.tags[node] in {"td", "th"}:
            cells.append(node)
        node = int(nodes.end[node])
    return cells
