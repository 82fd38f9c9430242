"""Draws from measured distributions, spread evenly over the sites of a feed."""

from bisect import bisect_right
from random import Random
from typing import NamedTuple

_STEPS = (0.6180339887498949, 0.4142135623730951)
"""Irrational steps of the two dimensions; no ratio of small integers comes near to them."""


class Quantiles(NamedTuple):
    """A distribution given by quantiles, with linear interpolation between them."""

    at: tuple[float, ...]
    """Shares in ascending order, from 0 to 1."""
    values: tuple[float, ...]

    def value(self, share: float) -> float:
        """Return the quantile at a share from 0 to 1."""
        after = min(max(bisect_right(self.at, share), 1), len(self.at) - 1)
        low, high = self.at[after - 1], self.at[after]
        part = (share - low) / (high - low)
        return self.values[after - 1] + part * (self.values[after] - self.values[after - 1])


def spread(seed: str, number: int, dimension: int = 0) -> float:
    """Return a share from 0 to 1 for a number; consecutive numbers cover the range evenly.

    Shares of dimension 0 and of dimension 1 are not correlated.
    """
    return (Random(f"{seed}/{dimension}").random() + number * _STEPS[dimension]) % 1.0


def near(share: float, other: float, width: float) -> float:
    """Return a share moved by another one, by at most half of `width`, reflected into 0 to 1."""
    moved = abs(share + (other - 0.5) * width)
    return 2.0 - moved if moved > 1.0 else moved
