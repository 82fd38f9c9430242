"""Tree templates as the only evidence: what most pages of a cluster have at the same place is template.

`find_template.py` keeps what all pages share, as the paper does; here the pages vote.
"""

from collections.abc import Sequence

import numpy as np

from templ_core.array_types import Bools
from templ_core.dom.document import Document
from templ_core.site_level.places.node_hashes import node_hashes
from templ_core.site_level.trees.labelled_tree import page_blocks
from templ_core.site_level.trees.tree_evidence import tree_evidence
from templ_core.site_level.trees.tree_learner import TreeLearner, TreePage
from templ_core.site_level.trees.tree_model import TreeModel


def learn_voted_templates(documents: Sequence[Document]) -> TreeModel:
    """Return the tree templates of some distinct pages of a site; pages without text do not count."""
    pages = {
        (bytes(node_hashes(one.segments.texts)), str(number)): _tree_page(one)
        for number, one in enumerate(documents)
        if one.segments.texts
    }
    return TreeLearner().model(pages)


def is_voted_template(document: Document, model: TreeModel, share_min: float) -> Bools:
    """Return which segments of a page are template; length n_segments.

    Args:
        document: The page.
        model: The templates of its site.
        share_min: Share of the pages of its cluster, 0 to 1, that must have the text at the same place.
    """
    page = _tree_page(document)
    found = tree_evidence(page.blocks, page.texts, model, page.words, page.mass)
    if found is None:
        return np.zeros(len(page.texts), np.bool_)
    result: Bools = found.text_pages >= max(2, share_min * found.pages)
    return result


def _tree_page(document: Document) -> TreePage:
    texts = node_hashes(document.segments.texts)
    return TreePage(
        blocks=page_blocks(document),
        texts=texts,
        words=np.ones(len(texts), np.int32),
        mass=np.zeros(len(texts), np.int64),
    )
