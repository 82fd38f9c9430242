"""On generated pages, both forms have each kept part once and in order, and nothing of removed parts."""

import re
import time

import lxml.html
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from templ_core.dom.addresses import Addresses
from templ_core.dom.codec import document_columns
from templ_core.dom.document import parse_document
from templ_core.metadata.markup import PageMarkup
from templ_core.metadata.page_metadata import read_metadata
from templ_core.rendering.cleaned_html import render_html
from templ_core.rendering.links import PageLink, page_links
from templ_core.rendering.markdown import render_markdown
from templ_core.rendering.outline import Outline
from workers.lab.experiments.metadata_gold import letters

URL = "https://example.com/a/b"


def rendered(markup, render=render_markdown, kept=None, cuts=None):
    page = parse_document(markup, URL, with_marks=True)
    stays = np.ones(len(page.segments.texts), np.bool_) if kept is None else np.array(kept)
    return render(Outline(page, stays, cuts, URL))


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<h2>A <i>b</i></h2><p>c", "## A *b*\n\nc"),
        ("<ul><li>a<li>b<ol><li>c<li>d</ol></ul><p>e", "- a\n- b\n  1. c\n  2. d\n\ne"),
        ("<ul><li><p>a</p><p>b</p></li><li>c</ul>", "- a\n\n  b\n- c"),
        ("<blockquote><p>a<p>b</blockquote>", "> a\n>\n> b"),
        ("<pre><code class='language-py'>\na\n\n  b*</code></pre>", "```py\na\n\n  b*\n```"),
        ("<pre><ol class=linenums><li>a</li><li>  b</li></ol></pre>", "```\na\n  b\n```"),
        ("<pre><i class=lineno>8 </i>a\n<i class=lineno>9 </i>  b</pre>", "```\na\n  b\n```"),
        ("<pre><i class=lineno>8</i>a\n<i class=lineno>9</i> b</pre>", "```\na\n b\n```"),
        ("<pre>a```b</pre>", "````\na```b\n````"),
        ("<table><tr><th>a<th>b<tr><td>c<td>d|e</table>", "| a | b |\n| --- | --- |\n| c | d\\|e |"),
        ("<table><tr><td>a<td><tr><td>c<td>d</table>",
         "|  |  |\n| --- | --- |\n| a |  |\n| c | d |"),
        ("<table><tr><td><h2>a</h2><p>b</table>", "## a\n\nb"),
        ("<p>See <a href='/c?d=1&amp;e'> the <b>page</b> </a>, now.", "See [the **page**](https://example.com/c?d=1&e) , now."),
        ("<p>a <a href='javascript:x()'>b</a> <a>c</a>", "a b c"),
        ("<p>a <code>x*y</code> and <code><a href='c'>d</a></code>",
         "a `x*y` and [`d`](https://example.com/a/c)"),
        ("<p>a <img src='/i(1).png' alt='a [cat]'> b", "a ![a \\[cat\\]](https://example.com/i%281%29.png) b"),
        ("<p>a<img alt=cat>b", "a cat b"),
        ("<p>a <a href=/c><img src=/i alt='c&shy;a\u200bt'>b</a> d", "a [![cat](https://example.com/i) b](https://example.com/c) d"),
        ("<p><a href=/c><img src=/i alt=cat></a>, <img src=/i alt=cat><b>b</b>", "[![cat](https://example.com/i)](https://example.com/c) , ![cat](https://example.com/i) **b**"),
        ("<p>a</p><p><img src='i.png' alt='cat'></p><p>b", "a\n\n![cat](https://example.com/a/i.png)\n\nb"),
        ("<p>a</p><p><img src='i.png'></p><p>b", "a\n\nb"),
        ("<p>a * b _c_ d_e &lt;f> [g] &amp;amp; `h`", "a \\* b \\_c\\_ d_e \\<f> \\[g\\] \\&amp; \\`h\\`"),
        ("<p># a</p><p>1. b</p><p>- c</p><p>+ d</p>", "\\# a\n\n1\\. b\n\n\\- c\n\n\\+ d"),
        ("<p>a<br>- b", "a  \n\\- b"),
        ("<p>é <a href='c'>ü</a> ö", "é [ü](https://example.com/a/c) ö"),
        ("<a href='c'><h3>a</h3><p>b</p></a>",
         "### [a](https://example.com/a/c)\n\n[b](https://example.com/a/c)"),
    ],
)  # fmt: skip
def test_markdown(markup, text):
    assert rendered(markup) == text


