"""What the tree templates of a site say about each segment of a page."""

import msgspec
import numpy as np

from templ_core.array_types import Floats, UInt64s
from templ_core.dom.document import Document
from templ_core.site_level.trees._clusters import place_evidence
from templ_core.site_level.trees.labelled_tree import tree_of
from templ_core.site_level.trees.tree_mapping import map_trees
from templ_core.site_level.trees.tree_model import TreeModel


class TreeEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """Columns of length n_segments, and what holds for the whole page."""

    cluster: int
    """Number of the page's cluster in the model; -1 = like none of them."""
    pages: int
    """Pages of the site that the cluster rests on; 0 without a cluster."""
    fit: float
    """How like the page is to its cluster, 0 to 1."""
    text_share: Floats
    """Share of the cluster's pages with this very text at this place, 0 to 1; 0 = a page or none."""
    place_share: Floats
    """Share of the cluster's pages with a text at this place, 0 to 1; 0 = no such place."""
    change: Floats
    """Texts over pages at this place, 0 to 1: 1 = another text on every page; 0 = no such place."""


def tree_evidence(
    document: Document,
    model: TreeModel,
    fit_min: float,
    texts: UInt64s | None = None,
    types: UInt64s | None = None,
) -> TreeEvidence:
    """The evidence of a site's tree templates for a page, whether it was learned or not.

    Args:
        document: The page.
        model: The site's tree templates.
        fit_min: A page less like than this to every cluster is of none, 0 to 1.
        texts: `node_hashes` of the page's segments, where they are known already.
        types: `element_type_rows` of the page, where they are known already.
    """
    page = tree_of(document, texts, types)
    fits = [cluster.paths.likeness(page.paths, cluster.pages) for cluster in model.clusters]
    fit = max(fits, default=0.0)
    if fit <= fit_min:
        text_share, place_share, change = np.zeros((3, len(document.segments.texts)))
        return TreeEvidence(
            cluster=-1,
            pages=0,
            fit=fit,
            text_share=text_share,
            place_share=place_share,
            change=change,
        )
    number = fits.index(fit)
    cluster = model.clusters[number]
    mapping = map_trees(cluster.tree, page.tree)
    text_share, place_share, change = place_evidence(
        mapping.left,
        mapping.right,
        cluster.tree.segment,
        page.tree.segment,
        page.tree.label,
        cluster.pages,
        cluster.support,
        cluster.distinct,
        cluster.text_place,
        cluster.text,
        cluster.text_pages,
        len(document.segments.texts),
    )
    return TreeEvidence(
        cluster=number,
        pages=cluster.pages,
        fit=fit,
        text_share=text_share,
        place_share=place_share,
        change=change,
    )
