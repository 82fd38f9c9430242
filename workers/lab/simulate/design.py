"""The design of a site: how its tags are written, the boxes of its parts, its furniture and layout.

A design differs from others in the names of its classes, in its tags (tidy, old-fashioned or with errors), in the
boxes around the parts of a page, and in how much stands around the content. Amounts are drawn from distributions
that were measured on real sites, and spread evenly over the sites of a feed. Each piece of a page carries its own
truth: its markup, and the visible text in it by type.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from html import escape
from html.entities import codepoint2name
from itertools import groupby
from operator import itemgetter
from random import Random
from typing import Literal, NamedTuple

import numpy as np


class SectionType(StrEnum):
    """The purpose of a part of a page."""

    CONTENT = "content"
    """What the page is about; the gold text consists of it."""
    NEUTRAL = "neutral"
    """Specific to the page but outside its content: title, byline, date, tags."""
    COMMENTS = "comments"
    """Written by readers, and therefore neither content nor template."""
    HEADER = "header"
    NAVIGATION = "navigation"
    WIDGET = "widget"
    RELATED = "related"
    ADVERT = "advert"
    SHARE = "share"
    AUTHOR = "author"
    NEWSLETTER = "newsletter"
    CONSENT = "consent"
    FOOTER = "footer"


class Section(NamedTuple):
    """A run of visible text of one type; lines are separated by newlines."""

    section_type: SectionType
    text: str


Run = tuple[SectionType | None, str]
"""Visible text as the markup has it; None takes the type of the enclosing part."""

LINE_BREAK: Run = (None, "\n")


class Fragment(NamedTuple):
    """Markup with the visible text that it holds, in document order."""

    html: str
    runs: tuple[Run, ...] = ()


EMPTY = Fragment("")
SPACE = Fragment(" ", ((None, " "),))


def join(parts: Iterable[Fragment], separator: str = "") -> Fragment:
    """Return the parts in order, with the separator between them in both markup and text."""
    present = [part for part in parts if part.html]
    runs: list[Run] = []
    for number, part in enumerate(present):
        if number and separator:
            runs.append((None, separator))
        runs += part.runs
    return Fragment(separator.join([part.html for part in present]), tuple(runs))


def block(opening: str, inner: Fragment, closing: str) -> Fragment:
    """Return a part inside an element that stands on lines of its own."""
    return Fragment(f"\n{opening}{inner.html}{closing}\n", (LINE_BREAK, *inner.runs, LINE_BREAK))


def label(section_type: SectionType, part: Fragment) -> Fragment:
    """Return the part with a section type for every run that has none yet."""
    return Fragment(
        part.html,
        tuple([(section_type, text) if own is None else (own, text) for own, text in part.runs]),
    )


def sections(part: Fragment) -> tuple[Section, ...]:
    """Return the visible text by type, in document order; neighbours of one type are merged."""
    visible: list[Section] = []
    marked = (
        (section_type or SectionType.NAVIGATION, text)
        for section_type, text in part.runs
        if section_type or text.strip()
    )
    for section_type, runs in groupby(marked, key=itemgetter(0)):
        lines = "".join(text for _, text in runs).split("\n")
        text = "\n".join(filter(None, (" ".join(line.split()) for line in lines)))
        if text:
            visible.append(Section(section_type, text))
    return tuple(
        Section(section_type, "\n".join(section.text for section in same))
        for section_type, same in groupby(visible, key=itemgetter(0))
    )


_STEPS = (0.6180339887498949, 0.4142135623730951)
"""Irrational steps of the two dimensions; no ratio of small integers comes near to them."""


class Quantiles(NamedTuple):
    """A distribution given by quantiles, with linear interpolation between them."""

    at: tuple[float, ...]
    """Shares in ascending order, from 0 to 1."""
    values: tuple[float, ...]

    def value(self, share: float) -> float:
        """Return the quantile at a share from 0 to 1."""
        return float(np.interp(share, self.at, self.values))


def spread(seed: str, number: int, dimension: int = 0) -> float:
    """Return a share from 0 to 1 for a number; consecutive numbers cover the range evenly.

    Shares of dimension 0 and of dimension 1 are not correlated.
    """
    return (Random(f"{seed}/{dimension}").random() + number * _STEPS[dimension]) % 1.0


def near(share: float, other: float, width: float) -> float:
    """Return a share moved by another one, by at most half of `width`, reflected into 0 to 1."""
    moved = abs(share + (other - 0.5) * width)
    return 2.0 - moved if moved > 1.0 else moved


_SCHEMES = ("readable", "block", "hashed", "opaque")
_READABLE = {
    "page": "page site wrapper container hfeed",
    "header": "site-header masthead top-header header",
    "navigation": "main-navigation nav-menu primary-menu topnav",
    "hidden": "mobile-menu off-canvas drawer sr-menu",
    "crumbs": "breadcrumbs breadcrumb trail",
    "columns": "site-content content-wrap row columns",
    "main": "content-area main primary content",
    "article": "post hentry single-post story article",
    "heading": "entry-header post-header article-head story-header",
    "title": "entry-title post-title headline article-title",
    "byline": "entry-meta byline post-meta article-meta",
    "body": "entry-content post-content article-body story-body post_body td-post-content",
    "tags": "entry-footer tagcloud post-tags article-tags",
    "share": "sharedaddy share-bar social-share addtoany",
    "advert": "advert ad-slot adsbygoogle-wrap banner-ad",
    "related": "related-posts yarpp jp-relatedposts related",
    "author": "author-box about-author vcard-box author-info",
    "newsletter": "newsletter-box signup mailing-list subscribe-box",
    "comments": "comments-area comment-list comments commentlist",
    "comment": "comment comment-body depth-1",
    "sidebar": "sidebar widget-area secondary aside",
    "widget": "widget widget-box side-block module",
    "entry": "widget-item item-row list-entry mini-post",
    "pager": "post-navigation pagination nav-links pager",
    "footer": "site-footer colophon page-footer footer",
    "consent": "cookie-notice cookie-banner gdpr consent-bar",
    "listing": "post-list archive-list loop blog-listing",
    "teaser": "teaser post-item archive-item card",
    "teaser_title": "teaser-title card-title item-title",
    "teaser_text": "teaser-text excerpt entry-summary",
    "teaser_meta": "teaser-meta card-meta item-date",
    "poster": "poster postprofile user-info post-author",
}  # fmt: skip

_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


def _class_names(scheme: str, rng: Random) -> dict[str, str]:
    """Return a class name for each box role; no two are equal."""
    prefix = rng.choice(("c-", "o-", "m-", "app-", "ui-", "s-"))
    block = rng.choice(("layout", "site", "view", "frame", "desk", "shell"))
    names: dict[str, str] = {}
    for number, (role, candidates) in enumerate(_READABLE.items()):
        if scheme == "readable":
            name = rng.choice(candidates.split())
        elif scheme == "block":
            name = f"{prefix}{block}__{role.replace('_', '-')}"
        elif scheme == "hashed":
            name = "css-" + "".join(rng.choices(_LETTERS, k=6))
        else:
            name = f"{rng.choice(('b', 'box', 'col', 'el'))}{number + rng.randrange(3) * 40}"
        names[role] = name if name not in names.values() else f"{name}-{number}"
    return names


_ENTITIES = {ord(char): f"&{codepoint2name[ord(char)]};" for char in "éèàçêäöüßñóíá“”„«»’©—"}
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
        return Fragment(self.tag(opening) + inner.html + self._closing(opening), inner.runs)

    def block(self, opening: str, inner: Fragment) -> Fragment:
        """Return a fragment inside a block element, given by its opening tag."""
        return block(self.tag(opening), inner, self._closing(opening) + self.indent)

    def link(self, address: str, words: str, attributes: str = "") -> Fragment:
        """Return a link with visible text."""
        return self.inline(f'<a href="{address}"{attributes}>', words)

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
        return self.block(opening, join([Fragment("\n"), *rows]))

    def table(self, opening: str, rows: list[list[Fragment]], *, head: bool = False) -> Fragment:
        """Return a table of rows of cells; with `head`, the first row holds headings."""
        written = []
        for number, row in enumerate(rows):
            cell = "th" if head and number == 0 else "td"
            ends = ("", "") if self.open_ended else (self.tag(f"</{cell}>"), self.tag("</tr>"))
            cells = [block(self.tag(f"<{cell}>"), inner, ends[0]) for inner in row]
            written.append(block(self.tag("<tr>"), join(cells), ends[1] + "\n"))
        return self.block(opening, join([Fragment("\n"), *written]))

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
        inner = markup.text(inside)
        middle = Fragment(markup.tag("<b><i>") + inner.html + markup.tag("</b></i>"), inner.runs)
    elif choice < 0.90:
        middle = join([markup.inline("<b>", inside[:1]), markup.text(inside[1:])])
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


def _soft(words: str, rng: Random) -> Fragment:
    middle = len(words) // 2
    if rng.random() < 0.5:
        html = f"{escape(words[:middle], quote=False)}<wbr>{escape(words[middle:], quote=False)}"
        return Fragment(html, ((None, words),))
    broken = f"{words[:middle]}\xad{words[middle:]}"
    return Fragment(escape(broken, quote=False).replace("\xad", "&shy;"), ((None, broken),))


Family = Literal["semantic", "soup", "tables", "bare"]

_SEMANTIC_TAGS = {
    "header": "header", "navigation": "nav", "crumbs": "nav", "main": "main", "article": "article",
    "heading": "header", "title": "h1", "tags": "footer", "advert": "aside", "related": "aside",
    "comments": "section", "comment": "article", "sidebar": "aside", "widget": "section",
    "pager": "nav", "footer": "footer", "newsletter": "section", "listing": "section",
    "teaser": "article", "teaser_title": "h2", "teaser_text": "p", "entry": "span",
}  # fmt: skip
_SOUP_TAGS = {"title": "h1", "teaser_title": "h3", "entry": "span"}
_BARE = {
    "page": "div", "header": "header", "navigation": "nav", "hidden": "nav", "crumbs": "p",
    "columns": "div", "main": "main", "article": "article", "heading": "header", "title": "h1",
    "byline": "p", "body": "div", "tags": "footer", "share": "menu", "advert": "aside",
    "related": "nav", "author": "address", "newsletter": "form", "comments": "section",
    "comment": "div", "sidebar": "aside", "widget": "div", "entry": "span", "pager": "p",
    "footer": "footer", "consent": "dialog", "listing": "div", "teaser": "dl",
    "teaser_title": "dt", "teaser_text": "dd", "teaser_meta": "small", "poster": "h4",
}  # fmt: skip
_BARE_SELECTORS = {
    "heading": "article header", "byline": "article header p", "body": "article > div", "tags": "article footer",
    "share": "menu", "advert": "article aside", "related": "article nav", "newsletter": "form",
    "teaser_title": "dt", "teaser_text": "dd", "teaser_meta": "dl small",
    "poster": "h4",
}  # fmt: skip
_FONT_SIZES = {"title": "5", "teaser_title": "4", "entry": "2", "teaser_meta": "1", "byline": "1"}
_COLUMN_WIDTHS = {"main": "70%", "sidebar": "30%"}
_WRAPPED = ("header", "navigation", "main", "sidebar", "footer", "widget", "related", "teaser")


class Box(NamedTuple):
    """The tags around one part of a page."""

    opening: str
    closing: str
    selector: str
    """CSS selector that finds the box."""
    name: str = ""
    """Class name from which inner elements derive theirs; empty in designs without classes."""


class Theme:
    """The boxes of one design."""

    def __init__(self, family: Family, markup: Markup, boxes: dict[str, Box]) -> None:
        self.family = family
        self.markup = markup
        self._boxes = boxes

    def box(self, role: str, *parts: Fragment, section_type: SectionType | None = None) -> Fragment:
        """Return parts inside the box of a role; text without a section type gets the given one."""
        box = self._boxes[role]
        inner = block(box.opening, join(parts), box.closing + self.markup.indent)
        return label(section_type, inner) if section_type else inner

    def opening(self, tag: str, role: str) -> str:
        """Return the opening tag of an element that stands inside the box of a role."""
        name = self._boxes[role].name
        return f'<{tag} class="{name}-{tag}">' if name else f"<{tag}>"

    def selector(self, *roles: str) -> str:
        """Return one CSS selector that finds the boxes of all these roles."""
        return ", ".join(self._boxes[role].selector for role in roles)


def make_theme(family: Family, markup: Markup, depth: int, rng: Random) -> Theme:
    """Return a theme with class names of its own."""
    if family == "tables":
        return Theme(family, markup, _table_boxes(markup, rng))
    if family == "bare":
        bare = {
            role: Box(
                markup.tag(f"<{tag}>"), markup.tag(f"</{tag}>"), _BARE_SELECTORS.get(role, tag)
            )
            for role, tag in _BARE.items()
        }
        return Theme(family, markup, bare)
    tags = _SEMANTIC_TAGS if family == "semantic" else _SOUP_TAGS
    scheme = _SCHEMES[int(rng.random() * len(_SCHEMES))]
    boxes = {}
    for role, name in _class_names(scheme, rng).items():
        tag = tags.get(role, "div")
        around = depth if role in _WRAPPED else 0
        opening = f'<{tag} class="{name}">' + f'<div class="{name}-in">' * around
        closing = "</div>" * around + f"</{tag}>"
        boxes[role] = Box(markup.tag(opening), markup.tag(closing), f".{name}", name)
    return Theme(family, markup, boxes)


def _table_boxes(markup: Markup, rng: Random) -> dict[str, Box]:
    boxes = {}
    colours = rng.sample(range(0x100000, 0xFFFFFF), len(_READABLE))
    for role, number in zip(_READABLE, colours, strict=True):
        colour = f"#{number:06x}"
        if role in _FONT_SIZES:
            opening = f'<font size="{_FONT_SIZES[role]}" color="{colour}">'
            closing, selector = "</font><br>", f'font[color="{colour}"]'
        elif role in _COLUMN_WIDTHS:
            opening = f'<td width="{_COLUMN_WIDTHS[role]}" valign="top" bgcolor="{colour}">'
            closing, selector = "</td>", f'td[bgcolor="{colour}"]'
        elif role == "columns":
            opening = f'<table width="100%" border="0" bgcolor="{colour}"><tr>'
            closing, selector = "</tr></table>", f'table[bgcolor="{colour}"]'
        else:
            opening = f'<table width="100%" border="0" bgcolor="{colour}"><tr><td>'
            closing, selector = "</td></tr></table>", f'table[bgcolor="{colour}"]'
        boxes[role] = Box(markup.tag(opening), markup.tag(closing), selector)
    return boxes


_FAMILIES: tuple[Family, ...] = (
    "semantic", "soup", "semantic", "tables", "soup", "semantic", "bare", "soup",
)  # fmt: skip

_FURNITURE_ELEMENTS = Quantiles(
    (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1.0), (0, 12, 35, 200, 540, 1000, 1250, 1700)
)
"""Distribution of the number of elements outside a page's content, as measured on real sites."""
_PAGE_BYTES = Quantiles(
    (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1.0),
    (3_500, 8_000, 22_500, 38_000, 68_000, 122_000, 160_000, 330_000),
)


