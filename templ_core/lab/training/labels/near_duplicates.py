"""Pages of a site that hardly differ count once: else what they share passes for template.

The same article under two addresses, refetched, or an error page under many.
"""

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from templ_core.array_types import UInt64s
from templ_core.distinct import distinct
from templ_core.page_level.features.characters import (
    Words,
    mix,
)

SHINGLE_WORDS = 6
COPY_OVERLAP = 0.9
"""Jaccard index of all shingles above which two pages count once when the site's are told."""
OWN_OVERLAP = 0.7
"""The same of the shingles that are not the site's, above which they are near-duplicates."""
SITE_SHARE = 0.5
"""Shingles on this share of the pages that differ are the site's."""
OWN_SHINGLES_MIN = 12
"""Pages with fewer shingles of their own are judged by all they have."""

_SPREAD = np.uint64(0x9E3779B97F4A7C15)


def shingles(words: Words) -> UInt64s:
    """The different runs of SHINGLE_WORDS words of a page; all its words where it has fewer."""
    hashes = words.hashes
    if len(hashes) < SHINGLE_WORDS:
        return distinct(hashes)
    count = len(hashes) - SHINGLE_WORDS + 1
    run = np.zeros(count, np.uint64)
    for place in range(SHINGLE_WORDS):
        run = run * _SPREAD + hashes[place : place + count]
    return distinct(mix(run))


def representatives(pages: Sequence[UInt64s]) -> list[int]:
    """Places of the pages that stay: the first of each set of near-duplicates.

    Much template hides that two articles differ, so pages are compared by what is left without the
    site's shingles. Those are counted over pages that differ on the whole, so that an article which
    was fetched many times is not the site's.

    Args:
        pages: The shingles of each page.
    """
    if not pages:
        return []
    held = _matrix(pages)
    differing = _first_alike(held, COPY_OVERLAP)
    on_pages = np.asarray(held[differing].sum(axis=0)).ravel()
    own = held[:, on_pages < max(SITE_SHARE * len(differing), 2)]
    has_own = np.asarray(own.sum(axis=1)).ravel() >= OWN_SHINGLES_MIN
    places = np.flatnonzero(has_own)
    kept = set(places[_first_alike(own[places], OWN_OVERLAP)].tolist())
    return sorted(kept | {place for place in differing if not has_own[place]})


def _matrix(pages: Sequence[UInt64s]) -> sparse.csr_matrix:
    """Which page has which shingle."""
    known, column = np.unique(np.concatenate(pages), return_inverse=True)
    ends = np.cumsum([0, *map(len, pages)])
    ones = np.ones(len(column), np.int32)
    return sparse.csr_matrix((ones, column, ends), (len(pages), len(known)))


def _first_alike(held: sparse.csr_matrix, overlap: float) -> list[int]:
    """Rows without an earlier kept row of at least this Jaccard index."""
    size = np.asarray(held.sum(axis=1)).ravel()
    shared = (held @ held.T).toarray()
    kept: list[int] = []
    for row in range(held.shape[0]):
        union = size[row] + size[kept] - shared[row, kept]
        if not (shared[row, kept] >= overlap * np.maximum(union, 1)).any():
            kept.append(row)
    return kept
