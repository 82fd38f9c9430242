"""Removal of near-duplicate pages of a site, since what copies share would pass for template.

Copies are an article under two addresses, an article that was fetched again, or an error page under
many addresses.
"""

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from templ_core.array_types import UInt64s
from templ_core.distinct import distinct
from templ_core.page_level.features.characters import Words, mix

_SHINGLE_WORDS = 6
_COPY_OVERLAP = 0.9
"""Pages whose shingles have at least this Jaccard index count once in the search for site shingles."""
_OWN_OVERLAP = 0.7
"""Pages whose own shingles have at least this Jaccard index are near-duplicates."""
_SITE_SHARE = 0.5
"""A site shingle is on at least this share of the pages; the others are a page's own."""
_OWN_SHINGLES_MIN = 12
"""Pages with fewer own shingles are compared by all of their shingles."""

_SPREAD = np.uint64(0x9E3779B97F4A7C15)


def shingles(words: Words) -> UInt64s:
    """Return the hashes of the different runs of 6 words of a page.

    A page with fewer words has the hashes of its words instead.
    """
    hashes = words.hashes
    if len(hashes) < _SHINGLE_WORDS:
        return distinct(hashes)
    count = len(hashes) - _SHINGLE_WORDS + 1
    run = np.zeros(count, np.uint64)
    for place in range(_SHINGLE_WORDS):
        run = run * _SPREAD + hashes[place : place + count]
    return distinct(mix(run))


def representatives(pages: Sequence[UInt64s]) -> list[int]:
    """Return the places of the pages to keep: the first of each set of near-duplicates.

    A large template hides that two articles differ. Pages are therefore compared by their own
    shingles, without those of the site. Site shingles are counted after removing obvious copies, so
    that an article that was fetched many times does not become part of the site.

    >>> page, other = (np.arange(start, start + 40, dtype=np.uint64) for start in (0, 100))
    >>> representatives([page, other, page])
    [0, 1]

    Args:
        pages: The `shingles` of each page.

    Returns:
        Ascending places in `pages`.
    """
    if not pages:
        return []
    held = _matrix(pages)
    differing = _first_alike(held, _COPY_OVERLAP)
    on_pages = np.asarray(held[differing].sum(axis=0)).ravel()
    own = held[:, on_pages < max(_SITE_SHARE * len(differing), 2)]
    has_own = np.asarray(own.sum(axis=1)).ravel() >= _OWN_SHINGLES_MIN
    places = np.flatnonzero(has_own)
    kept = set(places[_first_alike(own[places], _OWN_OVERLAP)].tolist())
    return sorted(kept | {place for place in differing if not has_own[place]})


def _matrix(pages: Sequence[UInt64s]) -> sparse.csr_matrix:
    """Return which page has which shingle: a matrix of ones, n_pages x n_shingles."""
    known, column = np.unique(np.concatenate(pages), return_inverse=True)
    ends = np.cumsum([0, *map(len, pages)])
    ones = np.ones(len(column), np.int32)
    return sparse.csr_matrix((ones, column, ends), (len(pages), len(known)))


def _first_alike(held: sparse.csr_matrix, overlap: float) -> list[int]:
    """Return the rows that have no earlier kept row with at least this Jaccard index."""
    size = np.asarray(held.sum(axis=1)).ravel()
    shared = (held @ held.T).toarray()
    kept: list[int] = []
    for row in range(held.shape[0]):
        union = size[row] + size[kept] - shared[row, kept]
        if not (shared[row, kept] >= overlap * np.maximum(union, 1)).any():
            kept.append(row)
    return kept
