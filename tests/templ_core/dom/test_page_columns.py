"""The compiled reader returns the columns of a walk over the parser's tree, and is refused where it misreads the parser."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lxml import etree

from templ_core.dom.config import ScanConfig
from templ_core.dom.parse import parse_page
from templ_core.dom.parse._page_columns import AttributeTableMismatch, TooDeep, page_columns
from templ_core.dom.parse._strip_markup import strip_markup
from templ_core.errors import ParserMismatch
from tests.templ_core.any_markup import any_markup
from tests.templ_core.dom.slow_page_columns import SlowPageColumns, slow_title
from workers.lab.simulate.feed import FeedSettings, simulate_feed

HOST = "example.com"


def tree(utf8):
    return etree.fromstring(utf8, etree.HTMLParser(encoding="utf-8", huge_tree=True))


def assert_equal_columns(markup, host):
    root = tree(markup.encode())
    columns = page_columns(markup.encode(), host)
    if root is None:
        assert not columns.element_types
        return
    nodes, segments, signs = map(as_lists, (columns.nodes, columns.segments, columns.signs))
    fast = (columns.element_types, nodes, columns.texts, segments, columns.sign_texts, signs)
    assert fast == SlowPageColumns(root, host).columns()
    assert columns.scripts == sum(1 for _ in root.iter("script"))
    assert columns.title == slow_title(root)
    assert columns.language == (root.get("lang") or root.get("xml:lang", ""))
    assert columns.has_another_root == any(isinstance(one.tag, str) for one in root.itersiblings())


def as_lists(columns):
    return {name: column.tolist() for name, column in columns.items()}


@settings(max_examples=400)
@given(any_markup().filter(str.strip), st.sampled_from([HOST, "", "\u00e9xample.com"]))
@example("<pre>one<br><br>two</pre><p>one<br><br>two", HOST)
@example("<html lang=de xml:lang=fr><p>one</html>two<p>three", HOST)
@example("<html lang='' xml:lang=fr><p>one", HOST)
@example("<title> <b>one</title> two<title>three<meta property=og:title content=four>", HOST)
@example("<!-- one -->", HOST)
@example("\u00e9" * 70_000 + "&amp;<p>" + "\U0001f600\u00a0" * 9_000, HOST)
def test_columns_equal_those_of_a_walk_over_the_tree(markup, host):
    assert_equal_columns(markup, host)


def test_columns_of_synthetic_sites_and_of_many_different_tags_and_classes():
    many = "".join(f"<x-{n} class='c{n}' id={'i' * n}>word {n}</x-{n}>" for n in range(600))
    sites = simulate_feed(FeedSettings(sites=12, pages=40))
    for markup in (many, *(page.html for page in sites)):
        assert_equal_columns(markup, HOST)


def test_the_reader_gives_up_where_the_parser_of_trees_does():
    deepest = ScanConfig().parser_depth - len(["html", "body"])
    whole = b"<i>" * deepest + b"one"
    assert page_columns(whole, HOST).texts == ["one"]
    for markup in (whole, b"<i>" + whole):
        parser = etree.HTMLParser(huge_tree=True)
        etree.fromstring(markup, parser)
        assert bool(parser.error_log.filter_from_fatals()) == (markup != whole)
    with pytest.raises(TooDeep):
        page_columns(b"<i>" + whole, HOST)
    assert page_columns(b"<p>two", HOST).texts == ["two"]


def test_the_attribute_table_of_another_page_is_refused():
    _, attribute_table, *_ = strip_markup(b"<p>a<p class=b>c")
    with pytest.raises(AttributeTableMismatch):
        page_columns(b"<p>a<p class=b>c", HOST, attribute_table)


def test_a_reader_that_misreads_the_installed_parser_is_refused(monkeypatch):
    def other(markup, host, attribute_table):
        columns = page_columns(markup, host, attribute_table)
        return columns._replace(nodes=columns.nodes | {"depth": columns.nodes["depth"] + 1})

    monkeypatch.setattr(parse_page, "page_columns", other)
    parse_page.check_parser.cache_clear()
    try:
        with pytest.raises(ParserMismatch, match="install templ-worker again"):
            parse_page.check_parser()
    finally:
        parse_page.check_parser.cache_clear()
