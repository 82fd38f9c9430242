"""A feed that every test reads, and a parser-based reading of the visible text of a page."""

import re
from collections import Counter
from collections.abc import Callable, Iterable

import lxml.html
import pytest

from workers.lab.simulate.feed import FeedSettings, simulate_feed
from workers.lab.simulate.page import SyntheticPage

_WORD = re.compile(r"\w+")
_HIDDEN = {"script", "style", "noscript", "template", "head", "iframe", "object"}

Words = Counter[str]
Element = lxml.html.HtmlElement


@pytest.fixture(scope="session")
def pages() -> list[SyntheticPage]:
    """Return 600 pages of 80 sites, with every genre, language and family of designs."""
    return list(simulate_feed(FeedSettings(sites=80, pages=600)))


@pytest.fixture(scope="session")
def words_of() -> Callable[[str], Words]:
    return _words


@pytest.fixture(scope="session")
def visible_words() -> Callable[..., Words]:
    """Return a function that counts the visible words of elements, without excluded elements."""

    def read(elements: Iterable[Element], excluded: Iterable[Element] = ()) -> Words:
        found, skipped = set(elements), set(excluded)
        outermost = [one for one in found if found.isdisjoint(one.iterancestors())]
        return sum((_words("".join(_texts(one, skipped))) for one in outermost), Counter())

    return read


def _words(text: str) -> Words:
    return Counter(_WORD.findall(text.lower()))


def _texts(element: Element, skipped: set[Element]) -> Iterable[str]:
    if not isinstance(element.tag, str) or element.tag in _HIDDEN or element in skipped:
        return
    yield element.text or ""
    for child in element:
        yield from _texts(child, skipped)
        yield child.tail or ""
