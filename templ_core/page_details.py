"""Parts of a page that its document does not store and its records need nevertheless.

A stored document has no claims and no marks. Its metadata, and its marks if they are wanted, travel
beside it, so that a text that is published again comes with the same fields.
"""

from typing import Annotated, Any

import msgspec
import numpy as np

from templ_core.dom.document import Document, Marks
from templ_core.metadata.fields import Metadata
from templ_core.metadata.markup import StatedType
from templ_core.stored._columns import packed
from templ_core.stored.columns import Column, read_columns
from templ_core.stored.compact import CompactColumns, CompactForm, Texts


class _Compact(CompactColumns, frozen=True, array_like=True):
    """The stored form; places that may be missing are stored one larger."""

    metadata: dict[str, Any] | None
    """The fields of the metadata, and the kind of the page among them; a field may be null."""
    has_marks: bool
    values: Texts
    node: Annotated[bytes, Column(rows="marks", high="nodes")]
    segment: Annotated[bytes, Column(rows="marks", high="places")]
    start: Annotated[bytes, Column(rows="marks")]
    size: Annotated[bytes, Column(rows="marks")]
    target: Annotated[bytes, Column(rows="marks", high="numbers")]
    label: Annotated[bytes, Column(rows="marks", high="numbers")]


_FORM = CompactForm("page's details", 2, _Compact, earlier={1: _Compact})
"""In format 1 only images have labels, and there are no marks of lists and cells."""
_NO_MARKS = Marks(
    **{name: np.empty(0, np.int32) for name in Marks.__struct_fields__ if name != "values"},
    values=[],
)


def encode_details(
    document: Document,
    metadata: Metadata | None,
    kind: StatedType | None,
    *,
    compressed: bool = True,
) -> bytes:
    """Return metadata, kind and marks of a page in compact form; empty bytes where it has neither metadata nor marks.

    Args:
        document: The page, with its marks if they are wanted.
        metadata: What is known of the page; None where it was not asked for.
        kind: What the markup says that the page is; it is stored beside the metadata.
        compressed: Whether the form is compressed with zstd.
    """
    if metadata is None and document.marks is None:
        return b""
    fields = None if metadata is None else {**msgspec.to_builtins(metadata), "kind": kind}
    marks = document.marks or _NO_MARKS
    return _FORM.encode(
        _Compact(
            format=_FORM.format,
            metadata=fields,
            has_marks=document.marks is not None,
            values=marks.values,
            node=packed(marks.node),
            segment=packed(marks.segment),
            start=packed(marks.start + 1),
            size=packed(marks.end - marks.start),
            target=packed(marks.target + 1),
            label=packed(marks.label + 1),
        ),
        compressed=compressed,
    )


def decode_details(
    body: bytes, document: Document
) -> tuple[Document, Metadata | None, StatedType | None]:
    """Return a document with its marks, its metadata and its kind, from what `encode_details` returned for it.

    Raises:
        CodecError: The bytes are damaged, of another format, or of another document.

    >>> from templ_core.dom.document import parse_document
    >>> page = parse_document("<a href=/b>b</a>", "", with_marks=True)
    >>> decode_details(encode_details(page, None, None), page)[0].marks.values
    ['/b']
    """
    if not body:
        return document, None, None
    compact = _FORM.decode(body)
    with _FORM.refusing():
        lengths = {
            "nodes": len(document.nodes.depth),
            "places": len(document.segments.texts) + len(document.signs.texts) + 1,
            "numbers": len(compact.values) + 1,
        }
        columns = read_columns(compact, lengths)
        metadata, kind = _read(compact.metadata)
        start = columns["start"] - 1
        if (columns["segment"][start >= 0] >= len(document.segments.texts)).any():
            raise ValueError("a mark in no segment")
    marks = Marks(
        node=columns["node"],
        segment=columns["segment"],
        start=start,
        end=start + columns["size"],
        target=columns["target"] - 1,
        label=columns["label"] - 1,
        values=compact.values,
    )
    if compact.has_marks:
        document = msgspec.structs.replace(document, marks=marks)
    return document, metadata, kind


def _read(stored: dict[str, Any] | None) -> tuple[Metadata | None, StatedType | None]:
    """Return the metadata and the kind of a page, whose missing fields earlier versions stored as null."""
    if stored is None:
        return None, None
    given = {name: value for name, value in stored.items() if value is not None}
    kind = msgspec.convert(given.pop("kind", None), StatedType | None)
    return msgspec.convert(given, Metadata), kind
