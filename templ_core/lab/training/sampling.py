"""Reproducible random samples of rows."""

from collections.abc import Sequence

import numpy as np

from templ_core.array_types import Int64s


def drawn_places(count: int, most: int, seed: int | Sequence[int]) -> Int64s:
    """Return at most `most` of the numbers below `count`, ascending, drawn without replacement.

    >>> drawn_places(3, 5, seed=0).tolist()
    [0, 1, 2]
    >>> len(drawn_places(1000, 5, seed=0))
    5

    Args:
        count: Number of rows to draw from.
        most: Number of rows to draw; all rows are returned if there are no more.
        seed: One number or several; equal seeds give equal samples.
    """
    if count <= most:
        return np.arange(count)
    return np.sort(np.random.default_rng(seed).choice(count, most, replace=False))