_LINK = "](https://example.com/x)"


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<b>注意：</b>這", "<strong>注意：</strong>這"),
        ("<b>注意</b>這", "**注意**這"),
        ("<strong>Note:</strong>the", "<strong>Note:</strong>the"),
        ("<strong>Note:</strong> the", "**Note:** the"),
        ("a<b>“c”</b>d, (<i>e!</i>)", "a<strong>“c”</strong>d, (*e!*)"),
        ("<i>systemd'</i>s", "<em>systemd'</em>s"),
        ("Pay <b>€5</b>, or<b>€</b>5", "Pay **€5**, or<strong>€</strong>5"),
        ("<b>B</b><strong>reak</strong>fast", "**Break**fast"),
        ("<i>a</i> <i>b</i>", "*a* *b*"),
        ("<b><i>a</i></b><b><i>b</i></b>", "***ab***"),
        ("<b>a</b><i>b</i>", "**a**<em>b</em>"),
        ("<b><i>a</i>b<i>c</i></b>", "***a*b<em>c</em>**"),
        ("<b>a</b><span></span><b>b</b><i></i><b>c</b>", "**abc**"),
        ("<b>a<b>b</b>c</b>", "**abc**"),
        ("<b>a<br></b>b", "**a**  \nb"),
        ("<b>a<br>b</b>", "**a  \nb**"),
        ("<b><a href=/x>a</a></b>b", f"<strong>[a{_LINK}</strong>b"),
        ("<a href=/x><i>a</i>b</a>", f"[*a*b{_LINK}"),
        ("Wow!<a href=/x>a</a>", f"Wow\\![a{_LINK}"),
        ("<b>a<sup>2</sup></b> b", "**a<sup>2</sup>** b"),
        ("<b>a<sup>2</sup></b>b", "<strong>a<sup>2</sup></strong>b"),
        ("<del>80</del> 70 <s>a</s><s>b</s>", "~~80~~ 70 ~~ab~~"),
        ("<strike>(80)</strike>70 ~5", "<del>(80)</del>70 \\~5"),
        ("a ~~ b ~5", "a \\~\\~ b ~5"),
        ("<ins>a</ins> <u>b</u>", "a b"),
        ("<code>`a`</code> <code>a`b</code> <code>``a`b</code>", "`` `a` `` ``a`b`` ``` ``a`b ```"),
        ("<code>a</code><code>b</code><kbd>c</kbd>", "`abc`"),
        ("<code>a<br>b</code>", "`a`  \n`b`"),
        ("<code>List[<a href=/x>int</a>]</code>", f"`List[`[`int`{_LINK}`]`"),
        ("<code>a <b>b</b> <sup>c</sup></code>", "`a b c`"),
        ("<b><code>*</code></b>, a<b><code>b</code></b>", "**`*`**, a<strong>`b`</strong>"),
        ("<b>a<br>--</b><br>--<br>==", "**a  \n--**  \n\\--  \n\\=="),
        ("&lt;<s>!a</s> &<s>amp;</s> 。_a這_ é_é", "\\<~~!a~~ \\&~~amp;~~ 。\\_a這\\_ é_é"),
    ],
)  # fmt: skip
def test_emphasis_is_read_as_it_is_meant(markup, text):
    assert rendered(f"<p>{markup}") == text


@pytest.mark.parametrize(
    ("markup", "text", "html"),
    [
        ("<p>Load <formula>F_1 = m*g [N] \\\\</formula>, costs $5", "Load $F_1 = m*g [N] \\\\$, costs \\$5",
         '<p>Load <span class="math inline">\\(F_1 = m*g [N] \\\\\\)</span>, costs $5</p>'),
        ("<p>a</p><formula-block>x &lt; y</formula-block><p>b", "a\n\n$$x < y$$\n\nb",
         '<p>a</p><div class="math display">\\[x &lt; y\\]</div><p>b</p>'),
        ("<p><formula>a</formula><formula>b<br>$</formula><b>c</b>", "$a$ $b \\$$**c**",
         '<p><span class="math inline">\\(a\\)</span><span class="math inline">\\(b $\\)</span><strong>c</strong></p>'),
        ("<p>costs $5 or <b>$</b>6", "costs $5 or <strong>$</strong>6", "<p>costs $5 or <strong>$</strong>6</p>"),
        ("<p>10^<sup>6</sup> or 10<sup>^6</sup> ^", "10<sup>6</sup> or 10<sup>6</sup> ^",
         "<p>10<sup>6</sup> or 10<sup>6</sup> ^</p>"),
    ],
)  # fmt: skip
def test_formulas(markup, text, html):
    assert rendered(markup) == text
    assert rendered(markup, render_html) == html


