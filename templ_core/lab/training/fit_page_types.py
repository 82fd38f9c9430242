"""Fitting of the classifier of page types, inside the nested cross-validation of the page model."""

from collections.abc import Sequence

import msgspec
import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from templ_core.array_types import Floats, Int64s
from templ_core.lab.training.fit import in_bytes
from templ_core.lab.training.nested import HashedScores, TrainingCorpus, scores_of_page
from templ_core.lab.training.pages import TrainingPage
from templ_core.page_level.model.hashed_scores import NAMES_SIZE
from templ_core.page_level.model.page_type import PAGE_TYPES, PageTypeModel, page_statistics

_PAGE_TYPE_OF_NAME = {
    **dict.fromkeys(("article", "news", "blog", "magazine"), "article"),
    **dict.fromkeys(("documentation", "docs", "wiki"), "documentation"),
    "forum": "forum",
    "product": "product",
    **dict.fromkeys(("collection", "listing"), "listing"),
    **dict.fromkeys(("service", "organisation", "corporate"), "other"),
}
"""The model's page type for each name that corpora use, which holds where a page's markup states none; other
pages are left out."""
_PENALTY = 1 / 3
"""Strength of the L2 penalty on the weights of names."""
_STATISTICS_SHARE = 0.1
"""What statistics are multiplied with, so that the penalty holds their weights down more than those of names."""
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
    types = {
        page: PAGE_TYPES.index(page_type)
        for page, page_type in enumerate(map(known_page_type, corpus.pages))
        if page_type is not None and corpus.fold[page] != left_out
    }
    pages, page_type = list(types), np.array(list(types.values()))
    known = np.unique(page_type)
    if len(known) < 2:
        return None
    statistics = np.array([statistics_of(corpus, scores, page, left_out) for page in pages])
    deviation = statistics.std(axis=0)
    blank = PageTypeModel(
        mean=statistics.mean(axis=0).astype(np.float32),
        scale=np.where(deviation > 1e-6, 1 / np.maximum(deviation, 1e-6), 0).astype(np.float32),
        weights=np.empty((0, 0), np.float32),
        biases=np.empty(0, np.float32),
        names=np.empty((0, 0), np.int8),
        unit=1.0,
    )
    inputs = blank.standardised(statistics) * _STATISTICS_SHARE
    names = _name_rows([corpus.pages[page].names for page in pages])
    regression = LogisticRegression(C=1 / _PENALTY, max_iter=_STEPS_MAX, tol=1e-3)
    rows = sparse.hstack([inputs, names]).tocsr()
    regression.fit(rows, page_type, sample_weight=corpus.weight[pages])
    return _filled(blank, regression, known)


def known_page_type(page: TrainingPage) -> str | None:
    """Return what a page is by its markup or else by its corpus; None where neither says it."""
    return page.stated_type or _PAGE_TYPE_OF_NAME.get(page.page_type)


def _name_rows(names: Sequence[Int64s]) -> sparse.csr_matrix:
    """Return the names of each page as a row of n_pages x NAMES_SIZE, of length 1."""
    ends = np.cumsum([0, *map(len, names)])
    values = np.concatenate([np.full(len(some), len(some) ** -0.5) for some in names])
    return sparse.csr_matrix((values, np.concatenate(names), ends), (len(names), NAMES_SIZE))


def statistics_of(corpus: TrainingCorpus, scores: HashedScores, page: int, left_out: int) -> Floats:
    """Return a page's statistics from held-out scores, for models that leave a fold out."""
    one = corpus.pages[page]
    attribute, text = scores_of_page(corpus, scores, page, left_out)
    return page_statistics(one.base, one.tree.words, attribute, text)


def _filled(blank: PageTypeModel, regression: LogisticRegression, known: Int64s) -> PageTypeModel:
    """Return the model with the regression's coefficients; unknown page types get no probability."""
    size = len(blank.mean)
    weights = np.zeros((size + NAMES_SIZE, len(PAGE_TYPES)))
    biases = np.full(len(PAGE_TYPES), -100, np.float32)
    if len(known) == 2:
        biases[known] = 0.0
        weights[:, known[1]] = regression.coef_[0]
        biases[known[1]] = regression.intercept_[0]
    else:
        weights[:, known] = regression.coef_.T
        biases[known] = regression.intercept_
    names, unit = in_bytes(weights[size:])
    return msgspec.structs.replace(
        blank,
        weights=(weights[:size] * _STATISTICS_SHARE).astype(np.float32),
        biases=biases,
        names=names,
        unit=unit,
    )
