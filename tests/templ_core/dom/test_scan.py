import json
import random
import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from templ_core.dom.config import ScanConfig
from templ_core.dom.decode._bytes import may_stand_in
from templ_core.dom.document import parse_document
from templ_core.dom.parse._strip_markup import strip_markup
from templ_core.dom.parse.declared_body import INSIDE_BODY, NO_BODY, OUTSIDE_BODY
from templ_core.dom.parse.parse_page import parse_markup, parse_page, refuse_segments
from templ_core.dom.parse.repair import flatten_markup
from templ_core.dom.parse.scan import stalls_parser
from templ_core.errors import HostilePage
from tests.hostile_shapes import SHAPES

MARKED = [f"marked{number}" for number in range(12)]
ARTICLE = "".join(f"<p>{word} and what follows it in a sentence.</p>" for word in MARKED)


def parse(markup):
    return etree.fromstring(markup, etree.HTMLParser(encoding="utf-8", huge_tree=True))


def parsed(markup):
    return parse_markup(markup.decode())


def words(root):
    return re.findall(r"marked\d+", "".join(root.itertext()))


def depth(root):
    deepest, open_ = 0, [(root, 1)]
    while open_:
        node, level = open_.pop()
        deepest = max(deepest, level)
        open_ += [(child, level + 1) for child in node]
    return deepest


def attributes(count):
    return " ".join(f"a{number}=1" for number in range(count))


HOSTILE = {name: make(60_000) for name, make in SHAPES.items()} | {
    "plain": "",
    "600 divs": "<div>" * 600,
    "open p": "<p>" * 100_000,
    "attributes on one tag": f"<div {attributes(100_000)}>",
    "attributes with tags in them": f'<div {attributes(100_000)} b="<>">',
    "attributes without values": f"<div {attributes(100_000).replace('=1', '')}>",
    "many tags with many attributes": f"<div {attributes(2000)}>x</div>" * 300,
    "name spaces on one tag": f"<div {' '.join(f'xmlns:a{n}=u' for n in range(30_000))}>",
    "end tags that reach nowhere": "<i><div>" + "<b>" * 1500 + "</i>" * 200_000,
    "stray end tags in depth": "<div>" * 1500 + "</b>" * 200_000,
    "slashes in a tag": f"<div {'/' * 1_000_000}>",
    "quotes in a tag": "<div " + '"' * 1_000_000 + ">",
    "a long attribute": f"<div title='{'x <y> ' * 140_000}'>",
    "processing instructions": "<?x?>" * 20_000,
    "document types": "<!DOCTYPE html>" * 200_000,
    "bodies": "<body class=x>" * 100_000,
}
SWALLOWING = {
    "CDATA in svg": "<svg><![CDATA[",
    "a script that never ends": "<script>" + "if (a<b) {} </scrip " * 100_000,
    "ends of scripts that never end": "<script>" + "</script " * 100_000,
}
"""What may hide the text behind it."""


@pytest.mark.parametrize("name", HOSTILE | SWALLOWING)
def test_no_text_around_a_hostile_shape_is_lost(name):
    shape = (HOSTILE | SWALLOWING)[name]
    shape = shape.decode("utf-8", "replace") if isinstance(shape, bytes) else shape
    assert words(parse_markup(ARTICLE + shape)) == MARKED
    if name not in SWALLOWING:
        assert words(parse_markup(shape + ARTICLE)) == MARKED


@pytest.mark.parametrize(
    "shape",
    ["<div>" * 100_000, "<div>x" * 100_000, "<table><tr><td>" * 5000, "<b><a>" * 20_000],
)
def test_paragraphs_stay_paragraphs_where_containers_go(shape):
    root = parse_markup(shape + ARTICLE)
    assert [words(paragraph) for paragraph in root.iter("p")] == [[word] for word in MARKED]


def test_surplus_attributes_are_dropped_and_the_first_ones_kept():
    (div,) = parse_markup(f"<div {attributes(100_000)}>{ARTICLE}").iter("div")
    assert div.get("a0") == div.get("a511") == "1"
    assert div.get("a512") is None


