"""Pages that say the same again: refetched, printed, paginated; they would make articles templates."""

from collections.abc import Sequence

import numpy as np

from templ_core.fingerprint import simhash

NEAR_BITS = 3
"""SimHashes of near-duplicates differ in at most so many bits (Manku et al., WWW 2007)."""


def distinct_pages(pages: Sequence[str]) -> list[int]:
    """Indexes of the pages that are no near-duplicate of a page before them, in order.

    Pages without a token are left out.
    """
    seen = np.zeros(len(pages), np.uint64)
    kept: list[int] = []
    for index, page in enumerate(pages):
        fingerprint = simhash(page)
        if fingerprint is None:
            continue
        others = seen[: len(kept)]
        if (np.bitwise_count(others ^ np.uint64(fingerprint)) > NEAR_BITS).all():
            seen[len(kept)] = fingerprint
            kept.append(index)
    return kept
