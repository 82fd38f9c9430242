from typing import get_args

import msgspec
import numpy as np
import pytest

from templ_core.config import Balance, CoreConfig
from templ_core.decide import REASON_OUTSIDE, decide, page_recall_share
from templ_core.dom.document import parse_document
from templ_core.page_level.model.model_file import shipped_model
from templ_core.page_level.model.page_type import PageType
from templ_core.page_level.page_evidence import read_page_evidence
from templ_core.site_level.fusion.fusion import shipped_fusion
from templ_core.site_level.fusion.site_columns import (
    CONSTANT,
    LENGTH,
    RECURS,
    TRUST,
)
from templ_core.site_level.site_evidence import SiteEvidence
from tests.templ_core.site_level.builders import CONFIG

STORY = "The council of the harbour met again, and said that the boats could wait until May."
TEASER = "In the next town the mayor opens a bridge to all who walk over it before the rain."
PAGE = parse_document(
    f"<article><p>{STORY}</article><section><p>{TEASER}</section>", "http://s.example/"
)


def decided(kind, documents, page=PAGE, log_odds=(3.0, 0.4), repeated=(0.0, 0.0), balance="even"):
    scores = msgspec.structs.replace(read_page_evidence(page, shipped_model()), page_type=kind)
    columns = {
        "in the best box": np.array([0.5, -0.5]),
        "usual best box": np.array([0.0, -0.6]),
        RECURS: np.zeros(2),
        LENGTH: np.log(scores.words),
        TRUST: np.ones(2),
        CONSTANT: np.zeros(2),
    }
    site = SiteEvidence(
        columns=columns,
        log_odds=np.array(log_odds) + repeated,
        repeated_log_odds=np.array(repeated),
        documents=documents,
        place_pages=documents,
        fusion=msgspec.structs.replace(shipped_fusion(), terms={}),
    )
    return decide(scores, site, msgspec.structs.replace(CONFIG, balance=balance))


def test_what_is_no_sure_content_beside_an_article_goes_and_says_so():
    decision = decided(PageType(article=0.8, other=0.2), 20)
    assert decision.kept.tolist() == [True, False]
    assert decision.reasons[1] == REASON_OUTSIDE
    assert decision.used_site


@pytest.mark.parametrize(("kind", "documents"), [(PageType(), 20), (PageType(article=0.8), 2)])
def test_it_stays_on_other_pages_and_where_the_site_is_hardly_known(kind, documents):
    assert decided(kind, documents).kept.all()


@pytest.mark.parametrize(
    ("documents", "half_sure", "hardly_sure"), [(2, -0.5, -1.5), (20, 0.4, -0.5)]
)
def test_the_balance_decides_on_what_is_unsure_of_new_and_known_sites(
    documents, half_sure, hardly_sure
):
    kept = [
        decided(PageType(), documents, log_odds=(3.0, unsure), balance=balance).kept.tolist()
        for balance in get_args(Balance)
        for unsure in (half_sure, hardly_sure)
    ]
    assert [first for first, _ in kept] == [True] * 6
    assert [second for _, second in kept] == [False, False, True, False, True, True]


@pytest.mark.parametrize("is_known", [False, True])
def test_an_even_balance_is_the_cut_without_one(is_known):
    kind = None if is_known else PageType(article=0.8)
    usual = 0.85 if is_known else 0.85 * (1 - 0.7 * 0.8)
    shares = [page_recall_share(kind, CoreConfig(balance=one)) for one in get_args(Balance)]
    assert shares == sorted(shares)
    assert shares[1] == pytest.approx(usual)


def test_segments_that_agree_are_weighed_together_but_for_text_that_the_site_repeats():
    page = parse_document(f"<article><p>{STORY}<p>{TEASER}</article>", "http://s.example/")
    one, other = decided(PageType(), 20, page, (0.5, -0.3)).log_odds
    assert one == other > 0
    one, other = decided(PageType(), 20, page, (0.5, 0.5), (0.0, -0.8)).log_odds
    assert one > 0 > other
