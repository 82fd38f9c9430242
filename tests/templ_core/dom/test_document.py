from urllib.parse import urlsplit

import numpy as np
import pytest

from templ_core.dom.document import parse_document, read_document
from templ_core.dom.text import render_text
from templ_core.dom.tree import subtree_sums
from templ_core.errors import EmptyPage, UnsupportedContent


def texts(markup):
    return parse_document(markup, "https://example.com/a").segments.texts


def whole_text(markup):
    document = parse_document(markup, "https://example.com/a")
    return render_text(document, np.ones(len(document.segments.texts), bool))


def test_text_between_blocks_is_a_segment_of_its_own():
    assert texts("<div>before<p>inside</p>after</div>") == ["before", "inside", "after"]


def test_inline_elements_neither_split_nor_glue_words():
    assert texts("<p>foo<b>bar</b> <i>baz</i>, <a href=x>qux</a></p>") == ["foobar baz, qux"]


def test_one_line_break_stays_in_the_segment_and_two_end_it():
    assert texts("<p>one<br>two<br> <br>three</p>") == ["one\ntwo", "three"]


@pytest.mark.parametrize("tag", ["script", "style", "template", "iframe", "svg", "textarea"])
def test_text_in_invisible_elements_is_left_out_and_text_after_them_kept(tag):
    assert texts(f"<div>a<{tag}>hidden words</{tag}>b</div>") == ["a", "b"] or texts(
        f"<div>a<{tag}>hidden words</{tag}>b</div>"
    ) == ["ab"]


def test_text_after_a_comment_is_not_lost():
    assert texts("<p>one <!-- two --> three<?pi four?> five</p>") == ["one three five"]


def test_preformatted_text_is_verbatim():
    assert whole_text("<pre>\n def f():\n     return  1\n</pre>") == " def f():\n     return  1"


def test_cells_of_a_row_are_separated_by_tabs_and_rows_by_lines():
    markup = "<table><tr><th>a<th>b<tr><td>1<td>2</table><p>end"
    assert whole_text(markup) == "a\tb\n1\t2\nend"


def test_links_are_counted_where_their_text_stands():
    markup = (
        "<p>See <a href='/x'>here</a> and <a href='https://other.org/y'>there</a></p><p>none</p>"
    )
    segments = parse_document(markup, "https://example.com/a").segments
    assert segments.links.tolist() == [2, 0]
    assert segments.external_links.tolist() == [1, 0]
    assert segments.link_chars.tolist() == [len("herethere"), 0]


def test_text_after_an_inner_block_counts_for_the_outer_one():
    document = parse_document("<div>a b<p>c</p>d e f</div>", "https://example.com")
    sums = subtree_sums(document, np.array([2.0, 1.0, 3.0]))
    by_tag = dict(zip(document.nodes.tags, sums, strict=True))
    assert by_tag["div"] == 6
    assert by_tag["p"] == 1


def test_ends_of_subtrees_follow_from_depths():
    document = parse_document("<div><p>a<b>c</b></p></div><p>z</p>", "https://example.com")
    for node, end in enumerate(document.nodes.end):
        inside = [
            n for n in range(node + 1, len(document.nodes.tags)) if _is_below(document, n, node)
        ]
        assert inside == list(range(node + 1, end))


def _is_below(document, node, ancestor):
    while node >= 0:
        node = int(document.nodes.parent[node])
        if node == ancestor:
            return True
    return False


def test_elements_hidden_by_their_attributes_are_marked():
    markup = "<p style='display: none'>a</p><p hidden>b</p><p aria-hidden=true>c</p><p>d</p>"
    document = parse_document(markup, "https://example.com")
    assert document.nodes.hidden[document.segments.owner].tolist() == [True, True, True, False]


def test_the_title_is_read_with_white_space_collapsed():
    document = parse_document("<title> A  title </title><p>x", "https://example.com")
    assert document.title == "A title"


def test_plain_text_keeps_its_paragraphs():
    document = read_document(b"one & two\n\nthree <b>", "u", content_type="text/plain")
    assert document.segments.texts == ["one & two", "three <b>"]


def test_bytes_that_are_no_page_are_refused_with_a_reason():
    with pytest.raises(EmptyPage):
        read_document(b"", "u")
    with pytest.raises(UnsupportedContent, match="PDF|pdf"):
        read_document(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj", "u")


@pytest.mark.parametrize("markup", [" ", "<!-- only -->", "<", "&", "<html></html>", "<p></p>"])
def test_pages_without_words_have_no_segments(markup):
    assert texts(markup) in ([], ["&"], ["<"])


@pytest.mark.parametrize("opening", ["<div>", "<b><a>", "<table><tr><td>", "<blockquote><ul><li>"])
def test_elements_nested_deeper_than_the_parser_allows_lose_no_text(opening):
    markup = f"<p>before</p>{opening * 3000}<p>innermost words</p>" + "<p>last</p>"
    found = " ".join(texts(markup))
    assert all(word in found for word in ("before", "innermost words", "last"))


def test_text_after_the_end_of_the_document_is_kept():
    markup = "<html><body><p>one</body></html><html><body><p>two</body></html><p>three"
    assert texts(markup) == ["one", "two", "three"]


def test_a_tag_with_very_many_attributes_keeps_its_text():
    attributes = " ".join(f"a{n}=1" for n in range(100_000))
    assert texts(f"<p>before<div {attributes}>inside</div>after") == ["before", "inside", "after"]


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
