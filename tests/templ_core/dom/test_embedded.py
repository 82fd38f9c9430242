"""Formulas, documents in frames, shadow roots and HTML in drawings are text of the page, once."""

import pytest

from templ_core.dom.document import parse_document
from templ_core.dom.parse.embedded import with_embedded
from templ_core.dom.parse.formulas import tex_of

SQUARE = "<msup><mi>x</mi><mn>2</mn></msup>"


def texts(markup):
    return parse_document(markup, "https://example.com/").segments.texts


def annotated(tex, inside="<mi>x</mi>", attributes=""):
    source = f'<annotation encoding="application/x-tex">{tex}</annotation>'
    return f"<math{attributes}><semantics><mrow>{inside}</mrow>{source}</semantics></math>"


@pytest.mark.parametrize(
    ("mathml", "text"),
    [
        (SQUARE, "x^2"),
        (f"<mfrac><mrow>{SQUARE}<mo>+</mo><mn>1</mn></mrow><mn>2</mn></mfrac>", "(x^2+1)/2"),
        ("<msub><mi>a</mi><mrow><mi>i</mi><mo>+</mo><mn>1</mn></mrow></msub>", "a_(i+1)"),
        ("<munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover><mi>i</mi>", "∑_i^ni"),
        ("<mi>a</mi><mtext> if\n</mtext><mi>b</mi>", "a if b"),
        ("<msqrt><mi>a</mi><mi>b</mi></msqrt><mroot><mi>c</mi><mn>3</mn></mroot>", "√ab3√c"),
        ("<mi>f</mi><mo>&#x2061;</mo><mfenced><mi>x</mi><mi>y</mi></mfenced>", "f(x,y)"),
        (
            "<mtable><mtr><mtd>1</mtd><mtd>2</mtd></mtr><mtr><mtd>3</mtd><mtd>4</mtd></mtr></mtable>",
            "1, 2; 3, 4",
        ),
        ("<mi>a</mi><mphantom><mi>b</mi></mphantom><mo>=</mo><!-- c --><mn>1</mn>", "a=1"),
        ("", ""),
    ],
)
def test_mathml_without_a_source_has_a_plain_form(mathml, text):
    assert tex_of(f"<math>{mathml}</math>".encode()) == text


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (annotated(r"\frac{1}{2}"), r"\frac{1}{2}"),
        (annotated("a &lt; b"), "a < b"),
        (annotated(" "), "x"),
        (annotated(r"{\displaystyle E=mc^{2}}"), "E=mc^{2}"),
        (f"<math alttext='x^{{2}}'>{SQUARE}</math>", "x^{2}"),
        (f"<MATH xmlns='http://www.w3.org/1998/Math/MathML'>{SQUARE}</MATH>", "x^2"),
        ((f'<span class="katex"><span class="katex-mathml">{annotated("a_1")}</span>'
         '<span class="katex-html" aria-hidden="true"><span>a</span><span>1</span></span></span>'), "a_1"),
        ('<script type="math/tex">F = m\n g</script>', "F = m g"),
        ('<span class="MathJax_Preview">Fmg</span><script type="math/tex">% <![CDATA[\na < b %]]></script>', "a < b"),
        ('<span class="MathJax" id="M-1"><nobr aria-hidden="true">xx</nobr></span><script type="math/tex">x</script>', "x"),
        ((f'<mjx-container class="MathJax"><mjx-math>xx</mjx-math><mjx-assistive-mml><math>{SQUARE}</math>'
         "</mjx-assistive-mml></mjx-container>"), "x^2"),
        ((f'<span class="mwe-math-element"><span style="display: none">{annotated("b")}</span>'
         '<img class="mwe-math-fallback-image-inline" alt="b" src="b.svg"></span>'), "b"),
        ('<img src="latex.php?latex=x%5E2" alt="x^2" class="latex">', "x^2"),
    ],
)  # fmt: skip
def test_a_formula_is_read_once_and_within_its_sentence(formula, text):
    assert texts(f"<p>The load is {formula}, as we know.") == [f"The load is {text}, as we know."]


