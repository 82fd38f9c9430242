"""Where the strings of a template begin: the energy cut-off of Foschini's thesis, equation 3.1."""

import numpy as np

from templ_core.array_types import Int32s, Int64s

BINS = 100


def document_histogram(documents: Int32s, pages: int) -> Int64s:
    """Number of strings by the share of pages that have them, in 100 bins.

    Bin i holds the strings on i to i + 1 hundredths of the pages; the last one those on all of
    them. With fewer than 100 pages, a string on d pages stands in bin floor(100 d / pages), and the
    bins between stay empty: distances between bins are shares of pages at any size.

    Args:
        documents: Distinct documents of each string, 0 to `pages`.
        pages: Pages that were looked at; at least 1.
    """
    bins = np.minimum(documents.astype(np.int64) * BINS // pages, BINS - 1)
    return np.bincount(bins, minlength=BINS)


def energy_cutoff(histogram: Int64s) -> int:
    """The bin b in 1 .. n_bins - 1 that minimises equation 3.1, the lowest of equals.

    E(b) = sum_{i < b} (i - x)^2 h_i + sum_{i >= b} (i - y)^2 h_i with b = (x + y) / 2. For a given
    b, y = 2 b - x makes E a parabola in x, whose minimum is taken.
    """
    bins = np.arange(len(histogram), dtype=np.float64)
    weights = histogram.astype(np.float64)
    best, cutoff = np.inf, 1
    for edge in range(1, len(histogram)):
        mirrored = np.where(bins < edge, bins, 2 * edge - bins)
        total = weights.sum()
        center = float(weights @ mirrored) / total if total else 0.0
        energy = float(weights @ (mirrored - center) ** 2)
        if energy < best - 1e-9:
            best, cutoff = energy, edge
    return cutoff