@dataclass(frozen=True)
class Furniture:
    """How many elements of each sort a page has around its content."""

    head_tags: int
    menu_entries: int
    submenu_entries: int
    widgets: int
    widget_entries: int
    footer_links: int
    icons: int
    related: int
    filler_bytes: int
    """Size of the scripts and style sheets of a page."""


@dataclass(frozen=True)
class Placement:
    """Which optional parts a design shows, and where it places them."""

    sidebar: Literal["left", "right", "none"]
    related: Literal["inside", "end", "after", "none"]
    share: Literal["top", "end", "none"]
    consent: Literal["top", "bottom", "none"]
    newsletter: Literal["inside", "after", "footer", "none"]
    advert_every: int
    """Number of paragraphs between two adverts; 0 means that the text has no adverts."""
    hidden_menu: bool
    crumbs: bool
    author_box: bool
    comments: bool
    pager: bool
    tags: bool


@dataclass(frozen=True, eq=False)
class Design:
    """One design of a site. A redesign replaces it as a whole."""

    number: int
    """0 for the first design and 1 for the one after the redesign."""
    seed: str
    theme: Theme
    markup: Markup
    furniture: Furniture
    place: Placement
    filler_start: float
    """Where in the pool of filler lines the design's scripts begin; a share from 0 to 1."""