@pytest.mark.parametrize(
    "formula",
    [
        annotated("x", attributes=' display="block"'),
        '<script type="math/tex; mode=display">x</script>',
        f'<span class="katex-display"><span class="katex">{annotated("x")}<span>x</span></span></span>',
    ],
)
def test_a_formula_that_is_displayed_has_a_line_of_its_own(formula):
    assert texts(f"<p>So {formula} holds.") == ["So", "x", "holds."]


def test_images_and_spans_with_other_classes_are_no_formulas():
    markup = '<p>A <img class="texture" alt="wood" src=a.png> and <span class="katexes">b</span> c.'
    assert texts(markup) == ["A and b c."]


@pytest.mark.parametrize(
    ("markup", "found"),
    [
        ("<p>a</p><iframe srcdoc='&lt;p&gt;b &amp;amp; c&lt;/p&gt;'></iframe><p>d", ["a", "b & c", "d"]),
        ('<iframe srcdoc="<html><head><title>t</title></head><body>b<script>x</script></body></html>"></iframe>', ["b"]),
        ("<iframe srcdoc=&lt;b&gt;c&lt;/b&gt; src=x></iframe>", ["c"]),
        ("<iframe style='display: none' srcdoc='b'></iframe><iframe hidden srcdoc='b'></iframe>c", ["c"]),
        ("<iframe srcdoc='&lt;i hidden&gt;b&lt;/i&gt;c'></iframe>", ["c"]),
        ("<iframe data-srcdoc='&lt;p&gt;b'></iframe>c", ["c"]),
        ("<x-a><template shadowrootmode=open><p>a</p><slot></slot></template><p>b</p></x-a>", ["a", "b"]),
        ("<div><template shadowrootmode='closed'><h2>a</h2></template></div>", ["a"]),
        ("<template><p>a<template shadowrootmode=open><p>b</template></template><p>c", ["c"]),
        ("<template shadowrootmode=open><p>a<template><p>b</template><p>c</template>", ["a", "c"]),
        ("<p>a</p><svg><g><text>t</text><foreignObject><div>b</div></foreignObject></g></svg><p>c", ["a", "b", "c"]),
        ("<object data=x.swf><p>a</p></object>", ["a"]),
    ],
)  # fmt: skip
def test_what_a_browser_shows_inside_an_element_is_text(markup, found):
    assert texts(markup) == found


@pytest.mark.parametrize(
    "hostile",
    [
        "<math><mi>" + "x" * 1_000_000 + "</mi></math>",
        "<math>" + "<mrow>" * 10_000 + "x" + "</mrow>" * 10_000 + "</math>",
        "<math>" * 20_000,
        "<math><mi>x</mi>" * 20_000 + "</math>",
        '<span class="katex">' * 20_000,
        '<span class="katex">' * 5_000 + "</span>" * 5_000,
        "<x-a>" * 10_000 + "</x-a>" * 10_000,
        "<p>" + "<x-a>b</x-a> c " * 10_000,
        "<div>" + "<x-a>b</x-a> " * 10_000 + "</div>",
        "<template shadowrootmode=open>" * 10_000 + "</template>" * 10_000,
        "<iframe srcdoc='" * 10_000 + "'></iframe>",
        "<svg><foreignObject>" * 5_000 + "</foreignObject></svg>" * 5_000,
        '<script type="math/tex">' * 20_000 + "</script>",
    ],
)
def test_nothing_beside_hostile_elements_is_lost(hostile):
    shown = texts(
        f"<p>First words.</p><div>{hostile}</div></math></template></svg><p>Last words.</p>"
    )
    assert shown[0] == "First words."
    assert shown[-1] == "Last words."


def test_markup_without_anything_embedded_stays_as_it_is():
    markup = b"<p>one <b>two</b><img class=x alt=y><iframe src=z></iframe><template><p>a</template>"
    assert with_embedded(markup) == markup
