"""How much recall counts in the cut of a page of each type: what made the F1 of pages of sites left out highest."""

import msgspec
import numpy as np

from templ_core.array_types import Floats
from templ_core.decide import select_segments
from templ_core.lab.training.pages import WordBag
from templ_core.page_level.model.page_type import PAGE_TYPES, PageType
from templ_core.page_level.page_evidence import Copies

RECALL_SHARES = np.geomspace(0.25, 4.0, 13)
"""The values of lambda with which pages are cut; see `_selection.best_cut`. Beyond them few sites decide, and rows of
products lose their values."""
_ROUNDS = 5
"""How often the share of each page type is chosen again; it stays the same from the third time on."""


def f1_of_cuts(log_odds: Floats, copies: Copies, words: Floats, bag: WordBag) -> Floats:
    """Return the word F1 of the cuts of a page with each of RECALL_SHARES, 0 to 1.

    Args:
        log_odds: Log-odds for content of each segment, policies applied; length n_segments.
        copies: Which segments may repeat which.
        words: Number of words of each segment, at least 1; length n_segments.
        bag: The words of the page and of its gold.
    """
    cuts = (select_segments(log_odds, copies, words, share) for share in RECALL_SHARES.tolist())
    return np.array([bag.f1(cut.kept)[0] for cut in cuts])


def fit_recall_shares(
    page_types: list[PageType], f1_by_page: list[Floats], weight: Floats
) -> tuple[float, ...]:
    """Return lambda of each of PAGE_TYPES with which the weighted mean F1 is highest.

    The logarithm of a page's lambda is the mean of those of its types (`page_model.recall_share`). One type after the
    other gets the best of RECALL_SHARES; a type that makes no difference has 1.

    Args:
        page_types: The types of the pages.
        f1_by_page: What `f1_of_cuts` returns for each page.
        weight: Weight of each page, above 0; length n_pages.
    """
    types = np.array([msgspec.structs.astuple(one) for one in page_types])
    f1 = np.array(f1_by_page)
    values = np.log(RECALL_SHARES)
    chosen = np.zeros(len(PAGE_TYPES))
    highest = _mean_f1(types @ chosen, f1, weight)
    for _ in range(_ROUNDS):
        for place in range(len(PAGE_TYPES)):
            for value in values:
                tried = chosen.copy()
                tried[place] = value
                mean = _mean_f1(types @ tried, f1, weight)
                if mean > highest:
                    highest, chosen = mean, tried
    return tuple(np.exp(chosen).round(4).tolist())


def _mean_f1(log_shares: Floats, f1: Floats, weight: Floats) -> float:
    """Return the weighted mean F1 of pages that are cut with these logarithms of lambda, interpolated."""
    values = np.log(RECALL_SHARES)
    steps = (np.clip(log_shares, values[0], values[-1]) - values[0]) / (values[1] - values[0])
    below = np.minimum(steps.astype(np.int64), len(values) - 2)
    part = steps - below
    rows = np.arange(len(f1))
    of_pages = f1[rows, below] * (1 - part) + f1[rows, below + 1] * part
    return float(np.average(of_pages, weights=weight))
