"""A parsed page as flat columns in document order."""

import functools

import msgspec
import numpy as np

from templ_core.array_types import Bools, Int32s
from templ_core.dom.decode.decode_page import decode_page
from templ_core.dom.parse.parse_page import parse_page
from templ_core.stored.compact import ROWS_MAX


class Nodes(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The elements of a page that are not inside invisible ones; columns of length n_nodes."""

    element_types: list[tuple[str, str]]
    """The different pairs of a tag's name and attributes, in order of their first elements.

    The attributes are the values of `id`, `class`, `role` and `itemprop`, each followed by a line
    feed, or an empty string if all of them are empty.
    """
    element_type: Int32s
    """Number of each element's type in `element_types`."""
    depth: Int32s
    """Depth of each element in the tree; 0 for the root element."""
    parent: Int32s
    """Number of each element's parent; -1 for the root element."""
    end: Int32s
    """The subtree of node i is i .. end[i] - 1."""
    hidden: Bools
    """Whether the element's own attributes hide it, those of its ancestors aside."""
    images: Int32s
    """Number of images in this block that are not in a block inside it."""

    @functools.cached_property
    def tags(self) -> list[str]:
        """Tag name of each element."""
        names = [tag for tag, _ in self.element_types]
        return [names[element_type] for element_type in self.element_type.tolist()]

    @functools.cached_property
    def attributes(self) -> list[str]:
        """Attributes of each element, as in `element_types`."""
        texts = [attributes for _, attributes in self.element_types]
        return [texts[element_type] for element_type in self.element_type.tolist()]

    @property
    def attribute_values(self) -> list[tuple[str, str, str, str]]:
        """Id, class names, role and item property of each of `element_types`."""
        return [attribute_values(attributes) for _, attributes in self.element_types]


def attribute_values(attributes: str) -> tuple[str, str, str, str]:
    r"""Return id, class names, role and item property of an element type.

    Class names are separated by white space, so the attribute may have line feeds of its own.

    >>> attribute_values("a\nstory\nlead\nmain\n\n")
    ('a', 'story lead', 'main', '')
    >>> attribute_values("")
    ('', '', '', '')
    """
    values = attributes.split("\n")
    identity, *classes, role, item, _ = values + [""] * (5 - len(values))
    return identity, " ".join(classes), role, item


class Segments(msgspec.Struct, frozen=True):
    """The runs of text between borders of blocks, in document order; columns of length n_segments."""

    texts: list[str]
    """Text of each segment, which holds a word or more.

    White space is collapsed and a single `<br>` is a line feed; inside `pre` the text is verbatim.
    """
    owner: Int32s
    """Number of the block element that holds the text."""
    inline_from: Int32s
    """First of the inline elements inside the segment, which are nodes inline_from .. inline_to - 1."""
    inline_to: Int32s
    """Number of elements that begin before the segment ends; it never decreases."""
    links: Int32s
    """Number of links that begin in the segment or are open where it begins."""
    link_chars: Int32s
    """Characters of text inside links, not counting white space."""
    external_links: Int32s
    """Number of links to another host than the page's."""
    page_links: Int32s
    """Number of links to a place on the same page or to a script."""
    declared: Int32s
    """Where the segment is in relation to the article body that the page declares: `declared_body.NO_BODY`,
    OUTSIDE_BODY or INSIDE_BODY; or LEAD."""


class Signs(msgspec.Struct, frozen=True):
    """The runs of text that hold no word, such as ticks in a table, in document order; columns of length n_signs."""

    texts: list[str]
    owner: Int32s
    """Number of the block element that holds the sign."""
    inline_from: Int32s
    """Number of elements that begin before the sign does."""
    before: Int32s
    """Number of segments that end before the sign begins; it never decreases."""


_NO_COLUMN = np.empty(0, np.int32)
NO_SIGNS = Signs([], _NO_COLUMN, _NO_COLUMN, _NO_COLUMN)


class Marks(msgspec.Struct, frozen=True, kw_only=True):
    """The links, images and emphasised texts of a page, and the numbers of its lists and cells; columns of length n_marks.

    An element whose text is in several segments has a mark in each of them.
    """

    node: Int32s
    """Number of the element; its tag says what the mark means."""
    segment: Int32s
    """Number of the segment or sign that holds the mark, the signs counted in with the segments."""
    start: Int32s
    """Place in the segment's text at which the mark begins, in bytes of UTF-8.

    It is -1 for a mark that stands in no segment, because there is no word beside it or because it is that of a
    list, a list item or a cell; `segment` is then the number of the segment that follows.
    """
    end: Int32s
    """Place at which the mark ends; an image is empty."""
    target: Int32s
    """Number of the address in `values`; -1 = none."""
    label: Int32s
    """Number of an image's alternative text in `values`, or of the numbers of another element; -1 = none.

    They are the columns and the rows that a cell spans, as in `2 1`, no rows standing for all that follow; the
    number of a list item; and the first number of a list, where it has one, behind which ` reversed` may stand.
    """
    values: list[str]
    """Addresses as the page has them, joined to its `base` where it has one, alternative texts, and numbers."""


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """A page after parsing; all later stages read this."""

    title: str
    """Title of the page: the first of `og:title` and the `title` element that is not blank."""
    language: str
    """Language that the root element declares; empty if it declares none."""
    html_chars: int
    """Characters of the decoded page."""
    scripts: int
    """Number of script elements."""
    nodes: Nodes
    segments: Segments
    signs: Signs = NO_SIGNS
    """Texts between the segments without a word; they are shown beside segments that stay."""
    base: str = ""
    """Address that the page's `base` element names; empty without one. It is not stored."""
    claims: bytes = b""
    """Statements of the markup about the page, word for word, see `templ_core.metadata.markup`.

    Like `marks` it is not part of the stored form of a document.
    """
    is_declared: bool = False
    """Whether the text is the article that the page declares in place of the little that it shows."""
    marks: Marks | None = None
    """Places of links, images and emphasis; None = they were not asked for."""
    charset: str = ""
    """Charset by which the bytes were decoded; empty for stored documents, which do not have it."""

    @property
    def is_storable(self) -> bool:
        """Whether it has text of its own, and no more of anything than its compact form may have."""
        return (
            not self.is_declared
            and 0 < len(self.segments.texts) <= ROWS_MAX
            and max(len(self.signs.texts), self.nodes.depth.size) <= ROWS_MAX
        )


def read_document(
    body: bytes,
    url: str,
    *,
    content_type: str | None = None,
    charset: str | None = None,
    content_encoding: str | None = None,
    limit_bytes: int = 32 << 20,
    with_marks: bool = False,
) -> Document:
    """Return the document of a fetched page.

    Args:
        body: Bytes as fetched.
        url: Address of the page; links to other hosts are recognised by it.
        content_type: Value of the content-type header, perhaps with a charset.
        charset: Charset declared elsewhere outside the page; it is trusted more.
        content_encoding: Value of the content-encoding header.
        limit_bytes: Largest number of bytes of the page, compressed or not.
        with_marks: Whether links, images, emphasis and numbers are marked.

    Raises:
        PageError: The page cannot be cleaned; the subclass and the message say why.

    >>> body = b"<title>News</title><p>First<p>Second <a href='//o.org/'>link</a>"
    >>> document = read_document(body, "https://example.com/", content_type="text/html")
    >>> document.title, document.segments.texts
    ('News', ['First', 'Second link'])
    >>> document.segments.external_links.tolist()
    [0, 1]
    """
    decoded = decode_page(
        body,
        content_type=content_type,
        charset=charset,
        content_encoding=content_encoding,
        limit_bytes=limit_bytes,
    )
    document = _document(decoded.markup, url, decoded.chars, with_marks=with_marks)
    return msgspec.structs.replace(document, charset=decoded.charset)


def parse_document(markup: str, url: str, *, with_marks: bool = False) -> Document:
    r"""Return the document of a page whose markup is a text already.

    Args:
        markup: HTML.
        url: Address of the page; links to other hosts are recognised by it.
        with_marks: Whether links, images, emphasis and numbers are marked.

    Raises:
        HostilePage: The page would stall the parser and cannot be repaired.

    >>> parse_document("<h1>News</h1>First<br>line", "").segments.texts
    ['News', 'First\nline']
    """
    return _document(markup.encode(), url, len(markup), with_marks=with_marks)


_LANGUAGE_CHARS_MAX = 35
"""Longest language tag that a reader has to take (RFC 5646, section 4.4.1)."""


def _document(utf8: bytes, url: str, html_chars: int, *, with_marks: bool) -> Document:
    page = parse_page(utf8, url, with_marks=with_marks)
    columns = page.columns
    hidden = columns.nodes.pop("hidden").astype(np.bool_)
    return Document(
        title=columns.title,
        language=columns.language[:_LANGUAGE_CHARS_MAX],
        html_chars=html_chars,
        scripts=columns.scripts,
        nodes=Nodes(element_types=columns.element_types, hidden=hidden, **columns.nodes),
        segments=Segments(columns.texts, **columns.segments, declared=page.declared),
        signs=Signs(columns.sign_texts, **columns.signs) if columns.sign_texts else NO_SIGNS,
        base=page.base,
        is_declared=page.is_declared,
        claims=page.claims,
        marks=Marks(values=columns.mark_values, **columns.marks) if with_marks else None,
    )
