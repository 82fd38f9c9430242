import functools
import operator
from urllib.parse import urlsplit

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templ_core.dom._tree import bits_above, sums_above, tag_bits, tree_of_depths
from templ_core.dom.document import parse_document, read_document
from templ_core.dom.kept_text import render_text
from templ_core.lab.tree_sums import sums_below


def texts(markup):
    return parse_document(markup, "https://example.com/a").segments.texts


HIDING_BLOCKS = (
    "<div hidden>", "<p style='display:none'>", "<div style='visibility:hidden'>", "<div style='opacity:0'>", "<p style='font-size:0'>",
    "<section style='max-height:0;overflow:hidden'>", "<div style='height:0px; overflow:hidden'>",
)  # fmt: skip


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


HIDING_STYLES = (
    "clip-path:inset(50%)", "position:absolute; clip-path: inset(100%)", "position:absolute;left:-999em", "top: -9999px", "left:-10000px",
    "display:block;text-indent:-9999px", "position:absolute;WIDTH:1px;height:1px;overflow:hidden", "overflow:hidden;height:0px;width:0px",
    "opacity:0", "opacity: 0.0 !important; position:absolute", "OPACITY:0%", "font-size:0", "font-size: 0px; color:red", "font:0/0 a",
    "display:inline-block;max-height:0;overflow:hidden", "position:absolute;height:0;overflow-y:clip", "transform:scale(0)", "content-visibility:hidden",
)  # fmt: skip
SHOWING_STYLES = (
    "left:-20px", "top:-50em", "border-width:1px;height:1px;overflow:hidden", "width:10px;height:1px;overflow:hidden", "text-indent:-36px",
    "clip-path:inset(5%)", "margin-top:-1000px", "width:1px;height:1px",
    "opacity:.5", "fill-opacity:0", "opacity:0;transition:opacity 1s", "opacity:0;transform:translateY(9px)", "font-size:0.8em", "font-size:01em",
    "max-height:0;overflow:hidden", "height:0.5em;overflow:hidden;display:inline-block", "height:0;display:inline-block", "transform:scale(0.5)", "line-height:0",
)  # fmt: skip
HIDING_CLASSES = (
    "hide",
    "invisible",
    "ng-hide",
    "uk-hidden",
    "w3-hide",
    "a11y-text",
    "accessibly-hidden",
    "sr-text",
    "readers-only",
    "elementor-screen-only",
    "a11y-only",
    "ally-hidden",
    "accessibility-hidden",
    "display-none",
    "hiddenStructure",
)


