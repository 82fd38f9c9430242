from lxml.etree import _Element

from templ_core.dom.parse.page_columns import AttributeTable, PageColumns

def flatten(
    root: _Element | None,
    host: str,
    attribute_table: AttributeTable = (b"", b""),
    with_marks: bool = False,
) -> PageColumns: ...
