"""Fitting of the classifier of page types, inside the nested cross-validation of the page model."""

import numpy as np
from sklearn.linear_model import LogisticRegression

from templ_core.array_types import Floats, Int64s
from templ_core.lab.training.nested import HashedScores, TrainingCorpus, scores_of_page
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
"""The model's page type for each name that corpora use; pages with other names are left out."""
_PENALTY = 50.0
"""Strength of the L2 penalty."""
_STEPS_MAX = 200


def fit_page_types(
    corpus: TrainingCorpus, scores: HashedScores, left_out: int
) -> PageTypeModel | None:
    """Fit a multinomial logistic regression of the page type to the pages outside a fold.

    Args:
        corpus: All training pages.
        scores: Held-out scores of the hashed tables.
        left_out: The fold to leave out, or NO_FOLD.

    Returns:
        None if the pages have fewer than two different page types.
    """
    named = [
        page
        for page in range(len(corpus.pages))
        if corpus.fold[page] != left_out and corpus.pages[page].page_type in _PAGE_TYPE_OF_NAME
    ]
    page_type = np.array(
        [PAGE_TYPES.index(_PAGE_TYPE_OF_NAME[corpus.pages[page].page_type]) for page in named]
    )
    known = np.unique(page_type)
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
    regression.fit(blank.standardised(statistics), page_type, sample_weight=corpus.weight[named])
    return _filled(blank, regression, known)


def statistics_of(corpus: TrainingCorpus, scores: HashedScores, page: int, left_out: int) -> Floats:
    """Return a page's statistics from held-out scores, for models that leave a fold out."""
    one = corpus.pages[page]
    attribute, text = scores_of_page(corpus, scores, page, left_out)
    return page_statistics(one.base, one.tree.words, attribute, text)


def _filled(blank: PageTypeModel, regression: LogisticRegression, known: Int64s) -> PageTypeModel:
    """Return the model with the regression's coefficients; unknown page types get no probability."""
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
