"""What the elements around each segment say about it, as bits."""

from templ_core.array_types import Int32s, Int64s
from templ_core.dom._tree import bits_above, last_with_bits, tag_bits
from templ_core.dom.document import Document
from templ_core.dom.tags import HEADING_LEVELS
from templ_core.page_level.features.text_roles import roles_of_types

HEADING = 8
"""Bit of the segments inside a heading; the bits below are those of text roles."""
REPEATING = 16
"""Bit of the segments inside code, tables and definition lists, which repeat text on purpose."""

VERBATIM = 32
"""Bit of the segments inside elements that show code or input as it is."""

_TAGS = (
    dict.fromkeys(HEADING_LEVELS, HEADING)
    | dict.fromkeys(("table", "dl", "td"), REPEATING)
    | dict.fromkeys(("code", "kbd", "samp", "textarea", "tt"), VERBATIM)
    | {"pre": REPEATING | VERBATIM}
)


def read_surroundings(document: Document) -> Int32s:
    """Return the bits of all elements around each segment; length n_segments.

    They are the bits of `text_roles` for the names of elements, `HEADING`, `REPEATING` and `VERBATIM`.

    Example:
        >>> from templ_core.dom.document import parse_document
        >>> page = parse_document("<h1>a</h1><pre><b>b</b></pre>c", "https://example.com/")
        >>> (read_surroundings(page) == [HEADING, REPEATING | VERBATIM, 0]).all()
        np.True_
    """
    nodes = document.nodes
    bits = tag_bits(nodes.element_types, _TAGS)
    for element_type, roles in roles_of_types(nodes.element_types):
        bits[element_type] |= roles
    return bits_above(nodes.parent, nodes.element_type, bits, document.segments.owner)


def last_headings(surroundings: Int32s) -> Int64s:
    """Return the number of the last heading before each segment; length n_segments.

    It is -1 for segments without a heading before them.

    Args:
        surroundings: The bits of `read_surroundings`.
    """
    return last_with_bits(surroundings, HEADING)
