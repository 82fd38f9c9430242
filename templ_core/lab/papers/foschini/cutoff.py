"""How many pages a string of the template must be on: the energy cut-off.

Foschini's thesis (2007), section 3.2, steps 8 and 9, with equation 3.1.
"""

import numpy as np

from templ_core.array_types import Int32s, Int64s

BINS = 100
"""Bins of the histogram: hundredths of the pages, as in the thesis."""


def document_histogram(documents: Int32s, pages: int) -> Int64s:
    """Return the number of strings by the share of pages that have them, in 100 bins.

    Bin i holds the strings on i to i + 1 hundredths of the pages; the last one those on all of
    them. With fewer than 100 pages, a string on d pages stands in bin floor(100 d / pages), and the
    bins between stay empty: distances between bins are shares of pages at any size.

    >>> document_histogram(np.array([1, 1, 4], np.int32), pages=4).nonzero()[0].tolist()
    [25, 99]

    Args:
        documents: Number of distinct documents with each string, 0 to `pages`.
        pages: Number of pages that were looked at; at least 1.
    """
    bins = np.minimum(documents.astype(np.int64) * BINS // pages, BINS - 1)
    return np.bincount(bins, minlength=BINS)


def energy_cutoff(histogram: Int64s) -> int:
    """Return the bin b in 1 .. n_bins - 1 that minimises equation 3.1, the lowest of equals.

    E(b) = sum_{i < b} (i - x)^2 h_i + sum_{i >= b} (i - y)^2 h_i with b = (x + y) / 2. For a given
    b, y = 2 b - x makes E a parabola in x, whose minimum is taken.

    >>> energy_cutoff(np.array([900, 80, 10, 0, 0, 0, 0, 5, 20, 40]))
    4

    Args:
        histogram: Number of strings in each bin.
    """
    bins = np.arange(len(histogram), dtype=np.float64)
    weights = histogram.astype(np.float64)
    edges = bins[1:, None]
    mirrored = np.where(bins < edges, bins, 2 * edges - bins)
    centers = mirrored @ weights / max(weights.sum(), 1.0)
    energies = (mirrored - centers[:, None]) ** 2 @ weights
    best, cutoff = np.inf, 1
    for edge, energy in enumerate(energies.tolist(), 1):
        if energy < best - 1e-9:
            best, cutoff = energy, edge
    return cutoff
