"""Edit distance between two texts, in words."""

from collections.abc import Sequence

import numpy as np

from templ_core.tokens import tokenise


def text_distance(one: str, other: str) -> float:
    """Insertions, deletions and replacements of words from one text to the other, case aside.

    Relative to the longer text: 0 for equal texts, 1 for texts that share nothing.
    """
    words, others = tokenise(one.lower()), tokenise(other.lower())
    longer = max(len(words), len(others))
    return edit_distance(words, others) / longer if longer else 0.0


def edit_distance(one: Sequence[str], other: Sequence[str]) -> int:
    """Levenshtein's distance of two sequences, in time of the product of their lengths.

    A row at once: what comes from the left is a running minimum of the values less their column.
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
