"""Selectors over columns, against lxml's own selectors over a tree of the same elements."""

import random

import pytest
from lxml import etree
from lxml.cssselect import CSSSelector

from templ_core.dom.document import parse_document
from templ_core.errors import RuleError
from templ_core.site_settings.selectors import matching_nodes, parse_selector

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
        found = matching_nodes(parse_selector(text), document.nodes)
        wanted = set(CSSSelector(text)(elements[0]))
        assert found.tolist() == [one in wanted for one in elements], text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is no CSS selector"),
        ("div >", "is no CSS selector"),
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