_WORDS = ["a", "b c", " ", "。", "“", ")", "!", "*", "**", "`", "``", "~~", "_", "[", "<br>", "€",
          "這", "&lt;", "&amp;", "\\", "1."]  # fmt: skip
_KINDS = {"b": "strong", "strong": "strong", "i": "em", "em": "em", "s": "s", "del": "s", "code": "code",
          "a": "a", "sup": "sup"}  # fmt: skip
_TAGS = st.sampled_from(sorted(_KINDS))
_LINE = st.recursive(
    st.sampled_from(_WORDS),
    lambda inner: st.tuples(_TAGS, st.lists(inner, min_size=1, max_size=4)),
    max_leaves=12,
)


def _markup(piece, inside=()):
    if isinstance(piece, str):
        return piece
    tag, pieces = piece
    content = "".join(_markup(one, (*inside, tag)) for one in pieces)
    is_plain = tag in inside or ("code" in inside and tag != "a")
    return content if is_plain else f"<{tag} href=/x>{content}</{tag}>"


def _read(html):
    """Return the characters of a line of HTML, and what each is marked as."""
    texts = []

    def add(text, kinds):
        texts.extend((char, kinds) for char in text or "" if not char.isspace())

    def read(element, around):
        kinds = around | {_KINDS[element.tag]} if element.tag in _KINDS else around
        add(element.text, kinds)
        for child in element:
            read(child, kinds)
            add(child.tail, kinds)

    read(lxml.html.fragment_fromstring(html, create_parent="p"), frozenset())
    return texts


@settings(deadline=None, max_examples=400)
@given(st.lists(_LINE, max_size=5))
def test_a_reader_of_markdown_sees_the_marks_of_the_page(pieces):
    line = "".join(map(_markup, pieces))
    assume(len(parse_document(f"<p>x {line} y", URL).segments.texts) == 1)
    markdown = rendered(f"<p>x {line} y")
    html = MarkdownIt("commonmark").enable("strikethrough").renderInline(markdown)
    assert _read(html) == _read("x " + line + " y")


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<div class=x>a<br>b</div>", "<p>a<br>b</p>"),
        ("<p>a<s>b</s><del>c</del>", "<p>a<del>b</del><del>c</del></p>"),
        ("<ul class=x><li>a <a href=c onclick=x>b</a></ul>",
         '<ul><li>a <a href="https://example.com/a/c">b</a></li></ul>'),
        ("<pre>a\n&lt;b></pre>", "<pre>a\n&lt;b&gt;</pre>"),
        ("<table><tr><td>a<td><b>c</b></table>",
         "<table><tr><td>a</td><td><strong>c</strong></td></tr></table>"),
        ("<p>a <img src=i.png alt='\"x\"'>b",
         '<p>a <img src="https://example.com/a/i.png" alt="&quot;x&quot;"> b</p>'),
        ("<p>a</p><p>b", "<p>a</p><p>b</p>"),
    ],
)  # fmt: skip
def test_cleaned_html(markup, text):
    assert rendered(markup, render_html) == text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<ol start=3><li>a<li>b</ol>", "3. a\n4. b"),
        ("<ol><li>a<li value=7>b<li>c</ol>", "1. a\n\n7) b\n8) c"),
        ("<ol reversed><li>a<li>b</ol>", "2. a\n\n1) b"),
        ("<ol reversed start=1><li>a<li>b<li>c</ol>", "1. a\n\n0) b\n\n- -1\\. c"),
        ("<ol start=0><li>a</ol>", "0. a"),
        ("<ol start=-1><li>a<li>b</ol>", "- -1\\. a\n0. b"),
        ("<ol start=99999999999><li>a</ol>", "1. a"),
        ("<ol start=999999999><li>a<li>b</ol>", "999999999. a\n- 1000000000\\. b"),
        ("<ol start=x><li value=''>a</ol>", "1. a"),
        ("<ol><li>a</ol><ol><li>b</ol>", "1. a\n\n1) b"),
        ("<ol><li>a</ol><ol start=2><li>b</ol>", "1. a\n\n2. b"),
        ("<ol><li>a</ol><p>b</p><ol start=2><li>c</ol>", "1. a\n\nb\n\n2. c"),
        ("<ol start=8><li><p>a</p><pre>b</pre></li><li>c</ol>", "8. a\n\n   ```\n   b\n   ```\n9. c"),
        ("<ol start=10><li>a<ol><li>b</ol></ol>", "10. a\n    1. b"),
        ("<ul><li>a<ol start=4><li>b</ol></ul>", "- a\n\n  4. b"),
        ("<ul><li>a</li><ul><li>b</li><li>c</li></ul><li>d</ul>", "- a\n  - b\n  - c\n- d"),
        ("<ol><li>a</li><ol><li>b</li></ol><li>c</ol>", "1. a\n   1. b\n2. c"),
        ("<ul><ul><li>a</li></ul><li>b</ul>", "- a\n- b"),
        ("<ul><li>a</li><ul><ul><li>b</ul></ul></ul>", "- a\n\n  - b"),
    ],
)  # fmt: skip
def test_lists_have_the_numbers_and_levels_of_the_page(markup, text):
    assert rendered(markup) == text


