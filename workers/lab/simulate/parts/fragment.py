"""Pieces of a page that carry their own truth: the markup and the visible text in it."""

from collections.abc import Iterable
from enum import StrEnum
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple


class Kind(StrEnum):
    """What a part of a page is there for."""

    CONTENT = "content"
    """What the page is about; the gold text is made of it."""
    NEUTRAL = "neutral"
    """Specific to the page but outside its content: title, byline, date, tags."""
    COMMENTS = "comments"
    """Written by readers; as neutral as the title."""
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
    """A run of visible text of one kind; lines are separated by newlines."""

    kind: Kind
    text: str


Run = tuple[Kind | None, str]
"""Visible text as the markup has it; None = of the kind of the part around it."""

BREAK: Run = (None, "\n")


class Fragment(NamedTuple):
    """Markup with the visible text it holds, in document order."""

    html: str
    runs: tuple[Run, ...] = ()


EMPTY = Fragment("")
SPACE = Fragment(" ", ((None, " "),))


def raw(html: str) -> Fragment:
    """Markup without visible text."""
    return Fragment(html)


def join(parts: Iterable[Fragment], separator: str = "") -> Fragment:
    """The parts one after the other; the separator stands between them in the markup and the text."""
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
    """The part inside an element that does not break the line."""
    return Fragment(opening + inner.html + closing, inner.runs)


def block(opening: str, inner: Fragment, closing: str) -> Fragment:
    """The part inside an element that starts and ends a line, in the markup as well."""
    return Fragment(f"\n{opening}{inner.html}{closing}\n", (BREAK, *inner.runs, BREAK))


def label(kind: Kind, part: Fragment) -> Fragment:
    """The part with every run that has no kind yet given this one."""
    return Fragment(
        part.html, tuple([(kind, text) if own is None else (own, text) for own, text in part.runs])
    )


def sections(part: Fragment, default: Kind = Kind.NAVIGATION) -> tuple[Section, ...]:
    """The visible text by kind in document order; neighbours of one kind are one section."""
    found: list[Section] = []
    marked = ((kind or default, text) for kind, text in part.runs if kind or text.strip())
    for kind, runs in groupby(marked, key=itemgetter(0)):
        text = _lines("".join(text for _, text in runs))
        if text:
            found.append(Section(kind, text))
    return _merged(found)


def _merged(found: list[Section]) -> tuple[Section, ...]:
    merged = []
    for kind, same in groupby(found, key=itemgetter(0)):
        merged.append(Section(kind, "\n".join(section.text for section in same)))
    return tuple(merged)


def _lines(text: str) -> str:
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)
