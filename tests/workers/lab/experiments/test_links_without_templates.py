import numpy as np
import pytest

from workers.lab.experiments.links_without_templates import (
    LINK_SETS,
    hits,
    link_matrix,
    make_web,
    page_rank,
    rank_pages,
    read_links,
)

ALL, ABROAD, VOTES, TEMPL, CONTENT = LINK_SETS


@pytest.fixture(scope="module")
def web():
    return make_web(sites=8, pages=200, seed=1)


@pytest.fixture(scope="module")
def links(web):
    return read_links(web)


def test_each_address_is_one_page_and_links_lead_to_articles(web):
    articles = {page.url for page in web if page.topic >= 0}
    assert len({page.url for page in web}) == len(web)
    assert all(set(page.cited) <= articles - {page.url} for page in web)
    assert sum(len(page.cited) for page in web) > len(articles)


def test_equal_seeds_give_equal_webs(web):
    assert make_web(sites=8, pages=200, seed=1) == web


def test_the_links_of_the_content_are_among_those_of_the_page(links):
    assert links[CONTENT] <= links[ALL]
    assert links[TEMPL] < links[ALL]
    assert links[VOTES] < links[ALL]
    assert links[ABROAD] < links[ALL]


def test_templ_keeps_nearly_all_links_of_the_content(links):
    assert len(links[TEMPL] & links[CONTENT]) >= 0.95 * len(links[CONTENT])


def test_authorities_are_on_topic_without_templates_alone(web, links):
    figures = {name: rank_pages(web, links[name]) for name in (ALL, TEMPL, CONTENT)}
    on_topic, best = ({name: row[place] for name, row in figures.items()} for place in (1, 2))
    assert on_topic[ALL] < 0.3
    assert on_topic[TEMPL] > 0.6
    assert best[TEMPL] >= best[CONTENT] - 0.1 > best[ALL]


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
