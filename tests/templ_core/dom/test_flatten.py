"""The compiled walk against the obvious one, and what it says of a parser it does not fit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templ_core.dom.parse.parse_page import parse_markup
from templ_core.dom.parse import parser_check
from templ_core.dom.parse._flatten import flatten
from templ_core.dom.parse._strip_markup import lean_page
from templ_core.errors import ParserMismatch
from tests.templ_core.dom.parse.slow_flattener import SlowFlattener, slow_title
from workers.lab.simulate.feed import FeedSettings, simulate_feed

HOST = "example.com"
TAGS = st.sampled_from(
    (
        *(
            "a",
            "b",
            "br",
            "div",
            "em",
            "h1",
            "hr",
            "img",
            "input",
            "label",
            "li",
            "map",
            "math",
            "meta",
        ),
        *("option", "p", "pre", "script", "section", "select", "span", "style", "svg", "table"),
        *("td", "template", "textarea", "title", "tr", "ul", "x-own"),
    )
)
ATTRIBUTES = st.sampled_from(
    [
        *[
            "class='a b'",
            "class=a\u00e9",
            "class",
            "id=x",
            "role=main",
            "itemprop='n&amp;m'",
            "hidden",
        ],
        *[
            "aria-hidden=true",
            "aria-hidden=false",
            "style='display : none'",
            "style='DISPLAY:NONE'",
        ],
        *["style='color:red'", "style=v\u0131sibility:hidden", "style='visibility:\u00a0hidden'"],
        *[
            "href=/a",
            "href=//EXAMPLE.com/",
            "href=https://other.org",
            "href='http:nowhere'",
            "href=#a",
        ],
        *[
            "href=javascript:x",
            "href=https://\u00c9xample.com",
            "href=http://example.com",
            "lang=de",
            "property=og:title content='a  b'",
            "property=og:title",
        ],
    ]
)
TEXTS = st.sampled_from(
    [
        *[
            "word",
            " ",
            "two words",
            "\n",
            "\t",
            "\u00a0",
            "a\u2003b",
            "&nbsp;",
            "\u00e9t\u00e9",
            "&#11;",
        ],
        *[
            "\u4e2d\u6587",
            "\u0e01",
            "\U00020000",
            "\U0001f600",
            "_",
            "...",
            "&amp;",
            "\r\n  x \r\n",
            "&#xD800;",
        ],
        *["<!-- no -->", "<?pi?>", "<![CDATA[x]]>", "&unknown;", "&#x1c;", "\U000e0100", "\x85"],
    ]
)
PIECES = st.one_of(
    TEXTS,
    st.builds("<{} {}>".format, TAGS, st.lists(ATTRIBUTES, max_size=3).map(" ".join)),
    st.builds("</{}>".format, TAGS),
)
MARKUP = st.lists(PIECES, max_size=40).map("".join)


def assert_equal_columns(root, host):
    slow = SlowFlattener(host)
    slow.walk(root)
    element_types, nodes, texts, segments, scripts, title = flatten(root, host)
    assert (element_types, nodes.tolist(), texts, segments.tolist()) == slow.columns()
    assert scripts == sum(1 for _ in root.iter("script"))
    assert title == slow_title(root)


@given(MARKUP, st.sampled_from([HOST, "", "\u00e9xample.com"]))
def test_columns_equal_those_of_the_obvious_walk(markup, host):
    root = parse_markup(markup)
    if root is not None:
        assert_equal_columns(root, host)


def test_columns_of_synthetic_sites():
    for page in simulate_feed(FeedSettings(sites=12, pages=40)):
        assert_equal_columns(parse_markup(page.html), HOST)


def test_many_different_tags_and_classes():
    markup = "".join(f"<x-{n} class='c{n}' id={'i' * n}>word {n}</x-{n}>" for n in range(600))
    assert_equal_columns(parse_markup(markup), HOST)


def test_attributes_set_aside_of_another_page_are_refused():
    _, aside = lean_page(b"<p>a<p class=b>c")
    assert flatten(parse_markup("<p>a<p class=b>c"), HOST, aside) is None


def test_a_walk_that_reads_other_columns_is_refused_by_name(monkeypatch):
    def other(root, host, aside):
        element_types, nodes, *others = flatten(root, host, aside)
        return element_types, nodes + 1, *others

    monkeypatch.setattr(parser_check, "flatten", other)
    parser_check.checked_flatten.cache_clear()
    try:
        with pytest.raises(ParserMismatch, match="install templ-worker anew"):
            parser_check.checked_flatten()
    finally:
        parser_check.checked_flatten.cache_clear()
