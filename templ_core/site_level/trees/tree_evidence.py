"""What the tree templates of a site say about each segment of a page."""

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.dom.document import Document
from templ_core.site_level.places.node_frequency import UInt64s
from templ_core.site_level.trees._clusters import place_evidence
from templ_core.site_level.trees.labelled_tree import tree_of
from templ_core.site_level.trees.tree_mapping import map_trees
from templ_core.site_level.trees.tree_model import TreeModel

Floats = npt.NDArray[np.float64]


class TreeEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """Columns of length n_segments, and what holds for the whole page."""

    kind: int
    """Number of the page's kind in the model; -1 = like none of them."""
    pages: int
    """Pages of the site that the kind rests on; 0 without a kind."""
    fit: float
    """How like the page is to its kind, 0 to 1."""
    text_share: Floats
    """Share of the kind's pages with this very text at this place, 0 to 1; 0 = a page or none."""
    place_share: Floats
    """Share of the kind's pages with a text at this place, 0 to 1; 0 = no such place."""
    change: Floats
    """Texts over pages at this place, 0 to 1: 1 = another text on every page; 0 = no such place."""


def tree_evidence(
    document: Document,
    model: TreeModel,
    fit_min: float,
    texts: UInt64s | None = None,
    kinds: UInt64s | None = None,
) -> TreeEvidence:
    """The evidence of a site's tree templates for a page, whether it was learned or not.

    Args:
        document: The page.
        model: The site's tree templates.
        fit_min: A page less like than this to every kind is of none, 0 to 1.
        texts: `node_hashes` of the page's segments, where they are known already.
        kinds: `element_kinds` of the page, where they are known already.
    """
    page = tree_of(document, texts, kinds)
    fits = [kind.paths.likeness(page.paths, kind.pages) for kind in model.kinds]
    fit = max(fits, default=0.0)
    if fit <= fit_min:
        text_share, place_share, change = np.zeros((3, len(document.segments.texts)))
        return TreeEvidence(
            kind=-1, pages=0, fit=fit, text_share=text_share, place_share=place_share, change=change
        )
    number = fits.index(fit)
    kind = model.kinds[number]
    mapping = map_trees(kind.tree, page.tree)
    text_share, place_share, change = place_evidence(
        mapping.left,
        mapping.right,
        kind.tree.segment,
        page.tree.segment,
        page.tree.label,
        kind.pages,
        kind.support,
        kind.distinct,
        kind.text_place,
        kind.text,
        kind.text_pages,
        len(document.segments.texts),
    )
    return TreeEvidence(
        kind=number,
        pages=kind.pages,
        fit=fit,
        text_share=text_share,
        place_share=place_share,
        change=change,
    )
