"""Generated pages, of which each kept part is in both forms once and in order, and nothing of a removed one."""

import re

import lxml.html
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from templ_core.dom.document import parse_document
from templ_core.rendering.cleaned_html import render_html
from templ_core.rendering.markdown import render_markdown
from templ_core.rendering.outline import Outline

URL = "https://example.com/a"
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
    "numbers beside code": '<table><tr><td class="linenos"><pre>1\n2</pre><td><pre>w0n\nw1n</pre></table>',
}  # fmt: skip
_MARK = re.compile(r"[wli]\d+n\d+")


def rendered(blocks):
    """Return the page's markup by block, and the Markdown and the HTML of the kept blocks."""
    parts = [
        re.sub(r"\b([wli]\d)n", rf"\g<1>n{number}", BLOCKS[name])
        for number, (name, _) in enumerate(blocks)
    ]
    page = parse_document("".join(f"<div>{part}</div>" for part in parts), URL, with_marks=True)
    kept = np.array([_is_kept(text, blocks) for text in _with_marks(page)], bool)
    outline = Outline(page, kept, None, page.marks, URL)
    return parts, render_markdown(outline), render_html(outline)


def _with_marks(page):
    """Return the texts of the segments; numbers of lines stand for the code that follows them."""
    texts = page.segments.texts
    following = [*texts[1:], ""]
    return [
        text if _MARK.search(text) else after for text, after in zip(texts, following, strict=True)
    ]


def _is_kept(text, blocks):
    return blocks[int(_MARK.search(text)[0].partition("n")[2])][1]


def marks(text):
    return _MARK.findall(text)


def of_tree(html):
    """Return the marks of a tree, sorted: those in texts, addresses and alternative texts."""
    found = []
    for element in lxml.html.fragment_fromstring(html, create_parent=True).iter():
        found += [*element.values(), element.text or "", element.tail or ""]
    return sorted(marks(" ".join(found)))


@given(st.lists(st.tuples(st.sampled_from(sorted(BLOCKS)), st.booleans()), min_size=1, max_size=8))
def test_each_kept_part_is_written_once_and_no_removed_one(blocks):
    parts, markdown, html = rendered(blocks)
    expected = [part for part, (_, kept) in zip(parts, blocks, strict=True) if kept]
    wanted = sorted(marks(" ".join(expected)))
    assert of_tree(html) == wanted
    assert of_tree(MarkdownIt().enable("table").render(markdown) or "<p>") == wanted


@pytest.mark.parametrize("name", sorted(BLOCKS))
def test_texts_keep_their_order(name):
    parts, markdown, html = rendered([(name, True)])
    words = [mark for mark in marks(parts[0]) if mark[0] == "w"]
    assert [mark for mark in marks(html) if mark[0] == "w"] == words
    assert [mark for mark in marks(markdown) if mark[0] == "w"] == words


def test_structure_is_kept():
    def both(name):
        return rendered([(name, True)])[1:]

    assert both("numbered code") == ("```\nw0n0\nw1n0\n```", "<pre>w0n0\nw1n0</pre>")
    assert "1" not in re.sub(_MARK, "", both("numbers beside code")[0])
    assert both("code")[1].startswith('<pre class="language-python"><code>')
    assert both("figure without a label")[0] == "![](https://example.com/i0n0)\n\nw1n0"
    assert both("image in a link")[0] == (
        "w0n0 [![w3n0](https://example.com/i2n0)](https://example.com/l1n0) w4n0"
    )
    assert "H<sub>w4n0</sub> x<sup>w5n0</sup>" in both("marks")[0]
    assert both("terms")[1].count("<dd>") == 2
