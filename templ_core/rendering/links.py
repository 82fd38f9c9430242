"""The links of a page: text, address, and whether they stand in what is kept."""

import msgspec
import numpy as np

from templ_core.dom._tree import tag_bits
from templ_core.dom.document import Document, Marks
from templ_core.dom.tags import IMAGES
from templ_core.rendering.outline import Outline

_LINKS_MAX = 2000
"""Number of links of a page that are listed."""
_TEXT_CHARS_MAX = 300
_IMAGES = dict.fromkeys(IMAGES, 1)
_LEVELS = 3
"""Levels of elements between an image and the link that it stands in."""


class PageLink(msgspec.Struct, frozen=True):
    """A link of a page."""

    text: str
    """What is to be clicked; for an image its alternative text."""
    url: str
    is_content: bool
    """Whether it stands in text that is kept."""


def page_links(outline: Outline) -> list[PageLink]:
    """Return the links of a page in document order; each element counts once.

    Links to scripts, mail and places on the same page are left out. A page without marks has none.

    Args:
        outline: The kept segments of the page, and what is around them.

    >>> import numpy as np
    >>> from templ_core.dom.document import parse_document
    >>> page = parse_document(
    ...     "<nav><a href=/>Home</a></nav><p>See <a href=b>b</a>", "", with_marks=True
    ... )
    >>> kept = np.array([False, True])
    >>> page_links(Outline(page, kept, None, "https://example.com/a"))[0]
    PageLink(text='Home', url='https://example.com/', is_content=False)
    """
    document = outline.document
    if document.marks is None:
        return []
    writer = outline.writer(is_html=False)
    links = writer.links(_LINKS_MAX, _TEXT_CHARS_MAX)
    _name_after_images(document, document.marks, links)
    return [PageLink(*link) for _, link in sorted(links.items())]


def _name_after_images(
    document: Document, marks: Marks, links: dict[int, tuple[str, str, bool]]
) -> None:
    """Give links without text the alternative texts of the images in them."""
    nameless = [node for node, link in links.items() if not link[0]]
    if not nameless:
        return
    parent = document.nodes.parent
    is_nameless = np.zeros(len(parent) + 1, np.bool_)  # The last one is that of no element.
    is_nameless[nameless] = True
    is_image = tag_bits(document.nodes.element_types, _IMAGES)[
        document.nodes.element_type[marks.node]
    ]
    rows = np.flatnonzero(is_image & (marks.label >= 0))
    above = parent[marks.node[rows]]
    for _ in range(_LEVELS):
        for at in np.flatnonzero(is_nameless[above]).tolist():
            link = links[int(above[at])]
            if not link[0]:
                label = marks.values[marks.label[rows[at]]]
                links[int(above[at])] = label.strip()[:_TEXT_CHARS_MAX], *link[1:]
        above = np.where(above >= 0, parent[above], -1)
