"""A sentence with any element in it is one line of one segment, unless a browser breaks the line there.

What is expected of each element was learned from headless Chromium 156, from `innerText` and from the places of the
words on the screen, for every element in every place below, with and without text of its own.
"""

import re

import pytest

from templ_core.dom.document import parse_document
from templ_core.dom.tags import names

HTML = """
    a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote body br
    button canvas caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed
    fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe
    image img input ins isindex kbd keygen label legend li link listing main map mark marquee menu menuitem meta meter
    multicol nav nextid nobr noembed noframes noscript object ol optgroup option output p param picture pre progress q
    rb rp rt rtc ruby s samp script search section select selectedcontent slot small source spacer span strike strong
    style sub summary sup table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr xmp
"""
"""All elements of the standard, the obsolete ones included, without `plaintext`: nothing ends it."""
SVG = """
    a animate animateMotion animateTransform circle clipPath cursor defs desc discard ellipse feBlend feColorMatrix
    feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow
    feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset
    fePointLight feSpecularLighting feSpotLight feTile feTurbulence filter font font-face foreignObject g glyph
    glyphRef hkern image line linearGradient marker mask metadata missing-glyph mpath path pattern polygon polyline
    radialGradient rect script set stop style svg switch symbol text textPath title tref tspan use view vkern
"""
MATHML = """
    annotation annotation-xml maction maligngroup malignmark math menclose merror mfenced mfrac mglyph mi mlabeledtr
    mlongdiv mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mscarries mscarry msgroup msline
    mspace msqrt msrow mstack mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none semantics
"""
MADE_UP = "x-note my-card app-icon gl-emoji acme topic st1:place o:p ACME X-Note"

VOID = names("""
    area base basefont bgsound br col embed frame hr image img input keygen link meta param source
    track wbr
    """)
"""Elements without an end tag: text of their own is text behind them."""

BREAKS = names("""
    address article aside blockquote br center dd details dir div dl dt fieldset figcaption figure footer form
    h1 h2 h3 h4 h5 h6 header hgroup hr legend li listing main menu nav ol optgroup option p pre search section
    summary table ul xmp
    """)
"""A browser begins a line where these elements begin, and where they end."""
ENDS_CELL = names("caption col colgroup tbody td tfoot th thead tr")
"""Elements that end the cell in which they begin; outside a table, the parser ignores their tags."""

SHOWS_NOTHING = names("""
    audio canvas datalist iframe meter noembed noframes progress script style template textarea title video
    """)
"""Elements of HTML whose own text is not on the screen, or is what a visitor may type."""
MAY_SHOW = names("details dialog marquee noscript object rp select")
"""Elements of HTML whose own text may stay: a browser shows it only in a certain state, or the reader of a
document decides; text that is not an option of a `select` is invalid."""
SHOWN_FORMULA = names("mi mn mo ms mtext mtd mtr mtable")
"""Elements of MathML whose own text is on the screen; that of others may be where a formula is written as TeX."""
MAY_SHOW_DRAWING = names("text foreignObject")
"""Elements of SVG whose own text is on the screen: labels, which are left out, and HTML, which has lines of its own."""

PLACES = {
    "p": "<p>{}</p>",
    "li": "<ul><li>{}</li></ul>",
    "td": "<table><tr><td>{}</td></tr></table>",
    "h2": "<h2>{}</h2>",
    "dd": "<dl><dt>term<dd>{}</dl>",
    "a": "<div><a href=/x>{}</a></div>",
}

NOTHING, ANYTHING = r"\s+", r"\b.*\b"
OWN, OWN_IN_FORMULA = r"\W+own\W+", r"\b.*own.*\b"


def lines_of(markup):
    """Return the lines of all segments."""
    page = f"<!DOCTYPE html><title>Page</title><body>{markup}"
    segments = parse_document(page, "https://example.com/").segments
    return [line for text in segments.texts for line in text.split("\n")]


def element(name, own, void=VOID):
    return f"<{name}>{own}" + ("" if name in void else f"</{name}>")


def torn_shapes(one, between, breaks_in=()):
    """Return the lines of each shape that is not read as a browser shows it.

    Args:
        one: The markup of the element; a function of the text of its own.
        between: Pattern of what stands between the words around the element if it has text of its own.
        breaks_in: Places in which a browser breaks the line at the element.
    """
    wrong = {}
    for place, around in PLACES.items():
        for own in ("own", ""):
            lines = lines_of(around.format(f"before {one(own)} after"))
            words = " ".join(lines).split()
            inside = between if own else NOTHING
            if place in breaks_in:
                is_right = not any("before" in line and "after" in line for line in lines)
                is_right &= words.count("before") == words.count("after") == 1
                is_right &= inside != OWN or words.count("own") == 1
            else:
                is_right = any(re.fullmatch(f"before{inside}after", line) for line in lines)
                is_right &= inside != NOTHING or "own" not in words
            if not is_right:
                wrong[place, own] = lines
    return wrong


@pytest.mark.parametrize("name", HTML.split())
def test_an_element_of_html_tears_a_sentence_only_where_a_browser_does(name):
    places = PLACES if name in BREAKS else ()
    places = ("td",) if name in ENDS_CELL else places
    between = NOTHING if name in SHOWS_NOTHING else ANYTHING if name in MAY_SHOW else OWN
    assert not torn_shapes(lambda own: element(name, own), between, places)


@pytest.mark.parametrize("name", SVG.split())
def test_a_drawing_does_not_tear_a_sentence(name):
    between = ANYTHING if name in MAY_SHOW_DRAWING else NOTHING

    def drawing(own):
        return f"<svg>{element(name, own, ())}</svg>"

    wrong = torn_shapes(drawing, between)
    if name == "foreignObject":
        wrong = {shape: lines for shape, lines in wrong.items() if not shape[1]}
    assert not wrong


@pytest.mark.parametrize("name", MATHML.split())
def test_a_formula_does_not_tear_a_sentence(name):
    between = OWN_IN_FORMULA if name in SHOWN_FORMULA else ANYTHING

    def formula(own):
        return f"<math>{own if name == 'math' else element(name, own)}</math>"

    assert not torn_shapes(formula, between)


@pytest.mark.parametrize("name", MADE_UP.split())
def test_an_element_of_a_made_up_name_does_not_tear_a_sentence(name):
    assert not torn_shapes(lambda own: element(name, own), OWN)


@pytest.mark.parametrize("place", PLACES)
def test_html_in_a_drawing_is_not_lost(place):
    lines = lines_of(
        PLACES[place].format("before <svg><foreignObject>own</foreignObject></svg> after")
    )
    assert "before own after" in " ".join(lines)
