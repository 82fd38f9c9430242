"""Shapes of hostile pages: units that are repeated until the page has a given size.

Each shape aims at something that costs more than linear time somewhere: in the parser, in the columns,
in the features, or in what the site level learns from a page.
"""

from collections.abc import Callable
from itertools import count

_HEAD = "<!DOCTYPE html><title>The council votes</title><body><p>The council met and voted.</p>"
_WORDS = [
    "the", "council", "met", "on", "tuesday", "and", "voted", "for", "a", "plan", "after", "two",
    "hours", "of", "debate",
]  # fmt: skip


def _repeated(unit: str, end: str = "") -> Callable[[int], str]:
    """Return a maker of pages that repeat a unit, and repeat `end` as often after all of them."""

    def make(size: int) -> str:
        number = size // (len(unit.encode()) + len(end))
        return _HEAD + unit * number + end * number

    return make


def _counted(unit: str, before: str = "", after: str = "") -> Callable[[int], str]:
    """Return a maker of pages that repeat a unit with a number in it, each time another one."""

    def make(size: int) -> str:
        pieces, left = [], size
        for number in count():
            if left <= 0:
                return "".join([_HEAD, before, *pieces, after])
            pieces.append(unit.replace("%", str(number)))
            left -= len(pieces[-1].encode())
        raise AssertionError

    return make


def _sentence(number: int) -> str:
    return " ".join(_WORDS[(number * step) % len(_WORDS)] for step in range(1, 13))


def _sentences(size: int) -> str:
    pieces, left = [], size
    for number in count():
        if left <= 0:
            break
        pieces.append(f"<p>{_sentence(number)} {number}</p>")
        left -= len(pieces[-1])
    return _HEAD + "".join(pieces)


SHAPES: dict[str, Callable[[int], str | bytes]] = {
    # --- bytes
    "byte-order marks": lambda size: b"\xef\xbb\xbf" * (size // 3) + _HEAD.encode(),
    "line feeds": _repeated("\n"),
    "one text": _repeated("word "),
    "one word": _repeated("a"),
    "ideographs": _repeated("市"),
    "emoji": _repeated("\U0001f600"),
    "combining marks": _repeated("é"),
    "no-break spaces": _repeated("\u00a0"),
    "ampersands": _repeated("&"),
    "references": _repeated("&amp;"),
    "unknown references": _repeated("&CounterClockwiseContourIntegra "),
    "less-than signs": _repeated("<"),
    "greater-than signs": _repeated(">"),
    "latin-1 bytes": lambda size: b"<p>" + b"\xe9\xe8 caf\xe9 " * (size // 8),
    "broken UTF-8": lambda size: b"<p>" + "é".encode() * (size // 4) + b"\xc3 " * (size // 4),
    "controls": lambda size: b"<p>" + b"word\x01" * (size // 5),
    # --- what never ends
    "comments that never end": _repeated("<!-- x "),
    "comments": _repeated("<!-- x -->"),
    "titles that never end": _repeated("<title>"),
    "titles": _repeated("<title>x</title>"),
    "scripts in comments in scripts": _repeated("<script><!-- "),
    "declarations": _repeated("<!x>"),
    "CDATA in svg": _repeated("<svg><![CDATA["),
    "tags that never end": _repeated("<p "),
    "end tags that never end": _repeated("</p "),
    # --- siblings
    "divs": _repeated("<div>word</div>"),
    "empty divs": _repeated("<div></div>"),
    "paragraphs that end by themselves": _repeated("<p>word"),
    "paragraphs with equal sentences": _repeated(f"<p>{_sentence(1)}</p>"),
    "paragraphs with many sentences": _sentences,
    "line breaks": _repeated("word<br>"),
    "rules": _repeated("word<hr>"),
    "images": _repeated("<img src=x>"),
    "headings": _repeated("<h2>word</h2>"),
    "links": _repeated("<a href=/x>word</a> "),
    "links out": _counted("<a href=//a%.org/>w</a> "),
    "bold words": _repeated("<b>word</b> "),
    "list items": _repeated("<li>word"),
    "options": _repeated("<option>word"),
    "table cells": _repeated("<td>word"),
    "table rows": _repeated("<tr><td>word<td>word"),
    "rows in a table": lambda size: _HEAD + "<table>" + "<tr><td>word<td>word" * (size // 20),
    "definition lists": _repeated("<dl><dt>word<dd>word</dl>"),
    "terms": _repeated("<dt>word<dd>word"),
    "lists that stay open": _repeated("<dl><dt>word"),
    "unknown tags": _repeated("<x-y>word</x-y>"),
    "unknown tags that stay open": _repeated("<x>word "),
    "ever other unknown tags": _counted("<x%>word</x%>"),
    "ever other classes": _counted("<p class=c%>word"),
    "ever other ids": _counted("<p id=i%>word"),
    "ever other words": _counted("<p>word%"),
    "classes with many names": _counted("c% ", before="<div class='", after="'>word"),
    "attributes": _counted(" a%=1", before="<div", after=">word"),
    "tags with many attributes": _repeated(
        "<p " + " ".join(f"a{n}=1" for n in range(400)) + ">word"
    ),
    "frames": _repeated("<iframe></iframe>word"),
    "objects that stay open": _repeated("<object>"),
    "svg that stays open": _repeated("<svg>"),
    "svg that html ends": _repeated("<svg><p>word"),
    "svg ends and objects": _repeated("<object></svg>"),
    "templates": _repeated("<template>word", "</template>"),
    # --- depth
    "divs inside one another": _repeated("<div>", "</div>"),
    "divs that stay open": _repeated("<div>word"),
    "spans that stay open": _repeated("<span>word "),
    "formatting that stays open": _repeated("<b><i><u>word "),
    "fonts that stay open": _counted("<font size=%>word<p>"),
    "links inside one another": _repeated("<a href=/x>word<div>"),
    "lists inside one another": _repeated("<ul><li>word"),
    "tables inside one another": _repeated("<table><tr><td>word"),
    "text in tables": _repeated("<table>word"),
    "forms": _repeated("<form>word"),
    "buttons": _repeated("<button>word"),
    "selects": _repeated("<select><option>word"),
    "quotes inside one another": _repeated("<blockquote>word"),
    "depth of 500 many times": _repeated("<div>" * 500 + "word" + "</div>" * 500),
    "depth of 1500 many times": _repeated("<i>" * 1500 + "word" + "</i>" * 1500),
    "depth and siblings": _repeated("<div>" * 100 + "<p>word" * 100 + "</div>" * 100),
    # --- ends
    "stray end tags": _repeated("</div>"),
    "stray end tags in depth": lambda size: _HEAD + "<div>" * 1500 + "</b>" * (size // 4),
    "ends of the document": _repeated("</body></html>"),
    "documents": _repeated("<html><body>word</body></html>"),
    "heads": _repeated("<head><body>"),
    "paragraph ends": _repeated("</p>"),
    "line-break ends": _repeated("</br>"),
    "wrongly nested": _repeated("<b><p>word</b></p>"),
    "pre": _repeated("<pre>word\n</pre>"),
    "one pre": lambda size: _HEAD + "<pre>" + "word \n" * (size // 6),
}
"""A maker of each shape's page, which takes the wanted size in bytes and returns about so many."""