def make_design(site_seed: str, feed_seed: str, site_number: int, number: int) -> Design:
    """Return the design of a site: number 0, or number 1 after its redesign."""
    seed = f"{site_seed}/design/{number}"
    rng = Random(seed)
    family = _FAMILIES[(site_number + number) % len(_FAMILIES)]
    markup = _make_markup(family, rng)
    place = _make_placement(family, rng)
    design_seed = f"{feed_seed}/look/{number}"
    richness = spread(design_seed, site_number)
    heaviness = near(richness, spread(design_seed, site_number, 1), 0.3)
    return Design(
        number=number,
        seed=seed,
        theme=make_theme(family, markup, int(richness * 3), rng),
        markup=markup,
        furniture=_make_furniture(richness, heaviness, place),
        place=place,
        filler_start=rng.random(),
    )


def _make_markup(family: Family, rng: Random) -> Markup:
    old = family == "tables"
    return Markup(
        upper_case=rng.random() < (0.6 if old else 0.03),
        bare_values=rng.random() < (0.5 if old else 0.15),
        open_ended=rng.random() < (0.5 if old else 0.08),
        entities=rng.choices(("none", "named", "numeric"), (80, 15, 5))[0],
        paragraphs=rng.choices(("p", "br", "div"), (45, 45, 10) if old else (88, 6, 6))[0],
        paragraph_attributes=rng.choice(
            ("", "", "", ' style="text-align: justify;"', ' dir="auto"')
        ),
        indent=rng.choice(("", "", "\t", "    ", "\n")),
    )


