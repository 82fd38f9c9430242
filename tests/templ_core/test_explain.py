import numpy as np
import pytest

from templ_core.clean_document import clean
from templ_core.dom.document import parse_document
from templ_core.explain.page_explanation import evidence_pages, explain_page
from templ_core.explain.site_names import container_names
from templ_core.page_level.features.page_features import read_features
from templ_core.page_level.model.model_file import shipped_model
from templ_core.site_level.config import PLACES_CONFIG, STRINGS_CONFIG
from templ_core.site_level.fusion.fusion import shipped_fusion
from templ_core.site_level.fusion.site_columns import FUSION_INPUTS
from templ_core.tokens import tokenise
from tests.templ_core.site_level.builders import CONFIG, site_model
from tests.templ_core.site_level.repeating_site import page

PAGES = 60


@pytest.fixture(scope="module")
def site():
    """Documents of a site, and its model."""
    documents = [page(number) for number in range(PAGES)]
    return documents, site_model(documents)


@pytest.fixture(scope="module")
def explained(site):
    """The explanation of every page."""
    documents, model = site
    return [explain_page(one, model, CONFIG, shipped_model()) for one in documents]


def test_what_is_explained_is_what_is_cleaned(site, explained):
    documents, model = site
    cuts = 0
    for document, explanation in zip(documents, explained, strict=True):
        cleaned = clean(document, model, CONFIG)
        decision = cleaned.decision
        assert explanation.text == cleaned.text
        assert [one.kept for one in explanation.segments] == decision.kept.tolist()
        assert [one.reason for one in explanation.segments] == decision.reasons
        assert {one.number: one.cuts for one in explanation.segments if one.cuts} == {
            number: tuple(parts) for number, parts in (decision.cuts or {}).items()
        }
        cuts += len(decision.cuts or {})
    assert cuts >= 10


def test_counts_are_those_of_the_pages(site, explained):
    documents, _ = site
    features = [read_features(one) for one in documents]
    with_text = [set(one.text.tolist()) for one in features]
    checked = 0
    for explanation, own in zip(explained, features, strict=True):
        for segment, text in zip(explanation.segments, own.text.tolist(), strict=True):
            count = sum(text in texts for texts in with_text)
            assert explanation.site.segments.places.text_pages[segment.number] == (
                count if count > 1 else 0
            )
            checked += 1
    assert checked > 200


def test_inputs_add_up_to_the_log_odds_of_the_fusion(site, explained):
    documents, model = site
    terms, bias = shipped_fusion().terms, shipped_fusion().bias
    neutral = sum(term.weight * FUSION_INPUTS[name].neutral for name, term in terms.items())
    for document, explanation in zip(documents, explained, strict=True):
        site_log_odds = clean(document, model, CONFIG).decision.site.log_odds
        sums = [
            sum(one.log_odds for one in each.inputs) + neutral + bias
            for each in explanation.segments
        ]
        np.testing.assert_allclose(sums, site_log_odds, atol=1e-9)


def test_strings_that_are_shown_are_parts_of_their_segments(explained):
    shown = usual = 0
    for explanation in explained:
        strings = explanation.site.segments.strings
        for segment in explanation.segments:
            for hit in segment.strings:
                if hit.is_usual:
                    assert segment.text in hit.text.split("\n")
                    assert strings.usual_words[segment.number] == len(tokenise(hit.text))
                    usual += 1
                    continue
                assert hit.text in segment.text
                assert len(tokenise(hit.text)) == len(hit.tokens) // 2 >= STRINGS_CONFIG.words_min
                assert strings.few.share[segment.number] > 0
                shown += 1
    assert shown > 50
    assert usual > 50


def test_pages_of_the_window_that_have_what_spoke_are_named(site, explained):
    documents, model = site
    window = [(f"https://paper.example/{number}", one) for number, one in enumerate(documents)]
    explanation = explained[0]
    pages = evidence_pages(explanation, window, model.strings)
    for segment in explanation.segments:
        urls = [url for url, document in window if segment.text in document.segments.texts]
        assert pages.texts[segment.text] == urls
        for hit in segment.strings:
            least = 0.6 * PAGES if hit.is_usual else PLACES_CONFIG.repeated_pages_min
            assert len(pages.strings[hit]) >= least
            assert window[0][0] in pages.strings[hit]


@pytest.mark.parametrize("markup", ["", "<p>", "<p>Rain fell all day long in the whole valley."])
def test_a_page_without_a_site_is_explained_by_itself(markup):
    explanation = explain_page(parse_document(markup, ""), None, CONFIG, shipped_model())
    assert not explanation.used_site
    assert explanation.site is None
    assert not any(one.inputs for one in explanation.segments)


def test_containers_are_named_by_the_pages_that_a_model_was_learned_from():
    documents = [page(number) for number in range(30)]
    model = site_model(documents)
    names = container_names(documents, model)
    assert any(path.startswith("article") for path in names.values())
    assert container_names([], model) == {}
