import msgspec
import numpy as np

from templ_core.clean_document import clean
from templ_core.cleaner_version import cleaner_version
from templ_core.config import CoreConfig
from templ_core.dom.document import parse_document
from templ_core.page_level.model.model_file import shipped_model
from templ_core.site_level.fusion.fusion import UNFITTED, shipped_fusion
from tests.templ_core.site_level.builders import CONFIG, site_model

SENTENCE = "The committee met on {n} occasions, and each time it found, after long talks, little. "
BOILERPLATE = (
    "This site is run by volunteers who meet every month, in rain and in sun, to discuss what to "
    "write about next, and you are welcome to join them, whoever you are."
)


def page(number):
    article = "".join(f"<p>{SENTENCE.format(n=number * 10 + k) * 4}</p>" for k in range(4))
    return parse_document(
        f"<html><head><title>Page {number}</title></head><body>"
        "<nav class=menu><ul><li><a href=/>Home</a><li><a href=/news>News</a></ul></nav>"
        f"<article class=post><h1>Page {number}</h1><p class=byline>By Ann Reed, May {number}, 2026</p>"
        f"<div class=entry-content>{article}</div>"
        f"<div class=author-bio><p>{BOILERPLATE}</p></div></article>"
        "<footer>Copyright, all rights reserved</footer></body></html>",
        "https://example.com/",
    )


def test_navigation_and_footer_go_and_the_article_stays():
    text = clean(page(1), None, CONFIG).text
    assert "The committee met on 13 occasions" in text
    assert "Home" not in text
    assert "Copyright" not in text


def test_what_the_sites_pages_share_goes_even_where_it_reads_like_content():
    alone = clean(page(1), None, CONFIG)
    known = clean(page(1), site_model([page(n) for n in range(2, 22)]), CONFIG)
    assert BOILERPLATE in alone.text
    assert BOILERPLATE not in known.text
    assert "The committee met on 13 occasions" in known.text
    assert known.decision.used_site
    reason = dict(zip(page(1).segments.texts, known.decision.reasons, strict=True))
    assert reason[BOILERPLATE] in ("site-constant", "site-string", "site-place")


def test_a_site_whose_pages_are_all_this_page_cannot_empty_it():
    copies = [page(1) for _ in range(20)]
    assert "The committee met on 13 occasions" in clean(page(1), site_model(copies), CONFIG).text


def test_site_evidence_that_would_take_nearly_everything_is_set_aside():
    stern = CoreConfig(abstain_ratio=1.01)
    known = clean(page(1), site_model([page(n) for n in range(2, 22)]), stern)
    assert known.text == clean(page(1), None, CONFIG).text
    assert "abstained" in known.warnings
    assert not known.decision.used_site


def test_an_empty_model_has_no_weight():
    alone, known = clean(page(1), None, CONFIG), clean(page(1), site_model([]), CONFIG)
    assert known.text == alone.text
    assert not known.decision.used_site


def test_no_word_is_invented():
    document = page(3)
    words = set(" ".join(document.segments.texts).split())
    assert set(clean(document, None, CONFIG).text.split()) <= words


def test_a_page_without_text_is_empty_and_says_so():
    cleaned = clean(parse_document("<p></p>", "u"), None, CONFIG)
    assert cleaned.text == ""
    assert cleaned.warnings == ["empty"]


def test_a_page_that_its_scripts_would_render_is_noted():
    markup = "<div id=app></div><p>Enable JavaScript</p><script>" + "x=1;" * 3000 + "</script>"
    assert "script-rendered" in clean(parse_document(markup, "u"), None, CONFIG).warnings


def test_an_error_page_is_noted():
    markup = "<title>404 Not Found</title><p>The page you asked for is not here, sorry.</p>"
    assert "error-page" in clean(parse_document(markup, "u"), None, CONFIG).warnings


def test_decisions_stay_in_their_ranges():
    decision = clean(page(4), site_model([page(n) for n in range(5)]), CONFIG).decision
    assert np.all((decision.templateness >= 0) & (decision.templateness <= 1))
    assert len(decision.reasons) == len(decision.kept)


def test_the_version_changes_with_a_threshold():
    assert cleaner_version(CONFIG) != cleaner_version(CoreConfig(abstain_ratio=0.2))


def listing(first):
    teasers = "".join(
        f"<div class=teaser><h2><a href=/s{number}>Story {number} of the committee</a></h2>"
        f"<p>{SENTENCE.format(n=number)}</p></div>"
        for number in range(first, first + 8)
    )
    return parse_document(
        f"<title>News from {first}</title><body><ul class=menu><li><a href=/>Home</a></ul>"
        f"<div class=list>{teasers}</div><footer>Copyright, all rights reserved</footer>",
        "https://example.com/",
    )


def test_teasers_that_recur_from_listing_to_listing_stay():
    alone = clean(listing(4), None, CONFIG).text
    assert "occasions" in alone
    for window in (
        [listing(n) for n in range(12)],
        [listing(3)] * 3 + [listing(n) for n in range(3, 9)],
        [page(n) for n in range(20)] + [listing(n) for n in range(10)],
    ):
        assert alone in clean(listing(4), site_model(window), CONFIG).text


def test_shipped_weights_are_used_with_the_page_model_that_they_were_fitted_for_and_no_other():
    model = site_model([page(n) for n in range(2, 8)])
    own = msgspec.structs.replace(shipped_model(), version="page-2-000000000000")
    assert clean(page(1), model, CONFIG).decision.site.fusion is shipped_fusion()
    assert clean(page(1), model, CONFIG, own).decision.site.fusion is UNFITTED
