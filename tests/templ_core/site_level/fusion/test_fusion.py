import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templ_core.errors import CodecError
from templ_core.page_level.model.model_file import shipped_model
from templ_core.site_level.fusion._fusion import faded, words_at_stake
from templ_core.site_level.fusion.fusion import (
    FUSION_FORMAT,
    NEUTRAL,
    REASON_OF,
    REASONS,
    UNFITTED,
    FusionModel,
    Term,
    fusion_for,
    shipped_fusion,
    surer_by_length,
)
from templ_core.site_level.fusion.site_inputs import LENGTH, SIGNS

NUMBERS = st.floats(-9, 9).map(lambda number: round(number, 2))
TERMS = st.tuples(NUMBERS, NUMBERS, NUMBERS).map(
    lambda three: Term(weight=three[0], low=min(three[1:]), high=max(three[1:]))
)


def model_of(terms, bias):
    return FusionModel(
        format=FUSION_FORMAT, terms=terms, bias=bias, page_model="", corpora={}, quality={}
    )


@given(
    terms=st.dictionaries(st.sampled_from(sorted(REASON_OF)), TERMS, min_size=1),
    bias=NUMBERS,
    size=st.integers(1, 5),
    data=st.data(),
)
def test_log_odds_and_reasons_are_those_of_single_segments(terms, bias, size, data):
    columns = {
        name: np.array(data.draw(st.lists(NUMBERS, min_size=size, max_size=size)))
        for name in REASON_OF
    }
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)))
    model = model_of(terms, bias)
    log_odds, reasons = model.log_odds(columns), model.reasons(columns, kept)
    for segment in range(size):
        at = {name: float(column[segment]) for name, column in columns.items()}
        inputs = {n: min(max(at[n], term.low), term.high) for n, term in terms.items()}
        expected = bias + sum(terms[name].weight * inputs[name] for name in terms)
        assert log_odds[segment] == pytest.approx(expected)
        side = 1 if kept[segment] else -1
        strength = dict.fromkeys(REASONS, 0.0)
        for name, term in terms.items():
            strength[REASON_OF[name]] += side * term.weight * (at[name] - NEUTRAL[name])
        assert strength[reasons[segment]] == pytest.approx(max(strength.values()))


SEGMENTS = st.lists(
    st.tuples(
        NUMBERS,
        NUMBERS,
        st.integers(1, 9),
        st.floats(0, 1),
        st.booleans(),
        st.booleans(),
    )
)


@given(SEGMENTS)
def test_log_odds_fade_to_the_page_and_words_are_counted(segments):
    own, fused, words, weight, *flags = np.array(segments, float).reshape(-1, 6).T.copy()
    log_odds = faded(own, fused, weight, 1000)
    assert log_odds.tolist() == np.round(own + weight * (fused - own), 3).tolist()
    constant, kept = flags
    mass = words / (1 + np.exp(-own))
    found = words_at_stake(own, words, constant, kept > 0)
    assert found == pytest.approx((mass.sum(), mass @ constant, words @ kept, words.sum()))


def test_of_the_same_evidence_a_paragraph_is_surer_than_a_label():
    columns = {LENGTH: np.log([1, 50**0.5, 50])}
    assert surer_by_length(np.array([1.0, -1.0, 1.0]), columns).tolist() == [0.5, -1.25, 2.0]


def test_the_shipped_weights_were_fitted_for_the_shipped_page_model():
    assert shipped_fusion().page_model == shipped_model().version
    assert fusion_for(shipped_model().version) is shipped_fusion()


def test_unfitted_weights_have_the_signs_of_their_inputs():
    for name, term in UNFITTED.terms.items():
        assert term.weight * SIGNS[name] > 0


def test_the_shipped_model_knows_all_inputs():
    assert set(shipped_fusion().terms) <= set(REASON_OF)


@pytest.mark.parametrize("body", [b"{}", b"no JSON"])
def test_other_files_are_refused(body):
    with pytest.raises(CodecError, match="not a fusion model"):
        FusionModel.from_json(body)
