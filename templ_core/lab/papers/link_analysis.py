"""HITS and PageRank: pages ranked by the links between them.

Kleinberg, *Authoritative sources in a hyperlinked environment*, Journal of the ACM 46, 1999; Brin, Page, *The anatomy of
a large-scale hypertextual web search engine*, WWW 1998. Bar-Yossef and Rajagopalan (WWW 2002) found that links in
templates mislead such rankings.
"""

from collections.abc import Iterable

import numpy as np
from scipy import sparse

from templ_core.array_types import Floats

_TOLERANCE = 1e-10
_STEPS_MAX = 1000
_DAMPING = 0.85
"""Probability of following a link; otherwise any page is visited next."""


def link_matrix(links: Iterable[tuple[int, int]], pages: int) -> sparse.csr_array:
    """Return a matrix with 1 where the page of the row links to the page of the column.

    Args:
        links: Numbers of the linking page and the linked page; repeated links and links of a page to
            itself are left out.
        pages: Number of pages.
    """
    pairs = np.array([pair for pair in set(links) if pair[0] != pair[1]], np.int64).reshape(-1, 2)
    ones = np.ones(len(pairs))
    return sparse.csr_array((ones, (pairs[:, 0], pairs[:, 1])), shape=(pages, pages))


def hits(links: sparse.csr_array) -> tuple[Floats, Floats]:
    """Return the hub score and the authority score of each page; both vectors have unit length.

    >>> hubs, authorities = hits(link_matrix([(0, 2), (1, 2), (1, 3)], 4))
    >>> int(hubs.argmax()), int(authorities.argmax())
    (1, 2)
    """
    hubs = np.ones(links.shape[0])
    authorities = hubs
    for _ in range(_STEPS_MAX):
        before = hubs
        authorities = _unit(links.T @ hubs)
        hubs = _unit(links @ authorities)
        if np.abs(hubs - before).max(initial=0) < _TOLERANCE:
            break
    return hubs, authorities


def _unit(vector: Floats) -> Floats:
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector


def page_rank(links: sparse.csr_array) -> Floats:
    """Return the PageRank of each page; the sum is 1. A page without links leads to all pages.

    >>> page_rank(link_matrix([(0, 2), (1, 2)], 3)).round(2).tolist()
    [0.21, 0.21, 0.57]
    """
    pages = links.shape[0]
    out = links.sum(axis=1)
    share = np.divide(1.0, out, out=np.zeros(pages), where=out > 0)
    rank: Floats = np.full(pages, 1 / max(pages, 1))
    for _ in range(_STEPS_MAX):
        before = rank
        followed = links.T @ (rank * share) + rank[out == 0].sum() / pages
        rank = _DAMPING * followed + (1 - _DAMPING) / pages
        if np.abs(rank - before).sum() < _TOLERANCE:
            break
    return rank
