"""Reading loses no letter that a browser shows; html5lib says what a browser shows."""

import random
from pathlib import Path

import pytest

from templ_core.dom.document import parse_document

html5 = pytest.importorskip("tests.html5", reason="html5lib is not installed", exc_type=ImportError)

ARTICLE = "<p>One paragraph of text with letters.</p><p>And a second one of such.</p>"
GOLDEN_PAGES = sorted(Path(__file__).parents[2].glob("golden/*/page.html"))

HTML_STARTS = ("<p>", "<div>", "<b>", "<table><tr><td>", "<h2>", "<font color=red>", "<br>", "</p>")
FOREIGN_STARTS = (
    *("<svg>", "<svg><path d=1>", "<svg><g>x", "<svg><title>x", "<svg><title>x</title>"),
    *("<svg><desc>x</desc>", "<svg><style>x{}</style>", "<svg><![CDATA[<p>]]>", "<svg><svg>"),
    *("<math>", "<math><mo>x</mo>", "<svg><a>", "<svg><script>x</script>", "<svg><font>x"),
)
CASES = [
    # The root elements.
    *(f"<html lang=en {end}{ARTICLE}" for end in ("/>", "/ >", "x='1'/>", "<meta charset=a />")),
    *(f"{start}{ARTICLE}" for start in ("<head/>", "<body/>", "<html/><head/><body/>")),
    f"<p>a</body>b</html>c{ARTICLE}</html>{ARTICLE}",
    f"a&#8</html>217;{ARTICLE}",
    f"a <</body>{ARTICLE}",
    # Text without tags.
    *(
        f"<title>{inside}</title>{ARTICLE}"
        for inside in (
            "a</b> <script>", "a <style>", "a<textarea>", "What does <!-- mean?", "a</head><p>",
            "a</titl", "</ title>", "<title>", "&lt;/title&gt;", "<svg>", "x<!-- -->",
            "a <b>c</b>",
        )
    ),
    f"<title>x</title><svg><title>y</title></svg>{ARTICLE}",
    f"<title>x</title><svg><title>y</b><style></title></svg>{ARTICLE}",
    f"<TITLE>x</TITLE >{ARTICLE}",
    f"<title>x</title\n/ a=b>{ARTICLE}",
    f"<style><!-- </style>{ARTICLE}",
    f"<script><!-- <script> </script> </script>{ARTICLE}",
    f"<script><!-- <script> --> </script>{ARTICLE}",
    f"<iframe><!-- </iframe>{ARTICLE}",
    f"<xmp><p></xmp>{ARTICLE}",
    f"<textarea></p><!-- </textarea>{ARTICLE}",
    # Comments and declarations.
    *(
        f"{mark}{ARTICLE}"
        for mark in ("<!-->", "<!--->", "<!-- --!>", "<!-- -- >-->", "<!x>", "<?x>")
    ),
    *(
        f"a{mark}{ARTICLE}"
        for mark in ("</>", "</ x>", "<>", "< p>", "<![CDATA[x]]>", "<!doctype x>")
    ),
    f"a&am<!-- x -->p;{ARTICLE}",
    # Drawings and formulas.
    *(f"{start}{html}{ARTICLE}" for start in FOREIGN_STARTS for html in HTML_STARTS),
    *(f"<div><a>{start}</a> b</div>c{ARTICLE}" for start in FOREIGN_STARTS[:3]),
    *(
        f"<{name}>{start}</{name}>b{ARTICLE}"
        for start in FOREIGN_STARTS[:3]
        for name in ("li", "td")
    ),
    f"<svg><textarea></svg>{ARTICLE}",
    f"<svg><foreignObject><div>x</div></foreignObject></svg>{ARTICLE}",
    f"<math><mi><p>{ARTICLE}",
    # What stands in for something else.
    *(
        f"{before}<{name}>{after}{ARTICLE}"
        for name in ("object", "audio", "video", "canvas", "map")
        for before, after in (("<li>", "<li>"), ("<div>", "</div>"), ("<table>", "<tr><td>x"))
    ),
    *(
        f"<{name}><table><tr><td>x</{name}>{ARTICLE}<{name}></{name}>"
        for name in ("object", "audio", "canvas")
    ),
    # Tables and other soup.
    *(f"<table>{inside}{ARTICLE}" for inside in ("", "<tr>", "<caption>", "<colgroup>", "x<td>")),
    f"<b><p>x</b>y</p><a>1<div>2<a>3{ARTICLE}",
    f"<select><option>x</select>{ARTICLE}",
    f"<frameset><frame></frameset><noframes>{ARTICLE}</noframes>",
    f"<button><p>x<button>{ARTICLE}",
    f"<pre>\n\nx</pre>{ARTICLE}",
]  # fmt: skip


@pytest.mark.parametrize("markup", CASES)
def test_a_case_loses_no_letter_that_a_browser_shows(markup):
    lost = html5.lost_letters(markup)
    assert lost == "" or html5.known_exception(markup)


@pytest.mark.parametrize("seed", range(20))
def test_mutated_pages_lose_no_letter_that_a_browser_shows(seed):
    rng = random.Random(seed)
    pages = [path.read_text() for path in GOLDEN_PAGES]
    for _ in range(20):
        page = html5.mutated(rng.choice(pages), rng)
        assert html5.lost_letters(page) == "" or html5.known_exception(page), page


@pytest.mark.parametrize("name", [name for name in html5.LEFT_OUT if name != "math"])
def test_text_that_is_left_out_on_purpose_is_left_out_where_its_element_ends(name):
    document = parse_document(f"<p>a</p><{name}>b</{name}><p>c</p>", "")
    assert document.segments.texts == ["a", "c"]


@pytest.mark.parametrize("name", [name for name in html5.LEFT_OUT if name != "textarea"])
def test_an_element_that_never_ends_hides_nothing(name):
    document = parse_document(f"<p>a</p><{name}><p>b</p><p>c", "")
    assert document.segments.texts == ["a", "b", "c"]
