import time

import pytest

from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.dom.document import parse_document
from templ_core.errors import RuleError
from templ_core.explain.page_explanation import explain_page
from templ_core.page_level.model.model_file import shipped_model
from templ_core.site_settings.ruled_segments import check_rule, ruled_segments
from templ_core.site_settings.site_settings import SiteRule, SiteSettings

STORY = "The council met on Monday, and it said that the bridge stays open until May. " * 3
PAGE = parse_document(
    f"<body><nav><a>Home</a></nav><div class=promo><p>{STORY}</div><aside><p>Call us.</aside>", ""
)


def settings(*rules, **others):
    return SiteSettings("v1", rules, **others)


def cleaned(own):
    return clean(PAGE, None, CoreConfig(), settings=own)


def test_rules_have_the_last_word_about_the_segments_that_they_name_and_no_others():
    before = cleaned(None)
    assert before.text == STORY.strip()
    after = cleaned(
        settings(SiteRule("remove", selector=".promo"), SiteRule("keep", text="call  US.*"))
    )
    assert after.text == "Call us."
    assert after.decision.reasons == ["page-level", "site-setting", "site-setting"]
    nothing = cleaned(settings(SiteRule("remove", selector=".nowhere")))
    assert (nothing.text, nothing.decision.reasons) == (before.text, before.decision.reasons)


def test_of_several_rules_the_last_one_counts():
    rules = SiteRule("remove", selector="body"), SiteRule("keep", selector=".promo p")
    assert cleaned(settings(*rules)).text == STORY.strip()
    assert cleaned(settings(*reversed(rules))).text == ""


def test_an_explanation_names_the_rule():
    rule = SiteRule("remove", selector=".promo")
    found = explain_page(PAGE, None, CoreConfig(), shipped_model(), settings(rule))
    assert [one.rule for one in found.segments] == ["", "remove selector .promo", ""]
    assert found.segments[1].elements[-2:] == ("div.promo", "p")


@pytest.mark.parametrize(
    ("text", "matches"),
    [
        ("Call us.", True),
        ("call*", True),
        ("*us.", True),
        ("*all*us*", True),
        ("us*", False),
        ("Call us.*us.", False),
        ("Call", False),
    ],
)
def test_a_text_stands_for_the_whole_segment(text, matches):
    after = cleaned(settings(SiteRule("keep", text=text)))
    assert ("Call us." in after.text) is matches


def test_a_listing_is_dropped_or_judged_by_the_page_alone():
    model = object()
    auto, keep, drop = (settings(listings=one) for one in ("auto", "keep", "drop"))
    assert auto.of_page("listing", model) == (auto, model)
    assert keep.of_page("listing", model) == (keep, None)
    assert drop.of_page(None, model) == (drop, model)
    own, _ = drop.of_page("listing", model)
    assert cleaned(own).text == ""
    assert own.version == drop.version


@pytest.mark.parametrize(
    "rule", [SiteRule("keep"), SiteRule("keep", selector="p", text="x"), SiteRule("keep", text="*")]
)
def test_a_rule_that_says_nothing_is_refused(rule):
    with pytest.raises(RuleError):
        check_rule(rule)


@pytest.mark.parametrize("form", [".name-{}-{}", "[class*=e-{}-{}]", "[id|=name-{}-{}]"])
def test_many_rules_on_a_page_of_many_names_take_little_time(form):
    names = [f"name-{rule}-{part}" for rule in range(200) for part in range(100)]
    page = parse_document("".join(f"<p class='{one}' id='{one}-x'>Text" for one in names), "")
    rules = tuple(
        SiteRule("remove", selector=",".join(form.format(rule, part) for part in range(24)))
        for rule in range(200)
    )
    began_s = time.process_time()
    ruled = ruled_segments(page, rules)
    assert time.process_time() - began_s < 3.0
    assert ruled.named.sum() >= 200 * 24
