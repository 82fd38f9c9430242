"""The style tree of a site: text is noise where the pages of the site that share its place have the same words.

Yi, Liu, Li, *Eliminating Noisy Information in Web Pages for Data Mining*, KDD 2003, with which Vieira et al. (CIKM 2006)
compare RTDM-TD. Elements are told apart by their tags alone, and the features of a text are its words. An element is
noise if all that is inside it is, so that the texts alone decide, and the importance of elements is not needed.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from templ_core.array_types import Bools
from templ_core.dom.document import Document
from templ_core.site_level.trees.labelled_tree import label_page
from templ_core.tokens import tokenise

IMPORTANCE_MIN = 0.2
"""Least importance of text that is no noise; the paper leaves the choice to the user."""
_TEXT = 0
"""Stands for a text among the tags of children."""

Styles = dict[tuple[int, tuple[int, ...]], int]
"""The number of the first child, by the number of an element and the tags of all its children."""


class StyleTree(msgspec.Struct, frozen=True, kw_only=True):
    """What the pages of a site have at each place."""

    styles: Styles
    """Children of one style are numbered one after the other; the root is 0."""
    importance: dict[int, float]
    """Importance of the text at each place that holds one, 0 (equal on all pages) to 1."""


def learn_style_tree(documents: Sequence[Document]) -> StyleTree:
    """Return the style tree of some pages of a site."""
    styles: Styles = {}
    pages: Counter[int] = Counter()
    words: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for document in documents:
        for place, segment in _places(document, styles, grows=True):
            pages[place] += 1
            words[place].update(_words(document.segments.texts[segment]))
    return StyleTree(
        styles=styles,
        importance={place: text_importance(words[place], count) for place, count in pages.items()},
    )


def text_importance(words: Counter[str], pages: int) -> float:
    """Return the importance of the text at one place, 0 to 1 (definition 4 of the paper).

    >>> text_importance(Counter({"about": 4, "us": 4}), 4)
    0.0
    >>> text_importance(Counter({"price": 4, "tea": 1, "oats": 2}), 4)
    0.5
    """
    if pages == 1 or not words:
        return 1.0
    entropy = sum(math.log(count, pages) for count in words.values())
    return max(0.0, 1 - entropy / len(words))


def is_style_noise(
    document: Document, tree: StyleTree, importance_min: float = IMPORTANCE_MIN
) -> Bools:
    """Return which segments of a page are noise; those at places that no page had are not.

    >>> from templ_core.dom.document import parse_document
    >>> pages = [
    ...     parse_document(f"<ul><li>About us</ul><p>{word}", "http://a.example/")
    ...     for word in ("Tea", "Oats", "Milk")
    ... ]
    >>> is_style_noise(pages[0], learn_style_tree(pages)).tolist()
    [True, False]
    """
    noise = np.zeros(len(document.segments.texts), np.bool_)
    for place, segment in _places(document, tree.styles, grows=False):
        noise[segment] = tree.importance[place] < importance_min
    return noise


def _words(text: str) -> set[str]:
    return set(tokenise(text.lower()))


def _places(document: Document, styles: Styles, *, grows: bool) -> Iterator[tuple[int, int]]:
    """Yield the place and the segment of each text whose place is known, or is added if the tree grows."""
    tree = label_page(document).tree
    label = np.where(tree.is_text, _TEXT, tree.label).tolist()
    end, segment = tree.end.tolist(), tree.segment.tolist()
    place = {0: 0} if end else {}
    count = 1 + sum(len(tags) for _, tags in styles)
    for node in range(len(end)):
        at = place.pop(node, None)
        if at is None:
            continue
        if segment[node] >= 0:
            yield at, segment[node]
            continue
        children = []
        child = node + 1
        while child < end[node]:
            children.append(child)
            child = end[child]
        style = at, tuple(label[one] for one in children)
        if grows and style not in styles:
            styles[style] = count
            count += len(children)
        if style in styles:
            place.update(
                zip(children, range(styles[style], styles[style] + len(children)), strict=True)
            )
