"""Check that the compiled walk over the parser's tree fits the installed parser."""

import functools

from lxml import etree

from templ_core.dom.parse._flatten import flatten
from templ_core.dom.parse._strip_markup import strip_markup
from templ_core.dom.parse.page_columns import AttributeTableMismatch, PageColumns
from templ_core.errors import ParserMismatch

_MARKUP = (
    b'<html lang="en"><body class="b"><p id="x" hidden>One <b>two</b><br>3 <!-- --> 4</p>'
    b"<script>5</script><title>A\ntitle</title>"
    b'<ul><li><a href="https://example.org/">six</a><img></ul><pre> 7\n 8 </pre>'
)
_ELEMENT_TYPES = [
    *[("html", ""), ("body", "\nb\n\n\n"), ("p", "x\n\n\n\n"), ("b", ""), ("br", "")],
    *[("ul", ""), ("li", ""), ("a", ""), ("img", ""), ("pre", "")],
]
_NODES = {
    "element_type": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    "depth": [0, 1, 2, 3, 3, 2, 3, 4, 4, 2],
    "parent": [-1, 0, 1, 2, 2, 1, 5, 6, 6, 1],
    "end": [10, 10, 5, 4, 5, 9, 9, 8, 9, 10],
    "hidden": [0, 0, 1, 0, 0, 0, 0, 0, 0, 0],
    "images": [0, 0, 0, 0, 0, 0, 1, 0, 0, 0],
}
_TEXTS = ["One two\n3 4", "six", " 7\n 8 "]
_SEGMENTS = {
    "owner": [2, 6, 9],
    "inline_from": [3, 7, 10],
    "inline_to": [5, 9, 10],
    "links": [0, 1, 0],
    "link_chars": [0, 3, 0],
    "external_links": [0, 1, 0],
    "page_links": [0, 0, 0],
}


@functools.cache
def check_parser() -> None:
    """Compare the columns that `flatten` makes of a known page with the right ones, once.

    The compiled walk reads the parser's memory. If it was compiled for another version of lxml
    than the installed one, what it reads is wrong.

    Raises:
        ParserMismatch: The columns differ.
    """
    markup, attribute_table = strip_markup(_MARKUP)
    root = etree.fromstring(markup, etree.HTMLParser())
    try:
        columns = _as_lists(flatten(root, "example.com", attribute_table))
    except AttributeTableMismatch:
        columns = ()
    if columns != (_ELEMENT_TYPES, _NODES, _TEXTS, _SEGMENTS, 1, "A title"):
        built = ".".join(map(str, etree.LIBXML_COMPILED_VERSION))
        raise ParserMismatch(
            f"templ was not compiled for the installed lxml {etree.__version__} (libxml2 {built}): "
            "install templ-worker again"
        )


def _as_lists(columns: PageColumns) -> tuple[object, ...]:
    nodes, segments = (
        {name: column.tolist() for name, column in columns_of.items()}
        for columns_of in (columns.nodes, columns.segments)
    )
    return (
        columns.element_types,
        nodes,
        columns.texts,
        segments,
        columns.scripts,
        columns.title,
    )
