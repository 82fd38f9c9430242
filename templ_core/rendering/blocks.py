"""The blocks of a page that are written as a whole: tables of data as rows of cells, and program code."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from templ_core.patterns import pattern
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


# --- program code ---------------------------------------------------------------------------

_LANGUAGE = pattern(r"(?:^|\s)(?:lang(?:uage)?-|highlight-source-|brush:\s*)([\w+#.-]{1,20})")
_NUMBERS = pattern(r"\s*\d+(?:\s+\d+)*\s*")
_NUMBERED = pattern(r"(?:^|[\s_-])(?:line-?no|line-?num|gutter|ln(?:t|um)?(?=$|\s))")
_NUMBER = pattern(r"^[ \t]*\d+", re.MULTILINE)
_LEVELS = 3
"""Elements around a `pre` in which its class is looked for."""


def code_language(found: Outline, pre: int) -> str:
    """Return the language that a `pre`, the first element in it, or the one around it is named after; empty = none.

    Args:
        found: The kept parts of the page.
        pre: Number of the `pre`.
    """
    nodes = found.document.nodes
    near = [pre, pre + 1 if pre + 1 < nodes.end[pre] else pre, int(nodes.parent[pre])]
    for one in near:
        language = _LANGUAGE.search(_attributes(found, one).lower())
        if language:
            return language[1]
    return ""


def without_line_numbers(found: Outline, pre: int, texts: Sequence[str]) -> str:
    """Return the texts of a `pre` without the numbers of its lines; empty where it has nothing else.

    They are numbers in an element whose class says so, or numbers that count on in a cell beside another one.

    Args:
        found: The kept parts of the page.
        pre: Number of the `pre`.
        texts: The texts in it.
    """
    text = "\n".join(texts)
    if not _NUMBER.match(text):
        return text
    if _NUMBERS.fullmatch(text):
        around, counts = pre, _counts_on(text)
        for _ in range(_LEVELS):
            above = int(found.document.nodes.parent[around])
            is_beside = counts and found.tag(around) == "td" and len(_cells(found, above)) > 1
            if is_beside or _is_numbered(found, around):
                return ""
            around = above
        return text
    inside = range(pre + 1, int(found.document.nodes.end[pre]))
    lines = [line for line in text.split("\n") if line.strip()]
    if all(map(_NUMBER.match, lines)) and any(_is_numbered(found, one) for one in inside):
        return _NUMBER.sub("", text)
    return text


def _counts_on(text: str) -> bool:
    numbers = [int(number) for number in text.split()]
    return numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def _is_numbered(found: Outline, node: int) -> bool:
    return _NUMBERED.search(_attributes(found, node).lower()) is not None


def _attributes(found: Outline, node: int) -> str:
    nodes = found.document.nodes
    return nodes.element_types[nodes.element_type[node]][1] if node >= 0 else ""