def test_items_are_counted_with_those_that_are_removed():
    markup = "<ol><li>a<li>b<li>c</ol>"
    assert rendered(markup, kept=[True, False, True]) == "1. a\n\n3) c"


@pytest.mark.parametrize(
    ("markup", "rows"),
    [
        ("<tr><th colspan=2>a<th>b<tr><td>c<td>d<td>e", ["a||b", "c|d|e"]),
        ("<tr><th>a<th>b<tr><td rowspan=2>c<td>d<tr><td>e", ["a|b", "c|d", "|e"]),
        ("<tr><th>a<th>b<tr><td rowspan=0>c<td>d<tr><td>e<tr><td>f", ["a|b", "c|d", "|e", "|f"]),
        ("<tbody><tr><th>a<th>b<tr><td rowspan=9>c<td>d</tbody><tbody><tr><td>e<td>f", ["a|b", "c|d", "e|f"]),
        ("<tr><th>a<th>b<th>c<tr><td rowspan=2 colspan=2>d<td>e<tr><td>f", ["a|b|c", "d||e", "||f"]),
        ("<tr><th>a<th>b<tr><td colspan=100000>c<tr><td>d<td>e", ["a|b", "c|", "d|e"]),
        ("<tr><th colspan=100000>a<th>b<tr><td>c<td>d", ["a||b", "c|d|"]),
        ("<tfoot><tr><td>a<td>b</tfoot><tbody><tr><td>c<td>d</tbody><thead><tr><td>e<td>f", ["e|f", "c|d", "a|b"]),
        ("<tr><th>a<th>b<tr><td><ul><li>c<li>d</ul><td>e<br>f", ["a|b", "c<br>d|e<br>f"]),
        ("<tr><th>a<th>b<tr><td><pre>c\n  `d</pre><td>e", ["a|b", "`c`<br>``   `d ``|e"]),
        ("<tr><th>a<th>b<tr><td><p>c<p>d<td><formula>x|y</formula>", ["a|b", "c<br>d|$x\\|y$"]),
    ],
)  # fmt: skip
def test_cells_stand_under_their_heads(markup, rows):
    lines = rendered(f"<table>{markup}</table>").split("\n")
    assert set(lines.pop(1)) == set("| -")
    wanted = [row.replace("\\|", "\0").split("|") for row in rows]
    assert lines == [f"| {' | '.join(row)} |".replace("\0", "\\|") for row in wanted]


@pytest.mark.parametrize(
    ("markup", "text", "html"),
    [
        ("<tr><td><p>a</p><table><tr><th>b<th>c<tr><td>d<td>e</table>",
         "a\n\n| b | c |\n| --- | --- |\n| d | e |",
         "<table><tr><td><p>a</p><table><tr><th>b</th><th>c</th></tr><tr><td>d</td><td>e</td></tr></table></td></tr></table>"),
        ("<tr><td><ul><li>a<li>b</ul><td>c", "- a\n- b\n\nc",
         "<table><tr><td><ul><li>a</li><li>b</li></ul></td><td>c</td></tr></table>"),
        ("<tr><th colspan=2>a<th rowspan=2>b<tr><td><td>c", "| a |  | b |\n| --- | --- | --- |\n|  | c |  |",
         '<table><tr><th colspan="2">a</th><th rowspan="2">b</th></tr><tr><td></td><td>c</td></tr></table>'),
    ],
)  # fmt: skip
def test_tables_in_both_forms(markup, text, html):
    assert rendered(f"<table>{markup}</table>") == text
    assert rendered(f"<table>{markup}</table>", render_html) == html


