"""Pieces of a page that carry their own truth: markup, and the visible text in it by type."""

from collections.abc import Iterable
from enum import StrEnum
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple


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


def raw(html: str) -> Fragment:
    """Return markup without visible text."""
    return Fragment(html)


def join(parts: Iterable[Fragment], separator: str = "") -> Fragment:
    """Return the parts in order, with the separator between them in both markup and text."""
    present = [part for part in parts if part.html]
    html = separator.join([part.html for part in present])
    if not separator:
        return Fragment(html, tuple([run for part in present for run in part.runs]))
    runs: list[Run] = []
    for part in present:
        runs.extend(part.runs)
        runs.append((None, separator))
    return Fragment(html, tuple(runs[:-1]))


def enclose(opening: str, inner: Fragment, closing: str) -> Fragment:
    """Return a part inside an element that does not break the line."""
    return Fragment(opening + inner.html + closing, inner.runs)


def block(opening: str, inner: Fragment, closing: str) -> Fragment:
    """Return a part inside an element that stands on lines of its own."""
    return Fragment(f"\n{opening}{inner.html}{closing}\n", (LINE_BREAK, *inner.runs, LINE_BREAK))


def label(section_type: SectionType, part: Fragment) -> Fragment:
    """Return the part with a section type for every run that has none yet."""
    return Fragment(
        part.html,
        tuple([(section_type, text) if own is None else (own, text) for own, text in part.runs]),
    )


def sections(part: Fragment, default: SectionType = SectionType.NAVIGATION) -> tuple[Section, ...]:
    """Return the visible text by type, in document order; neighbours of one type are merged."""
    found: list[Section] = []
    marked = (
        (section_type or default, text)
        for section_type, text in part.runs
        if section_type or text.strip()
    )
    for section_type, runs in groupby(marked, key=itemgetter(0)):
        text = _lines("".join(text for _, text in runs))
        if text:
            found.append(Section(section_type, text))
    return tuple(
        Section(section_type, "\n".join(section.text for section in same))
        for section_type, same in groupby(found, key=itemgetter(0))
    )


def _lines(text: str) -> str:
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)