@pytest.mark.parametrize(
    ("markup", "segments"),
    [
        # What nobody sees in a line is no text of it.
        ("<td><span style='display:none'>7004#</span>27,994", ["27,994"]),
        ("<p>The plan <span hidden>(new window) </span>was <i style='visibility: hidden'>xx</i>read", ["The plan was read"]),
        ("<p>39€ <span class='a screen-reader-text'>Old price was: 39€.</span>29€", ["39€ 29€"]),
        ("<p>39€ <span class='usa-sr-only'>old</span><i class=visuallyHidden>old</i><b class='a-offscreen'>old</b>29€", ["39€ 29€"]),
        ("<p>39€ <span class='x__sr-only__3kd'>old</span><i class='hidden'>old</i><b class='d-none'>old</b>29€", ["39€ 29€"]),
        ("<p>1<b class='not-sr-only'>2</b><b class='hidden md:inline'>3</b><b class='d-none d-md-inline'>4</b><b class=is-hidden-xs>5</b>", ["12345"]),
        ("<p>39€ <span style='clip: rect(0 0 0 0)'>old</span><i style='visibility:collapse'>old</i><b style='left:-9999px'>old</b>29€", ["39€ 29€"]),
        *((f"<p>39€ <b style='{style}'>old</b>29€", ["39€ 29€"]) for style in HIDING_STYLES),
        *((f"<p>39€ <b style='{style}'>new</b>", ["39€ new"]) for style in SHOWING_STYLES),
        *((f"<p>39€ <b class='{name}'>old</b>29€", ["39€ 29€"]) for name in HIDING_CLASSES),
        ("<h2>Boats<span class=mw-editsection>[<a href=/e>edit</a>]</span></h2>", ["Boats"]),
        ("<p>1<b style='backface-visibility:hidden'>2</b><b hidden=until-found>3</b><b popover>4</b><b style='margin-left:-9999px'>5</b>", ["1235"]),
        ("<div>The word <dialog>its meaning</dialog> is old</div><dialog>Terms</dialog><dialog open>More</dialog>", ["The word is old", "More"]),
        ("<p>shown to <span aria-hidden=true>readers</span> only", ["shown to readers only"]),
        ("<span hidden>a<p>b</p></span>c", ["b", "c"]),
        ("<p>Read <x-a hidden>b</x-a>on", ["Read on"]),
        ("<p>one <noscript>without scripts</noscript> two", ["one two"]),
        ("<noscript><p>one</noscript>", ["one"]),
        ("<div class='modal fade' style='display:none'><p>Terms</div><div id=terms hidden>b</div>", ["b"]),
        ("<div class=modal><p>a</div><div hidden>b</div><div hidden id=c>c</div>", ["a", "c"]),
        # Characters that only say where a word may break are no part of it.
        ("<p>Kre&shy;dit f\u00f6r&#173;dern zero&#8203;width \ufeffa&#x2060;b", ["Kredit f\u00f6rdern zerowidth ab"]),
        ("<pre>so&shy;\n  ft</pre>", ["so\n  ft"]),
        ("<p>\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \U0001f468\u200d\U0001f469", ["\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \U0001f468\u200d\U0001f469"]),
        # Readings, powers, bullets and anchors.
        ("<ruby>\u8868<rt>\u3072\u3087\u3046</rt>\u793a<rt>\u3058</rt></ruby>", ["\u8868(\u3072\u3087\u3046)\u793a(\u3058)"]),
        ("<ruby>\u8868<rp>(</rp><rt>\u3072</rt><rp>)</rp></ruby>", ["\u8868(\u3072)"]),
        ("<ruby>\u8868<rt></rt></ruby> a", ["\u8868 a"]),
        ("<dl><dt>f(x)<a href=#f>\u00b6</a><dd>A function</dl>", ["f(x)", "A function"]),
        ("<p>10<sup>\u22126</sup> m", ["10^\u22126 m"]),
        ("<p>10<sup>6</sup> m<sup>3</sup> of H<sub>2</sub>O, 10<sup>-3</sup>, 1<sup>st</sup> 2<sup><a href=#n>[1]</a></sup>", ["10^6 m3 of H2O, 10^-3, 1st 2[1]"]),
        ("<p>\u2022Pre-existing<p><span>\u2022</span>glued<p>\u2022 apart<p>\u25cf\u25cf\u25cb\u25cb good", ["\u2022 Pre-existing", "\u2022 glued", "\u2022 apart", "\u25cf\u25cf\u25cb\u25cb good"]),
        ("<h2>What is it?<a href=#what>\u00b6</a></h2><p>See <a href=#b>\u00b6</a> below", ["What is it?", "See \u00b6 below"]),
        ("<p>A <b>word<span role=tooltip>its meaning</span></b>.", ["A word its meaning."]),
        ("<p>A <i class=tooltip>word<i class='b tooltiptext'>its meaning</i></i>.", ["A word its meaning."]),
        # Parts of a text have lines of their own where nothing stands beside them.
        ("<div><x-post>one</x-post><x-post>two</x-post></div>", ["one", "two"]),
        ("<li>one <x-note>two</x-note></li>", ["one", "two"]),
        ("<li>one <x-a>two <x-b>three</x-b> four</x-a> five</li>", ["one two three four five"]),
        ("<td><x-a>one</x-a> two <x-b>three</x-b> four <x-c>five</x-c></td>", ["one", "two three four", "five"]),
        ("<div>one <x-a><p>two</p></x-a> three</div>", ["one", "two", "three"]),
        ("<div>a<button>b</button>, c</div><div><button>d</button><button>e</button></div>", ["a b, c", "d", "e"]),
        ("<p>word<svg></svg>word<img>, word<script>x</script>less", ["word word, wordless"]),
    ],
)  # fmt: skip
def test_the_text_is_what_a_browser_shows(markup, segments):
    assert texts(f"<table><tr>{markup}</table>" if markup.startswith("<td") else markup) == segments


def test_a_title_has_no_character_that_nobody_sees():
    assert parse_document("<title>Kre&shy;dit\u200b  a</title>", "").title == "Kredit a"
    assert parse_document("<meta property=og:title content='Kre\u00addit'>", "").title == "Kredit"


def test_links_and_hidden_elements_are_marked_where_their_text_stands():
    page = parse_document(
        "<p>See <a href='/x'>here</a> and <a href='https://other.org/y'>there</a></p>"
        "<p style='display: none' id=a>a<p hidden id=b>b<p aria-hidden=true>c<p>d",
        "https://example.com/a",
    )
    assert page.segments.links.tolist() == [2, 0, 0, 0, 0]
    assert page.segments.external_links.tolist() == [1, 0, 0, 0, 0]
    assert page.segments.link_chars.tolist() == [len("herethere"), 0, 0, 0, 0]
    assert page.nodes.hidden[page.segments.owner].tolist() == [False, True, True, True, False]


