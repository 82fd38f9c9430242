from typing import NamedTuple, TypeAlias

from templ_core.array_types import Int32s

AttributeTable: TypeAlias = tuple[bytes, bytes]
"""Attributes that `strip_markup` took out of the markup: rows and entries (`_attribute_table.pxd`)."""

class AttributeTableMismatch(Exception): ...
class TooDeep(Exception): ...

class PageColumns(NamedTuple):
    element_types: list[tuple[str, str]]
    nodes: dict[str, Int32s]
    """The columns of `templ_core.dom.document.Nodes` by name."""
    texts: list[str]
    segments: dict[str, Int32s]
    """The columns of `Segments` by name."""
    sign_texts: list[str]
    signs: dict[str, Int32s]
    """The columns of `Signs` by name."""
    scripts: int
    title: str
    language: str
    """What the root element declares; empty if it declares none."""
    marks: dict[str, Int32s]
    """The columns of `Marks` by name; empty unless they were asked for."""
    mark_values: list[str]
    has_another_root: bool
    """Whether another document follows the root element."""

def page_columns(
    markup: bytes,
    host: str,
    attribute_table: AttributeTable = (b"", b""),
    with_marks: bool = False,
) -> PageColumns: ...