@pytest.mark.parametrize(
    "markup",
    [
        "<tr>" + "<td>a" * 3000 + "<tr><td>b" * 3000,
        "".join(f"<tr><td colspan={number}>a<td>b" for number in range(1000)),
        "<tr>" + "<td rowspan=65534>a" * 1000 + "<tr>" * 20000,
        "<tr><td>a<td>b" + "<tr><td rowspan=65534 colspan=1000>a<td>b" * 2000,
        "<tr><td>" + "<table><tr><td>" * 300 + "a<td>b",
    ],
)
def test_hostile_tables_do_not_grow(markup):
    begin = time.process_time()
    assert len(rendered(f"<table>{markup}</table>")) < 20 * len(markup)
    assert time.process_time() - begin < 5  # They take a tenth of it.


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<h2 id=x>a<a href=#x>¶</a></h2>", "## a"),
        ("<h2><a href=#x>a</a> <a href=#x>\u200b</a></h2>", "## a"),
        (f"<h2>a <a href={URL}#x>#</a></h2>", "## a"),
        ("<h2>a <a href=/x>#</a></h2>", "## a [#](https://example.com/x)"),
        ("<h2>C # ##</h2>", "## C # \\##"),
        ("<p>a<a href=#x>¶</a> b<a href=#y>*</a> <a href=#z>1</a>", "a b\\* [1](https://example.com/a/b#z)"),
    ],
)  # fmt: skip
def test_anchors_of_headings_are_no_links(markup, text):
    assert rendered(markup) == text


_DOT = "data:image/gif;base64,R0lGOD"


