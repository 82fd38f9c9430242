"""What the tree templates of a site say about each segment of a page."""

import msgspec
import numpy as np

from templ_core.array_types import Floats, UInt64s
from templ_core.dom.document import Document
from templ_core.site_level.trees._clusters import place_shares
from templ_core.site_level.trees.labelled_tree import label_page
from templ_core.site_level.trees.tree_mapping import map_trees
from templ_core.site_level.trees.tree_model import TreeModel


class TreeEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """What the cluster nearest to a page says about it; its columns have length n_segments."""

    pages: int
    """Pages of the site that the cluster rests on; 0 where the page is like no cluster."""
    text_share: Floats
    """Share of the cluster's pages with this very text at this place, 0 to 1; 0 = at most one page."""
    place_share: Floats
    """Share of the cluster's pages with a text at this place, 0 to 1; 0 = no such place."""
    change: Floats
    """Different texts over pages at this place, 0 to 1: 1 = another text on every page; 0 = no such
    place."""


def tree_evidence(
    document: Document,
    model: TreeModel,
    likeness_min: float,
    texts: UInt64s | None = None,
    types: UInt64s | None = None,
) -> TreeEvidence:
    """Return the evidence of a site's tree templates for a page, whether it was learned or not.

    >>> from templ_core.config import CoreConfig
    >>> from templ_core.dom.document import parse_document
    >>> from templ_core.site_level.trees.tree_template import TreeLearner
    >>> learner = TreeLearner(CoreConfig())
    >>> for text in ("Tea", "Milk"):
    ...     learner.learn_one(parse_document(f"<h1>Shop</h1><p>{text}", "http://a.example/"))
    >>> page = parse_document("<h1>Shop</h1><p>Sugar", "http://a.example/")
    >>> evidence = tree_evidence(page, learner.model(), likeness_min=0.5)
    >>> evidence.text_share.tolist(), evidence.change.tolist()
    ([1.0, 0.0], [0.5, 1.0])

    Args:
        document: The page.
        model: The site's tree templates.
        likeness_min: A page that is at most so like every cluster belongs to none, 0 to 1.
        texts: Hash of each segment's text, by one function for all pages of the site; None stands
            for `node_hashes`.
        types: The `element_type_rows` of the page, where they are known already.
    """
    page = label_page(document, texts, types)
    nearest, likeness = None, likeness_min
    for cluster in model.clusters:
        own = cluster.paths.likeness(page.paths, cluster.pages)
        if own > likeness:
            nearest, likeness = cluster, own
    segment_count = len(document.segments.texts)
    if nearest is None:
        text_share, place_share, change = np.zeros((3, segment_count))
        return TreeEvidence(pages=0, text_share=text_share, place_share=place_share, change=change)
    mapping = map_trees(nearest.tree, page.tree)
    text_share, place_share, change = place_shares(mapping, nearest, page.tree, segment_count)
    return TreeEvidence(
        pages=nearest.pages, text_share=text_share, place_share=place_share, change=change
    )