def test_scripts_with_much_that_looks_like_attributes_stay_as_they_are():
    script = "<script>if (a<b " + "x y z " * 5000 + ")</script>" + ARTICLE
    assert words(parse_markup(script)) == MARKED


def test_too_many_elements_are_refused_with_the_limit():
    most = {"elements_max": 10_000, "repaired_tags_max": 10_000}
    config = ScanConfig(**most, large_bytes=0, harmless_tags=1000)
    for markup in (b"<p>x" * 20_000, b"<p>x</p>" * 20_000):
        with pytest.raises(HostilePage, match=r"^more than 10000 elements$"):
            stalls_parser(markup, config)
        with pytest.raises(HostilePage, match=r"^more than 10000 tags in a page"):
            flatten_markup(markup, config)
    assert not stalls_parser(b"< > " * 20_000, config)
    assert not stalls_parser(b"<p>x</p>" * 9_000, config)


def test_too_many_segments_are_refused_and_a_larger_page_may_have_more():
    config = ScanConfig(segments_max=1000, segment_bytes_min=64)
    refuse_segments(1000, 5000, config)
    with pytest.raises(HostilePage, match=r"^more than 1000 segments of text$"):
        refuse_segments(1001, 5000, config)
    refuse_segments(2000, 128_000, config)


def test_elements_without_text_cost_little_and_segments_are_limited():
    count = ScanConfig().segments_max + 1
    columns = parse_page(b"text" + b"<br>" * count, "").columns
    assert columns.texts == ["text"]
    with pytest.raises(HostilePage, match=f"^more than {count - 1} segments of text$"):
        parse_page(b"<p>x" * count, "")


@pytest.mark.parametrize(
    "end",
    ["</body></html>", "</html>", "</HTML>", "</Html >", "</html><!-- c -->", "</html></body>"],
)
def test_text_after_the_end_of_the_document_is_kept(end):
    first = "".join(f"<p>{word}</p>" for word in MARKED[:6])
    second = "".join(f"<p>{word}</p>" for word in MARKED[6:])
    markup = f"<html><body>{first}{end}{second}</body></html>".encode()
    root = parsed(markup)
    assert root.getnext() is None
    assert words(root) == MARKED
    assert words(parse(strip_markup(markup, joins_documents=True)[0])) == MARKED


def test_what_the_parser_reports_needs_no_scan():
    deep = ("<div>" * 2100 + ARTICLE + "</div>" * 2100 + "<p>marked99</p>").encode()
    assert not stalls_parser(deep)
    assert len(words(parse(deep))) < 13
    assert words(parse(flatten_markup(deep))) == words(parsed(deep)) == [*MARKED, "marked99"]


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        (b"<p class=a>x</html>y", False),
        (b"<p>" * 100_000, False),
        (b"&" * 1_000_000, False),
        (b"</div>" * 1_000_000, False),
        (b"<div>" * 3000, False),
        (b"<div>x" * 100_000, False),
        (b"<div></div>" * 50_000, False),
        (b"<div data-x='" + b"x=y " * 10_000 + b"' class=c>", False),
        (b"<div>" * 2000 + b"</b>" * 100_000, True),
        (b"<div></b>" * 2000 + b"<i></i></b>" * 100_000, True),
        (f"<p {attributes(600)}>x".encode(), True),
    ],
)
def test_a_page_stalls_the_parser_by_attributes_or_by_end_tags_in_depth(markup, expected):
    assert stalls_parser(markup) == expected


def test_an_end_tag_looks_at_few_of_the_elements_beyond_the_depth():
    """The start of another list would end each of these terms, and is left out before it is tried."""
    steps = 0

    def count(*_):
        nonlocal steps
        steps += 1
        return count

    tracer = sys.gettrace()
    sys.settrace(count)
    try:
        flatten_markup(b"<dl><dt>word" * 60_000)
    finally:
        sys.settrace(tracer)
    assert steps < 60_000 * 2 * 60


