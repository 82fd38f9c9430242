import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templ_core.errors import CodecError
from templ_core.page_level.model.model_file import shipped_model
from templ_core.site_level.fusion._fusion import fused_log_odds
from templ_core.site_level.fusion.fusion import (
    FUSION_FORMAT,
    UNFITTED,
    FusionModel,
    Term,
    faded_log_odds,
    fusion_for,
    shipped_fusion,
    surer_by_length,
)
from templ_core.site_level.fusion.site_columns import (
    BY_TREE,
    FUSION_INPUTS,
    LENGTH,
    PLACE,
    REASON_TREE,
    REASONS,
)

NUMBERS = st.floats(-9, 9).map(lambda number: round(number, 2))
TERMS = st.tuples(NUMBERS, NUMBERS, NUMBERS).map(
    lambda three: Term(weight=three[0], low=min(three[1:]), high=max(three[1:]))
)


def model_of(terms, bias):
    return FusionModel(
        format=FUSION_FORMAT,
        terms=terms,
        bias=bias,
        confidence=None,
        page_model="",
        corpora={},
        quality={},
    )


@given(
    terms=st.dictionaries(st.sampled_from(sorted(FUSION_INPUTS)), TERMS, min_size=1),
    bias=NUMBERS,
    size=st.integers(1, 5),
    data=st.data(),
)
def test_log_odds_and_reasons_are_those_of_single_segments(terms, bias, size, data):
    columns = {
        name: np.array(data.draw(st.lists(NUMBERS, min_size=size, max_size=size)))
        for name in FUSION_INPUTS
    }
    columns[BY_TREE] = np.array(
        data.draw(st.lists(st.sampled_from([0.0, 1.0]), min_size=size, max_size=size))
    )
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)))
    model = model_of(terms, bias)
    log_odds, reasons = (
        fused_log_odds(columns, model.terms, model.bias),
        model.reasons(columns, kept),
    )
    for segment in range(size):
        at = {name: float(column[segment]) for name, column in columns.items()}
        inputs = {n: min(max(at[n], term.low), term.high) for n, term in terms.items()}
        expected = bias + sum(terms[name].weight * inputs[name] for name in terms)
        assert log_odds[segment] == pytest.approx(expected)
        side = 1 if kept[segment] else -1
        strength = dict.fromkeys(REASONS, 0.0)
        for name, term in terms.items():
            one = FUSION_INPUTS[name]
            reason = REASON_TREE if name == PLACE and at[BY_TREE] else one.reason
            strength[reason] += side * term.weight * (at[name] - one.neutral)
        assert strength[reasons[segment]] == pytest.approx(max(strength.values()))


SEGMENTS = st.lists(st.tuples(NUMBERS, NUMBERS, st.floats(0, 1)))


@given(SEGMENTS)
def test_log_odds_fade_to_the_page(segments):
    own, fused, weight = np.array(segments, float).reshape(-1, 3).T.copy()
    log_odds = faded_log_odds(own, fused, weight)
    assert log_odds.tolist() == np.round(own + weight * (fused - own), 3).tolist()


def test_of_the_same_evidence_a_paragraph_is_surer_than_a_label():
    columns = {LENGTH: np.log([1, 50**0.5, 50])}
    assert surer_by_length(np.array([1.0, -1.0, 1.0]), columns).tolist() == [0.5, -1.25, 2.0]


def test_the_shipped_weights_were_fitted_for_the_shipped_page_model():
    assert shipped_fusion().page_model == shipped_model().version
    assert fusion_for(shipped_model().version) is shipped_fusion()


def test_unfitted_weights_have_the_signs_of_their_inputs():
    for name, term in UNFITTED.terms.items():
        assert term.weight * FUSION_INPUTS[name].sign > 0


def test_the_shipped_model_knows_all_inputs():
    assert set(shipped_fusion().terms) <= set(FUSION_INPUTS)


@pytest.mark.parametrize("body", [b"{}", b"no JSON"])
def test_other_files_are_refused(body):
    with pytest.raises(CodecError, match="not a fusion model"):
        FusionModel.from_json(body)
