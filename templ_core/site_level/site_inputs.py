"""What the window of a site says about the segments of a page, as columns for the fusion."""

import numpy as np
import numpy.typing as npt

from templ_core.config import CoreConfig
from templ_core.dom.document import Document
from templ_core.page_level.features import PageFeatures
from templ_core.page_level.page_kind import PageKind
from templ_core.site_level.article_head import article_head
from templ_core.site_level.containers import (
    box_nodes,
    find_containers,
    mean_around,
    steps_from,
    usual,
)
from templ_core.site_level.element_kinds import UInt64s, element_kinds
from templ_core.site_level.place_odds import clipped_odds, read_places
from templ_core.site_level.places import node_places, page_places
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.tree_evidence import tree_evidence

Floats = npt.NDArray[np.float64]
Columns = dict[str, Floats]

SIGNS = {
    "page": 1,
    "place": 1,
    "surroundings": 1,
    "usual content box": 1,
    "usual best box": 1,
    "in the best box": 1,
    "steps to the best box": -1,
    "headline": 1,
    "below the headline": 1,
    "constant words": -1,
    "same shape": -1,
    "long same shape": -1,
    "tree constant": -1,
    "phrases": -1,
}
"""The inputs, and whether more of them speaks for content (1) or for template (-1)."""
CONSTANT = "constant"
"""Column, no input: whether a segment is constant text at a constant place, 0 or 1."""
_QUITE_SURE = 0.02
"""Probabilities are kept this far from 0 and 1."""
_CONSTANT_MAX = 5.0
_LONG_WORDS = 50
_PAGES_OF_DOUBT = 3
_OPEN_ABOVE, _OPEN_BELOW = -1.0, 3.0
"""Phrases are looked for where page and place are not both below or both above these log-odds.

Nor in the head of an article, whose dates and names are phrases everywhere; and on documentation
they mean nothing, which says the same of each of its subjects.
"""


def site_inputs(
    document: Document,
    features: PageFeatures,
    content_odds: Floats,
    page_kind: PageKind,
    model: SiteModel,
    config: CoreConfig,
) -> Columns:
    """The inputs of the fusion, and CONSTANT; each column of length n_segments.

    Args:
        document: A page with at least one segment.
        features: Its features.
        content_odds: Log-odds for content of each segment, by the page model.
        page_kind: The kind of the page, by the page model.
        model: What is known about the site.
        config: The core's thresholds.
    """
    table = model.places
    kinds = element_kinds(document)
    nodes = node_places(document, kinds)
    page = page_places(document, features, nodes)
    tree, parent = features.tree, document.nodes.parent
    words = page.words.astype(np.int64)
    reading = read_places(table, page, content_odds)
    known, place = reading.known, reading.odds
    content = 1 / (1 + np.exp(-place))
    containers = find_containers(page.first, page.last, content, tree.words)
    best = box_nodes(tree)[containers.best]
    steps = steps_from(tree, parent, int(best))
    near = mean_around(content, tree, parent)
    best_votes, having = table.best_boxes.of(nodes.cell)
    best_share = usual(best_votes, having, tree)
    head = article_head(document, features, kinds, int(tree.first[best]))
    same_shape = known.shape_pages / max(table.pages, 1)
    long = np.log(np.minimum(words, _LONG_WORDS))
    may_be_phrase = (words <= _LONG_WORDS) | (known.shape_pages > 1)
    is_open = _is_open(content_odds, place) & may_be_phrase & (head.below == 0)
    return {
        "page": np.clip(content_odds, -_odds(_QUITE_SURE), _odds(_QUITE_SURE)),
        "place": place,
        "surroundings": clipped_odds(near, _QUITE_SURE),
        "usual content box": usual(table.content_boxes.of(nodes.cell)[0], table.pages, tree),
        "usual best box": best_share - best_share.max(),
        "in the best box": np.where(steps == 0, 0.5, -0.5),
        "steps to the best box": steps,
        "headline": head.headline,
        "below the headline": head.below,
        CONSTANT: known.constant.astype(np.float64),
        "constant words": np.clip(
            np.log(np.maximum(known.path_pages * known.constancy, 1)), 0, _CONSTANT_MAX
        ),
        "same shape": same_shape,
        "long same shape": table.pages / (table.pages + _PAGES_OF_DOUBT) * same_shape * long,
        "tree constant": _tree_constancy(document, features, kinds, model, config),
        "phrases": (1 - page_kind.documentation)
        * long
        * model.phrase_matcher.coverage(document, is_open),
    }


def _tree_constancy(
    document: Document, features: PageFeatures, kinds: UInt64s, model: SiteModel, config: CoreConfig
) -> Floats:
    """How much the places of segments in the page's kind are there on every page, and the same."""
    found = tree_evidence(document, model.trees, config.kind_likeness_min, features.text, kinds)
    return found.place_share * (1 - found.change) * found.pages / (found.pages + 1)


def _is_open(page: Floats, place: Floats) -> npt.NDArray[np.bool_]:
    """Segments that phrases could make template: neither content nor template by page and place."""
    return (np.maximum(page, place) > _OPEN_ABOVE) & (np.minimum(page, place) < _OPEN_BELOW)


def _odds(margin: float) -> float:
    return float(np.log((1 - margin) / margin))