def test_scripts_and_comments_are_not_read_as_tags_and_stay_scripts_in_depth():
    inside = "<div>" * 3000
    markup = (
        f"<script>{inside}</script><!--{inside}--><style>{inside}</style><title>{inside}</title>"
        + ARTICLE
    ).encode()
    assert flatten_markup(markup) == markup
    root = parse_markup(f"{inside}<script>marked77<p></script>{ARTICLE}")
    assert len(list(root.iter("script"))) == 1
    assert words(root) == MARKED


NAMES = [
    "a", "address", "article", "b", "blockquote", "body", "button", "caption", "center", "col",
    "dd", "div", "dl", "dt", "em", "fieldset", "font", "form", "frameset", "h1", "h2", "head",
    "hr", "html", "i", "img", "input", "li", "menu", "nav", "object", "ol", "option", "p", "pre",
    "section", "select", "small", "span", "svg", "table", "tbody", "td", "tfoot", "th", "thead",
    "tr", "u", "ul", "wbr", "x",
]  # fmt: skip


@pytest.mark.parametrize("seed", range(300))
def test_repaired_tag_soup_nests_as_deep_as_foreseen(seed):
    """Tag soup is flattened to a depth that the parser then keeps, without losing a word."""
    rng = random.Random(seed)
    names = rng.sample(NAMES, rng.randint(2, 12))
    share_of_ends = rng.choice([0.1, 0.3, 0.45])
    soup = []
    for number in range(rng.choice([60, 300, 900])):
        slash = "/" if rng.random() < share_of_ends else ""
        soup.append(f"<{slash}{rng.choice(names)}{rng.choice(['', '', ' a=1', ' /', '/'])}>")
        soup.append(f"marked{number} " if rng.random() < 0.4 else "")
    markup = "<html><body>" + "".join(soup)
    root = parse(flatten_markup(markup.encode(), ScanConfig(depth_max=30, text_depth_max=40)))
    assert depth(root) <= 43
    assert words(root) == re.findall(r"marked\d+", markup)


@pytest.mark.parametrize(
    "head",
    [
        "<title>The title<body>", "<TITLE>The title</head>", '<title lang="en">The title<p>',
        *(
            f"<title>The title</title><body>{comment}"
            for comment in (
                "<!-- never closed <p>x</p>", "<!-- closed --><!-- never <b>closed</b><!-- twice",
                "<!--", "<!-- <!-- x --!> <!-- y ", "<script><!--\nif (a > b) c();\n</script>",
            )
        ),
    ],
)  # fmt: skip
def test_a_title_or_a_comment_that_never_ends_takes_no_text_with_it(head):
    root = parse_markup(f"<html><head>{head}{ARTICLE}</html>")
    assert words(root) == MARKED
    assert root.findtext(".//title") == "The title"


def test_a_link_ends_the_one_before_it_where_a_page_is_repaired():
    markup = ("<b><a href=1>" * 5000 + ARTICLE).encode()
    root = parse(flatten_markup(markup))
    assert words(root) == MARKED
    assert max(len(list(link.iterancestors("a"))) for link in root.iter("a")) == 0


STORY = [
    f"Paragraph number {name} says that the council met on Monday, and that it will meet again in {name} weeks."
    for name in ("one", "two", "three", "four")
]
PAGE = "<nav>Home News Sport</nav>" + "".join(f"<p>{text}" for text in STORY) + "<p>Read more"


def script(value, key="articleBody"):
    return f'<script type="application/ld+json">{{"{key}": {value}}}</script>'


def declared(markup):
    return parse_document(markup, "https://a.com/").segments.declared.tolist()


BODY = json.dumps("\n".join(STORY))
MARKED_UP = "".join(f"&lt;p&gt;{text}&lt;/p&gt;" for text in STORY[:2])
MARKED_UP += "".join(f"<p>{text}</p>" for text in STORY[2:])
WITH_A_NOTE = PAGE.replace("on Monday,", "on Monday (opens in a new window),")