def _make_furniture(richness: float, heaviness: float, place: Placement) -> Furniture:
    elements = _FURNITURE_ELEMENTS.value(richness)
    page_bytes = _PAGE_BYTES.value(heaviness)
    widgets = 0 if place.sidebar == "none" else int(min(0.6 + elements / 120, 6))
    entries = int(min(0.15 * elements / 5 / max(1, widgets), 14))
    left = elements - 5 * widgets * max(2, entries)
    menu_share = 0.22 / (2 if place.hidden_menu else 1)
    menu_entries = int(min(2 + elements * 0.02, 9))
    return Furniture(
        head_tags=int(2 + left * 0.10),
        menu_entries=menu_entries,
        submenu_entries=int(max(0.0, left * menu_share / 3 - menu_entries)),
        widgets=widgets,
        widget_entries=max(2, entries),
        footer_links=int(3 + left * 0.10 / 2),
        icons=int(left * 0.45 / 3),
        related=int(min(2 + elements * 0.006, 8)),
        filler_bytes=max(0, int(page_bytes - 4_500 - 40 * elements)),
    )


def _make_placement(family: Family, rng: Random) -> Placement:
    old = family == "tables"
    return Placement(
        sidebar=rng.choices(("left", "right", "none"), (25, 42, 33))[0],
        related=rng.choices(("inside", "end", "after", "none"), (8, 15, 52, 25))[0],
        share=rng.choices(("top", "end", "none"), (20, 25, 55))[0],
        consent=rng.choices(("top", "bottom", "none"), (15, 35, 50) if not old else (2, 3, 95))[0],
        newsletter=rng.choices(("inside", "after", "footer", "none"), (6, 14, 15, 65))[0],
        advert_every=rng.choices((0, 3, 4, 6), (55, 10, 15, 20))[0],
        hidden_menu=rng.random() < 0.3,
        crumbs=rng.random() < 0.5,
        author_box=rng.random() < 0.3,
        comments=rng.random() < 0.45,
        pager=rng.random() < 0.5,
        tags=rng.random() < 0.6,
    )
