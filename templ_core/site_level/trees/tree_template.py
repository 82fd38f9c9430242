"""The tree templates of a site, one for each cluster of pages, learned page by page.

A page joins the cluster whose element paths are most like its own, or starts a new one. There it votes:
for every place that it has, and for its text there. Pages that are nearly the same count once.

The evidence for one page comes from `tree_evidence(document, model)` in `tree_evidence.py`.
"""

import functools

import msgspec
import numpy as np

from templ_core.array_types import Int64s, UInt64s
from templ_core.config import CoreConfig
from templ_core.distinct import distinct_groups
from templ_core.dom.document import Document
from templ_core.site_level.places.path_counts import (
    NO_PATHS,
)
from templ_core.site_level.trees._clusters import shared_sum
from templ_core.site_level.trees.labelled_tree import PageTree, tree_of
from templ_core.site_level.trees.tree_mapping import page_identity, tree_part
from templ_core.site_level.trees.tree_model import TreeCluster, TreeModel
from templ_core.site_level.trees.voted_tree import Vote, VotedTree

_TEXTS_MAX = 8
"""Texts of a place that a model keeps."""


class _Texts(msgspec.Struct, frozen=True, eq=False):
    """The texts of a page."""

    labels: UInt64s
    """Distinct labels of its leaves, ascending."""
    chars: Int64s
    """Characters of each where it stands first."""


class _Page(msgspec.Struct, frozen=True, eq=False, dict=True):
    """What is kept of a page that was learned."""

    identity: tuple[int, str]
    title: str
    chars: Int64s
    """Characters of each segment."""
    page: PageTree

    @functools.cached_property
    def texts(self) -> _Texts:
        """Told apart only where another page has the title."""
        tree = self.page.tree
        leaves = np.flatnonzero(tree.is_text)
        first = leaves[distinct_groups(tree.label[leaves])[0]]
        return _Texts(labels=tree.label[first], chars=self.chars[tree.segment[first]])


class _Cluster:
    """One cluster of pages while it is learned."""

    def __init__(self) -> None:
        self.votes = VotedTree()
        self.paths = NO_PATHS


class _Counted(msgspec.Struct, eq=False):
    """A page that was counted, and the pages like it that were not."""

    page: _Page
    cluster: _Cluster
    vote: Vote
    alike: list[_Page]


class TreeLearner:
    """Learns the tree templates of one site; forgets exactly what it learned.

    After the same pages in the same order it gives the same model, on any machine. Bounded by
    `tree_clusters_max` clusters of `tree_nodes_max` nodes: the cluster with the fewest pages and the least
    supported nodes go first.
    """

    def __init__(self, config: CoreConfig) -> None:
        self._config = config
        self._clusters: list[_Cluster] = []
        self._counted: list[_Counted] = []

    def learn_one(self, document: Document, texts: UInt64s | None = None) -> None:
        """Learn a page.

        Args:
            document: The page.
            texts: `node_hashes` of its segments, where they are known already.
        """
        page = _read(document, texts)
        if not page.chars.size:
            return
        for counted in self._counted:
            if self._is_alike(counted.page, page):
                counted.alike.append(page)
                return
        self._count(page, [])

    def forget_one(self, document: Document, texts: UInt64s | None = None) -> bool:
        """Forget a page that was learned; whether it was.

        Where it stood for others that are nearly the same, the oldest of them takes its place.
        """
        page = _read(document, texts)
        for number, counted in enumerate(self._counted):
            if counted.page.identity == page.identity:
                del self._counted[number]
                self._uncount(counted)
                return True
        for counted in self._counted:
            for number, one in enumerate(counted.alike):
                if one.identity == page.identity:
                    del counted.alike[number]
                    return True
        return False

    def model(self) -> TreeModel:
        """What is known so far: a value, clusters of more pages first."""
        clusters = [
            _model_cluster(cluster, self._config)
            for cluster in self._clusters
            if cluster.votes.pages > 1
        ]
        return TreeModel(clusters=sorted(clusters, key=lambda cluster: -cluster.pages))

    def _is_alike(self, one: _Page, other: _Page) -> bool:
        """Whether two pages are the same article, fetched twice or at two addresses."""
        if one.title != other.title:
            return False
        texts, others = one.texts, other.texts
        shared, chars = shared_sum(others.labels, others.chars, texts.labels)
        return shared >= self._config.alike_share * max(int(texts.chars.sum()), chars)

    def _count(self, page: _Page, alike: list[_Page]) -> None:
        cluster = self._nearest(page.page.paths)
        vote = cluster.votes.add(page.page.tree, self._config.tree_nodes_max)
        cluster.paths = cluster.paths.changed(page.page.paths, 1)
        self._counted.append(_Counted(page, cluster, vote, alike))

    def _uncount(self, counted: _Counted) -> None:
        cluster = counted.cluster
        if any(one is cluster for one in self._clusters):
            cluster.votes.remove(counted.vote)
            cluster.paths = cluster.paths.changed(counted.page.page.paths, -1)
            if not cluster.votes.pages:
                self._remove_cluster(cluster)
        if counted.alike:
            self._count(counted.alike[0], counted.alike[1:])

    def _nearest(self, paths: UInt64s) -> _Cluster:
        """The cluster most like a page, the oldest of several; a new one when none is like it."""
        nearest, most = None, self._config.cluster_likeness_min
        for cluster in self._clusters:
            likeness = cluster.paths.likeness(paths, cluster.votes.pages)
            if likeness > most:
                nearest, most = cluster, likeness
        if nearest is not None:
            return nearest
        if len(self._clusters) == self._config.tree_clusters_max:
            self._remove_cluster(min(self._clusters, key=lambda cluster: cluster.votes.pages))
        self._clusters.append(_Cluster())
        return self._clusters[-1]

    def _remove_cluster(self, cluster: _Cluster) -> None:
        self._clusters = [one for one in self._clusters if one is not cluster]


def _read(document: Document, texts: UInt64s | None) -> _Page:
    page = tree_of(document, texts)
    chars = np.fromiter(map(len, document.segments.texts), np.int64)
    identity = page_identity(page.tree), document.title
    return _Page(identity=identity, title=document.title, chars=chars, page=page)


def _model_cluster(cluster: _Cluster, config: CoreConfig) -> TreeCluster:
    """The places and texts that enough pages of a cluster have."""
    votes = cluster.votes
    pages_min = max(2, config.template_share * votes.pages)
    kept = votes.support >= pages_min
    texts = votes.texts.of(kept)
    text_place, text, text_pages = texts.recurring(_TEXTS_MAX)
    return TreeCluster(
        pages=votes.pages,
        tree=tree_part(votes.tree, kept),
        support=votes.support[kept],
        distinct=np.diff(texts.start),
        text_place=text_place,
        text=text,
        text_pages=text_pages,
        paths=cluster.paths.frequent(pages_min),
    )
