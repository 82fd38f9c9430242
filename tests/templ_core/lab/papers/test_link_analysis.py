import numpy as np
import pytest

from templ_core.lab.papers.link_analysis import hits, link_matrix, page_rank

LINKS = [(0, 1), (0, 2), (1, 2), (3, 2), (3, 1), (4, 0), (4, 0), (2, 2)]


def test_repeated_links_and_links_to_itself_are_left_out():
    assert link_matrix(LINKS, 5).sum() == 6


def test_hits_are_the_first_singular_vectors():
    matrix = link_matrix(LINKS, 5)
    left, _, right = np.linalg.svd(matrix.toarray())
    hubs, authorities = hits(matrix)
    assert hubs == pytest.approx(np.abs(left[:, 0]), abs=1e-6)
    assert authorities == pytest.approx(np.abs(right[0]), abs=1e-6)


def test_page_rank_solves_its_equation():
    matrix = link_matrix(LINKS, 5).toarray()
    matrix[2] = 1  # page 2 has no links and leads to all pages
    steps = matrix / matrix.sum(axis=1, keepdims=True)
    expected = np.linalg.solve(np.eye(5) - 0.85 * steps.T, np.full(5, 0.15 / 5))
    assert page_rank(link_matrix(LINKS, 5)) == pytest.approx(expected)


def test_a_web_without_links_has_equal_ranks():
    assert page_rank(link_matrix([], 4)).tolist() == [0.25] * 4
    assert hits(link_matrix([], 4))[1].tolist() == [0] * 4
