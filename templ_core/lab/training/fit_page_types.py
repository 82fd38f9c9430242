"""Fitting the page page_types to the page_types that corpora name, nested as the rest of the model."""

import numpy as np
from sklearn.linear_model import LogisticRegression

from templ_core.array_types import Floats, Int64s
from templ_core.lab.training.nested import Corpus, HashedScores, scores_of_page
from templ_core.page_level.model.page_type import PAGE_TYPES, PageTypeModel, page_statistics

_PAGE_TYPE_OF_NAME = {
    **dict.fromkeys(("article", "news", "blog", "magazine"), "article"),
    **dict.fromkeys(("documentation", "docs"), "documentation"),
    "forum": "forum",
    **dict.fromkeys(
        ("collection", "listing", "product", "service", "shop", "organisation", "corporate"),
        "other",
    ),
}
"""What corpora call their pages; other names teach nothing."""
_PENALTY = 50.0
_STEPS_MAX = 200


def fit_page_types(corpus: Corpus, scores: HashedScores, left_out: int) -> PageTypeModel | None:
    """The regression on pages outside a fold; None where a corpus names no two page_types."""
    named = [
        page
        for page in range(len(corpus.pages))
        if corpus.fold[page] != left_out and corpus.pages[page].kind in _PAGE_TYPE_OF_NAME
    ]
    kind = np.array(
        [PAGE_TYPES.index(_PAGE_TYPE_OF_NAME[corpus.pages[page].kind]) for page in named]
    )
    known = np.unique(kind)
    if len(known) < 2:
        return None
    statistics = np.array([statistics_of(corpus, scores, page, left_out) for page in named])
    deviation = statistics.std(axis=0)
    blank = PageTypeModel(
        mean=statistics.mean(axis=0).astype(np.float32),
        scale=np.where(deviation > 1e-6, 1 / np.maximum(deviation, 1e-6), 0).astype(np.float32),
        weights=np.empty((0, 0), np.float32),
        biases=np.empty(0, np.float32),
    )
    regression = LogisticRegression(C=1 / _PENALTY, max_iter=_STEPS_MAX, tol=1e-3)
    regression.fit(blank.standardised(statistics), kind, sample_weight=corpus.weight[named])
    return _filled(blank, regression, known)


def statistics_of(corpus: Corpus, scores: HashedScores, page: int, left_out: int) -> Floats:
    """Statistics of a page by tables that have not seen it, for models that leave a fold out."""
    one = corpus.pages[page]
    attribute, text = scores_of_page(corpus, scores, page, left_out)
    return page_statistics(one.base, one.tree.words, attribute, text)


def _filled(blank: PageTypeModel, regression: LogisticRegression, known: Int64s) -> PageTypeModel:
    """The model with the regression's numbers; page_types that no page has are out of the question."""
    inputs = len(blank.mean)
    weights = np.zeros((inputs, len(PAGE_TYPES)), np.float32)
    biases = np.full(len(PAGE_TYPES), -100, np.float32)
    if len(known) == 2:
        biases[known] = 0.0
        weights[:, known[1]] = regression.coef_[0]
        biases[known[1]] = regression.intercept_[0]
    else:
        weights[:, known] = regression.coef_.T
        biases[known] = regression.intercept_
    return PageTypeModel(mean=blank.mean, scale=blank.scale, weights=weights, biases=biases)
