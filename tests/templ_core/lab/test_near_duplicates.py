import random

import pytest

from templ_core.lab.near_duplicates import distinct_shingled, shingles
from templ_core.page_level.features.characters import read_characters, read_words


def prose(seed, words=150):
    rng = random.Random(seed)
    return " ".join("".join(rng.choices("abcdefgh", k=rng.randint(2, 8))) for _ in range(words))


def of(*parts):
    return shingles(read_words(read_characters([" ".join(parts)])))


MENU = prose("menu", 300)


def test_copies_are_removed():
    assert distinct_shingled([of(prose(1)), of(prose(2)), of(prose(1)), of(prose(1))]) == [0, 1]


def test_an_article_with_another_date_and_sidebar_is_removed():
    pages = [of(MENU, prose(number)) for number in range(6)]
    pages.append(of(MENU, "12 May", prose(3), prose("sidebar", 30)))
    assert distinct_shingled(pages) == [0, 1, 2, 3, 4, 5]


def test_different_articles_in_a_large_template_are_kept():
    pages = [of(MENU, MENU[::-1], prose(number, 60)) for number in range(12)]
    assert distinct_shingled(pages) == list(range(12))


@pytest.mark.parametrize("copies", [3, 8, 30])
def test_an_article_that_was_fetched_many_times_is_kept_once(copies):
    pages = [of(MENU, prose(number)) for number in range(4)]
    pages += [of(MENU, prose("again"), f"{number} views") for number in range(copies)]
    assert distinct_shingled(pages) == [0, 1, 2, 3, 4]


def test_short_pages_and_an_empty_site():
    assert distinct_shingled([]) == []
    assert distinct_shingled([of("one"), of("two"), of("one")]) == [0, 1]
