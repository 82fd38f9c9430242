"""The check of Markdown finds each kind of fault, and none in the Markdown of the product."""

import numpy as np
import pytest

from templ_core.dom.document import parse_document
from templ_core.rendering.markdown import render_markdown
from templ_core.rendering.outline import Outline
from tests.quality.markdown_against_dom import faults

URL = "https://example.com/a"
PAGE = """
<nav><a href=/menu>Menu of it</a><h2>Most read</h2><img src=/logo alt=logo></nav>
<h1>Bridge opens</h1>
<p>The <a href=/bridge>new bridge</a> opens. Water is H<sub>2</sub>O, and twice two is 2<sup>2</sup>.</p>
<figure><img src=data:, data-src=/photo><figcaption>The bridge at night</figcaption></figure>
<table><tr><td><pre>1
2
3</pre><td><pre><code class=language-py>one = 1
two = 2
three = 3</code></pre></table>
<p>The <b>council of Millbrook</b> and <i>the mayor</i> paid <s>ninety thousand</s> seventy thousand for
<code>piers.drive(8)</code>.</p>
<ol start=4><li>Drive the piers</li><li>Lay the deck</li></ol>
<table><tr><th>Part of it<th>Cost of it<tr><td>Piers of steel<td>forty thousand</table>
"""
GOOD = """# Bridge opens

The [new bridge](https://example.com/bridge) opens. Water is H<sub>2</sub>O, and twice two is 2<sup>2</sup>.

![](https://example.com/photo)

The bridge at night

```py
one = 1
two = 2
three = 3
```

The **council of Millbrook** and *the mayor* paid ~~ninety thousand~~ seventy thousand for
`piers.drive(8)`.

4. Drive the piers
5. Lay the deck

| Part of it | Cost of it |
| --- | --- |
| Piers of steel | forty thousand |"""


def found(markdown):
    page = parse_document(PAGE, URL, with_marks=True)
    kept = np.array([text not in {"Menu of it", "Most read"} for text in page.segments.texts])
    markdown = markdown or render_markdown(Outline(page, kept, None, URL))
    return [fault.kind for fault in faults(PAGE, URL, page, kept, markdown)]


def test_markdown_of_the_product_has_no_fault():
    assert found("") == []
    assert found(GOOD) == []


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("The bridge at night", "", "lost text"),
        ("# Bridge opens", "# Bridge opens\n\n# Most read", "heading of removed text"),
        ("![](https://example.com/photo)", "", "lost image of a figure"),
        ("H<sub>2</sub>O", "H2O", "lost sub"),
        ("[new bridge](https://example.com/bridge)", "new bridge", "lost link"),
        ("```py", "```", "lost language of code"),
        ("```py", "```\n1\n2\n3\n```\n\n```py", "numbers of lines in code"),
        ("**council of Millbrook**", "council of Millbrook", "lost strong"),
        ("*the mayor*", "the mayor", "lost em"),
        ("~~ninety thousand~~", "ninety thousand", "lost s"),
        ("`piers.drive(8)`", "piers.drive(8)", "lost code"),
        ("*the mayor*", "*the mayor* \\*", "stray mark"),
        ("4. Drive", "1. Drive", "wrong number"),
        ("4. Drive the piers", "Drive the piers", "lost list item"),
        ("| Part of it | Cost of it |", "| Cost of it | Part of it |", "cell under another head"),
        ("# Bridge", "[it](/menu)\n\n# Bridge", "link or image of removed text"),
        ("# Bridge", "![](https://example.com/logo)\n\n# Bridge", "link or image of removed text"),
    ],
)
def test_faults_are_found(old, new, kind):
    new = new.replace("(/menu)", "(https://example.com/menu)")
    assert set(found(GOOD.replace(old, new, 1))) == {kind}
