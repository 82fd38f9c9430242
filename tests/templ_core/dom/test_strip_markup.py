"""Stripped markup has the columns of the whole markup, however broken that is."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from templ_core.dom.codec import document_columns
from templ_core.dom.document import parse_document, read_document
from templ_core.dom.parse._page_columns import page_columns
from templ_core.dom.parse._strip_markup import strip_markup
from tests.hostile_pages import CASES
from workers.lab.simulate.feed import FeedSettings, simulate_feed

TAGS = st.sampled_from(
    [
        "a", "A", "b", "body", "div", "head", "html", "iframe", "meta", "noframes", "p", "plaintext",
        "pre", "PRE", "script", "SCRIPT", "style", "table", "td", "textarea", "title", "xmp", "x-y",
    ]
)  # fmt: skip
NAMES = st.sampled_from(
    [
        "class", "CLASS", "id", "role", "itemprop", "style", "hidden", "aria-hidden", "href", "lang",
        "property", "content", "data-x", "onclick", "xml:lang", "=", "'", '"', "<", "é", "content2",
    ]
)  # fmt: skip
VALUES = st.sampled_from(
    [
        "x", "a b", "", "display:none", "color:red", "VISIBILITY:hidden", "true", "og:title", "&lt;",
        "http://example.com/a", "https://other.org/b?c", "//example.com//", "/a", "#b", "a>b",
        "javascript:void(0)", "&#104;ttp://other.org/", "http&#58;//other.org/x", "/&#47;o.org/",
        "http://a&#46;org/x", "http:a", "http:/&#47;other.org/", "<b>", "<!-- x -->", "de", "/",
        "a\nb", "a\r\nb\r",
    ]
)  # fmt: skip
BLANKS = st.sampled_from(["", " ", "\n", "  ", "/", " / ", "\r\n\t", "\f"])
ATTRIBUTES = st.builds(
    "{}{}{}".format,
    BLANKS,
    NAMES,
    st.one_of(
        st.just(""),
        st.builds("{}={}{}".format, BLANKS, BLANKS, VALUES),
        st.builds("{}={}'{}'".format, BLANKS, BLANKS, VALUES),
        st.builds('{}={}"{}"'.format, BLANKS, BLANKS, VALUES),
    ),
)
INSIDE = st.lists(ATTRIBUTES, max_size=4).map("".join)
ENDS = st.sampled_from([">", ">", ">", "/>", " />", " >", "", '">', "'>"])
_PIECES = (
    "word", " ", "  \n ", "\n\n", "two  words", "é", "&amp;", "&#60;b>", "\x0b ", "<", "< ", "</",
    "<!-- x -->", "<!-->", "<!--->", "<!--", "-->", "--!>", "<!---", "--", "-", "<!x>", "<?x>",
    "<!doctype html>", "<!DOCTYPE a 'b>'>", "</>", "</ >", "</3 a='>'>", "<![CDATA[x]]>",
    "</script", "</SCRIPT>", "<script", "</title>", "</style >", "</textarea/>", "</pre>",
)  # fmt: skip
PIECES = st.one_of(
    st.sampled_from(_PIECES),
    st.builds(
        "{}{}{}{}{}".format,
        st.sampled_from(["<", "</"]),
        TAGS,
        st.sampled_from(["", " "]),
        INSIDE,
        ENDS,
    ),
    st.builds("<{0}>{1}</{0}>".format, TAGS, st.text("<>!-/ script", max_size=12)),
)
MARKUP = st.lists(PIECES, max_size=30).map("".join)


def columns(utf8, attribute_table=(b"", b"")):
    fast = page_columns(utf8, "example.com", attribute_table)._asdict()
    for rows in ("nodes", "segments", "signs", "marks"):
        fast[rows] = {name: column.tolist() for name, column in fast[rows].items()}
    return fast


def assert_same_columns(markup):
    utf8 = markup.encode()
    stripped, attribute_table, *_ = strip_markup(utf8)
    whole, no_table, *_ = strip_markup(utf8, keeps_attributes=True)
    assert no_table == (b"", b"")
    fast = columns(stripped, attribute_table)
    if not fast["has_another_root"]:
        assert fast == columns(whole)


@given(MARKUP | st.text("<>/='\"!- \nabp", max_size=60).map("<p>x{}".format))
@example("<p class=a>x</p></p>y")
@example("<td id=a>x<body>y</p>")
@example("</p><li class=a></p></br>x")
def test_stripped_markup_has_the_columns_of_the_whole_markup(markup):
    assert_same_columns(markup)


def test_stripped_markup_of_synthetic_sites_has_the_same_columns():
    for page in simulate_feed(FeedSettings(sites=12, pages=40)):
        assert_same_columns(page.html)
        stripped, attribute_table, *_ = strip_markup(page.html.encode())
        assert len(stripped) < len(page.html)
        assert columns(stripped, attribute_table) == columns(page.html.encode())


@pytest.mark.parametrize(
    ("markup", "stripped"),
    [
        ("<p>a <b>c</b></p>", "<p>a <b>c</b></p>"),
        ('<p onclick="x>y" data-z>', "<p>"),
        ("<a b=1/>y</a c='>'>", "<a>y</a>"),
        ("<p y='1'/>", "<p/>"),
        ("<p / lang=de>", "<p>"),
        ("<html lang=de x=1 xml:lang=fr>", "<html lang=de x=1 xml:lang=fr>"),
        ("<meta name=a content=b property=og:title>", "<meta name=a content=b property=og:title>"),
        ("<meta name=a content=b property=og:image>", "<meta>"),
        ("<meta content=b property=og&#58;title>", "<meta content=b property=og&#58;title>"),
        ("<a href=/x/y>", "<a>"),
        ("<a href='/x?y&z'>", "<a>"),
        ("<script src=x>if (a<b) c();</script>", "<script></script>"),
        ("<script><!-- <script></script> --></script>x", "<script></script>x"),
        ("<script>never ended <p class=a b=c>", "<script>never ended <p class=a b=c>"),
        ("<title a=1>x  <b></title>", "<title>x  <b></title>"),
        ("a<!-- b <i> -->c<!-->d<!-- never", "ac" + "d<!-- never"),
        ("a<!-- b <i>c<!-- d > e", "ac e"),
        ("a&am<!-- b -->p; &<!-- c --> d", "a&am<!-- b -->p; &<!-- c --> d"),
        ("<html lang=de />a<body/>b", "<html lang=de >a<body>b"),
        ("<title>a <b>c", "<title>a </title><b>c"),
        ("<title>a<title>b", "<title>a</title><title>b"),
        ("<svg><g>a</g></svg>b", "<svg />b"),
        ("<svg><g>a</g><p>b", "<svg /><p>b"),
        ("<svg><desc><p>a</desc></svg>b", "<svg />b"),
        ("<svg>a", "<svg />a"),
        ("<p>a\0b<!-- \0 -->", "<p>ab"),
        ("<canvas><table><td>a</canvas>b<canvas>c", "<canvas />b<canvas />c"),
        ("<p>a<td>b</td> c<table><td>d</table>e</tr>f", "<p>ab c<table><td>d</table>ef"),
        ("<p>a<head></head><body class=b>b</body>c", "<p>abc"),
        ("<title>a</title><p>b<title>c</title>d", "<title>a</title><p>bd"),
        ("<a><svg><path></a>b<p>c", "<a><svg /></a>b<p>c"),
        ("<a><svg><a>x</a></svg></a>b", "<a><svg /></a>b"),
        ("<math><mi>a<p>b</math>c", "<math />c"),
        ("<svg><![CDATA[</svg>]]></svg>a", "<svg />a"),
        ("<svg><style><p>a", "<svg /><p>a"),
        ("<svg><font>a</font></svg><svg><font size=1>b", "<svg /><svg /><font>b"),
        ("<video>" * 66 + "</video>" * 2 + "a", "<video />" * 62 + "<video />" + "a"),
        ("a <<!-- b -->p> c </<!-- d -->p", "a <<!-- b -->p> c </<!-- d -->p"),
        ("a  <p>\n\n b <b> \n c</b>\n</p> \n d", "a<p>b <b> c</b>\n</p> d"),
        ("a <!-- x --> <br> <br/> \n<div/> b", "a  <br> <br/><div/>b"),
        ("\n <pre>\n\n x</pre>\n\n <p> y", "<pre>\n\n x</pre>\n\n <p> y"),
    ],
)
def test_what_is_left_out_of_the_markup(markup, stripped):
    page, attribute_table, *_ = strip_markup(markup.encode())
    assert page.decode() == stripped
    assert attribute_table == (b"", b"")


def test_the_table_carries_all_that_is_read_of_attributes():
    markup = (
        "<p id=i class=c role=r itemprop=n>a<p hidden>b<p aria-hidden=true>c<p style='Display:none'>"
        "d<p>e <a class=c href=http://other.org/x>f</a> <a class=c href=#>g</a>"
        "<i id=first ID=second>h</i>"
    )
    page, attribute_table, *_ = strip_markup(markup.encode())
    assert page.count(b"\n") == 7
    assert b"=" not in page
    assert columns(page, attribute_table) == columns(markup.encode())


def test_attributes_stay_in_the_markup_where_the_parser_stops_counting_lines():
    markup = "".join(f"<b class=c{n % 7}>word </b>" for n in range(65_600))
    page, attribute_table, *_ = strip_markup(markup.encode())
    assert page.count(b"class") == 65_600 - 65_533
    assert columns(page, attribute_table) == columns(markup.encode())


def test_a_mark_is_left_in_place_of_the_end_tag_of_a_document():
    assert strip_markup(b"<p>a</html>b", True)[0] == b"<p>a</>b"
    assert strip_markup(b"<p>a <</html>b", True)[0] == b"<p>a <</>b"
    document = parse_document("<p>a&#8</html>217;b <</body>b>c", "")
    assert document.segments.texts == ["a\x08217;b <b>c"]


def with_attributes(utf8, joins_documents=False, **_):
    return strip_markup(utf8, joins_documents, True)


def parse_unstripped(monkeypatch, markup):
    with monkeypatch.context() as patched:
        patched.setattr("templ_core.dom.parse.parse_page.strip_markup", with_attributes)
        return parse_document(markup, "https://example.com/")


@pytest.mark.parametrize(
    "markup",
    [
        "<p class=a>x</html><div class=b>y</div></body><p id=c>z",
        "<pre class=a>\nx</html>\n <b class=b>y</b>\n</pre>",
        "<html lang=de/><p class=a>x</p>",
        "<p class=a>x <!-- y <b class=b>z",
        "<title class=a>x <p class=b>y",
        "<i class=a>" * 3000 + "x",
        "<div class=a>" + "<p class=b " + " ".join(f"a{n}" for n in range(1000)) + ">x",
    ],
)
def test_repaired_pages_have_the_same_columns(markup, monkeypatch):
    page = parse_document(markup, "https://example.com/")
    whole = parse_unstripped(monkeypatch, markup)
    assert document_columns(page) == document_columns(whole)


def test_the_whole_markup_is_parsed_where_the_parser_counts_other_lines(monkeypatch):
    markup = "<p class=a>x<p>y<p class=b>z"
    page = parse_document(markup, "https://example.com/")
    of_more_lines = strip_markup(b"<i class=c>" * 9 + b".")[1]
    monkeypatch.setattr(
        "templ_core.dom.parse.parse_page.strip_markup",
        lambda utf8, _, keeps_attributes=False, **__: (
            strip_markup(utf8, False, keeps_attributes)[0],
            of_more_lines,
            b"",
            -1,
            False,
        ),
    )
    moved = parse_document(markup, "https://example.com/")
    assert document_columns(moved) == document_columns(page)


@pytest.mark.parametrize("name", [name for name in CASES if not CASES[name].refusals])
def test_hostile_pages_have_the_same_text_with_and_without_stripping(name, monkeypatch):
    body = CASES[name].make(0.02)
    page = read_document(body, "https://example.com/")
    monkeypatch.setattr("templ_core.dom.parse.parse_page.strip_markup", with_attributes)
    whole = read_document(body, "https://example.com/")
    assert page.segments.texts == whole.segments.texts
    assert page.nodes.element_types == whole.nodes.element_types
