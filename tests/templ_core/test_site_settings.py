"""Selectors over columns, against lxml's own selectors over a tree of the same elements."""

import random

import pytest
from lxml import etree
from lxml.cssselect import CSSSelector

from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.dom.document import parse_document
from templ_core.errors import RuleError
from templ_core.explain.page_explanation import explain_page
from templ_core.page_level.model.model_file import shipped_model
from templ_core.site_settings.rules import NodeMatcher, check_rule, parse_selector, ruled_segments
from templ_core.site_settings.site_settings import SiteRule, SiteSettings

TAGS = ("div", "p", "section", "ul", "li")
NAMES = ("ad", "top", "a-b")
PARTS = ("div", "p", "*", ".ad", "#top", "[role]", "[role=ad]", "[class~=top]", "[id^=a]", "[id$=p]", "[class*=o]", "[role|=a]", "[class='ad top']", "[class~='']", "[id*='']", "li.ad", ":not(.ad)", ":is(p, .top)")  # fmt: skip


def random_markup(rng, depth=0):
    pieces = []
    for _ in range(rng.randint(1, 4)):
        tag = rng.choice(TAGS)
        held = "".join(
            f' {name}="{" ".join(rng.sample(NAMES, rng.randint(1, 2)))}"'
            for name in ("id", "class", "role")
            if rng.random() < 0.4
        )
        inner = random_markup(rng, depth + 1) if depth < 3 and tag != "p" else "word"
        pieces.append(f"<{tag}{held}>{inner}</{tag}>")
    return "".join(pieces)


def tree_of(document):
    nodes, elements = document.nodes, []
    for node, parent in enumerate(nodes.parent.tolist()):
        tag, text = nodes.element_types[nodes.element_type[node]]
        held = dict(zip(("id", "class", "role", "itemprop"), text.split("\n"), strict=False))
        held = {name: value for name, value in held.items() if value}
        if parent < 0:
            elements.append(etree.Element(tag, held))
        else:
            elements.append(etree.SubElement(elements[parent], tag, held))
    return elements


@pytest.mark.parametrize("seed", range(6))
def test_a_selector_matches_what_lxml_matches(seed):
    rng = random.Random(seed)
    document = parse_document(f"<body>{random_markup(rng)}</body>", "")
    elements = tree_of(document)
    for _ in range(60):
        text = rng.choice(PARTS)
        for _ in range(rng.randint(0, 3)):
            text += rng.choice((" ", " > ", " + ", " ~ ")) + rng.choice(PARTS)
        if rng.random() < 0.2:
            text += ", " + rng.choice(PARTS)
        matching = NodeMatcher(document.nodes).matching(parse_selector(text))
        wanted = set(CSSSelector(text)(elements[0]))
        assert matching.tolist() == [one in wanted for one in elements], text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is no CSS selector"),
        ("div >", "is no CSS selector"),
        (":is(p,", "is no CSS selector"),
        ("a[href]", "asks for the attribute href"),
        ("p::before", "no pseudo-elements"),
        ("li:nth-child(2)", "pseudo-class other than"),
        ("div:has(p)", "pseudo-class other than"),
        (":not(" * 30 + "p" + ")" * 30, "nested too deeply|is no CSS selector"),
        (" ".join(["p"] * 60), "more than 50 parts|nested too deeply"),
        ("p" * 501, "at most 500 characters"),
    ],
)
def test_what_cannot_be_used_is_refused_with_the_reason(text, why):
    with pytest.raises(RuleError, match=why):
        parse_selector(text)


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
    rules = SiteRule("remove", selector=".promo"), SiteRule("keep", text="call  US.*")
    after = cleaned(settings(*rules))
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
    explanation = explain_page(PAGE, None, CoreConfig(), shipped_model(), settings(rule))
    assert [one.rule for one in explanation.segments] == ["", "remove selector .promo", ""]
    assert explanation.segments[1].elements[-2:] == ("div.promo", "p")


@pytest.mark.parametrize(
    ("text", "matches"),
    [
        ("Call us.", True), ("call*", True), ("*us.", True), ("*all*us*", True), ("us*", False),
        ("Call us.*us.", False), ("Call", False),
    ],
)  # fmt: skip
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
def test_many_rules_on_a_page_of_many_names_all_take_effect(form):
    names = [f"name-{rule}-{part}" for rule in range(200) for part in range(100)]
    page = parse_document("".join(f"<p class='{one}' id='{one}-x'>Text" for one in names), "")
    rules = tuple(
        SiteRule("remove", selector=",".join(form.format(rule, part) for part in range(24)))
        for rule in range(200)
    )
    ruled = ruled_segments(page, rules)
    assert ruled.named.sum() >= 200 * 24
