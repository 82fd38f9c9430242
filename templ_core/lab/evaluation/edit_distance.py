"""Edit distance between two texts, counted in words."""

from collections.abc import Sequence

import numpy as np

from templ_core.tokens import tokenise


def text_distance(one: str, other: str) -> float:
    """Return the edit distance of two texts in words, divided by the words of the longer text.

    Letter case does not count.

    >>> text_distance("One two, three four", "one TWO three")
    0.25

    Returns:
        0 for equal texts, 1 for texts that share nothing.
    """
    words, others = tokenise(one.lower()), tokenise(other.lower())
    longer = max(len(words), len(others))
    return edit_distance(words, others) / longer if longer else 0.0


def edit_distance(one: Sequence[str], other: Sequence[str]) -> int:
    """Return Levenshtein's distance: the least number of insertions, deletions and replacements.

    The table of the dynamic programme is filled one row at a time. Within a row, the insertions are
    a running minimum of the values minus their column. It takes time of len(one) * len(other).

    >>> edit_distance(["a", "b", "c"], ["b", "x"])
    2
    """
    number = {word: place for place, word in enumerate(dict.fromkeys([*one, *other]))}
    columns = np.array([number[word] for word in other], np.int64)
    ramp = np.arange(len(other) + 1)
    row = ramp.copy()
    for above, word in enumerate(one, 1):
        best = np.empty_like(row)
        best[0] = above
        best[1:] = np.minimum(row[1:] + 1, row[:-1] + (columns != number[word]))
        row = np.minimum.accumulate(best - ramp) + ramp
    return int(row[-1])
