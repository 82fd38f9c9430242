"""The tree templates of a site: its pages, aligned with one page of each of its designs by RTDM-TD.

Pages of one design have most paths of tags in common; they are a cluster. One page of a cluster is its
reference, and every other page is mapped onto it once. Each page then votes for the nodes of the reference
that it has, and adds its words and content to the places at which they stand. When a page leaves the window,
exactly what it added goes.

The pages are taken in order of their digests, so the references are drawn by lot from the window: a page that
comes or leaves changes a reference with a chance of one to the number of its cluster's pages, and only then are
pages mapped again. So the templates depend on the pages of the window alone, whatever was there before.
"""

import functools
from collections.abc import Callable, Mapping, Sequence

import msgspec
import numpy as np

from templ_core.array_types import Bools, Int32s, Int64s, UInt64s
from templ_core.site_level.config import TREES_CONFIG, TreesConfig
from templ_core.site_level.trees._trees import align
from templ_core.site_level.trees.tree_mapping import (
    NODES_MAX,
    LabelledPage,
    PageBlocks,
    labelled,
    likeness,
    map_trees,
)
from templ_core.site_level.trees.tree_model import TreeCluster, TreeModel

PageName = bytes
"""Content digest of a page; pages are ordered by it."""


class TreePage(msgspec.Struct, frozen=True, kw_only=True):
    """A page as its site's trees see it; columns of length n_segments but for the blocks."""

    blocks: PageBlocks
    texts: UInt64s
    """Hash of each segment's text."""
    words: Int32s
    mass: Int64s
    """Content mass, with constant text counted as template, see `PlaceReading`."""


class _Alignment(msgspec.Struct, frozen=True, kw_only=True):
    """Where a page lies on the reference of its cluster."""

    leader: PageName
    places: Int32s
    """Node of the reference at which each segment stands."""
    equal: Bools
    """Whether the reference has the same text there."""
    nodes: Int32s
    """Nodes of the reference that the page has."""


class TreeLearner:
    """Keeps how pages lie on their references from one fit to the next; what it returns does not depend on that.

    >>> from templ_core.dom.document import parse_document
    >>> from templ_core.site_level.trees.tree_mapping import node_hashes, page_blocks
    >>> pages = {}
    >>> for number, text in enumerate(("Tea", "Milk", "Sugar")):
    ...     page = parse_document(f"<h1>Shop</h1><p>{text}<p>Imprint", "http://a.example/")
    ...     pages[str(number).encode()] = TreePage(
    ...         blocks=page_blocks(page),
    ...         texts=node_hashes(page.segments.texts),
    ...         words=np.ones(3, np.int32),
    ...         mass=np.zeros(3, np.int64),
    ...     )
    >>> [cluster] = TreeLearner().model(pages).clusters
    >>> cluster.pages, cluster.text_pages[cluster.blocks.tags == 0].tolist()  # Shop, Tea, Imprint
    (3, [3, 1, 3])
    """

    def __init__(self, config: TreesConfig = TREES_CONFIG) -> None:
        self._config = config
        self._alignments: dict[PageName, _Alignment] = {}
        self._references: dict[PageName, LabelledPage] = {}
        self._likeness: dict[tuple[PageName, PageName], float] = {}

    def model(self, pages: Mapping[PageName, TreePage]) -> TreeModel:
        """Return the templates of the clusters of a window, those of most pages first.

        Args:
            pages: The pages of the window that count, with at least one segment each.
        """
        references = self._references

        @functools.cache
        def tree(name: PageName) -> LabelledPage:
            return references.get(name) or labelled(
                pages[name].blocks.first(NODES_MAX), pages[name].texts
            )

        clusters, learned = self._clusters(sorted(pages), tree), []
        self._references = {leader: tree(leader) for leader in clusters}
        known, self._alignments = self._alignments, {}
        for leader, members in clusters.items():
            cut = pages[leader].blocks.first(NODES_MAX)
            texts = pages[leader].texts[: int((cut.tags == 0).sum())]
            reference = tree(leader).tree
            for name in members:
                alignment = known.get(name)
                if alignment is None or alignment.leader != leader:
                    own = tree(name).tree
                    places, equal, nodes = align(
                        map_trees(reference, own), reference, own, len(pages[name].words)
                    )
                    alignment = _Alignment(leader=leader, places=places, equal=equal, nodes=nodes)
                self._alignments[name] = alignment
            learned.append(
                _template(cut, texts, [(pages[name], self._alignments[name]) for name in members])
            )
        return TreeModel(clusters=sorted(learned, key=lambda cluster: -cluster.pages))

    def _clusters(
        self, names: Sequence[PageName], tree: Callable[[PageName], LabelledPage]
    ) -> dict[PageName, list[PageName]]:
        """Return the pages of each cluster by its leader, the first of them, whose page is the reference.

        A page that is like no leader leads a cluster of its own, while there are not too many.
        """
        known, self._likeness = self._likeness, {}
        clusters: dict[PageName, list[PageName]] = {}
        for name in names:
            nearest, most = None, self._config.likeness_min
            for leader in clusters:
                pair = name, leader
                like = known.get(pair)
                if like is None:
                    like = likeness(tree(leader).paths, tree(name).paths)
                self._likeness[pair] = like
                if like > most:
                    nearest, most = leader, like
            if nearest is not None:
                clusters[nearest].append(name)
            elif len(clusters) < self._config.clusters_max:
                clusters[name] = [name]
        return clusters


def _template(
    blocks: PageBlocks, texts: UInt64s, members: Sequence[tuple[TreePage, _Alignment]]
) -> TreeCluster:
    """Return what the pages of a cluster add to the nodes of their reference."""
    size = len(blocks.tags)
    places = np.concatenate([one.places for _, one in members])
    equal = np.concatenate([one.equal for _, one in members])
    nodes = np.concatenate([one.nodes for _, one in members])
    words = np.concatenate([page.words for page, _ in members])
    mass = np.concatenate([page.mass for page, _ in members])
    return TreeCluster(
        pages=len(members),
        blocks=blocks,
        texts=texts,
        support=np.bincount(nodes, minlength=size),
        text_pages=np.bincount(places[equal], minlength=size),
        words=np.bincount(places, words, size).astype(np.int64),
        mass=np.bincount(places, mass, size).astype(np.int64),
    )
