"""The tree templates of a site as a value, with a codec and a bound on its size."""

from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.errors import CodecError
from templ_core.site_level.places.node_frequency import UInt64s
from templ_core.site_level.places.path_counts import Int64s, PathCounts
from templ_core.site_level.trees.labelled_tree import LabelledTree, build_tree

COMPACT_FORMAT = 1
_BYTES_PER_NODE = 8 + 2 + 1 + 4 + 4
_BYTES_PER_TEXT = 8 + 4 + 4
_BYTES_PER_PATH = 8 + 4
_BYTES_PER_KIND = 64


class TreeKind(msgspec.Struct, frozen=True, kw_only=True):
    """The template of one kind of page."""

    pages: int
    """Pages that voted."""
    tree: LabelledTree
    """Places that several pages have; the label of a leaf is its most frequent text."""
    support: Int64s
    """Pages with each place; never more than its parent has."""
    distinct: Int64s
    """Texts that the pages have at each place; 0 for elements."""
    text_place: Int64s
    """Place of each recurring text, ascending."""
    text: UInt64s
    """Label of each recurring text; the most frequent of a place first."""
    text_pages: Int64s
    """Pages with this text at this place; at least 2."""
    paths: PathCounts
    """Paths of its elements that several pages have."""


class TreeModel(msgspec.Struct, frozen=True, kw_only=True):
    """The tree templates of a site."""

    kinds: list[TreeKind]
    """Those of most pages first."""


def bounded(model: TreeModel, limit_bytes: int) -> TreeModel:
    """The model within a size; what the fewest pages have goes first, of that the last."""
    support = np.concatenate([kind.support for kind in model.kinds] or [np.empty(0, np.int64)])
    cost = np.concatenate([_costs(kind) for kind in model.kinds] or [np.empty(0, np.int64)])
    paths_bytes = sum(
        _BYTES_PER_KIND + _BYTES_PER_PATH * kind.paths.paths.size for kind in model.kinds
    )
    order = np.argsort(-support, kind="stable")
    kept = np.zeros(support.size, np.bool_)
    kept[order[np.cumsum(cost[order]) <= limit_bytes - paths_bytes]] = True
    kinds, start = [], 0
    for kind in model.kinds:
        part = kept[start : start + kind.support.size]
        start += kind.support.size
        if part.any():
            kinds.append(kind if part.all() else _part(kind, part))
    return TreeModel(kinds=kinds)


def _costs(kind: TreeKind) -> Int64s:
    texts = np.bincount(kind.text_place, minlength=kind.support.size)
    return _BYTES_PER_NODE + _BYTES_PER_TEXT * texts


def _part(kind: TreeKind, kept: npt.NDArray[np.bool_]) -> TreeKind:
    text_kept = kept[kind.text_place]
    return msgspec.structs.replace(
        kind,
        tree=build_tree(
            label=kind.tree.label[kept],
            depth=kind.tree.depth[kept],
            segment=kind.tree.segment[kept],
        ),
        support=kind.support[kept],
        distinct=kind.distinct[kept],
        text_place=(np.cumsum(kept) - 1)[kind.text_place[text_kept]],
        text=kind.text[text_kept],
        text_pages=kind.text_pages[text_kept],
    )


class _CompactKind(msgspec.Struct, frozen=True, array_like=True):
    pages: int
    label: bytes
    depth: bytes
    is_text: bytes
    support: bytes
    distinct: bytes
    text_place: bytes
    text: bytes
    text_pages: bytes
    paths: bytes
    path_pages: bytes


class _Compact(msgspec.Struct, frozen=True, array_like=True):
    format: int
    kinds: list[_CompactKind]


def encode_tree_model(model: TreeModel) -> bytes:
    """The model as MessagePack of little-endian columns; equal models give equal bytes."""
    kinds = [
        _CompactKind(
            pages=kind.pages,
            label=_bytes(kind.tree.label, "<u8"),
            depth=_bytes(kind.tree.depth, "<u2"),
            is_text=np.packbits(kind.tree.is_text).tobytes(),
            support=_bytes(kind.support, "<u4"),
            distinct=_bytes(kind.distinct, "<u4"),
            text_place=_bytes(kind.text_place, "<u4"),
            text=_bytes(kind.text, "<u8"),
            text_pages=_bytes(kind.text_pages, "<u4"),
            paths=_bytes(kind.paths.paths, "<u8"),
            path_pages=_bytes(kind.paths.pages, "<u4"),
        )
        for kind in model.kinds
    ]
    return msgspec.msgpack.encode(_Compact(COMPACT_FORMAT, kinds))


def decode_tree_model(body: bytes) -> TreeModel:
    """The model whose compact form is `body`.

    Raises:
        CodecError: not a tree model, damaged, or of another format.
    """
    try:
        compact = msgspec.msgpack.decode(body, type=_Compact)
        if compact.format != COMPACT_FORMAT:
            raise CodecError(f"tree model of format {compact.format}, known is {COMPACT_FORMAT}")
        return TreeModel(kinds=[_kind(kind) for kind in compact.kinds])
    except (msgspec.DecodeError, ValueError, IndexError) as error:
        raise CodecError(f"not a tree model: {error}") from None


def _kind(compact: _CompactKind) -> TreeKind:
    label = np.frombuffer(compact.label, "<u8").astype(np.uint64)
    is_text = np.unpackbits(np.frombuffer(compact.is_text, np.uint8), count=label.size)
    depth = _integers(compact.depth, "<u2")
    if depth.size != label.size or (np.diff(depth, prepend=-1) > 1).any():
        raise CodecError("tree model whose columns do not fit together")
    kind = TreeKind(
        pages=compact.pages,
        tree=build_tree(label=label, depth=depth, segment=is_text.astype(np.int32) - 1),
        support=_integers(compact.support, "<u4"),
        distinct=_integers(compact.distinct, "<u4"),
        text_place=_integers(compact.text_place, "<u4"),
        text=np.frombuffer(compact.text, "<u8").astype(np.uint64),
        text_pages=_integers(compact.text_pages, "<u4"),
        paths=PathCounts(
            paths=np.frombuffer(compact.paths, "<u8").astype(np.uint64),
            pages=_integers(compact.path_pages, "<u4"),
        ),
    )
    if not (
        kind.support.size == kind.distinct.size == label.size
        and kind.text_place.size == kind.text.size == kind.text_pages.size
        and kind.paths.paths.size == kind.paths.pages.size
        and (kind.text_place < label.size).all()
    ):
        raise CodecError("tree model whose columns do not fit together")
    return kind


def _bytes(values: npt.NDArray[Any], kind: str) -> bytes:
    return values.astype(kind).tobytes()


def _integers(body: bytes, kind: str) -> Int64s:
    return np.frombuffer(body, kind).astype(np.int64)
