from collections import Counter

import numpy as np
import pytest

from templ_core.clean import clean
from templ_core.dom.document import parse_document
from templ_core.explain.page_explanation import explain_page
from templ_core.explain.phrase_hits import PhraseFinder
from templ_core.explain.window_pages import evidence_pages
from templ_core.page_level.features.page_features import read_features
from templ_core.page_level.model.model_file import shipped_model
from templ_core.site_level.fusion.fusion import shipped_fusion
from templ_core.site_level.fusion.site_columns import FUSION_INPUTS
from templ_core.site_level.phrases.phrase_corpus import page_text
from templ_core.site_level.phrases.phrase_matcher import PhraseMatcher
from templ_core.site_level.phrases.phrase_removal import union_of_spans
from templ_core.site_level.window.page_summary import summarise_page
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


def counted(document):
    """The sentences that stand once in text of a page that may be content."""
    times = Counter(summarise_page(document, shipped_model()).sentences.keys.tolist())
    return {key for key, count in times.items() if count == 1}


def test_what_is_explained_is_what_is_cleaned(site, explained):
    documents, model = site
    cuts = varied = 0
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
        of_site = decision.site.varied
        for one in found.segments:
            is_varied = of_site is not None and of_site[one.number]
            assert one.goes_as_varied == (is_varied and not one.kept)
        varied += sum(one.goes_as_varied for one in found.segments)
    assert cuts > 10
    assert varied > 5


def test_counts_are_those_of_the_pages(site, explained):
    documents, _ = site
    features = [read_features(one) for one in documents]
    with_text = [set(one.text.tolist()) for one in features]
    with_sentence = [counted(one) for one in documents]
    checked = sentences = 0
    for found, own in zip(explained, features, strict=True):
        for one, text in zip(found.segments, own.text.tolist(), strict=True):
            count = sum(text in texts for texts in with_text)
            assert one.place.text_pages == (count if count > 1 else 0)
            checked += 1
            for hit in one.sentences:
                assert hit.pages == sum(hit.key in keys for keys in with_sentence)
                sentences += 1
    assert checked > 200
    assert sentences > 50


def test_inputs_add_up_to_the_log_odds_of_the_fusion(site, explained):
    documents, model = site
    terms, bias = shipped_fusion().terms, shipped_fusion().bias
    neutral = sum(term.weight * FUSION_INPUTS[name].neutral for name, term in terms.items())
    for document, found in zip(documents, explained, strict=True):
        site_log_odds = clean(document, model, CONFIG).decision.site.log_odds
        sums = [
            sum(item.log_odds for item in one.inputs) + neutral + bias for one in found.segments
        ]
        np.testing.assert_allclose(sums, site_log_odds, atol=1e-9)


def test_phrases_that_are_shown_cover_what_the_automaton_covers(site):
    documents, model = site
    finder, matcher, shown = PhraseFinder(model.phrases), PhraseMatcher(model.phrases), 0
    for document in documents:
        spans, start = [], 0
        for text, hits in zip(document.segments.texts, finder.hits(document), strict=True):
            spans += [(start + hit.start, start + hit.end) for hit in hits]
            start += len(text) + 1
        wanted = matcher.spans(page_text(document))
        assert union_of_spans(spans) == wanted
        shown += len(wanted)
    assert shown > 50


def test_pages_of_the_window_that_have_what_spoke_are_named(site, explained):
    documents, _ = site
    window = [(f"https://paper.example/{number}", one) for number, one in enumerate(documents)]
    found = explained[0]
    pages = evidence_pages(found, window)
    for one in found.segments:
        urls = [url for url, document in window if one.text in document.segments.texts]
        assert pages.texts[one.text] == urls
        for hit in one.sentences:
            assert len(pages.sentences[hit.key]) >= hit.pages
            assert window[0][0] in pages.sentences[hit.key]


@pytest.mark.parametrize("markup", ["", "<p>", "<p>Rain fell all day long in the whole valley."])
def test_a_page_without_a_site_is_explained_by_itself(markup):
    found = explain_page(parse_document(markup, ""), None, CONFIG, shipped_model())
    assert not found.used_site
    assert all(not one.inputs and one.place is None for one in found.segments)


def test_what_makes_a_repeated_sentence_stay_is_said(site, explained):
    whys = {
        (hit.stays, hit.why)
        for found in explained
        for one in found.segments
        for hit in one.sentences
    }
    assert (False, "The site repeats it between texts that differ.") in whys
    assert {stays for stays, why in whys if "differ" in why} == {False}
    series, others = ([page(9 * number + one) for number in range(4)] for one in (0, 1))
    documents = [*series, *others]
    document = documents[0]
    found = explain_page(document, site_model(documents), CONFIG, shipped_model())
    hits = [hit for one in found.segments for hit in one.sentences if "very series" in hit.text]
    assert [(hit.stays, "belongs to a series" in hit.why) for hit in hits] == [(True, True)]
