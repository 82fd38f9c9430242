"""What a pair of tag and attributes says about the elements that have it, wherever they stand.

It is read once for each element type and cached, because the pages of a site share most of them.
"""

import functools

from templ_core.array_types import UInt64s
from templ_core.dom.document import Document
from templ_core.dom.tags import HEADING_LEVELS, INLINE
from templ_core.site_level.places._element_types import CELLS, known_rows

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

    * TAG, STEM: hashes (BLAKE2b) of the tag; of tag, id and first classes without what differs from page to
      page.
    * IS_BLOCK: 1 for blocks.
    * CELL: number of the tag among the layout elements, from 1; 0 for other tags.
    * HEADING: 2 for `h1`, 1 for other headings.
    """
    return known_rows(document.nodes.element_types, _traits)


@functools.lru_cache(maxsize=1 << 10)
def _traits(tag: str) -> tuple[bool, int, int]:
    """Return the columns IS_BLOCK, CELL and HEADING of a tag."""
    return tag not in INLINE, _CELLS.get(tag, 0), _HEADINGS.get(tag, 0)
