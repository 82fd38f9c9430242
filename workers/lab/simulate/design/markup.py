"""How a design writes its tags: tidily, in an old-fashioned way, or with errors."""

import re
from dataclasses import dataclass
from html import escape
from random import Random
from typing import Literal

from workers.lab.simulate.parts.fragment import EMPTY, Fragment, block, enclose, join, raw

_ENTITIES = {
    ord(char): f"&{name};"
    for char, name in {
        "é": "eacute", "è": "egrave", "à": "agrave", "ç": "ccedil", "ê": "ecirc", "ä": "auml",
        "ö": "ouml", "ü": "uuml", "ß": "szlig", "ñ": "ntilde", "ó": "oacute", "í": "iacute",
        "á": "aacute", "“": "ldquo", "”": "rdquo", "„": "bdquo", "«": "laquo", "»": "raquo",
        "’": "rsquo", "©": "copy", "—": "mdash",
    }.items()
}  # fmt: skip
_TAG_NAME = re.compile(r"(</?)([a-z][a-z0-9]*)")
_BARE_VALUE = re.compile(r'="([\w#.%-]+)"')


@dataclass(frozen=True)
class Markup:
    """The writing habits of one design. Every method writes one element."""

    upper_case: bool = False
    bare_values: bool = False
    """Whether attribute values stand without quotes wherever HTML permits it."""
    open_ended: bool = False
    """Whether paragraphs, list items and table cells are left without end tags."""
    entities: Literal["none", "named", "numeric"] = "none"
    paragraphs: Literal["p", "br", "div"] = "p"
    paragraph_attributes: str = ""
    indent: str = ""
    """White space that follows every block, besides the line feed."""

    def tag(self, written: str) -> str:
        """Rewrite one or several tags to the design's habits; the string must hold no text."""
        if self.bare_values:
            written = _BARE_VALUE.sub(r"=\1", written)
        if self.upper_case:
            written = _TAG_NAME.sub(lambda found: found[1] + found[2].upper(), written)
        return written

    def text(self, words: str) -> Fragment:
        """Return visible text, escaped as the design does it."""
        html = escape(words, quote=False)
        if self.entities == "named":
            html = html.translate(_ENTITIES)
        elif self.entities == "numeric":
            html = html.encode("ascii", "xmlcharrefreplace").decode("ascii")
        return Fragment(html, ((None, words),))

    def inline(self, opening: str, words: str) -> Fragment:
        """Return visible text inside an inline element, given by its opening tag."""
        return self.around(opening, self.text(words))

    def around(self, opening: str, inner: Fragment) -> Fragment:
        """Return a fragment inside an inline element, given by its opening tag."""
        return enclose(self.tag(opening), inner, self._closing(opening))

    def block(self, opening: str, inner: Fragment) -> Fragment:
        """Return a fragment inside a block element, given by its opening tag."""
        return block(self.tag(opening), inner, self._closing(opening) + self.indent)

    def link(self, address: str, words: str, attributes: str = "") -> Fragment:
        """Return a link with visible text."""
        return enclose(
            self.tag(f'<a href="{address}"{attributes}>'), self.text(words), self.tag("</a>")
        )

    def paragraph(self, inner: Fragment) -> Fragment:
        """Return a paragraph of running text, or what this design writes instead of one."""
        if self.paragraphs == "br":
            return block("", inner, self.tag("<br><br>") + self.indent)
        if self.paragraphs == "div":
            return self.block(f"<div{self.paragraph_attributes}>", inner)
        opening = self.tag(f"<p{self.paragraph_attributes}>")
        closing = "" if self.open_ended else self.tag("</p>")
        return block(opening, inner, closing + self.indent)

    def items(self, opening: str, items: list[Fragment], item: str = "<li>") -> Fragment:
        """Return a list, given the opening tags of the list and of its items."""
        closing = "" if self.open_ended else self.tag("</li>")
        start = self.tag(item)
        rows = [block(start, inner, closing + "\n") for inner in items]
        return self.block(opening, join([raw("\n"), *rows]))

    def table(self, opening: str, rows: list[list[Fragment]], *, head: bool = False) -> Fragment:
        """Return a table of rows of cells; with `head`, the first row holds headings."""
        written = []
        for number, row in enumerate(rows):
            cell = "th" if head and number == 0 else "td"
            ends = ("", "") if self.open_ended else (self.tag(f"</{cell}>"), self.tag("</tr>"))
            cells = [block(self.tag(f"<{cell}>"), inner, ends[0]) for inner in row]
            written.append(block(self.tag("<tr>"), join(cells), ends[1] + "\n"))
        return self.block(opening, join([raw("\n"), *written]))

    def _closing(self, opening: str) -> str:
        name = opening[1:].split(">", 1)[0].split(" ", 1)[0]
        return self.tag(f"</{name}>")


def decorate(markup: Markup, rng: Random, words: str, address: str) -> Fragment:
    """Return running text with one inline element in it, which is sometimes badly nested."""
    before, inside, after = _cut(rng, words)
    if not inside:
        return markup.text(words)
    choice = rng.random()
    if choice < 0.45:
        middle = markup.link(address, inside)
    elif choice < 0.62:
        middle = markup.inline("<strong>", inside)
    elif choice < 0.76:
        middle = markup.inline("<em>", inside)
    elif choice < 0.84:
        middle = _misnested(markup, inside)
    elif choice < 0.90:
        middle = _broken_word(markup, inside)
    elif choice < 0.95:
        middle = _soft(inside, rng)
    else:
        middle = markup.inline('<span style="white-space: nowrap">', inside.replace(" ", "\xa0"))
    return join([markup.text(before), middle, markup.text(after) if after else EMPTY])


def _cut(rng: Random, words: str) -> tuple[str, str, str]:
    start = words.find(" ", int(rng.random() * len(words))) + 1
    if start <= 0:
        return _cut_unspaced(rng, words)
    end = words.find(" ", start + 3 + int(rng.random() * 14))
    if end < 0:
        return words, "", ""
    return words[:start], words[start:end], words[end:]


def _cut_unspaced(rng: Random, words: str) -> tuple[str, str, str]:
    if " " in words or len(words) < 12:
        return words, "", ""
    start = 1 + int(rng.random() * (len(words) - 10))
    return words[:start], words[start : start + 4], words[start + 4 :]


def _misnested(markup: Markup, words: str) -> Fragment:
    return enclose(markup.tag("<b><i>"), markup.text(words), markup.tag("</b></i>"))


def _broken_word(markup: Markup, words: str) -> Fragment:
    return join([markup.inline("<b>", words[:1]), markup.text(words[1:])])


def _soft(words: str, rng: Random) -> Fragment:
    middle = len(words) // 2
    if rng.random() < 0.5:
        html = f"{escape(words[:middle], quote=False)}<wbr>{escape(words[middle:], quote=False)}"
        return Fragment(html, ((None, words),))
    broken = f"{words[:middle]}\xad{words[middle:]}"
    return Fragment(escape(broken, quote=False).replace("\xad", "&shy;"), ((None, broken),))
