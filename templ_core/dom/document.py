"""A parsed page as flat columns in document order; the only file that names lxml."""

import functools
import html
import re
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.array_types import Bools, Int32s
from templ_core.dom._tree import bits_above
from templ_core.dom.decode.decode_page import decode_page
from templ_core.dom.parse.parse_page import parse_page
from templ_core.dom.tree import sums_below


class Nodes(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """Elements outside invisible ones, in document order; all columns have length n_nodes."""

    element_types: list[tuple[str, str]]
    """The different pairs of tag name and attributes, in order of their first elements.

    The attributes are `id`, `class`, `role` and `itemprop`, each followed by a line feed; empty
    when all are.
    """
    element_type: Int32s
    """Number of each element's element_type."""
    depth: Int32s
    """0 for the root element."""
    parent: Int32s
    """Number of the parent; -1 for the root."""
    end: Int32s
    """The subtree of node i is i .. end[i] - 1."""
    hidden: Bools
    """Hidden by its own markup (not by an ancestor's)."""
    images: Int32s
    """Images directly in this block, outside deeper blocks."""

    @functools.cached_property
    def tags(self) -> list[str]:
        """Tag name of each element."""
        names = [tag for tag, _ in self.element_types]
        return [names[element_type] for element_type in self.element_type.tolist()]

    @functools.cached_property
    def attributes(self) -> list[str]:
        """Attributes of each element."""
        texts = [attributes for _, attributes in self.element_types]
        return [texts[element_type] for element_type in self.element_type.tolist()]


class Segments(msgspec.Struct, frozen=True):
    """Runs of inline text between block borders, in document order; length n_segments."""

    texts: list[str]
    """White space collapsed, single `<br>` as line feed, verbatim inside `pre`; never blank."""
    owner: Int32s
    """The block element the text stands in."""
    inline_from: Int32s
    """The inline elements of the run are the nodes inline_from .. inline_to - 1."""
    inline_to: Int32s
    """Also the number of elements opened before the run ended; never descends."""
    links: Int32s
    """Number of links."""
    link_chars: Int32s
    """Characters of text inside links, white space aside."""
    external_links: Int32s
    """Links to another host than the page's."""
    page_links: Int32s
    """Links to a place on the same page or to a script."""


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """A page after parsing: what everything later works on."""

    title: str
    """The page's own headline: `og:title` or the `title` element, the first that is not blank."""
    language: str
    """Of the root element's `lang`; empty when not declared."""
    html_chars: int
    """Characters of the decoded page."""
    scripts: int
    """Number of script elements."""
    nodes: Nodes
    segments: Segments


def read_document(
    body: bytes,
    url: str,
    *,
    content_type: str | None = None,
    charset: str | None = None,
    content_encoding: str | None = None,
    limit_bytes: int = 32 << 20,
) -> Document:
    """The document of a fetched page.

    Args:
        body: Bytes as fetched.
        url: Where the page was fetched; tells links to other hosts.
        content_type: Declared type, perhaps with a charset.
        charset: Charset declared elsewhere.
        content_encoding: Declared compression.
        limit_bytes: Largest page after decompression.

    Raises:
        PageError: the page cannot be cleaned; the subclass and the message say why.
    """
    decoded = decode_page(
        body,
        content_type=content_type,
        charset=charset,
        content_encoding=content_encoding,
        limit_bytes=limit_bytes,
    )
    utf8 = decoded.utf8 if decoded.content_type != "text" else _paragraphs(decoded.text).encode()
    return _document(utf8, url, decoded.chars)


def _paragraphs(text: str) -> str:
    """The markup of plain text."""
    paragraphs = re.split(r"\n[ \t\r]*\n", text)
    return "".join(f"<p>{html.escape(paragraph)}</p>" for paragraph in paragraphs)


def parse_document(markup: str, url: str) -> Document:
    """The document of HTML text.

    Raises:
        HostilePage: it would stall the parser and cannot be repaired.
    """
    return _document(markup.encode(), url, len(markup))


def _document(utf8: bytes, url: str, html_chars: int) -> Document:
    columns, language = parse_page(utf8, _host(url))
    hidden = columns.nodes.pop("hidden").astype(np.bool_)
    return Document(
        title=columns.title,
        language=language,
        html_chars=html_chars,
        scripts=columns.scripts,
        nodes=Nodes(element_types=columns.element_types, hidden=hidden, **columns.nodes),
        segments=Segments(columns.texts, **columns.segments),
    )


_AUTHORITY = re.compile(r"\s*(?:[a-z][a-z0-9+.-]*:)?//(?:[^/?#]*@)?([^/?#:]*)", re.IGNORECASE)


def _host(url: str) -> str:
    """The host of a URL in lower case; empty without one."""
    found = _AUTHORITY.match(url)
    return found[1].lower() if found else ""


def bits_around(document: Document, bits_of_types: Int32s) -> Int32s:
    """What element types say about the segments inside them.

    Args:
        document: The page.
        bits_of_types: Bits of each of the document's element_types.

    Returns:
        The bits of all elements around each segment, together; length n_segments.
    """
    nodes = document.nodes
    return bits_above(nodes.parent, nodes.element_type, bits_of_types, document.segments.owner)


def subtree_sums(
    document: Document, values: npt.NDArray[np.floating[Any]]
) -> npt.NDArray[np.floating[Any]]:
    """Sum over the segments inside each element.

    Args:
        document: The page.
        values: One value for each segment; length n_segments.

    Returns:
        Sums of length n_nodes.
    """
    nodes = document.nodes
    own = np.bincount(document.segments.owner, weights=values, minlength=len(nodes.tags))
    return sums_below(nodes.end, own)
