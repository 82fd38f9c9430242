"""The tree templates of a site, one for each cluster of pages, learned page by page.

A page joins the cluster whose element paths are most like its own, or starts a new one. There it votes
for every place that it has, and for its text there. The pages must be distinct: `window_dedup.py` finds
those that are.

The evidence for one page comes from `tree_evidence(document, model, ...)` in `tree_evidence.py`.
"""

from templ_core.array_types import UInt64s
from templ_core.config import CoreConfig
from templ_core.dom.document import Document
from templ_core.site_level.config import TREES
from templ_core.site_level.trees.labelled_tree import LabelledPage, label_page
from templ_core.site_level.trees.path_counts import NO_PATHS
from templ_core.site_level.trees.tree_model import TreeCluster, TreeModel
from templ_core.site_level.trees.voted_tree import VotedTree


class _GrowingCluster:
    """One cluster of pages while it is learned."""

    def __init__(self) -> None:
        self.votes = VotedTree()
        self.paths = NO_PATHS

    def add(self, page: LabelledPage, nodes_max: int) -> None:
        self.votes.add(page.tree, nodes_max)
        self.paths = self.paths.with_page(page.paths)

    def template(self, template_share: float) -> TreeCluster:
        """Return the places and texts that enough pages of the cluster have."""
        pages = self.votes.pages
        pages_min = max(2, template_share * pages)
        columns = self.votes.columns.of(self.votes.columns.support >= pages_min)
        text_place, text, text_pages = columns.texts.recurring(TREES.place_texts_max)
        return TreeCluster(
            pages=pages,
            tree=columns.tree,
            support=columns.support,
            distinct=columns.texts.distinct,
            text_place=text_place,
            text=text,
            text_pages=text_pages,
            paths=self.paths.frequent(pages_min),
        )


class TreeLearner:
    """Learns the tree templates of one site.

    After the same pages in the same order it gives the same model, on any machine. It is bounded by
    `tree_clusters_max` clusters of `tree_nodes_max` nodes: the cluster with the fewest pages and the
    least supported nodes go first.

    >>> from templ_core.dom.document import parse_document
    >>> learner = TreeLearner(CoreConfig())
    >>> for text in ("Tea", "Milk", "Sugar"):
    ...     page = f"<h1>Shop</h1><p>{text}<p>Imprint"
    ...     learner.learn_one(parse_document(page, "http://a.example/"))
    >>> [cluster] = learner.model().clusters
    >>> cluster.pages, cluster.text_pages.tolist()  # texts that recur: Shop and Imprint
    (3, [3, 3])
    """

    def __init__(self, config: CoreConfig) -> None:
        self._config = config
        self._clusters: list[_GrowingCluster] = []

    def learn_one(self, document: Document, texts: UInt64s | None = None) -> None:
        """Learn a page; one without text changes nothing.

        Args:
            document: The page.
            texts: Hash of each segment's text, by one function for all pages of the site; None stands
                for `node_hashes`.
        """
        if document.segments.texts:
            page = label_page(document, texts)
            self._nearest(page.paths).add(page, self._config.tree_nodes_max)

    def model(self) -> TreeModel:
        """Return the templates of the clusters with several pages, those of most pages first."""
        clusters = [
            cluster.template(self._config.template_share)
            for cluster in self._clusters
            if cluster.votes.pages > 1
        ]
        return TreeModel(clusters=sorted(clusters, key=lambda cluster: -cluster.pages))

    def _nearest(self, paths: UInt64s) -> _GrowingCluster:
        """Return the cluster most like a page, the oldest of several; a new one if none is like it."""
        nearest, most = None, self._config.cluster_likeness_min
        for cluster in self._clusters:
            likeness = cluster.paths.likeness(paths, cluster.votes.pages)
            if likeness > most:
                nearest, most = cluster, likeness
        if nearest is not None:
            return nearest
        if len(self._clusters) == self._config.tree_clusters_max:
            self._clusters.remove(min(self._clusters, key=lambda cluster: cluster.votes.pages))
        self._clusters.append(_GrowingCluster())
        return self._clusters[-1]
