"""What a pair of tag and attributes says about the elements that have it, wherever they stand.

It is read once for each element type and cached, because the pages of a site share most of them.
"""

import functools
import hashlib
import re
import struct

from templ_core.array_types import UInt64s
from templ_core.dom.document import Document
from templ_core.dom.tags import HEADING_LEVELS, INLINE
from templ_core.site_level.places._element_types import (
    CELL,
    CELLS,
    COLUMNS,
    HEADING,
    IS_BLOCK,
    STEM,
    STYLE,
    TAG,
    known_rows,
)

_ROW = struct.Struct(f"={COLUMNS}Q")
_DIGITS = re.compile(r"\d+")
_DIGITS_AND_DASHES = re.compile(r"[\d_-]*\d[\d_-]*")
_PASSING = re.compile(
    r"\d|.$|(?:category|tag|author|postid|post-|page-id|term|status-|format-|type-|hentry|has-|js-"
    r"|active|current|odd|even|first|last|wp-image|menu-item-)"
)
"""Classes that name what is shown, or its state, rather than the place."""
_CLASSES_MAX = 2
"""Classes that a stem names."""
_ID_CHARS = range(2, 40)
"""Lengths of an id, without digits, that a stem names."""
_ATTRIBUTE_CHARS_MAX = 512
"""Characters of the attributes that are read."""
_CELL_TAGS = (
    "center", "div", "dl", "font", "form", "section", "span", "table", "tbody", "td", "tr", "ul",
)  # fmt: skip
"""Tags of layout elements, which are told apart by position where they have neither id nor class."""
_HEADINGS = dict.fromkeys(HEADING_LEVELS, 1) | {"h1": 2}
_CELLS = {tag: number for number, tag in enumerate(_CELL_TAGS, 1)}
if len(_CELLS) >= CELLS:
    raise AssertionError("the compiled modules have no room for so many tags of cells")


def element_type_rows(document: Document) -> UInt64s:
    """Return what is known about each of a document's element types; (n_element_types, COLUMNS).

    The columns are named in `_element_types.pxd`:

    * TAG, STEM, STYLE: hashes of the tag; of tag, id and first classes; of tag and first class, the
      last two without what differs from page to page.
    * IS_BLOCK: 1 for blocks.
    * CELL: number of the tag among the layout elements, from 1; 0 for other tags.
    * HEADING: 2 for `h1`, 1 for other headings.
    """
    return known_rows(document.nodes.element_types, _row)


def _row(tag: str, attributes: str) -> bytes:
    row = [0] * COLUMNS
    row[TAG] = _hash(tag)
    row[STEM] = _hash(_stem(tag, attributes[:_ATTRIBUTE_CHARS_MAX]))
    row[STYLE] = _hash(_style(tag, attributes))
    row[IS_BLOCK] = int(tag not in INLINE)
    row[CELL] = _CELLS.get(tag, 0)
    row[HEADING] = _HEADINGS.get(tag, 0)
    return _ROW.pack(*row)


def _stem(tag: str, attributes: str) -> str:
    """Return tag, id and first classes of an element, without digits and classes that name no place."""
    if not attributes:
        return tag
    name, _, rest = attributes.partition("\n")
    name = _DIGITS.sub("", name)
    classes: list[str] = []
    for one in rest.partition("\n")[0].split():
        if _PASSING.match(one) is None:
            classes.append(f".{one}")
            if len(classes) == _CLASSES_MAX:
                break
    marked = f"#{name}" if len(name) in _ID_CHARS else ""
    return f"{tag}{marked}{_DIGITS.sub('', ''.join(classes))}"


def _style(tag: str, attributes: str) -> str:
    """Return a tag and its first class, without digits."""
    if not attributes or tag == "html":
        return tag
    classes = attributes.partition("\n")[2].partition("\n")[0].split(None, 1)
    return f"{tag}.{_DIGITS_AND_DASHES.sub('', classes[0])}" if classes else tag


@functools.lru_cache(1 << 15)
def _hash(text: str) -> int:
    digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "little")
