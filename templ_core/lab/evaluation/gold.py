"""The words of a gold page: all that are visible, and those of its neutral elements."""

from lxml import etree
from lxml.cssselect import CSSSelector

from templ_core.dom.tags import INLINE
from templ_core.lab.evaluation.words import WordCounts, word_counts

_INVISIBLE = frozenset(["script", "style", "noscript", "template", "head", "iframe", "object"])


def page_words(html: str, neutral_selector: str | None) -> tuple[WordCounts, WordCounts]:
    """Return the visible words of the page, and those of its neutral elements.

    >>> everything, neutral = page_words("<h1>A title</h1><p>Some text</p>", "h1")
    >>> sorted(everything), sorted(neutral)
    (['a', 'some', 'text', 'title'], ['a', 'title'])

    Args:
        html: The markup of the page.
        neutral_selector: CSS selector of text that is neither content nor template; None if the
            page has no such text.
    """
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True)
    root = etree.fromstring(html.encode("utf-8", "replace"), parser) if html.strip() else None
    if root is None:
        return WordCounts(), WordCounts()
    neutral = WordCounts()
    if neutral_selector:
        selected = CSSSelector(neutral_selector, translator="html")(root)
        chosen = set(selected)
        for element in selected:
            if not chosen.intersection(element.iterancestors()):
                neutral += word_counts(visible_text(element))
    return word_counts(visible_text(root)), neutral


def visible_text(root: etree._Element) -> str:
    """Return the text outside scripts, styles and the like, with blanks between blocks."""
    parts: list[str] = []
    _collect(root, parts)
    return "".join(parts)


def _collect(root: etree._Element, parts: list[str]) -> None:
    todo: list[tuple[etree._Element, bool]] = [(root, False)]
    while todo:
        element, done = todo.pop()
        tag = element.tag if isinstance(element.tag, str) else ""
        if not done:
            if tag and tag not in _INVISIBLE:
                parts.append("" if tag in INLINE and tag != "br" else " ")
                parts.append(element.text or "")
                todo.append((element, True))
                todo.extend((child, False) for child in reversed(element))
            elif element is not root:
                parts.append(element.tail or "")
            continue
        parts.append("" if tag in INLINE else " ")
        if element is not root:
            parts.append(element.tail or "")
