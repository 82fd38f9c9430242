"""The tree templates of a site, their compact form, and what they say about each segment of a page."""

import functools
from typing import Annotated, Any

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.array_types import Bools, Floats, Int32s, Int64s, UInt64s
from templ_core.site_level.config import MASS_UNIT, PLACES_CONFIG, TREES_CONFIG
from templ_core.site_level.trees._trees import align, pool
from templ_core.site_level.trees.tree_mapping import (
    NODES_MAX,
    LabelledPage,
    PageBlocks,
    labelled,
    likeness,
    map_trees,
)
from templ_core.stored.columns import DEPTH_MAX, Column, hashes, read_columns, require_tree
from templ_core.stored.compact import PAGES_MAX, CompactColumns, CompactForm

_CLUSTERS_MAX = 64
"""Most clusters of a stored model; `TreesConfig.clusters_max` of them are learned."""
_NODES_MAX = 1 << 14
"""Most nodes of a stored cluster, which a page is compared with; `NODES_MAX` of them are learned."""
_WORDS_MAX = 1 << 42
"""Largest sum that is stored: a million pages of 4 096 words have such a content mass."""


class TreeCluster(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The template of one cluster of pages; columns of length n_nodes of the reference page."""

    pages: int
    """Pages that voted."""
    blocks: PageBlocks
    """The reference page."""
    texts: UInt64s
    """Hash of each text of the reference; length n_leaves."""
    support: Int64s
    """Pages with each node, the reference included; never more than its parent has."""
    text_pages: Int64s
    """Pages with the reference's text at each leaf; 0 for elements."""
    words: Int64s
    """Words of all pages that stand at each node, and at no node below it."""
    mass: Int64s
    """Their content mass, see `templ_core.site_level.places.places.PlaceReading`."""

    @functools.cached_property
    def reference(self) -> LabelledPage:
        """The tree of the reference page, and its paths."""
        return labelled(self.blocks, self.texts)


class TreeModel(msgspec.Struct, frozen=True, kw_only=True):
    """The tree templates of a site."""

    clusters: list[TreeCluster]
    """The clusters of most pages come first."""


NO_TREES = TreeModel(clusters=[])
"""The templates of a site without learned pages."""


def bounded_trees(model: TreeModel, share: float) -> TreeModel:
    """Return this share, 0 to 1, of the nodes of a model: those that most pages have, of several the first ones."""
    if not model.clusters:
        return model
    support = np.concatenate([cluster.support for cluster in model.clusters])
    kept = np.zeros(support.size, np.bool_)
    kept[np.argsort(-support, kind="stable")[: int(share * support.size)]] = True
    parts = np.split(kept, np.cumsum([cluster.support.size for cluster in model.clusters])[:-1])
    return TreeModel(
        clusters=[
            _part(one, part) for one, part in zip(model.clusters, parts, strict=True) if part.any()
        ]
    )


def _part(cluster: TreeCluster, kept: Bools) -> TreeCluster:
    """Return some nodes of a cluster, with their parents; what stands at the others is counted no more."""
    blocks = cluster.blocks
    columns = {
        name: getattr(cluster, name)[kept] for name in ("support", "text_pages", "words", "mass")
    }
    return TreeCluster(
        pages=cluster.pages,
        blocks=PageBlocks(tags=blocks.tags[kept], depths=blocks.depths[kept]),
        texts=cluster.texts[kept[blocks.tags == 0]],
        **columns,
    )


def _pages(low: int) -> Column:
    """Return the declaration of numbers of the cluster's pages."""
    return Column(rows="nodes", form="<u4", low=low, high="pages + 1", dtype="i8")


_SUMS = Column(rows="nodes", form="<i8", low=0, high=_WORDS_MAX, dtype="i8")


class _CompactCluster(msgspec.Struct, frozen=True, array_like=True):
    pages: Annotated[int, msgspec.Meta(ge=1, le=PAGES_MAX)]
    tags: Annotated[bytes, Column(rows="nodes", form="<u2", high=65535, dtype="u2")]
    depths: Annotated[bytes, Column(rows="nodes", form="<u2", high=DEPTH_MAX)]
    texts: Annotated[bytes, hashes("texts")]
    support: Annotated[bytes, _pages(low=1)]
    text_pages: Annotated[bytes, _pages(low=0)]
    words: Annotated[bytes, _SUMS]
    mass: Annotated[bytes, _SUMS]


class _Compact(CompactColumns, frozen=True, array_like=True):
    clusters: Annotated[list[_CompactCluster], msgspec.Meta(max_length=_CLUSTERS_MAX)]


_FORM = CompactForm("tree model", 2, _Compact)


def encode_tree_model(model: TreeModel) -> bytes:
    """Return a model as MessagePack of little-endian columns; equal models give equal bytes."""
    clusters = [
        _CompactCluster(
            pages=cluster.pages,
            tags=_bytes(cluster.blocks.tags, "<u2"),
            depths=_bytes(cluster.blocks.depths, "<u2"),
            texts=_bytes(cluster.texts, "<u8"),
            support=_bytes(cluster.support, "<u4"),
            text_pages=_bytes(cluster.text_pages, "<u4"),
            words=_bytes(cluster.words, "<i8"),
            mass=_bytes(cluster.mass, "<i8"),
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
        return TreeModel(clusters=[_cluster(cluster) for cluster in _FORM.unpack(body).clusters])


def _cluster(compact: _CompactCluster) -> TreeCluster:
    columns = read_columns(compact, {"pages + 1": compact.pages + 1})
    tags, depths, texts = columns.pop("tags"), columns.pop("depths"), columns.pop("texts")
    if not 0 < tags.size <= _NODES_MAX:
        raise ValueError(f"a cluster has {tags.size} nodes, and {_NODES_MAX} is the most")
    require_blocks(tags, depths, len(texts))
    return TreeCluster(
        pages=compact.pages, blocks=PageBlocks(tags=tags, depths=depths), texts=texts, **columns
    )


def require_blocks(tags: npt.NDArray[Any], depths: npt.NDArray[Any], texts: int) -> None:
    """Check that columns are those of a tree with this number of texts.

    Raises:
        ValueError: They are not.
    """
    require_tree(depths)
    if ((depths[1:] > depths[:-1]) & (tags[:-1] == 0)).any():
        raise ValueError("a text has nodes below it")
    if (tags == 0).sum() != texts:
        raise ValueError("a tree has other leaves than texts")


def _bytes(values: npt.NDArray[Any], layout: str) -> bytes:
    return values.astype(layout).tobytes()


class TreeEvidence(msgspec.Struct, frozen=True):
    """What the cluster nearest to a page says about it; its columns have length n_segments."""

    pages: int
    """Pages of the site that the cluster rests on, at least 1."""
    place_pages: Int64s
    """Pages of the cluster with a text at this place; 0 = the cluster does not know the place."""
    text_pages: Int64s
    """Pages of the cluster with this very text at this place; 0 where the text is not the reference's."""
    log_odds: Floats
    """Log-odds for content of the place, pooled over the cluster's pages and the page."""


def tree_evidence(
    blocks: PageBlocks, texts: UInt64s, model: TreeModel, words: Int32s, mass: Int64s
) -> TreeEvidence | None:
    """Return the evidence of a site's tree templates for a page, whether it was learned or not.

    The page is mapped onto the reference page of the cluster that it is most like (RTDM-TD). A segment stands
    at the leaf that it is mapped to, or else at the nearest element around it that both pages have. A place
    pools the words that stand there on the page and on the cluster's pages. It starts with
    `TREES_CONFIG.prior_words` words of its parent's content, which pools all words below it, and so on from the root.

    Args:
        blocks: The tree of the page without its texts.
        texts: Hash of each segment's text, by one function for all pages of the site.
        model: The site's tree templates.
        words: Words of each segment.
        mass: Content mass of each segment, see `templ_core.site_level.places.places.PlaceReading`.

    Returns:
        The evidence; None where the page is like no cluster.
    """
    page = labelled(blocks.first(NODES_MAX), texts)
    nearest, most = None, TREES_CONFIG.likeness_min
    for cluster in model.clusters:
        like = likeness(cluster.reference.paths, page.paths)
        if like > most:
            nearest, most = cluster, like
    if nearest is None:
        return None
    tree, margin = nearest.reference.tree, PLACES_CONFIG.probability_margin
    places, equal, _ = align(map_trees(tree, page.tree), tree, page.tree, len(words))
    columns = pool(nearest, places, equal, words, mass, MASS_UNIT, TREES_CONFIG.prior_words, margin)
    return TreeEvidence(nearest.pages, *columns)
