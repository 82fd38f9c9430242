"""The boxes of a design: which element encloses which part of a page, and its CSS selector."""

from random import Random
from typing import Literal, NamedTuple

from workers.lab.simulate.design.markup import Markup
from workers.lab.simulate.design.naming import BOX_ROLES, SCHEMES, class_names
from workers.lab.simulate.parts.fragment import Fragment, SectionType, block, join, label

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
    """Return a theme with class names of its own.

    Args:
        family: How the boxes are written.
        markup: How the tags are written.
        depth: Number of further elements around the content of each larger box.
        rng: Source of every choice.
    """
    if family == "tables":
        return Theme(family, markup, _table_boxes(markup, rng))
    if family == "bare":
        return Theme(family, markup, {role: _bare_box(markup, role) for role in BOX_ROLES})
    tags = _SEMANTIC_TAGS if family == "semantic" else _SOUP_TAGS
    scheme = SCHEMES[int(rng.random() * len(SCHEMES))]
    boxes = {}
    for role, name in class_names(scheme, rng).items():
        tag = tags.get(role, "div")
        around = depth if role in _WRAPPED else 0
        opening = f'<{tag} class="{name}">' + f'<div class="{name}-in">' * around
        closing = "</div>" * around + f"</{tag}>"
        boxes[role] = Box(markup.tag(opening), markup.tag(closing), f".{name}", name)
    return Theme(family, markup, boxes)


def _bare_box(markup: Markup, role: str) -> Box:
    tag = _BARE[role]
    selector = _BARE_SELECTORS.get(role, tag)
    return Box(markup.tag(f"<{tag}>"), markup.tag(f"</{tag}>"), selector)


def _table_boxes(markup: Markup, rng: Random) -> dict[str, Box]:
    boxes = {}
    colours = rng.sample(range(0x100000, 0xFFFFFF), len(BOX_ROLES))
    for role, number in zip(BOX_ROLES, colours, strict=True):
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
