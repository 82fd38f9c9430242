"""How much recall counts by page type is what made pages best, and 1 where a type makes no difference."""

import numpy as np
import pytest

from templ_core.lab.training.recall import RECALL_SHARES, fit_recall_shares
from templ_core.page_level.model.page_model import recall_share
from templ_core.page_level.model.page_type import PAGE_TYPES, PageType


def best_at(share):
    """The F1 of a page whose best cut has this lambda."""
    return 1 - abs(np.log(RECALL_SHARES / share)) / 10


def test_each_type_has_the_share_that_makes_its_pages_best():
    kinds = [
        *[(PageType(article=1, other=0), best_at(RECALL_SHARES[3]))] * 5,
        *[(PageType(listing=0.9, other=0.1), best_at(RECALL_SHARES[12]))] * 5,
    ]
    types, f1 = zip(*kinds, strict=True)
    shares = dict(
        zip(PAGE_TYPES, fit_recall_shares(list(types), list(f1), np.ones(10)), strict=True)
    )
    assert shares["article"] == pytest.approx(RECALL_SHARES[3], abs=1e-4)
    listing = recall_share(PageType(listing=0.9, other=0.1), tuple(shares.values()))
    assert listing == pytest.approx(RECALL_SHARES[12], rel=0.05)
    assert shares["product"] == shares["forum"] == 1


def test_pages_count_by_their_weight():
    types = [PageType(forum=1, other=0)] * 3
    f1 = [best_at(RECALL_SHARES[2]), best_at(RECALL_SHARES[2]), best_at(RECALL_SHARES[10])]
    place = PAGE_TYPES.index("forum")
    assert fit_recall_shares(types, f1, np.ones(3))[place] == pytest.approx(
        RECALL_SHARES[2], abs=1e-4
    )
    assert fit_recall_shares(types, f1, np.array([1.0, 1.0, 3.0]))[place] == pytest.approx(
        RECALL_SHARES[10], abs=1e-4
    )
