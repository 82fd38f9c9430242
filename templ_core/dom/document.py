"""A parsed page as flat columns in document order; the only file that names lxml."""

import html
import re
from typing import Any
from urllib.parse import urlsplit

import msgspec
import numpy as np
import numpy.typing as npt
from lxml import etree

from templ_core.dom.decode import DecodedPage, decode_page
from templ_core.dom.scan import flatten_markup, join_documents, scan_markup
from templ_core.dom.tags import INLINE, INVISIBLE, SPACE_AFTER
from templ_core.dom.tree import sums_below, tree_of_depths

Int32s = npt.NDArray[np.int32]

_ATTRIBUTES = ("id", "class", "role", "itemprop")
_HIDING_STYLE = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_WORD = re.compile(r"\w")
_PAGE_LINKS = ("#", "javascript:")


class Nodes(msgspec.Struct, frozen=True, kw_only=True):
    """Elements outside invisible ones, in document order; all columns have length n_nodes."""

    tags: list[str]
    """Tag names."""
    depth: Int32s
    """0 for the root element."""
    parent: Int32s
    """Number of the parent; -1 for the root."""
    end: Int32s
    """The subtree of node i is i .. end[i] - 1."""
    attributes: list[str]
    """`id`, `class`, `role` and `itemprop`, each followed by a line feed; empty when all are."""
    hidden: npt.NDArray[np.bool_]
    """Hidden by its own markup (not by an ancestor's)."""
    images: Int32s
    """Images directly in this block, outside deeper blocks."""


class Segments(msgspec.Struct, frozen=True, kw_only=True):
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
    return parse_document(_markup(decoded), url)


def _markup(decoded: DecodedPage) -> str:
    if decoded.kind == "text":
        paragraphs = re.split(r"\n[ \t\r]*\n", decoded.text)
        return "".join(f"<p>{html.escape(paragraph)}</p>" for paragraph in paragraphs)
    return decoded.text


def parse_document(markup: str, url: str) -> Document:
    """The document of HTML text.

    Raises:
        HostilePage: it would stall the parser and cannot be repaired.
    """
    flattener = _Flattener(urlsplit(_quiet_url(url)).hostname or "")
    scripts = 0
    title = language = ""
    root = parse_markup(markup)
    if root is not None:
        flattener.walk(root)
        title = _title(root)
        language = root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or ""
        scripts = sum(1 for _ in root.iter("script"))
    return Document(
        title=title,
        language=language[:35],
        html_chars=len(markup),
        scripts=scripts,
        nodes=flattener.nodes(),
        segments=flattener.segments(),
    )


def parse_markup(markup: str) -> etree._Element | None:
    """The root of the whole page; what the parser reports as lost is mended and parsed again.

    None for blank markup.

    Raises:
        HostilePage: it would stall the parser and cannot be repaired.
    """
    if not markup.strip():
        return None
    markup = scan_markup(markup, parser_reports=True)
    root, too_deep = _parsed(markup)
    if too_deep:
        root, _ = _parsed(flatten_markup(markup))
    elif root is not None and any(isinstance(one.tag, str) for one in root.itersiblings()):
        root, _ = _parsed(join_documents(markup))
    return root


def _parsed(markup: str) -> tuple[etree._Element | None, bool]:
    """The root element, and whether the parser gave up below some depth."""
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True)
    root: etree._Element | None = etree.fromstring(markup.encode(), parser)
    return root, bool(parser.error_log.filter_from_fatals())


def _quiet_url(url: str) -> str:
    """`url` without what makes `urlsplit` raise."""
    return url.replace("[", "").replace("]", "")


def _title(root: etree._Element) -> str:
    """The page's own headline: `og:title`, else the `title` element."""
    for element in root.iter("meta", "title"):
        if element.tag == "title":
            text = "".join(element.itertext())
        elif element.get("property") == "og:title":
            text = element.get("content") or ""
        else:
            continue
        if text.strip():
            return " ".join(text.split())
    return ""


