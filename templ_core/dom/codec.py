"""Documents as bytes: their columns in MessagePack, compressed with zstd."""

import hashlib
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import zstandard

from templ_core.array_types import Int32s, Int64s
from templ_core.dom.config import DocumentCodecConfig
from templ_core.dom.document import Document, Nodes, Segments
from templ_core.dom.tree import tree_of_depths
from templ_core.errors import CodecError

COMPACT_FORMAT = 2
_CONFIG = DocumentCodecConfig()


class _Compact(msgspec.Struct, frozen=True, array_like=True):
    """The stored form of a document.

    An integer column is one byte, the number of bytes of each value, and then the values in
    little-endian order.
    """

    format: int
    title: str
    language: str
    html_chars: int
    scripts: int
    tag_table: list[str]
    tags: bytes
    depth: bytes
    attribute_table: list[str]
    attributes: bytes
    hidden: bytes
    images: bytes
    texts: list[str]
    owner: bytes
    inline_from: bytes
    inline_count: bytes
    links: bytes
    link_chars: bytes
    external_links: bytes
    page_links: bytes


def document_columns(document: Document) -> bytes:
    """Return the columns of a document as bytes, which are equal for equal documents.

    >>> from templ_core.dom.document import parse_document
    >>> columns = document_columns(parse_document("<p>text", "https://example.com/"))
    >>> decode_document(compress_columns(columns)).segments.texts
    ['text']
    """
    nodes, segments = document.nodes, document.segments
    tag_table, tags = _indexed([tag for tag, _ in nodes.element_types])
    attribute_table, attributes = _indexed([attributes for _, attributes in nodes.element_types])
    return msgspec.msgpack.encode(
        _Compact(
            format=COMPACT_FORMAT,
            title=document.title,
            language=document.language,
            html_chars=document.html_chars,
            scripts=document.scripts,
            tag_table=tag_table,
            tags=_packed(tags[nodes.element_type]),
            depth=_packed(nodes.depth),
            attribute_table=attribute_table,
            attributes=_packed(attributes[nodes.element_type]),
            hidden=np.packbits(nodes.hidden).tobytes(),
            images=_packed(nodes.images),
            texts=segments.texts,
            owner=_packed(np.diff(segments.owner, prepend=0) + len(nodes.depth)),
            inline_from=_packed(np.diff(segments.inline_from, prepend=0)),
            inline_count=_packed(segments.inline_to - segments.inline_from),
            links=_packed(segments.links),
            link_chars=_packed(segments.link_chars),
            external_links=_packed(segments.external_links),
            page_links=_packed(segments.page_links),
        )
    )


def content_digest(columns: bytes) -> bytes:
    """Return the identity of a page's content: BLAKE2b of its columns, 16 bytes."""
    return hashlib.blake2b(columns, digest_size=16).digest()


def compress_columns(columns: bytes) -> bytes:
    """Return the result of `document_columns` in the form that is stored and sent."""
    return zstandard.ZstdCompressor(level=_CONFIG.zstd_level).compress(columns)


def decode_document(body: bytes) -> Document:
    """Return the document whose compressed columns are `body`.

    Raises:
        CodecError: The bytes are not a document, are damaged, or have another format.
    """
    try:
        columns = zstandard.ZstdDecompressor().decompress(
            body, max_output_size=_CONFIG.columns_bytes_max
        )
        compact = msgspec.msgpack.decode(columns, type=_Compact)
        if compact.format != COMPACT_FORMAT:
            raise CodecError(f"document of format {compact.format}, known is {COMPACT_FORMAT}")
        return _document(compact)
    except (zstandard.ZstdError, msgspec.DecodeError, ValueError, IndexError) as error:
        raise CodecError(f"not a document: {error}") from None


def _document(compact: _Compact) -> Document:
    element_types, element_type = _element_types(compact)
    depth = _unpacked(compact.depth)
    parent, end = tree_of_depths(depth)
    owner = np.cumsum(_unpacked(compact.owner) - len(depth)).astype(np.int32)
    inline_from = np.cumsum(_unpacked(compact.inline_from)).astype(np.int32)
    return Document(
        title=compact.title,
        language=compact.language,
        html_chars=compact.html_chars,
        scripts=compact.scripts,
        nodes=Nodes(
            element_types=element_types,
            element_type=element_type,
            depth=depth,
            parent=parent,
            end=end,
            hidden=np.unpackbits(np.frombuffer(compact.hidden, np.uint8), count=len(depth)).astype(
                np.bool_
            ),
            images=_unpacked(compact.images),
        ),
        segments=Segments(
            texts=compact.texts,
            owner=owner,
            inline_from=inline_from,
            inline_to=inline_from + _unpacked(compact.inline_count),
            links=_unpacked(compact.links),
            link_chars=_unpacked(compact.link_chars),
            external_links=_unpacked(compact.external_links),
            page_links=_unpacked(compact.page_links),
        ),
    )


def _element_types(compact: _Compact) -> tuple[list[tuple[str, str]], Int32s]:
    """Return the element types in order of first occurrence, and the number of each node's."""
    tags, attributes = _unpacked(compact.tags), _unpacked(compact.attributes)
    pairs = tags * np.int64(len(compact.attribute_table)) + attributes
    _, first, element_type = np.unique(pairs, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order))
    element_types = [
        (compact.tag_table[tags[node]], compact.attribute_table[attributes[node]])
        for node in first[order].tolist()
    ]
    return element_types, place[element_type]


def _indexed(values: list[str]) -> tuple[list[str], Int64s]:
    table = {value: number for number, value in enumerate(dict.fromkeys(values))}
    return list(table), np.array([table[value] for value in values], np.int64)


def _packed(values: npt.NDArray[Any]) -> bytes:
    """Return non-negative integers as bytes, each value as long as the largest one needs."""
    largest = int(values.max()) if values.size else 0
    width = next(width for width in (1, 2, 4) if largest < 1 << (8 * width))
    return bytes([width]) + values.astype(f"<u{width}").tobytes()


def _unpacked(packed: bytes) -> Int32s:
    return np.frombuffer(packed, f"<u{packed[0]}", offset=1).astype(np.int32)
