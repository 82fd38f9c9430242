"""What the steps of parsing hand on to each other."""

from typing import NamedTuple

from templ_core.array_types import Int32s

AttributeTable = tuple[bytes, bytes]
"""Attributes that `strip_markup` took out of the markup: rows and entries (`_attribute_table.pxd`)."""


class AttributeTableMismatch(Exception):
    """The attribute table has a row for a line on which no element of the page begins."""


class PageColumns(NamedTuple):
    """A parsed page as columns; see `templ_core.dom.document` for the meaning of each."""

    element_types: list[tuple[str, str]]
    nodes: dict[str, Int32s]
    """The columns of `Nodes` by name, each of length n_nodes."""
    texts: list[str]
    segments: dict[str, Int32s]
    """The columns of `Segments` by name, each of length n_segments."""
    scripts: int
    title: str
    marks: dict[str, Int32s]
    """The columns of `templ_core.dom.marks.Marks` by name; empty unless they were asked for."""
    mark_values: list[str]
    """Addresses and labels of the marks."""
