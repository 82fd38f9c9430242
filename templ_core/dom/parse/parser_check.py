"""The compiled walk, once it has shown that it reads the installed parser's tree rightly."""

import functools
from collections.abc import Callable

from lxml import etree

from templ_core.array_types import Int32s
from templ_core.dom.parse._flatten import flatten
from templ_core.dom.parse._strip_markup import lean_page
from templ_core.errors import ParserMismatch

Columns = tuple[list[tuple[str, str]], Int32s, list[str], Int32s, int, str]
"""What `flatten` returns."""
Aside = tuple[bytes, bytes]
"""Attributes set aside by `lean_page`: where, and what they say."""
NOTHING_ASIDE: Aside = (b"", b"")

_MARKUP = (
    b'<html lang="en"><body class="b"><p id="x" hidden>One <b>two</b><br>3 <!-- --> 4</p>'
    b"<script>5</script><title>A\ntitle</title>"
    b'<ul><li><a href="https://example.org/">six</a><img></ul><pre> 7\n 8 </pre>'
)
_KINDS = [
    *[("html", ""), ("body", "\nb\n\n\n"), ("p", "x\n\n\n\n"), ("b", ""), ("br", "")],
    *[("ul", ""), ("li", ""), ("a", ""), ("img", ""), ("pre", "")],
]
_NODES = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    [0, 1, 2, 3, 3, 2, 3, 4, 4, 2],
    [-1, 0, 1, 2, 2, 1, 5, 6, 6, 1],
    [10, 10, 5, 4, 5, 9, 9, 8, 9, 10],
    [0, 0, 1, 0, 0, 0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0, 0, 1, 0, 0, 0],
]
_TEXTS = ["One two\n3 4", "six", " 7\n 8 "]
_SEGMENTS = [[2, 6, 9], [3, 7, 10], [5, 9, 10], [0, 1, 0], [0, 3, 0], [0, 1, 0], [0, 0, 0]]


@functools.cache
def checked_flatten() -> Callable[[etree._Element, str, Aside], Columns | None]:
    """`flatten`, compared once with columns that are known.

    Raises:
        ParserMismatch: the columns differ.
    """
    markup, aside = lean_page(_MARKUP)
    root = etree.fromstring(markup, etree.HTMLParser())
    columns = flatten(root, "example.com", aside)
    if columns is None or _as_lists(columns) != (_KINDS, _NODES, _TEXTS, _SEGMENTS, 1, "A title"):
        built = ".".join(map(str, etree.LIBXML_COMPILED_VERSION))
        raise ParserMismatch(
            f"templ was not compiled for the installed lxml {etree.__version__} (libxml2 {built}): "
            "install templ-worker anew"
        )
    return flatten


def _as_lists(columns: Columns) -> tuple[object, ...]:
    element_types, nodes, texts, segments, scripts, title = columns
    return element_types, nodes.tolist(), texts, segments.tolist(), scripts, title
