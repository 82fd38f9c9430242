"""Documents as bytes: their columns in MessagePack, compressed with zstd."""

from typing import Annotated

import numpy as np

from templ_core.array_types import Int32s
from templ_core.dom._tree import pairs_in_order, table_of_side, tree_of_depths
from templ_core.dom.document import NO_SIGNS, Document, Nodes, Segments, Signs
from templ_core.dom.parse.declared_body import LEAD
from templ_core.errors import CodecError
from templ_core.stored._columns import packed, packed_differences
from templ_core.stored.columns import BITS, DEPTH_MAX, Column, read_columns, require_tree
from templ_core.stored.compact import (
    CompactColumns,
    CompactForm,
    Count,
    Texts,
    content_digest,
)

_COLUMNS_BYTES_MAX = 96 << 20
"""Largest document after decompression: a page of 32 MiB in a charset of one byte a letter may have 64 MiB of
text in UTF-8."""


class _WithoutSigns(CompactColumns, frozen=True, array_like=True):
    """The stored form of a document up to format 3.

    An integer column is one byte, the number of bytes of each value, and then the values in
    little-endian order.
    """

    title: str
    language: str
    html_chars: Count
    scripts: Count
    tag_table: Texts
    tags: Annotated[bytes, Column(rows="nodes", high="tag_table")]
    depth: Annotated[bytes, Column(rows="nodes", high=DEPTH_MAX)]
    attribute_table: Texts
    attributes: Annotated[bytes, Column(rows="nodes", high="attribute_table")]
    hidden: Annotated[bytes, Column(rows="nodes", form=BITS, dtype="?")]
    images: Annotated[bytes, Column(rows="nodes")]
    texts: Texts
    owner: Annotated[bytes, Column(rows="segments", high="nodes", differences=True, shift="nodes")]
    inline_from: Annotated[bytes, Column(rows="segments", differences=True)]
    inline_count: Annotated[bytes, Column(rows="segments")]
    links: Annotated[bytes, Column(rows="segments")]
    link_chars: Annotated[bytes, Column(rows="segments")]
    external_links: Annotated[bytes, Column(rows="segments")]
    page_links: Annotated[bytes, Column(rows="segments")]
    declared: Annotated[bytes, Column(rows="segments", high=LEAD)]


class _Compact(_WithoutSigns, frozen=True, array_like=True):
    """The stored form of a document, with the texts that hold no word."""

    sign_texts: Texts
    sign_owner: Annotated[bytes, Column(rows="signs", high="nodes")]
    sign_inline_from: Annotated[bytes, Column(rows="signs", differences=True)]
    sign_before: Annotated[bytes, Column(rows="signs", high="places", differences=True)]


_FORM: CompactForm[_WithoutSigns] = CompactForm(
    "document", 5, _Compact, max_bytes=_COLUMNS_BYTES_MAX, earlier={4: _Compact, 3: _WithoutSigns}
)


def document_columns(document: Document) -> bytes:
    """Return the columns of a document as bytes, which are equal for equal documents.

    >>> from templ_core.dom.document import parse_document
    >>> columns = document_columns(parse_document("<p>text", "https://example.com/"))
    >>> decode_document(compress_columns(columns)).segments.texts
    ['text']
    """
    nodes, segments, signs = document.nodes, document.segments, document.signs
    tag_table, tags = table_of_side(nodes.element_types, 0)
    attribute_table, attributes = table_of_side(nodes.element_types, 1)
    return _FORM.pack(
        _Compact(
            format=_FORM.format,
            title=document.title,
            language=document.language,
            html_chars=document.html_chars,
            scripts=document.scripts,
            tag_table=tag_table,
            tags=packed(tags[nodes.element_type]),
            depth=packed(nodes.depth),
            attribute_table=attribute_table,
            attributes=packed(attributes[nodes.element_type]),
            hidden=np.packbits(nodes.hidden).tobytes(),
            images=packed(nodes.images),
            texts=segments.texts,
            owner=packed_differences(segments.owner, len(nodes.depth)),
            inline_from=packed_differences(segments.inline_from),
            inline_count=packed(segments.inline_to - segments.inline_from),
            links=packed(segments.links),
            link_chars=packed(segments.link_chars),
            external_links=packed(segments.external_links),
            page_links=packed(segments.page_links),
            declared=packed(segments.declared),
            sign_texts=signs.texts,
            sign_owner=packed(signs.owner),
            sign_inline_from=packed_differences(signs.inline_from),
            sign_before=packed_differences(signs.before),
        )
    )


