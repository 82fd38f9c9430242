"""What a pair of tag and attributes says about the elements that have it, wherever they stand.

Read once for each element type, and kept: the pages of a site share most element_types.
"""

import functools
import hashlib
import re
import struct

from templ_core.array_types import UInt64s
from templ_core.dom.document import Document
from templ_core.dom.tags import INLINE
from templ_core.page_level.model.hashed_scores import HEADINGS
from templ_core.site_level.places._element_types import known_rows

_COLUMNS = struct.Struct("=6Q")
_DIGITS = re.compile(r"\d+")
_DIGITS_AND_DASHES = re.compile(r"[\d_-]*\d[\d_-]*")
_PASSING = re.compile(
    r"\d|.$|(?:category|tag|author|postid|post-|page-id|term|status-|format-|type-|hentry|has-|js-"
    r"|active|current|odd|even|first|last|wp-image|menu-item-)"
)
"""Classes that name what is shown, or its state, and not the place."""
_NAMES = 2
"""Classes of an element that are looked at."""
_ID_CHARS = range(2, 40)
_ATTRIBUTE_CHARS = 512
_CELL_TAGS = (
    "center", "div", "dl", "font", "form", "section", "span", "table", "tbody", "td", "tr", "ul",
)  # fmt: skip
"""Without id and class, elements of these tags are told apart by their position."""
_HEADINGS = dict.fromkeys(HEADINGS, 1) | {"h1": 2}
_CELLS = {tag: number for number, tag in enumerate(_CELL_TAGS, 1)}


def element_type_rows(document: Document) -> UInt64s:
    """What is known of each of a document's element types; (n_element_types, 6).

    Hash of its tag; of its stem (tag, id, first classes) and of its style (tag, first class), both
    without what changes from page to page; 1 for blocks; number of its tag among those of cells, from
    1, and 0 for others; 1 for headings, 2 for those of the highest level.
    """
    return known_rows(document.nodes.element_types, _row)


def _row(tag: str, attributes: str) -> bytes:
    stem = _stem(tag, attributes[:_ATTRIBUTE_CHARS])
    hashes = _hash(tag), _hash(stem), _hash(_style(tag, attributes))
    return _COLUMNS.pack(*hashes, tag not in INLINE, _CELLS.get(tag, 0), _HEADINGS.get(tag, 0))


def _stem(tag: str, attributes: str) -> str:
    """Tag, id and the first classes of an element, without digits and what names no place."""
    if not attributes:
        return tag
    name, _, rest = attributes.partition("\n")
    name = _DIGITS.sub("", name)
    classes = [
        _DIGITS.sub("", one)
        for one in rest.partition("\n")[0].split()
        if _PASSING.match(one) is None
    ]
    marked = [f"#{name}"] if len(name) in _ID_CHARS else []
    return "".join([tag, *marked, *(f".{one}" for one in classes[:_NAMES])])


def _style(tag: str, attributes: str) -> str:
    """A tag and its first class, digits aside."""
    classes = attributes.split("\n")[1].split(None, 1) if attributes and tag != "html" else []
    return f"{tag}.{_DIGITS_AND_DASHES.sub('', classes[0])}" if classes else tag


@functools.lru_cache(1 << 15)
def _hash(text: str) -> int:
    digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "little")