@pytest.mark.parametrize(
    ("markup", "source"),
    [
        ("<img srcset='/4.jpg 400w, /8.jpg 800w' alt=x>", "8.jpg"),
        ("<img srcset='/1,a.jpg, /2,b.jpg 1.5x,/3.jpg 1.25x' alt=x>", "2,b.jpg"),
        ("<img srcset='data:x 2x, /4.jpg' alt=x>", "4.jpg"),
        ("<img srcset='/8.jpg 800w' src=/1.jpg alt=x>", "1.jpg"),
        ("<img data-srcset='/8.jpg 800w' src=/images/blank.gif?v=1 alt=x>", "8.jpg"),
        (f"<img src={_DOT} data-original=/1.jpg?w=2 alt=x>", "1.jpg?w=2"),
        ("<img src=/Spacer.png data-foo='a b.jpg' data-bar=c data-any=/1.webp alt=x>", "1.webp"),
        ("<img src=/1.jpg data-large=/2.jpg alt=x>", "1.jpg"),
        ("<img src=/1.jpg data-lazy-src=/2 alt=x>", "2"),
        ("<img src=/spacer.gif data-original=/2?w=9 alt=x>", "2?w=9"),
        ("<img src=/none.gif file=/2.jpg alt=x>", "2.jpg"),
        ("<img src=/t width=1 height=1 data-original=/1.png alt=x>", "1.png"),
        ("<img data-original data-a='' src=/1.jpg alt=x>", "1.jpg"),
        ("<picture><source srcset='/1.webp, /2.webp 2x'><source srcset=/3><img alt=x></picture>", "2.webp"),
        (f"<picture><source srcset=/1><img src={_DOT} alt=x></picture>", "1"),
        ("<picture><source srcset=/1><img src=/2 alt=x></picture>", "2"),
        (f"<picture><source data-srcset='/1, /2 2x'><img src={_DOT} alt=x></picture>", "2"),
        (f"<img src={_DOT} nitro-lazy-src=/1.jpg alt=x>", "1.jpg"),
        ("<amp-img src=/1.jpg alt=x width=2></amp-img>", "1.jpg"),
        ("<img data-src=/1.jpg alt=x><noscript><img src=/1.jpg alt=x></noscript>", "1.jpg"),
        ("<noscript><img src=/1.jpg alt=x></noscript><img data-src=/1.jpg alt=x>", "1.jpg"),
        (f"<img src={_DOT} alt=x><noscript><img src=/1.jpg alt=x></noscript>", "1.jpg"),
        ("<noscript><img src=/1.jpg alt=x></noscript>", "1.jpg"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("attribute", ["", " class='a&amp;b'"])
def test_images_have_the_address_that_a_reader_sees(markup, source, attribute):
    markup = re.sub(r"<(img|source|amp-img)", rf"<\1{attribute}", markup)
    assert rendered(f"<h1>a</h1>{markup}<p>b") == f"# a\n\n![x](https://example.com/{source})\n\nb"


def test_an_image_and_its_twin_without_scripts_are_one_beside_a_text():
    twins = "<noscript><img src=/1.jpg alt=x></noscript><img data-src=/1.jpg alt=x>"
    assert rendered(f"<ul><li>{twins} One</ul>") == "- ![x](https://example.com/1.jpg) One"


@pytest.mark.parametrize(
    "markup",
    ["<img src=/1.jpg alt='' width=1 height=1>", "<img src=/blank.gif>",
     "<picture><source srcset=/1></picture>", "<img srcset=','>", "<img data-x=.jpg. src=''>"],
)  # fmt: skip
def test_nothing_is_written_for_an_image_that_shows_nothing(markup):
    assert rendered(f"<figure>{markup}</figure><p>b") == "b"


SHARE = '<a href="https://social.example/sharer.php?u=x"><span><img src=a alt=b></span></a>'
IMAGE = "<img src=c alt=d>"
FIGURE = "<figure><img src=c><figcaption>Öd cat</figcaption></figure>"
CREDITED_FIGURE = (
    "<figure><div><picture><source srcset=c><source srcset=e><img></picture><i>© somebody</i></div>"
    "<figcaption>cat</figcaption></figure>"
)
WRITTEN_FIGURE = '<figure><p><img src="https://example.com/a/c" alt=""></p><figcaption>Öd cat</figcaption></figure>'


@pytest.mark.parametrize(
    ("markup", "kept", "cuts", "text", "html"),
    [
        ("<nav><a href=/>Home</a></nav><p>Öne. <a href=c>Two.</a> Three.", [False, True], {1: [(5, 10)]},
         "Öne. Three.", "<p>Öne. Three.</p>"),
        (f"<nav><img src=a alt=b><a>Home</a></nav><article><p>Text</p>{IMAGE}</article>", [False, True], None,
         "Text\n\n![d](https://example.com/a/c)", '<p>Text</p><p><img src="https://example.com/a/c" alt="d"></p>'),
        (f"<p>Text</p><div>{SHARE}<a href=/gallery>{IMAGE}</a></div>", [True], None,
         "Text\n\n![d](https://example.com/a/c)", '<p>Text</p><p><img src="https://example.com/a/c" alt="d"></p>'),
        (f"<article><p>Text, text</p>{FIGURE}</article>", [True, False], None,
         "Text, text\n\n![](https://example.com/a/c)\n\nÖd cat", f"<p>Text, text</p>{WRITTEN_FIGURE}"),
        ("<article><p>Text, text</p><div><img src=c alt=d><p class=wp-caption-text>cat</p></div></article>", [True, False],
         None, "Text, text\n\n![d](https://example.com/a/c)\n\ncat",
         '<p>Text, text</p><p><img src="https://example.com/a/c" alt="d"></p><p>cat</p>'),
        (f"<article><p>Text, text</p>{CREDITED_FIGURE}</article>", [True, False, False], None,
         "Text, text\n\n![](https://example.com/a/c)\n\ncat",
         '<p>Text, text</p><figure><p><img src="https://example.com/a/c" alt=""></p><figcaption>cat</figcaption></figure>'),
        (f"<p>Text</p><aside><p>Read more of it</p>{FIGURE}</aside>", [True, False, False], None, "Text", "<p>Text</p>"),
        ("<article><p>Text, text</p><figure><figcaption>cat</figcaption></figure></article>", [True, False], None,
         "Text, text", "<p>Text, text</p>"),
        ("<article><p>Text, text</p><figure><img src=c><figcaption><a href=/d>Buy it</a></figcaption></figure></article>",
         [True, False], None, "Text, text", "<p>Text, text</p>"),
        ("<article><p>Text, text</p><div class=captions><img src=c><p>cat</p><p>more</p></div></article>",
         [True, True, False], None, "Text, text\n\ncat", "<p>Text, text</p><p>cat</p>"),
    ],
)  # fmt: skip
def test_what_is_cut_or_removed_is_in_no_form(markup, kept, cuts, text, html):
    assert rendered(markup, kept=kept, cuts=cuts) == text
    assert rendered(markup, render_html, kept=kept, cuts=cuts) == html


def test_links_say_where_they_stand():
    markup = (
        "<nav><a href=/>Home</a><a href=#x>up</a><a href=mailto:a@b>mail</a></nav>"
        "<p>See <a href=c>the <b>page</b></a><a href=//d.example/e><img src=i alt=Pic></a>"
    )
    page = parse_document(markup, URL, with_marks=True)
    links = page_links(Outline(page, np.array([False, True]), None, URL))
    assert links == [
        PageLink("Home", "https://example.com/", is_content=False),
        PageLink("the page", "https://example.com/a/c", is_content=True),
        PageLink("Pic", "https://d.example/e", is_content=True),
    ]


@pytest.mark.parametrize(
    ("base", "found"),
    [
        ("<base href=/c/>", "https://example.com/c/d"),
        ("<base target=_top href='https://o.example/?a=1&amp;b=2'>", "https://o.example/d"),
        ("<!-- <base href=/c/> --><base target=_top>", "https://example.com/a/d"),
        ("<script>'<base href=/c/>'</script>", "https://example.com/a/d"),
        ("<base href='http://[/'>", "https://example.com/a/d"),
    ],
)
def test_addresses_are_joined_to_the_base_of_the_page(base, found):
    markup = f"<head>{base}<body><p>See <a href=d>it</a> and <a href=#e>below</a>"
    below = "[below](https://example.com/a/b#e)"
    assert rendered(markup) == f"See [it]({found}) and {below}"
    page = parse_document(f"<head>{base}<meta property=og:image content=d><p>Text", URL)
    assert read_metadata(page, URL, PageMarkup(page)).image == found


@pytest.mark.parametrize(
    ("target", "absolute"),
    [
        ("../c", "https://example.com/c"),
        ("../../../c", "https://example.com/c"),
        ("../c d.html", "https://example.com/c%20d.html"),
        ("./c", "https://example.com/a/c"),
        ("?d", "https://example.com/a/b?d"),
        ("#d", "https://example.com/a/b#d"),
        ("//o.example/c", "https://o.example/c"),
        (" /c d\n", "https://example.com/c%20d"),
        ("http://o.example/ c", "http://o.example/%20c"),
        ("tel:123", ""),
        ("c:d", ""),
        ("", "https://example.com/a/b"),
    ],
)
def test_addresses_are_made_absolute(target, absolute):
    assert Addresses(URL).absolute(target) == absolute


_PIECES = st.sampled_from(
    ["<p>", "</p>", "<ul>", "<li>", "</ul>", "<b>", "</b>", "<a href=x>", "</a>", "<h2>", "</h2>",
     "<pre>", "</pre>", "<table>", "<tr>", "<td>", "</table>", "<code>", "</code>", "<br>", "é ",
     "<blockquote>", "</blockquote>", "<img src=x alt=y>", "a ", "b\n", "*_", "`", "<div>", "</div>"]
)  # fmt: skip


@settings(deadline=None, max_examples=300)
@given(st.lists(_PIECES, max_size=25), st.randoms())
def test_all_forms_hold_the_kept_text_in_order(pieces, random):
    markup = "".join(pieces)
    plain = parse_document(markup, URL)
    page = parse_document(markup, URL, with_marks=True)
    assert document_columns(page) == document_columns(plain)
    kept = np.array([random.random() < 0.7 for _ in page.segments.texts], np.bool_)
    text = render_markdown(Outline(plain, kept, None, URL))
    words = [letters(page.segments.texts[one]) for one in np.flatnonzero(kept)]
    assert [letters(line) for line in text.split("\n") if letters(line)] == [
        letters(line)
        for one in np.flatnonzero(kept)
        for line in page.segments.texts[one].split("\n")
        if letters(line)
    ] or "".join(words) == "".join(char for char in letters(text) if not char.isdigit())
    outline = Outline(page, kept, None, URL)
    rendered = render_html(outline), render_markdown(outline), page_links(outline)
    assert rendered == (render_html(outline), render_markdown(outline), page_links(outline))


BLOCKS_URL = "https://example.com/a"
BLOCKS = {
    "paragraph": "<p>w0n w1n</p>",
    "marks": '<p>w0n <b>w1n</b> <a href="/l2n">w3n</a> H<sub>w4n</sub> x<sup>w5n</sup></p>',
    "image in a link": '<p>w0n <a href="/l1n"><img src="/i2n" alt="w3n"></a> w4n</p>',
    "heading": "<h2>w0n</h2><p>w1n</p>",
    "figure": '<figure><img src="/i0n" alt="w1n"><figcaption>w2n <b>w3n</b></figcaption></figure>',
    "figure without a label": '<figure><div><img src="/i0n" alt=""></div><figcaption>w1n</figcaption></figure>',
    "terms": "<dl><dt>w0n</dt><dd>w1n</dd><dt>w2n</dt><dd><p>w3n</p></dd></dl>",
    "unclosed terms": "<dl><dt>w0n<dd>w1n<dt>w2n<dd>w3n</dl>",
    "list": "<ul><li>w0n<ol><li>w1n</ol><li>w2n</ul>",
    "quotation": "<blockquote><p>w0n</p><ul><li>w1n</ul></blockquote>",
    "table": "<table><caption>w0n</caption><tr><th>w1n<th>w2n<tr><td>w3n<td>w4n</table>",
    "code": '<pre class="language-python"><code>w0n = w1n\n    w2n</code></pre>',
    "numbered code": '<pre><i class="linenos">1</i>w0n\n<i class="linenos">2</i>w1n</pre>',
    "nameless numbers beside code": '<table><tr><td><pre>7\n8</pre><td><pre>w0n\nw1n</pre></table>',
    "image that is loaded later": '<figure><img src="data:," data-lazy-src="/i0n"><figcaption>w1n</figcaption></figure>',
    "small image first": '<figure><img src="/blank" data-src="/i0n"><figcaption>w1n</figcaption></figure>',
    "numbers beside code": '<table><tr><td class="linenos"><pre>1\n2</pre><td><pre>w0n\nw1n</pre></table>',
}  # fmt: skip
_MARK = re.compile(r"[wli]\d+n\d+")


def rendered_blocks(blocks):
    """Return the page's markup by block, and the Markdown and the HTML of the kept blocks."""
    parts = [
        re.sub(r"\b([wli]\d)n", rf"\g<1>n{number}", BLOCKS[name])
        for number, (name, _) in enumerate(blocks)
    ]
    page = parse_document(
        "".join(f"<div>{one}</div>" for one in parts), BLOCKS_URL, with_marks=True
    )
    blocks_of = [int(_MARK.search(text)[0].partition("n")[2]) for text in _with_marks(page)]
    kept = np.array([blocks[number][1] for number in blocks_of], bool)
    outline = Outline(page, kept, None, BLOCKS_URL, settled=~kept)
    return parts, render_markdown(outline), render_html(outline)


def _with_marks(page):
    """Return the texts of the segments; numbers of lines stand for the code that follows them."""
    texts = page.segments.texts
    following = [*texts[1:], ""]
    return [
        one if _MARK.search(one) else after for one, after in zip(texts, following, strict=True)
    ]


def marks(text):
    return _MARK.findall(text)


def of_tree(html):
    """Return the marks of a tree, sorted: those in texts, addresses and alternative texts."""
    shown = []
    for element in lxml.html.fragment_fromstring(html, create_parent=True).iter():
        shown += [*element.values(), element.text or "", element.tail or ""]
    return sorted(marks(" ".join(shown)))


@given(st.lists(st.tuples(st.sampled_from(sorted(BLOCKS)), st.booleans()), min_size=1, max_size=8))
def test_each_kept_part_is_written_once_and_no_removed_one(blocks):
    parts, markdown, html = rendered_blocks(blocks)
    expected = [part for part, (_, kept) in zip(parts, blocks, strict=True) if kept]
    wanted = sorted(marks(" ".join(expected)))
    assert of_tree(html) == wanted
    assert of_tree(MarkdownIt().enable("table").render(markdown) or "<p>") == wanted


@pytest.mark.parametrize("name", sorted(BLOCKS))
def test_texts_keep_their_order(name):
    parts, markdown, html = rendered_blocks([(name, True)])
    words = [mark for mark in marks(parts[0]) if mark[0] == "w"]
    assert [mark for mark in marks(html) if mark[0] == "w"] == words
    assert [mark for mark in marks(markdown) if mark[0] == "w"] == words


def test_structure_is_kept():
    def both(name):
        return rendered_blocks([(name, True)])[1:]

    assert both("numbered code") == ("```\nw0n0\nw1n0\n```", "<pre>w0n0\nw1n0</pre>")
    assert "1" not in re.sub(_MARK, "", both("numbers beside code")[0])
    assert "7" not in re.sub(_MARK, "", "".join(both("nameless numbers beside code")))
    assert both("code")[1].startswith('<pre class="language-python"><code>')
    assert both("figure without a label")[0] == "![](https://example.com/i0n0)\n\nw1n0"
    assert both("image in a link")[0] == (
        "w0n0 [![w3n0](https://example.com/i2n0)](https://example.com/l1n0) w4n0"
    )
    assert "H<sub>w4n0</sub> x<sup>w5n0</sup>" in both("marks")[0]
    assert both("terms")[1].count("<dd>") == 2
