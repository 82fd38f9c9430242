"""The tree templates of a site: a value with a compact form and a bound on its size."""

from typing import Annotated, Any

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.array_types import Bools, Int64s, UInt64s
from templ_core.site_level.trees.labelled_tree import LabelledTree, build_tree, tree_part
from templ_core.site_level.trees.path_counts import PathCounts
from templ_core.stored.columns import (
    BITS,
    DEPTH_MAX,
    PAGES_MAX,
    Column,
    hashes,
    read_columns,
    require_tree,
)
from templ_core.stored.compact import CompactColumns, CompactForm

# Bytes in the compact form, without compression.
_BYTES_PER_NODE = 8 + 2 + 1 + 4 + 4
_BYTES_PER_TEXT = 8 + 4 + 4
_BYTES_PER_PATH = 8 + 4
_BYTES_PER_CLUSTER = 64
_CLUSTERS_MAX = 64
"""Most clusters of a stored model; `CoreConfig.tree_clusters_max` of them are learned."""
_NODES_MAX = 1 << 14
"""Most nodes of a stored cluster, which a page is compared with; `CoreConfig.tree_nodes_max` of them are
learned."""


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


def _counts(rows: str, low: int) -> Column:
    """Return the declaration of numbers of the cluster's pages."""
    return Column(rows=rows, form="<u4", low=low, high="pages + 1", dtype="i8")


class _CompactCluster(msgspec.Struct, frozen=True, array_like=True):
    pages: Annotated[int, msgspec.Meta(ge=1, le=PAGES_MAX)]
    label: Annotated[bytes, hashes("nodes")]
    depth: Annotated[bytes, Column(rows="nodes", form="<u2", high=DEPTH_MAX, dtype="i8")]
    is_text: Annotated[bytes, Column(rows="nodes", form=BITS)]
    support: Annotated[bytes, _counts("nodes", low=1)]
    distinct: Annotated[bytes, _counts("nodes", low=0)]
    text_place: Annotated[
        bytes, Column(rows="texts", form="<u4", high="nodes", order="sorted", dtype="i8")
    ]
    text: Annotated[bytes, hashes("texts")]
    text_pages: Annotated[bytes, _counts("texts", low=2)]
    paths: Annotated[bytes, hashes("paths", increasing=True)]
    path_pages: Annotated[bytes, _counts("paths", low=1)]


class _Compact(CompactColumns, frozen=True, array_like=True):
    clusters: Annotated[list[_CompactCluster], msgspec.Meta(max_length=_CLUSTERS_MAX)]


_FORM = CompactForm("tree model", 1, _Compact)


def encode_tree_model(model: TreeModel) -> bytes:
    """Return a model as MessagePack of little-endian columns; equal models give equal bytes."""
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
    """Return the model whose compact form is `body`.

    Raises:
        CodecError: The bytes are no tree model, damaged, or of another format.
    """
    with _FORM.refusing():
        return TreeModel(clusters=[_cluster(one) for one in _FORM.unpack(body).clusters])


def _cluster(compact: _CompactCluster) -> TreeCluster:
    columns = read_columns(compact, {"pages + 1": compact.pages + 1})
    label, depth, is_text = columns["label"], columns["depth"], columns["is_text"]
    if label.size > _NODES_MAX:
        raise ValueError(f"a cluster has {label.size} nodes, and {_NODES_MAX} is the most")
    require_tree(depth)
    if ((depth[1:] > depth[:-1]) & (is_text[:-1] > 0)).any():
        raise ValueError("a text has nodes below it")
    return TreeCluster(
        pages=compact.pages,
        tree=build_tree(label=label, depth=depth, segment=is_text - 1),
        support=columns["support"],
        distinct=columns["distinct"],
        text_place=columns["text_place"],
        text=columns["text"],
        text_pages=columns["text_pages"],
        paths=PathCounts(paths=columns["paths"], pages=columns["path_pages"]),
    )


def _bytes(values: npt.NDArray[Any], layout: str) -> bytes:
    return values.astype(layout).tobytes()
