"""The fields of a page: names with their values, in rows of tables, terms, lines such as "Weight: 1 kg", and boxes.

A row is an element with text in two children, the first of them a short one; but for rows of tables and terms
it has siblings of its shape that are rows, too.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from templ_core.dom.tags import CELLS, CONTROLS, HEADING_LEVELS, WHOLE_PAGE
from templ_core.metadata._page_parts import PageParts
from templ_core.metadata.fields import PropertyValue
from templ_core.patterns import pattern
from templ_core.records.siblings import ShapedPage

_NAME_CHARS_MAX = 60
_VALUE_CHARS_MAX = 500
_LINE = pattern(r"([^:：.!?\n]{1,40}?)\s*[:：]\s+(\S.*)", re.DOTALL)
"""A name before a colon, and its value."""
_OTHER = pattern(
    r"(?:^|[-_\s])(?:mini-?)?(?:cart|basket|filters?|facets?|instal+ments?|recently|related|upsells?|cross-?sells?|swatch(?:es)?"
    r"|variations?|variants?|reviews?|comments?)(?:$|[-_\s])",
    re.IGNORECASE,
)
"""Names of elements whose rows are no fields of the page."""


_OF_ROWS = frozenset(("tr", "dl"))
"""Elements that need no sibling to be rows, and whose values may be several texts."""
_NO_NAMES = frozenset(("dd", *HEADING_LEVELS))


class Row(NamedTuple):
    """A name and its value, and the segments that they are."""

    name: str
    value: str
    segments: list[int]


def find_fields(page: ShapedPage, *, is_product: bool) -> list[PropertyValue]:
    """Return the fields of a page in its order, each name once.

    Args:
        page: The page.
        is_product: Whether it is that of a product, whose fields need not be kept as text where they stand beside it.
    """
    parts = PageParts(page.document, None, page.kept)
    fields: dict[str, PropertyValue] = {}
    for row in sorted(find_rows(page), key=lambda one: one.segments):
        is_own = all(
            page.kept[segment] or (is_product and not parts.is_elsewhere(segment))
            for segment in row.segments
        )
        if is_own and not _is_other(page, row.segments[0]):
            fields.setdefault(row.name.casefold(), PropertyValue(name=row.name, value=row.value))
    return list(fields.values())


def _is_other(page: ShapedPage, segment: int) -> bool:
    """Return whether a segment is hidden, a control, or in a part of a page whose rows are no fields."""
    nodes = page.nodes
    around = page.around(int(page.segments.owner[segment]))
    return any(
        nodes.hidden[node]
        or page.tags[node] in CONTROLS
        or (page.tags[node] not in WHOLE_PAGE and _OTHER.search(nodes.attributes[node]) is not None)
        for node in around
    )


def find_rows(page: ShapedPage) -> Iterator[Row]:
    """Yield the rows of a page, kept or not; a row may come twice."""
    alike: dict[tuple[int, int], list[Row]] = defaultdict(list)
    nodes = page.nodes
    for node in _holders(page):
        tag = page.tags[node]
        row = _row_of_children(page, node)
        if row is None:
            continue
        if tag in _OF_ROWS:
            yield row
        else:
            alike[int(nodes.parent[node]), int(page.shape[node])].append(row)
    yield from _terms(page)
    for line, kind in _lines(page):
        alike[kind].append(line)
    for rows in alike.values():
        if len(rows) > 1:
            yield from rows


def _holders(page: ShapedPage) -> list[int]:
    """Return the elements around the elements that hold segments, which may be rows."""
    nodes = page.nodes
    owners = np.unique(page.segments.owner)
    above = np.unique(nodes.parent[owners])
    higher = np.unique(nodes.parent[above[above >= 0]])
    holders: list[int] = np.union1d(above, higher).tolist()
    return [node for node in holders if node >= 0 and page.tags[node] not in WHOLE_PAGE]


def _row_of_children(page: ShapedPage, node: int) -> Row | None:
    """Return the row of an element with text in exactly two children."""
    within = page.segments_within(node)
    if not 2 <= len(within) <= 20 or node in page.segments.owner[within]:
        return None
    cells: dict[int, list[int]] = {}
    for segment in within:
        child = page.at_depth(int(page.segments.owner[segment]), int(page.nodes.depth[node]) + 1)
        cells.setdefault(child, []).append(segment)
    if len(cells) != 2:
        return None
    (first, names), (second, values) = cells.items()
    is_head = page.tags[second] == "th" or page.tags[first] in _NO_NAMES
    is_text = len(values) > 1 and page.tags[node] not in _OF_ROWS
    return None if is_head or is_text or len(names) > 1 else _row(page, names[0], values)


def _row(page: ShapedPage, name: int, values: list[int]) -> Row | None:
    label = page.texts[name].strip(" :：\n\t")
    value = "\n".join(page.texts[one] for one in values).strip()
    is_row = 0 < len(label) <= _NAME_CHARS_MAX and 0 < len(value) <= _VALUE_CHARS_MAX
    return Row(label, value, [name, *values]) if is_row and any(map(str.isalpha, label)) else None


def _terms(page: ShapedPage) -> Iterator[Row]:
    """Yield the terms of lists of terms that have one meaning."""
    for node in [one for one, tag in enumerate(page.tags) if tag == "dl"]:
        children = page.children(node)
        tags = ["dt", *(page.tags[child] for child in children), "dt"][1:]
        for at, child in enumerate(children[:-1]):
            if tags[at : at + 3] == ["dt", "dd", "dt"]:
                names, values = (page.segments_within(one) for one in (child, children[at + 1]))
                row = _row(page, names[0], values) if len(names) == 1 and values else None
                if row is not None:
                    yield row


def _lines(page: ShapedPage) -> Iterator[tuple[Row, tuple[int, int]]]:
    """Yield the segments that are a name, a colon and a value, with parent and shape of their elements."""
    nodes = page.nodes
    for segment, text in enumerate(page.texts):
        owner = int(page.segments.owner[segment])
        if len(text) > _NAME_CHARS_MAX + _VALUE_CHARS_MAX or page.tags[owner] in CELLS:
            continue
        match = _LINE.fullmatch(text)
        if match and len(page.segments_within(owner)) == 1:
            kind = int(nodes.parent[owner]), int(page.shape[owner])
            yield Row(match[1].strip(), match[2].strip(), [segment]), kind
