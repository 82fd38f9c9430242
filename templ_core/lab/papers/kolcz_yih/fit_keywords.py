"""Ranking of a page's candidate keywords, fitted to pages that declare their keywords."""

import zlib
from collections.abc import Iterable

import numpy as np

from templ_core.lab.papers.kolcz_yih.keywords import DocumentFrequency, KeywordPage, read_candidates
from templ_core.lab.papers.pagelevel.fit_smoothed_classifier import fit_logistic
from templ_core.lab.papers.pagelevel.logistic_regression import LogisticRegression
from templ_core.lab.training.sampling import drawn_places

_OTHERS_PER_PAGE = 400
"""Most candidates of a page that are trained on as no keywords."""


def fit_keywords(
    pages: Iterable[tuple[KeywordPage, frozenset[str]]], frequency: DocumentFrequency
) -> LogisticRegression:
    """Fit a logistic regression to the candidates of pages with known keywords.

    Args:
        pages: Pages, each with its keywords as `normal_phrase` writes them.
        frequency: Document frequencies in the collection that the extraction knows.
    """
    rows, is_keyword = [], []
    for page, wanted in pages:
        candidates = read_candidates(page, frequency)
        right = np.array([phrase in wanted for phrase in candidates.phrases], np.bool_)
        others = np.flatnonzero(~right)
        seed = zlib.crc32(page.title.encode("utf-8", "replace"))
        others = others[drawn_places(len(others), _OTHERS_PER_PAGE, seed)]
        drawn = np.sort(np.concatenate([np.flatnonzero(right), others]))
        rows.append(candidates.rows[drawn])
        is_keyword.append(right[drawn])
    return fit_logistic(np.concatenate(rows), np.concatenate(is_keyword))


def rank_keywords(
    page: KeywordPage, frequency: DocumentFrequency, model: LogisticRegression, most: int
) -> list[str]:
    """Return at most `most` phrases of a page, the best first."""
    candidates = read_candidates(page, frequency)
    if not candidates.phrases:
        return []
    order = np.argsort(-np.round(model.log_odds(candidates.rows), 6), kind="stable")
    return [candidates.phrases[place] for place in order[:most]]
