import numpy as np
import pytest

from templ_core.page_level.model.page_type import PageType
from templ_core.site_level.config import FUSION_CONFIG
from templ_core.site_level.fusion._fusion import outside_container
from templ_core.site_level.fusion.site_columns import (
    IN_BEST_CONTAINER,
    RECURS,
    USUAL_BEST_CONTAINER,
)

ARTICLE = PageType(article=0.7, other=0.3)
DOCUMENTATION = PageType(documentation=0.7, other=0.3)


def is_left_out(log_odds, page_type, *, words=30, inside=False, usual=-0.5, recurs=False):
    columns = {IN_BEST_CONTAINER: 0.5 if inside else -0.5, USUAL_BEST_CONTAINER: usual}
    columns[RECURS] = float(recurs)
    one = {name: np.array([value]) for name, value in columns.items()}
    return outside_container(
        np.array([log_odds]), one, np.array([float(words)]), page_type, FUSION_CONFIG
    ).item()


def test_text_outside_the_container_of_an_article_stays_where_it_is_surely_content():
    assert is_left_out(0.9, ARTICLE)
    assert not is_left_out(1.1, ARTICLE)
    assert not is_left_out(0.1, ARTICLE, inside=True)


def test_a_usual_container_is_as_good():
    assert not is_left_out(0.1, ARTICLE, usual=0.0)


def test_on_an_article_no_text_stays_that_is_template_rather_than_content():
    assert is_left_out(-0.1, ARTICLE, inside=True)
    assert is_left_out(-0.1, ARTICLE, words=3)
    assert not is_left_out(0.1, ARTICLE, words=3)


def test_text_outside_documentation_that_recurs_stays_where_it_is_surely_content():
    assert is_left_out(0.9, DOCUMENTATION, recurs=True)
    assert not is_left_out(1.1, DOCUMENTATION, recurs=True)


@pytest.mark.parametrize("place", [{"inside": True}, {"usual": -0.1}, {"recurs": False}])
def test_other_text_of_documentation_is_left_to_the_cut(place):
    assert not is_left_out(-3.0, DOCUMENTATION, **({"recurs": True} | place))


def test_other_pages_are_left_to_the_cut():
    assert not is_left_out(-3.0, PageType(), recurs=True)


def test_posts_beside_each_other_stay_where_a_page_may_be_a_thread():
    assert not is_left_out(0.1, PageType(article=0.5, forum=0.45))
    assert is_left_out(0.1, PageType(article=0.5, forum=0.3))