class _Flattener:
    """Builds the columns in one walk of the tree, without recursion."""

    def __init__(self, host: str) -> None:
        self._host = host
        self._tags: list[str] = []
        self._depth: list[int] = []
        self._attributes: list[str] = []
        self._hidden: list[bool] = []
        self._images: list[int] = []
        self._texts: list[str] = []
        self._owner: list[int] = []
        self._counts: list[tuple[int, int, int, int, int, int]] = []
        self._blocks: list[int] = []
        self._buffer: list[str] = []
        self._links = self._link_chars = self._external = self._on_page = 0
        self._run_start = 0
        self._open_links = self._open_pre = self._invisible = self._open_nodes = 0
        self._after_break = False

    def walk(self, root: etree._Element) -> None:
        open_elements: list[tuple[etree._Element, int]] = []
        for element in root.iter():
            while open_elements and not open_elements[-1][1]:
                self._leave(open_elements.pop()[0])
            if open_elements:
                parent, left = open_elements[-1]
                open_elements[-1] = parent, left - 1
            self._enter(element)
            open_elements.append((element, len(element)))
        while open_elements:
            self._leave(open_elements.pop()[0])
        self._flush()

    def _enter(self, element: etree._Element) -> None:
        tag = element.tag
        if not isinstance(tag, str):
            return
        if self._invisible or tag in INVISIBLE:
            if tag not in INLINE and not self._invisible:
                self._flush()
            self._invisible += 1
            return
        inline = tag in INLINE
        if not inline:
            self._flush()
        self._open_node(element, tag)
        if not inline:
            self._blocks.append(len(self._tags) - 1)
            self._run_start = len(self._tags)
            self._open_pre += tag == "pre"
        elif tag == "a":
            self._open_link(element)
        elif tag == "br":
            self._break_line()
        elif tag == "img" and self._blocks:
            self._images[self._blocks[-1]] += 1
        if element.text:
            self._add(element.text)

    def _open_node(self, element: etree._Element, tag: str) -> None:
        self._tags.append(tag)
        self._depth.append(self._open_nodes)
        self._open_nodes += 1
        self._images.append(0)
        get = element.get
        if element.attrib:
            values = [get(name) or "" for name in _ATTRIBUTES]
            self._attributes.append("\n".join([*values, ""]) if any(values) else "")
            style = get("style")
            self._hidden.append(
                get("hidden") is not None
                or get("aria-hidden") == "true"
                or (style is not None and _HIDING_STYLE.search(style) is not None)
            )
        else:
            self._attributes.append("")
            self._hidden.append(False)

    def _open_link(self, element: etree._Element) -> None:
        self._open_links += 1
        self._links += 1
        href = element.get("href") or ""
        if href.startswith(("http:", "https:", "//")):
            authority = href.partition("//")[2].partition("/")[0]
            self._external += authority.lower() != self._host
        elif href.startswith(_PAGE_LINKS):
            self._on_page += 1

    def _leave(self, element: etree._Element) -> None:
        tag = element.tag
        if isinstance(tag, str):
            if self._invisible:
                self._invisible -= 1
            else:
                self._close(tag)
        if element.tail and not self._invisible:
            self._add(element.tail)

    def _close(self, tag: str) -> None:
        self._open_nodes -= 1
        if tag not in INLINE:
            self._flush()
            self._blocks.pop()
            self._open_pre -= tag == "pre"
        elif tag == "a":
            self._open_links -= 1
        elif tag in SPACE_AFTER:
            self._buffer.append(" ")

    def _add(self, text: str) -> None:
        self._buffer.append(text)
        if self._open_links:
            self._link_chars += sum(map(len, text.split()))
        if self._after_break and not text.isspace():
            self._after_break = False

    def _break_line(self) -> None:
        if self._after_break and not self._open_pre:
            self._flush()
        else:
            self._buffer.append("\n" if self._open_pre else "\v")
            self._after_break = True

    def _flush(self) -> None:
        """End the current segment, if it holds a word."""
        if self._buffer:
            text = "".join(self._buffer)
            if _WORD.search(text):
                self._texts.append(text.strip("\r\n") if self._open_pre else _collapse(text))
                self._owner.append(self._blocks[-1] if self._blocks else 0)
                self._counts.append(
                    (
                        self._run_start,
                        len(self._tags),
                        self._links,
                        self._link_chars,
                        self._external,
                        self._on_page,
                    )
                )
            self._buffer = []
        self._links = self._open_links
        self._link_chars = self._external = self._on_page = 0
        self._run_start = len(self._tags)
        self._after_break = False

    def nodes(self) -> Nodes:
        """The columns of the elements walked."""
        depth = np.array(self._depth, np.int32)
        parent, end = tree_of_depths(depth)
        return Nodes(
            tags=self._tags,
            depth=depth,
            parent=parent,
            end=end,
            attributes=self._attributes,
            hidden=np.array(self._hidden, np.bool_),
            images=np.array(self._images, np.int32),
        )

    def segments(self) -> Segments:
        """The columns of the text found."""
        counts = np.array(self._counts, np.int32).reshape(-1, 6).T.copy()
        return Segments(
            texts=self._texts,
            owner=np.array(self._owner, np.int32),
            inline_from=counts[0],
            inline_to=counts[1],
            links=counts[2],
            link_chars=counts[3],
            external_links=counts[4],
            page_links=counts[5],
        )


def _collapse(text: str) -> str:
    r"""`text` with runs of white space as one blank, and line breaks (`\v`) as line feeds."""
    if "\v" not in text:
        return " ".join(text.split())
    lines = (" ".join(line.split()) for line in text.split("\v"))
    return "\n".join(line for line in lines if line)


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
