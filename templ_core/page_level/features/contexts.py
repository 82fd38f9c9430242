"""What the hashed scores of other segments say about a segment."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from templ_core.array_types import Float32s, Floats, Int64s
from templ_core.page_level.config import FEATURE_CONFIG
from templ_core.page_level.features import _contexts
from templ_core.page_level.page_tree import PageTree
from templ_core.page_level.smoothing.text_tree import text_tree

CONTEXTS = tuple(_contexts.context_columns())
"""Names of the context features.

The first guess of a segment is its probability of content by the two hashed scores alone. "over the
cut", "expected f1" and "cut" belong to the page cut by the first guess (see `expected_f1`); "rank"
is the place of a segment in the order of first guesses, 0 to 1.

Then come means of the first guess by words, among segments of the same path and inside the nodes
L1 to L5 and T, "plain" ones by segments; first guesses of the one to three segments before and
after and means over windows of 4, 10 and 25 segments, 0 beyond the page; and shares of the page's
content mass, which is the sum of first guess * words.

The best subtree is the node whose text alone would have the best expected F1; the position of a
segment is relative to it, and its F1 to that of the page. Then come ten means of the two scores.

The last three come from the isotonic smoothing of the first guess over the page's tree (Chakrabarti
et al., WWW 2007): the smoothed guess, how far it is from the guess, and the logarithm of the words of
the section that the segment is in.
"""


class SegmentScores(NamedTuple):
    """The hashed scores of a page's segments; columns of length n_segments."""

    attribute: Floats
    """Log-odds by tags and attributes."""
    text: Floats
    """Log-odds by words."""
    first_guess: Floats
    """Probability of content by both, 0 to 1."""
    order: npt.NDArray[np.intp]
    """The segments by falling first guess."""
    smoothed: Floats
    """The first guess after isotonic smoothing, 0 to 1."""
    section_words: Floats
    """Words of the section that each segment is in, at least 1."""


def with_contexts(
    features: Float32s, tree: PageTree, group: Int64s, attribute: Floats, text: Floats
) -> Float32s:
    """Return a page's features and its context features side by side; n_segments rows.

    Args:
        features: The features of `read_features`; n_segments rows.
        tree: The page's tree.
        group: Path group of each segment.
        attribute: Log-odds of the attribute scores; length n_segments.
        text: Log-odds of the text scores; length n_segments.

    Example:
        >>> from templ_core.dom.document import parse_document
        >>> from templ_core.page_level.features.page_features import read_features
        >>> page = read_features(parse_document("<nav>Home</nav><p>It rains.", "https://a.com/"))
        >>> rows = with_contexts(
        ...     page.rows, page.tree, page.group, np.array([-3.0, 3.0]), np.array([-1.0, 1.0])
        ... )
        >>> first = page.rows.shape[1]
        >>> [round(float(row[first + CONTEXTS.index("one_before")]), 2) for row in rows]
        [0.0, 0.06]
    """
    size, columns = features.shape
    rows = np.empty((size, columns + len(CONTEXTS)), np.float32)
    rows[:, :columns] = features
    guess = first_guess(attribute, text)
    smoothed, section_words = smoothed_guess(guess, tree)
    scores = SegmentScores(
        attribute=attribute,
        text=text,
        first_guess=guess,
        order=(-(attribute + text)).argsort(kind="stable"),
        smoothed=smoothed,
        section_words=section_words,
    )
    _contexts.fill_contexts(tree, group, scores, FEATURE_CONFIG, rows, columns)
    return rows


def first_guess(attribute: Floats, text: Floats) -> Floats:
    """Return the first guess at each segment's probability of content, 0 to 1.

    It is sigmoid(score_weight * (attribute + text)).

    Args:
        attribute: Log-odds of the attribute scores; length n_segments.
        text: Log-odds of the text scores; length n_segments.

    Example:
        >>> first_guess(np.array([0.0, 2.0]), np.array([0.0, 3.0])).round(2).tolist()
        [0.5, 0.97]
    """
    return _contexts.first_guess(attribute, text, FEATURE_CONFIG.score_weight)


def smoothed_guess(guess: Floats, tree: PageTree) -> tuple[Floats, Floats]:
    """Return the smoothed first guess of each segment, and the words of its section.

    Args:
        guess: First guess of each segment, 0 to 1; length n_segments.
        tree: The page's tree.

    Example:
        >>> from templ_core.dom.document import parse_document
        >>> from templ_core.page_level.features.page_features import read_features
        >>> html = "<ul><li>Home<li>News</ul><div><p>It rains a lot.<p>It is cold.</div>"
        >>> page = read_features(parse_document(html, "https://a.com/"))
        >>> smoothed, words = smoothed_guess(np.array([0.1, 0.1, 0.9, 0.89]), page.tree)
        >>> smoothed.round(1).tolist(), words.tolist()
        ([0.1, 0.1, 0.9, 0.9], [2.0, 2.0, 7.0, 7.0])
    """
    nodes = text_tree(tree.first, tree.last, tree.words)
    smoothed = nodes.smooth(1 - guess, FEATURE_CONFIG.smoothing_penalty)
    templateness, words = nodes.of_segments(smoothed)
    return 1 - templateness, words
