"""The links of a page: text, address, and whether they stand in what is kept."""

import msgspec
import numpy as np

from templ_core.array_types import Bools
from templ_core.dom.document import Document
from templ_core.dom.marks import Marks
from templ_core.rendering.addresses import Addresses

_LINKS_MAX = 2000
"""Number of links of a page that are listed."""
_TEXT_CHARS_MAX = 300
_LEVELS = 3
"""Levels of elements between an image and the link that it stands in."""


class PageLink(msgspec.Struct, frozen=True):
    """A link of a page."""

    text: str
    """What is to be clicked; for an image its alternative text."""
    url: str
    is_content: bool
    """Whether it stands in text that is kept."""


def page_links(document: Document, kept: Bools, marks: Marks, url: str) -> list[PageLink]:
    """Return the links of a page in document order; each element counts once.

    Links to scripts, mail and places on the same page are left out.

    Args:
        document: The page.
        kept: Whether each segment stays; length n_segments.
        marks: Links, images and emphasis.
        url: Address of the page, to which relative addresses are joined.

    >>> import numpy as np
    >>> from templ_core.dom.document import parse_document
    >>> page = parse_document("<nav><a href=/>Home</a></nav><p>See <a href=b>b</a>", "", with_marks=True)
    >>> page_links(page, np.array([False, True]), page.marks, "https://example.com/a")[0]
    PageLink(text='Home', url='https://example.com/', is_content=False)
    """
    is_link = np.array([tag == "a" for tag, _ in document.nodes.element_types], np.bool_)
    rows = np.flatnonzero(is_link[document.nodes.element_type[marks.node]] & (marks.target >= 0))
    rows = rows[np.lexsort((marks.segment[rows], marks.node[rows]))]
    columns = zip(
        marks.node[rows].tolist(), marks.segment[rows].tolist(), marks.start[rows].tolist(),
        marks.end[rows].tolist(), marks.target[rows].tolist(), strict=True,
    )  # fmt: skip
    absolute, texts, values = Addresses(url).absolute, document.segments.texts, marks.values
    stays = kept.tolist()
    found: dict[int, PageLink] = {}
    for node, segment, start, end, target in columns:
        text = _piece(texts[segment], start, end) if 0 <= start < end else ""
        is_content = start >= 0 and stays[segment]
        known = found.get(node)
        if known is not None:
            text = f"{known.text} {text}".strip()[:_TEXT_CHARS_MAX]
            found[node] = PageLink(text, known.url, known.is_content or is_content)
        elif values[target][0] != "#":
            address = absolute(values[target])
            if address:
                found[node] = PageLink(text[:_TEXT_CHARS_MAX], address, is_content)
                if len(found) == _LINKS_MAX:
                    break
    _name_after_images(document, marks, found)
    return list(found.values())


def _name_after_images(document: Document, marks: Marks, found: dict[int, PageLink]) -> None:
    """Give links without text the alternative texts of the images in them."""
    parent = document.nodes.parent
    rows = np.flatnonzero(marks.label >= 0)
    above = parent[marks.node[rows]]
    for _ in range(_LEVELS):
        for node, label in zip(above.tolist(), marks.label[rows].tolist(), strict=True):
            link = found.get(node)
            if link is not None and not link.text:
                text = marks.values[label].strip()[:_TEXT_CHARS_MAX]
                found[node] = PageLink(text, link.url, link.is_content)
        above = np.where(above >= 0, parent[above], -1)


def _piece(text: str, start: int, end: int) -> str:
    piece = text[start:end] if text.isascii() else text.encode()[start:end].decode(errors="ignore")
    return piece.strip().replace("\n", " ")