def test_line_breaks_and_tabs_of_a_text_are_kept():
    assert whole_text("<pre>\n def f():\n     return  1\n</pre>") == " def f():\n     return  1"
    assert whole_text("<table><tr><th>a<th>b<tr><td>1<td>2</table><p>end") == "a\tb\n1\t2\nend"
    cells = "<tr><td><p>Weight</p><td><div><p>40 t</div><tr><td><p>Made of<td><p>oak<p>steel"
    assert whole_text(f"<table>{cells}</table>") == "Weight\t40 t\nMade of\noak\nsteel"
    grid = "<div class='grid'><div>{}</div><div>{}</div></div>"
    assert whole_text(grid.format("a", "1") + grid.format("b", "2")) == "a\t1\nb\t2"
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
    chain = [node]
    for before in range(node - 1, -1, -1):
        if depth[before] < depth[chain[-1]]:
            chain.append(before)
    return chain


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
    of_nodes = bits_above(parent, *(np.array(one, np.int32) for one in (element_type, bits, at)))
    for node, of_node in zip(at, of_nodes.tolist(), strict=True):
        assert of_node == functools.reduce(
            operator.or_, [bits[element_type[above]] for above in ancestors(depth, node)]
        )


def test_bits_of_the_tags_of_element_types():
    element_types = [("p", "a"), ("td", ""), ("p", ""), ("pre", "b")]
    assert tag_bits(element_types, {"p": 1, "pre": 6}).tolist() == [1, 0, 1, 6]


@pytest.mark.parametrize("start", HIDING_BLOCKS)
def test_a_short_block_is_hidden_for_good_if_no_script_finds_it_by_a_name(start):
    shown, end = "<p>one</p>", f"</{start[1:].split(' ')[0].strip('>')}>"
    assert texts(f"{shown}{start}two{end}<p>three") == ["one", "three"]
    assert texts(f"{shown}{start.replace(' ', ' class=tab ', 1)}two{end}<p>three") == [
        "one",
        "two",
        "three",
    ]
    long = "two " * 100
    assert texts(f"{shown}{start}{long}{end}<p>three") == ["one", long.strip(), "three"]


def test_what_hides_a_block_leaves_its_pictures_its_rows_and_the_whole_page():
    assert texts("<body style='visibility:hidden'><p>one") == ["one"]
    assert texts("<ul><li style='display:none'>one<li>two</ul>") == ["one", "two"]
    assert texts("<figure style='opacity:0'><img src=a><figcaption>one</figure>") == ["one"]
    assert texts("<p style='font-size:0'><span class=a>one</span></p>") == ["one"]
    assert texts("<p>a <b style='font-size:0'>b<i style='font-size:12px'>c</i>d</b>e") == ["a ce"]


def test_a_hidden_block_takes_its_marks_along():
    markup = "<ul><li><a href=/a>one</a></ul><div hidden>two <a href=/b>three</a> ✓</div><p>four <b>five</b>"
    document = parse_document(markup, "https://example.com/a", with_marks=True)
    marks = document.marks
    shown = [
        (document.nodes.tags[node], document.segments.texts[segment][start:end])
        for node, segment, start, end in zip(
            marks.node, marks.segment, marks.start, marks.end, strict=True
        )
    ]
    assert shown == [("a", "one"), ("b", " five")]
    assert not document.signs.texts


@pytest.mark.parametrize("dialog", ["<dialog>xx</dialog>", "<dialog id=a><p>xx</p></dialog>"])
def test_a_dialog_that_is_not_open_is_not_shown_wherever_it_stands(dialog):
    for around in (
        "<p>{}A word",
        "<p>A word {}",
        "<ul><li>{}A word",
        "<table><td>A word{}</table>",
    ):
        assert texts(around.format(dialog)) == ["A word"]
    assert texts(f"{dialog.replace('<dialog', '<dialog open')}<p>A word") == ["xx", "A word"]


@pytest.mark.parametrize(
    ("item", "text"),
    [
        ("• One", "One"), ("•&nbsp;One", "One"), ("<span>•</span> One", "One"), ("•One", "One"), ("· One", "One"), ("<p>● One", "One"),
        ("·One", "·One"), ("·\ufeffOne", "·One"), ("·\ufeff One", "One"), ("One • two", "One • two"), ("- One", "- One"), ("✓ One", "✓ One"),
    ],
)  # fmt: skip
def test_the_bullet_of_a_list_item_is_no_text(item, text):
    assert texts(f"<ul><li>{item}</ul>") == [text]


def test_an_element_in_a_line_that_its_style_makes_a_block_has_a_line_of_its_own():
    assert texts("<p><b style='display:block'>Oak</b>The tree") == ["Oak\nThe tree"]
    assert texts("<p>one<i style='display:inline-block'>two</i>three") == ["onetwothree"]
    assert texts("<p>Oak<i style='display:table-cell'>4 m</i>tall") == ["Oak 4 m tall"]


def test_rows_of_a_table_may_be_made_by_styles():
    cell = "<div style='display: table-cell'>{}</div>"
    row = f"<div style='display:table-row'>{cell}{cell}</div>"
    table = f"<div style='display:table'>{row.format('Oak', '4 m')}{row.format('Elm', '3 m')}</div>"
    assert whole_text(table) == "Oak\t4 m\nElm\t3 m"
