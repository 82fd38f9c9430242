"""What a browser shows of a page by the HTML standard, and which letters of it reading loses.

html5lib builds the tree as the standard says. Text that reading leaves out on purpose is left out
here, too: see `HIDDEN`, `LEFT_OUT` and `KNOWN`.
"""

import random
import re
from collections import Counter

import html5lib

from templ_core.dom.document import parse_document

HIDDEN = frozenset(
    [
        "script",
        "style",
        "template",
        "title",
        "iframe",
        "noembed",
        "noframes",
        "datalist",
        "meter",
        "progress",
    ]
)
"""Elements whose text a browser does not show."""

LEFT_OUT = {
    "svg": "labels of a drawing",
    "math": "a formula is read as its TeX or in a plain form",
    "canvas": "what stands in for a drawing; a browser shows it only where it cannot draw",
    "audio": "what stands in for a player",
    "video": "what stands in for a player",
    "textarea": "what a visitor may type",
}
"""Elements whose text reading leaves out where they end, and why."""

KNOWN = {
    re.compile(
        r"<(?:title|textarea|style|script|iframe|xmp|noembed|noframes)\b[^<>]*/>", re.IGNORECASE
    ): ("XHTML pages end such elements so; by the standard they begin there"),
    re.compile(r"<select\b", re.IGNORECASE): (
        "html5lib ignores tags inside select; browsers have ceased to since customizable selects"
    ),
    re.compile(
        r"<isindex\b", re.IGNORECASE
    ): "html5lib writes a form for it; the standard has dropped it",
    re.compile(
        r"<template\b", re.IGNORECASE
    ): "html5lib does not know it, and shows what is inside",
    re.compile(
        r"<(?:frameset|plaintext)\b", re.IGNORECASE
    ): "nothing after it is markup or text of the page",
}
"""Markup on which the two are not compared, and why."""

_LETTERS = re.compile(r"\w+")
_TAG = re.compile(r"<[^<>]*>")
_PIECES = (
    *("<title>", "</title>", "<!--", "-->", "<!-->", "--!>", "<!", "<?", "<![CDATA[", "]]>"),
    *("<svg>", "</svg>", "<svg><path d=1>", "<svg/>", "<foreignObject>", "<desc>", "<math><mi>"),
    *("<html lang=en />", "<head/>", "<body/>", "</body>", "</html>", "<textarea>", "</textarea>"),
    *("<style>", "</style>", "<script>", "</script>", "<iframe>", "</iframe>", "<noscript>"),
    *("<object>", "</object>", "<map>", "<canvas>", "<audio>", "<video>", "<xmp>", "<noframes>"),
    *("<table>", "<tr>", "<td>", "</table>", "<p>", "</p>", "<a href=x>", "</a>", "<b>", "</b>"),
    *("<div>", "</div>", "<div", '"', "'", "<", "</", ">", "/>", "&", "&#0;", "&#x110000;", "\r"),
    *("<form>", "<button>", "<li>", "<dl><dt>", "<h1>", "<br/>", "</br>", "\0"),
)


def known_exception(markup: str) -> str | None:
    """Return why a page is not compared; None if it is."""
    return next((why for pattern, why in KNOWN.items() if pattern.search(markup)), None)


def lost_letters(markup: str) -> str:
    """Return the letters that a browser shows and reading loses, each as often as it is lost."""
    shown: list[str] = []
    _add_text(html5lib.parse(markup, treebuilder="etree"), shown)
    read = "".join(parse_document(markup, "https://example.com/").segments.texts)
    lost = Counter(_letters("".join(shown)))
    lost.subtract(_letters(read))
    return "".join(lost.elements())


def _add_text(element, shown):
    open_elements = [(element, "")]
    while open_elements:
        one, after = open_elements.pop()
        shown.append(after)
        if one is None or not isinstance(one.tag, str):
            continue
        name = one.tag.rpartition("}")[2]
        if name in HIDDEN or name in LEFT_OUT:
            continue
        shown.append(one.text or "")
        for child in reversed(one):
            open_elements.append((None, child.tail or ""))
            open_elements.append((child, ""))


def _letters(text: str) -> str:
    return "".join(_LETTERS.findall(text))


def mutated(markup: str, rng: random.Random) -> str:
    """Return the markup with one to six changes: tags left out, moved or broken, and pieces put in."""
    for _ in range(rng.choice((1, 1, 2, 3, 6))):
        tags = [found.span() for found in _TAG.finditer(markup)] or [(0, len(markup))]
        start, end = rng.choice(tags)
        place = rng.randrange(len(markup) + 1)
        kind = rng.randrange(6)
        if kind == 0:
            markup = markup[:start] + markup[end:]
        elif kind == 1:
            place = rng.choice(tags)[0]
            markup = markup[:place] + markup[start:end] + markup[place:]
        elif kind == 2:
            markup = markup[:place] + rng.choice(_PIECES) + markup[place:]
        elif kind == 3:
            markup = markup[:start] + rng.choice(_PIECES) + markup[start:]
        elif kind == 4:
            markup = markup[:place] + markup[place + rng.randrange(1, 30) :]
        else:
            broken = rng.choice(("", " />", "/", '"', "'", "<"))
            markup = markup[: end - 1] + broken + markup[end - rng.randrange(2) :]
    return markup
