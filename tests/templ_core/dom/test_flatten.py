"""The compiled walk returns the columns of a simple one, and is refused where it misreads the parser."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templ_core.dom.parse import parse_page
from templ_core.dom.parse._flatten import AttributeTableMismatch, flatten
from templ_core.dom.parse._strip_markup import strip_markup
from templ_core.dom.parse.parse_page import parse_markup
from templ_core.errors import ParserMismatch
from tests.templ_core.dom.slow_flattener import SlowFlattener, slow_title
from workers.lab.simulate.feed import FeedSettings, simulate_feed

HOST = "example.com"
TAGS = st.sampled_from(
    (
        "a", "b", "br", "div", "em", "h1", "hr", "img", "input", "label", "li", "map", "math",
        "meta", "option", "p", "pre", "script", "section", "select", "span", "style", "svg",
        "table", "td", "template", "textarea", "title", "tr", "ul", "x-own",
    )
)  # fmt: skip
ATTRIBUTES = st.sampled_from(
    [
        "class='a b'", "class=a\u00e9", "class", "id=x", "role=main", "itemprop='n&amp;m'",
        "hidden", "aria-hidden=true", "aria-hidden=false", "style='display : none'",
        "style='DISPLAY:NONE'", "style='color:red'", "style=v\u0131sibility:hidden",
        "style='visibility:\u00a0hidden'", "href=/a", "href=//EXAMPLE.com/",
        "href=https://other.org", "href='http:nowhere'", "href=#a", "href=javascript:x",
        "href=https://\u00c9xample.com", "href=http://example.com", "lang=de",
        "property=og:title content='a  b'", "property=og:title",
    ]
)  # fmt: skip
TEXTS = st.sampled_from(
    [
        "word", " ", "two words", "\n", "\t", "\u00a0", "a\u2003b", "&nbsp;", "\u00e9t\u00e9",
        "&#11;", "\u4e2d\u6587", "\u0e01", "\U00020000", "\U0001f600", "_", "...", "&amp;",
        "\r\n  x \r\n", "&#xD800;", "<!-- no -->", "<?pi?>", "<![CDATA[x]]>", "&unknown;",
        "&#x1c;", "\U000e0100", "\x85",
    ]
)  # fmt: skip
PIECES = st.one_of(
    TEXTS,
    st.builds("<{} {}>".format, TAGS, st.lists(ATTRIBUTES, max_size=3).map(" ".join)),
    st.builds("</{}>".format, TAGS),
)
MARKUP = st.lists(PIECES, max_size=40).map("".join)


def assert_equal_columns(root, host):
    slow = SlowFlattener(host)
    slow.walk(root)
    columns = flatten(root, host)
    nodes, segments = as_lists(columns.nodes), as_lists(columns.segments)
    assert (columns.element_types, nodes, columns.texts, segments) == slow.columns()
    assert columns.scripts == sum(1 for _ in root.iter("script"))
    assert columns.title == slow_title(root)


def as_lists(columns):
    return {name: column.tolist() for name, column in columns.items()}


@given(MARKUP, st.sampled_from([HOST, "", "\u00e9xample.com"]))
def test_columns_equal_those_of_a_simple_walk(markup, host):
    root = parse_markup(markup)
    if root is not None:
        assert_equal_columns(root, host)


def test_columns_of_synthetic_sites():
    for page in simulate_feed(FeedSettings(sites=12, pages=40)):
        assert_equal_columns(parse_markup(page.html), HOST)


def test_many_different_tags_and_classes():
    markup = "".join(f"<x-{n} class='c{n}' id={'i' * n}>word {n}</x-{n}>" for n in range(600))
    assert_equal_columns(parse_markup(markup), HOST)


def test_the_attribute_table_of_another_page_is_refused():
    _, attribute_table, _, _ = strip_markup(b"<p>a<p class=b>c")
    with pytest.raises(AttributeTableMismatch):
        flatten(parse_markup("<p>a<p class=b>c"), HOST, attribute_table)


def test_a_walk_that_misreads_the_installed_parser_is_refused(monkeypatch):
    def other(root, host, attribute_table):
        columns = flatten(root, host, attribute_table)
        return columns._replace(nodes=columns.nodes | {"depth": columns.nodes["depth"] + 1})

    monkeypatch.setattr(parse_page, "flatten", other)
    parse_page.check_parser.cache_clear()
    try:
        with pytest.raises(ParserMismatch, match="install templ-worker again"):
            parse_page.check_parser()
    finally:
        parse_page.check_parser.cache_clear()
