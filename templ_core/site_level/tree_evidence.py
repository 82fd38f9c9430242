"""What the tree templates of a site say about each segment of a page."""

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.dom.document import Document
from templ_core.site_level.frequency import UInt64s
from templ_core.site_level.labelled_tree import tree_of
from templ_core.site_level.tree_mapping import map_trees
from templ_core.site_level.tree_model import TreeKind, TreeModel

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
    text_share, place_share, change = np.zeros((3, len(document.segments.texts)))
    fits = [kind.paths.likeness(page.paths, kind.pages) for kind in model.kinds]
    fit = max(fits, default=0.0)
    if fit <= fit_min:
        return TreeEvidence(
            kind=-1, pages=0, fit=fit, text_share=text_share, place_share=place_share, change=change
        )
    number = fits.index(fit)
    kind = model.kinds[number]
    mapping = map_trees(kind.tree, page.tree)
    paired = (mapping.left >= 0) & (mapping.right >= 0)
    places, nodes = mapping.left[paired], mapping.right[paired]
    is_text = kind.tree.is_text[places] & page.tree.is_text[nodes]
    places, nodes = places[is_text], nodes[is_text]
    segments = page.tree.segment[nodes]
    text_share[segments] = _pages_with(kind, places, page.tree.label[nodes]) / kind.pages
    place_share[segments] = kind.support[places] / kind.pages
    change[segments] = kind.distinct[places] / kind.support[places]
    return TreeEvidence(
        kind=number,
        pages=kind.pages,
        fit=fit,
        text_share=text_share,
        place_share=place_share,
        change=change,
    )


def _pages_with(
    kind: TreeKind, places: npt.NDArray[np.int32], texts: UInt64s
) -> npt.NDArray[np.int64]:
    """Pages that have each text at each place; 0 where it does not recur."""
    found = np.zeros(places.size, np.int64)
    first = np.searchsorted(kind.text_place, places)
    for rank in range(int(np.bincount(kind.text_place).max(initial=0))):
        row = np.minimum(first + rank, max(kind.text.size - 1, 0))
        is_this = (kind.text_place[row] == places) & (kind.text[row] == texts)
        found[is_this] = kind.text_pages[row[is_this]]
    return found