def compress_columns(columns: bytes) -> bytes:
    """Return the result of `document_columns` in the form that is stored and sent."""
    return _FORM.compress(columns)


def decode_document(body: bytes, digest: bytes | None = None) -> Document:
    """Return the document whose compressed columns are `body`.

    Whatever compiled code relies on is checked: lengths, ranges, the order of nodes and segments.

    Args:
        body: What `compress_columns` returned.
        digest: The document's `content_digest`, which must fit; None = it is not known.

    Raises:
        CodecError: The bytes are not a document, are damaged, or have another format.
    """
    columns = _FORM.decompress(body)
    if digest is not None and content_digest(columns) != digest:
        raise CodecError("damaged document: its digest does not fit")
    with _FORM.refusing():
        return _document(_FORM.unpack(columns))


def decode_title_and_texts(body: bytes) -> tuple[str, list[str]]:
    """Return the title of a document and the texts of its segments, in a quarter of the time that `decode_document` takes.

    Args:
        body: What `compress_columns` returned.

    Raises:
        CodecError: The bytes are not a document, are damaged, or have another format.
    """
    with _FORM.refusing():
        compact = _FORM.decode(body)
        if not all(compact.texts):
            raise ValueError("a text is empty")
        return compact.title, compact.texts


def _document(compact: _WithoutSigns) -> Document:
    sign_texts = compact.sign_texts if isinstance(compact, _Compact) else []
    if not (all(compact.texts) and all(sign_texts) and all(compact.tag_table)):
        raise ValueError("a text or the name of a tag is empty")
    columns = read_columns(
        compact,
        {
            "tag_table": len(compact.tag_table),
            "attribute_table": len(compact.attribute_table),
            "segments": len(compact.texts),
            "signs": len(sign_texts),
            "places": len(compact.texts) + 1,
        },
    )
    require_tree(columns["depth"])
    columns["parent"], columns["end"] = tree_of_depths(columns["depth"])
    columns["inline_to"] = columns["inline_from"] + columns["inline_count"]
    segments = Segments(compact.texts, *(columns[name] for name in Segments.__struct_fields__[1:]))
    _require_order(segments, columns["end"])
    element_types, columns["element_type"] = pairs_in_order(
        compact.tag_table, compact.attribute_table, columns["tags"], columns["attributes"]
    )
    of_nodes = {name: columns[name] for name in Nodes.__struct_fields__[1:]}
    return Document(
        title=compact.title,
        language=compact.language,
        html_chars=compact.html_chars,
        scripts=compact.scripts,
        nodes=Nodes(element_types=element_types, **of_nodes),
        segments=segments,
        signs=_signs(sign_texts, columns),
    )


def _signs(texts: list[str], columns: dict[str, Int32s]) -> Signs:
    if not texts:
        return NO_SIGNS
    return Signs(texts, *(columns[f"sign_{name}"] for name in Signs.__struct_fields__[1:]))


def _require_order(segments: Segments, end: Int32s) -> None:
    """Refuse segments out of order, or not inside their owners.

    With this every element holds segments that follow each other, all of them on the page.

    Args:
        segments: The segments.
        end: End of each node's subtree.

    Raises:
        ValueError: The segments are not so.
    """
    first, behind = segments.inline_from, segments.inline_to
    is_inside = (segments.owner < first) & (first <= behind) & (behind <= end[segments.owner])
    if not is_inside.all() or (first[1:] < behind[:-1]).any():
        raise ValueError("the segments are not in the order of their elements")
