"""The tree templates of a site: a value with a compact form and a bound on its size."""

from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.array_types import Bools, Int64s, UInt64s
from templ_core.compact import CompactColumns, CompactForm
from templ_core.errors import CodecError
from templ_core.site_level.trees.labelled_tree import LabelledTree, build_tree, tree_part
from templ_core.site_level.trees.path_counts import PathCounts

# Bytes in the compact form, without compression.
_BYTES_PER_NODE = 8 + 2 + 1 + 4 + 4
_BYTES_PER_TEXT = 8 + 4 + 4
_BYTES_PER_PATH = 8 + 4
_BYTES_PER_CLUSTER = 64


class TreeCluster(msgspec.Struct, frozen=True, kw_only=True):
    """The template of one cluster of pages: columns of its places, of its texts and of its paths."""

    pages: int
    """Pages that voted."""
    tree: LabelledTree
    """Places that enough of the pages have; the label of a leaf is its most frequent text."""
    support: Int64s
    """Pages with each place; never more than its parent has."""
    distinct: Int64s
    """Number of different texts that the pages have at each place; 0 for elements."""
    text_place: Int64s
    """Place of each recurring text, ascending."""
    text: UInt64s
    """Label of each recurring text; the most frequent of a place first."""
    text_pages: Int64s
    """Pages with this text at this place; at least 2."""
    paths: PathCounts
    """Paths of elements that enough of the pages have."""


class TreeModel(msgspec.Struct, frozen=True, kw_only=True):
    """The tree templates of a site."""

    clusters: list[TreeCluster]
    """The clusters of most pages come first."""


def bounded_trees(model: TreeModel, limit_bytes: int) -> TreeModel:
    """Return the part of a model that fits into a size.

    The places that the fewest pages have go first, of several the last ones.

    Args:
        model: The whole model.
        limit_bytes: Most bytes of what `encode_tree_model` makes of the part.
    """
    support = np.concatenate(
        [cluster.support for cluster in model.clusters] or [np.empty(0, np.int64)]
    )
    cost = np.concatenate(
        [_costs(cluster) for cluster in model.clusters] or [np.empty(0, np.int64)]
    )
    paths_bytes = sum(
        _BYTES_PER_CLUSTER + _BYTES_PER_PATH * cluster.paths.paths.size
        for cluster in model.clusters
    )
    order = np.argsort(-support, kind="stable")
    kept = np.zeros(support.size, np.bool_)
    kept[order[np.cumsum(cost[order]) <= limit_bytes - paths_bytes]] = True
    clusters, start = [], 0
    for cluster in model.clusters:
        part = kept[start : start + cluster.support.size]
        start += cluster.support.size
        if part.any():
            clusters.append(cluster if part.all() else _part(cluster, part))
    return TreeModel(clusters=clusters)


def _costs(cluster: TreeCluster) -> Int64s:
    texts = np.bincount(cluster.text_place, minlength=cluster.support.size)
    return _BYTES_PER_NODE + _BYTES_PER_TEXT * texts


def _part(cluster: TreeCluster, kept: Bools) -> TreeCluster:
    text_kept = kept[cluster.text_place]
    return msgspec.structs.replace(
        cluster,
        tree=tree_part(cluster.tree, kept),
        support=cluster.support[kept],
        distinct=cluster.distinct[kept],
        text_place=(np.cumsum(kept) - 1)[cluster.text_place[text_kept]],
        text=cluster.text[text_kept],
        text_pages=cluster.text_pages[text_kept],
    )


class _CompactCluster(msgspec.Struct, frozen=True, array_like=True):
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


class _Compact(CompactColumns, frozen=True, array_like=True):
    clusters: list[_CompactCluster]


_FORM = CompactForm("tree model", 1, _Compact)


def encode_tree_model(model: TreeModel) -> bytes:
    """The model as MessagePack of little-endian columns; equal models give equal bytes."""
    clusters = [
        _CompactCluster(
            pages=cluster.pages,
            label=_bytes(cluster.tree.label, "<u8"),
            depth=_bytes(cluster.tree.depth, "<u2"),
            is_text=np.packbits(cluster.tree.is_text).tobytes(),
            support=_bytes(cluster.support, "<u4"),
            distinct=_bytes(cluster.distinct, "<u4"),
            text_place=_bytes(cluster.text_place, "<u4"),
            text=_bytes(cluster.text, "<u8"),
            text_pages=_bytes(cluster.text_pages, "<u4"),
            paths=_bytes(cluster.paths.paths, "<u8"),
            path_pages=_bytes(cluster.paths.pages, "<u4"),
        )
        for cluster in model.clusters
    ]
    return _FORM.pack(_Compact(_FORM.format, clusters))


def decode_tree_model(body: bytes) -> TreeModel:
    """The model whose compact form is `body`.

    Raises:
        CodecError: not a tree model, damaged, or of another format.
    """
    with _FORM.refusing():
        return TreeModel(clusters=[_cluster(one) for one in _FORM.unpack(body).clusters])


def _cluster(compact: _CompactCluster) -> TreeCluster:
    label = np.frombuffer(compact.label, "<u8").astype(np.uint64)
    is_text = np.unpackbits(np.frombuffer(compact.is_text, np.uint8), count=label.size)
    depth = _integers(compact.depth, "<u2")
    if depth.size != label.size or (np.diff(depth, prepend=-1) > 1).any():
        raise CodecError("tree model whose columns do not fit together")
    cluster = TreeCluster(
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
        cluster.support.size == cluster.distinct.size == label.size
        and cluster.text_place.size == cluster.text.size == cluster.text_pages.size
        and cluster.paths.paths.size == cluster.paths.pages.size
        and (cluster.text_place < label.size).all()
    ):
        raise CodecError("tree model whose columns do not fit together")
    return cluster


def _bytes(values: npt.NDArray[Any], layout: str) -> bytes:
    return values.astype(layout).tobytes()


def _integers(body: bytes, layout: str) -> Int64s:
    return np.frombuffer(body, layout).astype(np.int64)
