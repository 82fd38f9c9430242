"""The links of a page: text, address, and whether they stand in what is kept."""

from typing import NamedTuple

from templ_core.array_types import Bools
from templ_core.dom.document import Document
from templ_core.dom.marks import Marks
from templ_core.rendering.addresses import Addresses

_LINKS_MAX = 2000
"""Number of links of a page that are listed."""
_TEXT_CHARS_MAX = 300


class PageLink(NamedTuple):
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
    is_link = [tag == "a" for tag, _ in document.nodes.element_types]
    addresses = Addresses(url)
    texts = document.segments.texts
    stays = kept.tolist()
    labels = _image_labels(document, marks)
    found: dict[int, PageLink] = {}
    rows = sorted(
        zip(
            marks.node.tolist(), marks.segment.tolist(), marks.start.tolist(), marks.end.tolist(),
            marks.target.tolist(), document.nodes.element_type[marks.node].tolist(), strict=True,
        )
    )  # fmt: skip
    for node, segment, start, end, target, element_type in rows:
        if target < 0 or not is_link[element_type] or marks.values[target].startswith("#"):
            continue
        text = _piece(texts[segment], start, end) if 0 <= start < end else ""
        known = found.get(node)
        if known is None:
            address = addresses.absolute(marks.values[target])
            if address and len(found) < _LINKS_MAX:
                found[node] = PageLink(text, address, start >= 0 and stays[segment])
        elif text:
            text = f"{known.text} {text}" if known.text else text
            is_content = known.is_content or (start >= 0 and stays[segment])
            found[node] = PageLink(text, known.url, is_content)
    return [
        PageLink((link.text or labels.get(node, ""))[:_TEXT_CHARS_MAX], link.url, link.is_content)
        for node, link in found.items()
    ]


def _image_labels(document: Document, marks: Marks) -> dict[int, str]:
    """Return the alternative texts of images by the element around each."""
    found: dict[int, str] = {}
    parent = document.nodes.parent
    for node, label in zip(marks.node.tolist(), marks.label.tolist(), strict=True):
        above = int(parent[node]) if label >= 0 else -1
        for _ in range(3):
            if above < 0:
                break
            found.setdefault(above, marks.values[label].strip())
            above = int(parent[above])
    return found


def _piece(text: str, start: int, end: int) -> str:
    if text.isascii():
        piece = text[start:end]
    else:
        piece = text.encode()[start:end].decode(errors="ignore")
    return " ".join(piece.split())