@pytest.mark.parametrize(
    "markup",
    [
        pytest.param(script(BODY) + PAGE, id="paragraphs"),
        pytest.param(script(json.dumps(MARKED_UP)) + PAGE, id="HTML and character references"),
        pytest.param(script(json.dumps(" ".join(STORY))) + WITH_A_NOTE, id="found by its edges"),
        pytest.param(script(json.dumps(STORY[0] * 3)) + script(BODY) + PAGE, id="the longest"),
    ],
)
def test_what_stands_in_the_declared_body_is_inside_it(markup):
    assert declared(markup) == [OUTSIDE_BODY, *[INSIDE_BODY] * 4, OUTSIDE_BODY]


ELSEWHERE = json.dumps(" ".join(f"{text} elsewhere" * 9 for text in STORY))
SHORT = json.dumps(STORY[0][:30])


@pytest.mark.parametrize("value", ['""', SHORT, ELSEWHERE, "7", "null", '["x"]', "{}"])
def test_a_body_that_is_short_or_stands_elsewhere_does_not_count(value):
    assert set(declared(script(value) + PAGE)) == {NO_BODY}


@pytest.mark.parametrize("value", ['"\\ud8', '"never ends', '"\\x"', '"a\nb"'])
def test_broken_json_and_other_keys_declare_nothing(value):
    assert set(declared(script(value) + PAGE)) == {NO_BODY}
    assert set(declared(script(BODY, "description") + PAGE)) == {NO_BODY}


@given(st.text("aB7é. _—", min_size=8, max_size=60), st.integers(0, 50), st.integers(1, 60))
def test_no_text_of_the_body_is_refused(body, start, size):
    letters = re.sub(r"[\W_]+", "", body).lower()
    text = body[start : start + size]
    for edge in (1, 8, 17, 40):
        assert may_stand_in(letters, [text, f"- {text.upper()} -"], edge) == [3, 3]


def test_a_text_is_refused_if_neither_end_is_in_the_body():
    texts = ["Read more of it", "It rains again and again", "Oh no, it rains again", "Öl", "x"]
    texts += ["It rains again in Spain", "On the hills it rains again"]
    ends = may_stand_in("itrainsagain", texts, 8)
    assert ends == [0, 1, 2, 3, 3, 1, 2]
    ends = may_stand_in("itrainsagain", texts, 16)
    assert ends == [0, 0, 0, 3, 3, 0, 0]


SHELL = "<title>Council meets</title><nav><a href=/>Home</a> <a href=/sport>Sport</a></nav>{}<footer>All rights reserved</footer>"


@pytest.mark.parametrize(
    "visible",
    ["", "<div id=app></div>", "<h1>Council meets</h1>", f"<p>{STORY[0]}<p><a href=/>Read on</a>"],
)
def test_a_declared_article_stands_in_place_of_a_page_that_shows_no_more_than_its_beginning(
    visible,
):
    page = parse_document(script(BODY) + SHELL.format(visible), "https://a.com/")
    assert page.segments.texts == ["Council meets", *STORY]
    assert page.title == "Council meets"
    assert page.is_declared
    assert not page.is_storable


@pytest.mark.parametrize(
    ("claim", "visible"),
    [
        (BODY + ', "isAccessibleForFree": false', ""),
        (BODY + ', "isAccessibleForFree": "False"', ""),
        (SHORT, ""),
        (BODY, f"<p>{' '.join(STORY).replace('council', 'committee')}"),
        (BODY, f"<p>{STORY[2]}<p>{STORY[3]}<p>{STORY[1]}"),
        (BODY, "".join(f"<p>{text}" for text in STORY)),
    ],
)
def test_a_page_with_a_text_of_its_own_or_an_article_that_must_be_paid_for_is_read_as_it_is(
    claim, visible
):
    page = parse_document(script(claim) + SHELL.format(visible), "https://a.com/")
    assert not page.is_declared
    assert page.segments.texts[-1] == "All rights reserved"
