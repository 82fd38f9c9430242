"""A parsed page as flat columns in document order; the only file that names lxml."""

import functools
import html
import re
import threading
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
from lxml import etree

from templ_core.array_types import Bools, Int32s
from templ_core.dom._tree import bits_above
from templ_core.dom.decode.decode_page import decode_page
from templ_core.dom.parse._strip_markup import lean_markup, lean_page
from templ_core.dom.parse.parser_check import NOTHING_ASIDE, Columns, checked_flatten
from templ_core.dom.parse.repair import flatten_markup
from templ_core.dom.parse.scan import join_documents, needs_repair, scan_markup
from templ_core.dom.tree import sums_below

_NO_COLUMNS: Columns = ([], np.empty((6, 0), np.int32), [], np.empty((7, 0), np.int32), 0, "")


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
    root, columns = _read_markup(utf8, _host(url))
    language = ""
    if root is not None:
        language = root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or ""
    (
        element_types,
        (element_type, depth, parent, end, hidden, images),
        texts,
        segments,
        scripts,
        title,
    ) = columns
    return Document(
        title=title,
        language=language[:35],
        html_chars=html_chars,
        scripts=scripts,
        nodes=Nodes(
            element_types=element_types,
            element_type=element_type,
            depth=depth,
            parent=parent,
            end=end,
            hidden=hidden.astype(np.bool_),
            images=images,
        ),
        segments=Segments(texts, *segments),
    )


def _read_markup(utf8: bytes, host: str) -> tuple[etree._Element | None, Columns]:
    """The root and the columns of a page without what no stage reads.

    Attributes are set aside unless the markup has to be repaired: a repair moves lines.
    """
    flatten = checked_flatten()
    for joins_documents in (False, True):
        markup, aside = lean_page(utf8, joins_documents)
        if markup.isspace() or not markup:
            return None, _NO_COLUMNS
        if needs_repair(markup):
            break
        root, too_deep = _parsed(markup)
        if root is None or too_deep:
            break
        if not _has_another_root(root):
            columns = flatten(root, host, aside)
            if columns is None:
                break
            return root, columns
    root = _parsed_page(lean_markup(utf8))
    columns = flatten(root, host, NOTHING_ASIDE) if root is not None else None
    return root, columns or _NO_COLUMNS


def parse_markup(markup: str) -> etree._Element | None:
    """The root of the whole page; what the parser reports as lost is mended and parsed again.

    None for blank markup.

    Raises:
        HostilePage: it would stall the parser and cannot be repaired.
    """
    return _parsed_page(markup.encode())


def _parsed_page(utf8: bytes) -> etree._Element | None:
    if utf8.isspace() or not utf8:
        return None
    utf8 = scan_markup(utf8, parser_reports=True)
    root, too_deep = _parsed(utf8)
    if too_deep:
        root, _ = _parsed(flatten_markup(utf8))
    elif root is not None and _has_another_root(root):
        root, _ = _parsed(join_documents(utf8))
    return root


def _has_another_root(root: etree._Element) -> bool:
    if root.getnext() is None:
        return False
    return any(isinstance(one.tag, str) for one in root.itersiblings())


def _parsed(utf8: bytes) -> tuple[etree._Element | None, bool]:
    """The root element, and whether the parser gave up below some depth."""
    root: etree._Element | None = etree.fromstring(utf8, _OWN.parser)
    return root, bool(_OWN.parser.error_log.filter_from_fatals())


class _Own(threading.local):
    """A parser for each thread: making one takes as long as a small page."""

    @functools.cached_property
    def parser(self) -> etree.HTMLParser:
        return etree.HTMLParser(encoding="utf-8", huge_tree=True, collect_ids=False)


_OWN = _Own()


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
