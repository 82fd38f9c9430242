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

PAGES = 40


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
    for document, found in zip(documents, explained, strict=True):
        cleaned = clean(document, model, CONFIG)
        decision = cleaned.decision
        assert found.text == cleaned.text
        assert [one.kept for one in found.segments] == decision.kept.tolist()
        assert [one.reason for one in found.segments] == decision.reasons
        assert {one.number: one.cuts for one in found.segments if one.cuts} == {
            number: tuple(parts) for number, parts in (decision.cuts or {}).items()
        }
        cuts += len(decision.cuts or {})
    assert cuts >= 10


def test_counts_are_those_of_the_pages(site, explained):
    documents, _ = site
    features = [read_features(one) for one in documents]
    with_text = [set(one.text.tolist()) for one in features]
    checked = 0
    for found, own in zip(explained, features, strict=True):
        for one, text in zip(found.segments, own.text.tolist(), strict=True):
            count = sum(text in texts for texts in with_text)
            assert found.site.segments.places.text_pages[one.number] == (count if count > 1 else 0)
            checked += 1
    assert checked > 200


def test_inputs_add_up_to_the_log_odds_of_the_fusion(site, explained):
    documents, model = site
    terms, bias = shipped_fusion().terms, shipped_fusion().bias
    neutral = sum(term.weight * FUSION_INPUTS[name].neutral for name, term in terms.items())
    for document, found in zip(documents, explained, strict=True):
        site_log_odds = clean(document, model, CONFIG).decision.site.log_odds
        sums = [
            sum(one.log_odds for one in each.inputs) + neutral + bias for each in found.segments
        ]
        np.testing.assert_allclose(sums, site_log_odds, atol=1e-9)


def test_strings_that_are_shown_are_parts_of_their_segments(explained):
    shown = usual = 0
    for found in explained:
        strings = found.site.segments.strings
        for one in found.segments:
            for hit in one.strings:
                if hit.is_usual:
                    assert one.text in hit.text.split("\n")
                    assert strings.usual_words[one.number] == len(tokenise(hit.text))
                    usual += 1
                    continue
                assert hit.text in one.text
                assert len(tokenise(hit.text)) == len(hit.tokens) // 2 >= STRINGS_CONFIG.words_min
                assert strings.few.share[one.number] > 0
                shown += 1
    assert shown > 50
    assert usual > 50


def test_pages_of_the_window_that_have_what_spoke_are_named(site, explained):
    documents, model = site
    window = [(f"https://paper.example/{number}", one) for number, one in enumerate(documents)]
    found = explained[0]
    pages = evidence_pages(found, window, model.strings)
    for one in found.segments:
        urls = [url for url, document in window if one.text in document.segments.texts]
        assert pages.texts[one.text] == urls
        for hit in one.strings:
            least = 0.6 * PAGES if hit.is_usual else PLACES_CONFIG.repeated_pages_min
            assert len(pages.strings[hit]) >= least
            assert window[0][0] in pages.strings[hit]


@pytest.mark.parametrize("markup", ["", "<p>", "<p>Rain fell all day long in the whole valley."])
def test_a_page_without_a_site_is_explained_by_itself(markup):
    found = explain_page(parse_document(markup, ""), None, CONFIG, shipped_model())
    assert not found.used_site
    assert found.site is None
    assert not any(one.inputs for one in found.segments)


def test_containers_are_named_by_the_pages_that_a_model_was_learned_from():
    documents = [page(number) for number in range(30)]
    model = site_model(documents)
    names = container_names(documents, model)
    assert any(path.startswith("article") for path in names.values())
    assert container_names([], model) == {}
