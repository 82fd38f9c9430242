"""Fitting the ranking of a page's candidate keywords to pages with keywords of their own."""

import zlib
from collections.abc import Iterable

import numpy as np

from templ_core.lab.papers.kolcz_yih.keywords import DocumentFrequency, KeywordPage, read_candidates
from templ_core.lab.papers.pagelevel.fit_smoothed_classifier import fit_logistic
from templ_core.lab.papers.pagelevel.logistic_regression import LogisticRegression

OTHERS_PER_PAGE = 400
"""Candidates that are no keywords, drawn from each page."""


def fit_keywords(
    pages: Iterable[tuple[KeywordPage, frozenset[str]]], frequency: DocumentFrequency
) -> LogisticRegression:
    """Logistic regression over the candidates of pages with keywords.

    Args:
        pages: Pages, each with its keywords as `normal_phrase` writes them.
        frequency: Of the collection that the extraction knows.
    """
    rows, is_keyword = [], []
    for page, wanted in pages:
        candidates = read_candidates(page, frequency)
        right = np.array([phrase in wanted for phrase in candidates.phrases], np.bool_)
        others = np.flatnonzero(~right)
        if len(others) > OTHERS_PER_PAGE:
            rng = np.random.default_rng(zlib.crc32(page.title.encode("utf-8", "replace")))
            others = rng.choice(others, OTHERS_PER_PAGE, replace=False)
        drawn = np.sort(np.concatenate([np.flatnonzero(right), others]))
        rows.append(candidates.rows[drawn])
        is_keyword.append(right[drawn])
    return fit_logistic(np.concatenate(rows), np.concatenate(is_keyword))


def ranked(
    page: KeywordPage, frequency: DocumentFrequency, model: LogisticRegression, most: int
) -> list[str]:
    """At most `most` phrases of a page, the best first."""
    candidates = read_candidates(page, frequency)
    if not candidates.phrases:
        return []
    order = np.argsort(-np.round(model.log_odds(candidates.rows), 6), kind="stable")
    return [candidates.phrases[place] for place in order[:most]]
