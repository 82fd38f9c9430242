import functools
import operator
from urllib.parse import urlsplit

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templ_core.dom._tree import bits_above, sums_above, tag_bits, tree_of_depths
from templ_core.dom.document import parse_document, read_document, render_text
from templ_core.lab.tree_sums import sums_below


def texts(markup):
    return parse_document(markup, "https://example.com/a").segments.texts


def whole_text(markup):
    document = parse_document(markup, "https://example.com/a")
    return render_text(document, np.ones(len(document.segments.texts), bool))


@pytest.mark.parametrize(
    ("markup", "segments"),
    [
        ("<div>before<p>inside</p>after</div>", ["before", "inside", "after"]),
        ("<p>foo<b>bar</b> <i>baz</i>, <a href=x>qux</a></p>", ["foobar baz, qux"]),
        ("<p>one<br>two<br> <br>three</p>", ["one\ntwo", "three"]),  # two line breaks end it
        ("<p>one <!-- two --> three<?pi four?> five</p>", ["one three five"]),
        *((empty, []) for empty in (" ", "<!-- only -->", "<html></html>", "<p></p>", "<", "&")),
    ],
)
def test_text_between_blocks_is_a_segment(markup, segments):
    assert texts(markup) == segments


def test_links_and_hidden_elements_are_marked_where_their_text_stands():
    page = parse_document(
        "<p>See <a href='/x'>here</a> and <a href='https://other.org/y'>there</a></p>"
        "<p style='display: none'>a<p hidden>b<p aria-hidden=true>c<p>d",
        "https://example.com/a",
    )
    assert page.segments.links.tolist() == [2, 0, 0, 0, 0]
    assert page.segments.external_links.tolist() == [1, 0, 0, 0, 0]
    assert page.segments.link_chars.tolist() == [len("herethere"), 0, 0, 0, 0]
    assert page.nodes.hidden[page.segments.owner].tolist() == [False, True, True, True, False]


def test_line_breaks_and_tabs_of_a_text_are_kept():
    assert whole_text("<pre>\n def f():\n     return  1\n</pre>") == " def f():\n     return  1"
    assert whole_text("<table><tr><th>a<th>b<tr><td>1<td>2</table><p>end") == "a\tb\n1\t2\nend"
    plain = read_document(b"one & two\n\nthree <b>", "u", content_type="text/plain")
    assert plain.segments.texts == ["one & two", "three <b>"]


@pytest.mark.parametrize(
    "url",
    [
        *("https://Example.com/a", "http://user:word@example.com:8080", "//example.com?a=//b.org"),
        *("HTTP://EXAMPLE.COM#x", "https://example.com?x@y", " https://example.com/", "file:a", ""),
        *("https:///a", "x:y//b", "example.com/a", "https://münchen.example/"),
    ],
)
def test_the_host_of_a_page_is_that_of_its_url(url):
    host = urlsplit(url).hostname or ""
    markup = f"<p><a href='//{host or 'other'}/'>here</a> <a href='//else.example/'>there</a>"
    assert parse_document(markup, url).segments.external_links.tolist() == [1 + (not host)]


def depths_of(steps):
    depths = [0] if steps else []
    for step in steps:
        depths.append(min(depths[-1] + 1, step))
    return depths


FORESTS = st.lists(st.integers(0, 5), max_size=60).map(depths_of)


def ancestors(depth, node):
    """Return the node itself, its parent, and so on up to the root."""
    found = [node]
    for before in range(node - 1, -1, -1):
        if depth[before] < depth[found[-1]]:
            found.append(before)
    return found


@given(FORESTS)
def test_parents_and_ends_of_subtrees_follow_from_depths(depth):
    parent, end = tree_of_depths(np.array(depth, np.int32))
    above = [ancestors(depth, node) for node in range(len(depth))]
    assert parent.tolist() == [chain[1] if chain[1:] else -1 for chain in above]
    for node in range(len(depth)):
        inside = [other for other, chain in enumerate(above) if node in chain]
        assert inside == list(range(node, end[node]))


@given(FORESTS)
def test_sums_over_ancestors_and_over_subtrees(depth):
    _, end = tree_of_depths(np.array(depth, np.int32))
    above = [ancestors(depth, node) for node in range(len(depth))]
    values = np.arange(1.0, len(depth) + 1)
    below = np.zeros(len(depth))
    for node, chain in enumerate(above):
        below[chain] += values[node]
    assert sums_above(end, values).tolist() == [sum(values[chain]) for chain in above]
    assert sums_below(end, values).tolist() == below.tolist()


@given(FORESTS, st.data())
def test_bits_of_a_node_and_all_its_ancestors_are_joined(depth, data):
    element_type = data.draw(st.lists(st.integers(0, 2), min_size=len(depth), max_size=len(depth)))
    bits = data.draw(st.lists(st.integers(0, 7), min_size=3, max_size=3))
    at = data.draw(st.lists(st.sampled_from(range(len(depth))))) if depth else []
    parent, _ = tree_of_depths(np.array(depth, np.int32))
    found = bits_above(parent, *(np.array(one, np.int32) for one in (element_type, bits, at)))
    for node, of_node in zip(at, found.tolist(), strict=True):
        assert of_node == functools.reduce(
            operator.or_, [bits[element_type[above]] for above in ancestors(depth, node)]
        )


def test_bits_of_the_tags_of_element_types():
    element_types = [("p", "a"), ("td", ""), ("p", ""), ("pre", "b")]
    assert tag_bits(element_types, {"p": 1, "pre": 6}).tolist() == [1, 0, 1, 6]
