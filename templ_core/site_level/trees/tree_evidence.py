"""What the tree templates of a site say about each segment of a page."""

import msgspec

from templ_core.array_types import Floats, Int32s, Int64s, UInt64s
from templ_core.site_level.config import PLACES_CONFIG, TREES
from templ_core.site_level.places.place_counts import MASS_UNIT
from templ_core.site_level.trees._trees import align, pool
from templ_core.site_level.trees.labelled_tree import PageBlocks, labelled, likeness
from templ_core.site_level.trees.tree_mapping import NODES_MAX, map_trees
from templ_core.site_level.trees.tree_model import TreeModel


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
    `TREES.prior_words` words of its parent's content, which pools all words below it, and so on from the root.

    Args:
        blocks: The tree of the page without its texts.
        texts: Hash of each segment's text, by one function for all pages of the site.
        model: The site's tree templates.
        words: Words of each segment.
        mass: Content mass of each segment, see `templ_core.site_level.places.place_table.PlaceReading`.

    Returns:
        The evidence; None where the page is like no cluster.
    """
    page = labelled(blocks.first(NODES_MAX), texts)
    nearest, most = None, TREES.likeness_min
    for cluster in model.clusters:
        like = likeness(cluster.reference.paths, page.paths)
        if like > most:
            nearest, most = cluster, like
    if nearest is None:
        return None
    tree, margin = nearest.reference.tree, PLACES_CONFIG.probability_margin
    places, equal, _ = align(map_trees(tree, page.tree), tree, page.tree, len(words))
    columns = pool(nearest, places, equal, words, mass, MASS_UNIT, TREES.prior_words, margin)
    return TreeEvidence(nearest.pages, *columns)
