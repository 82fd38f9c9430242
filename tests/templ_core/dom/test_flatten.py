"""The compiled walk returns the columns of a simple one, and is refused where it misreads the parser."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from templ_core.dom.parse import parse_page
from templ_core.dom.parse._flatten import AttributeTableMismatch, flatten
from templ_core.dom.parse._strip_markup import strip_markup
from templ_core.dom.parse.parse_page import parse_markup
from templ_core.errors import ParserMismatch
from tests.templ_core.any_markup import any_markup
from tests.templ_core.dom.slow_flattener import SlowFlattener, slow_title
from workers.lab.simulate.feed import FeedSettings, simulate_feed

HOST = "example.com"


def assert_equal_columns(root, host):
    columns = flatten(root, host)
    nodes, segments = as_lists(columns.nodes), as_lists(columns.segments)
    assert (columns.element_types, nodes, columns.texts, segments) == SlowFlattener(
        root, host
    ).columns()
    assert columns.scripts == sum(1 for _ in root.iter("script"))
    assert columns.title == slow_title(root)


def as_lists(columns):
    return {name: column.tolist() for name, column in columns.items()}


@settings(max_examples=400)
@given(any_markup(), st.sampled_from([HOST, "", "\u00e9xample.com"]))
@example("<pre>one<br><br>two</pre><p>one<br><br>two", HOST)
def test_columns_equal_those_of_a_simple_walk(markup, host):
    root = parse_markup(markup)
    if root is not None:
        assert_equal_columns(root, host)


def test_columns_of_synthetic_sites_and_of_many_different_tags_and_classes():
    many = "".join(f"<x-{n} class='c{n}' id={'i' * n}>word {n}</x-{n}>" for n in range(600))
    sites = simulate_feed(FeedSettings(sites=12, pages=40))
    for markup in (many, *(page.html for page in sites)):
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
