"""What the window of a site says about the segments of a page, as columns for the fusion."""

import numpy as np

from templ_core.array_types import Floats
from templ_core.config import CoreConfig
from templ_core.dom.document import Document
from templ_core.page_level.features.page_features import PageFeatures
from templ_core.page_level.model.page_type import PageType
from templ_core.site_level.containers.article_head import article_head
from templ_core.site_level.containers.containers import (
    box_nodes,
    find_containers,
    mean_around,
    steps_from,
    usual,
)
from templ_core.site_level.fusion._site_inputs import combine
from templ_core.site_level.places._place_log_odds import where_repeated
from templ_core.site_level.places.element_types import element_type_rows
from templ_core.site_level.places.place_log_odds import read_places
from templ_core.site_level.places.places import node_places, page_places
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.trees.tree_evidence import tree_evidence

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
    "same shape": -1,
    "long same shape": -1,
    "tree constant": -1,
    "phrases": -1,
}
"""The inputs, and whether more of them speaks for content (1) or for template (-1)."""
CONSTANT = "constant"
"""Column, no input: whether a segment is constant text at a constant place, 0 or 1."""
TRUST = "trust"
"""Column, no input: how much the site's evidence counts for each segment, 0 to 1; for the rest the
page alone does. The share of the page's content that stands at places the site knows, so that after
a redesign nothing is made of evidence that is not there; 1 for text that other pages have."""
LENGTH = "length"
"""Column, no input: the logarithm of the words of each segment, at most of LONG_WORDS."""
RECURS = "recurs"
"""Column, no input: whether other pages have the text, 0 or 1."""
_COMBINED = (
    "page",
    "surroundings",
    "usual best box",
    "in the best box",
    "place",
    "same shape",
    "long same shape",
    "tree constant",
    TRUST,
    LENGTH,
    RECURS,
)
"""Columns that `combine` answers, in this order."""
_QUITE_SURE = 0.02
"""Probabilities are kept this far from 0 and 1."""
LONG_WORDS = 50
"""Longer texts are no surer."""
_PAGES_OF_DOUBT = 3
USUAL = -0.15
_CERTAIN = 4.0
"""On documentation, that all pages have a text says nothing of labels of records, which stand more
than once at one place of the page; nor where content usually stands: a best box is usual if it is at
most so much less usual than the page's most usual one. There the page model has the word, where it
takes text in the page's best box for content, or for content above these log-odds outside."""
_OPEN_ABOVE, _OPEN_BELOW = -1.0, 3.0
"""Phrases are looked for where page and place are not both below or both above these log-odds.

Nor in the head of an article, whose dates and names are phrases everywhere; and on documentation
they mean nothing, which says the same of each of its subjects.
"""


def site_inputs(
    document: Document,
    features: PageFeatures,
    content_log_odds: Floats,
    page_type: PageType,
    model: SiteModel,
    config: CoreConfig,
) -> Columns:
    """The inputs of the fusion, CONSTANT and TRUST; each column of length n_segments.

    Args:
        document: A page with at least one segment.
        features: Its features.
        content_log_odds: Log-odds for content of each segment, by the page model.
        page_type: The kind of the page, by the page model.
        model: What is known about the site.
        config: The core's thresholds.
    """
    table = model.places
    types = element_type_rows(document)
    nodes = node_places(document, types)
    page = page_places(document, features, nodes)
    tree, parent = features.tree, document.nodes.parent
    known = read_places(table, page, content_log_odds)
    containers = find_containers(page.first, page.last, known.content, tree.words)
    best = int(box_nodes(tree)[containers.best])
    steps = steps_from(tree, parent, best)
    head = article_head(document, features, types, int(tree.first[best]))
    in_tree = tree_evidence(
        document, model.trees, config.cluster_likeness_min, features.text, types
    )
    combined, is_open = combine(
        content_log_odds,
        known.log_odds,
        mean_around(known.content, tree, parent),
        usual(table.best_boxes, nodes.cell, tree),
        steps,
        head.below,
        where_repeated(page.path, page.text),
        known.path_pages,
        known.constant,
        known.text_pages,
        known.shape_pages,
        page.words,
        in_tree.place_share,
        in_tree.change,
        documentation=page_type.documentation,
        usual=USUAL,
        certain=_CERTAIN,
        pages=table.pages,
        cluster_pages=in_tree.pages,
        margin=_QUITE_SURE,
        long_words=LONG_WORDS,
        doubt=_PAGES_OF_DOUBT,
        open_above=_OPEN_ABOVE,
        open_below=_OPEN_BELOW,
    )
    columns = dict(zip(_COMBINED, combined, strict=True))
    return columns | {
        "usual content box": usual(table.content_boxes, nodes.cell, tree, max(table.pages, 1)),
        "steps to the best box": steps,
        "headline": head.headline,
        CONSTANT: known.constant.astype(np.float64),
        "phrases": (1 - page_type.documentation)
        * columns[LENGTH]
        * model.phrase_matcher.coverage(document, is_open),
    }
