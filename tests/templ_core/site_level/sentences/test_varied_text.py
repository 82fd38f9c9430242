from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templ_core.dom.document import parse_document
from templ_core.page_level.features.characters import read_characters, read_words
from templ_core.page_level.features.page_features import read_features
from templ_core.page_level.model.page_type import PageType
from templ_core.site_level.sentences.sentences_config import VARIED_TEXT_CONFIG
from templ_core.site_level.sentences.shingles import all_shingles, winnowed_shingles
from templ_core.site_level.sentences.varied_text import find_varied
from tests.templ_core.site_level.builders import site_model

WORDS = [f"{one}{two}" for one in "abcdefghij" for two in ("la", "mo", "ne", "ri", "su")]
BOX = (
    "We hope that you liked what you have read, and that you will also like {}, which many of our "
    "readers come back to every week, as they do to {} and to the other series that we print."
)


def pages(count, share=1.0, box=BOX):
    draws = Random(0)
    for number in range(count):
        story = " ".join(draws.choices(WORDS, k=60))
        titles = [" ".join(draws.choices(WORDS, k=3)) for _ in range(5)]
        end = f"<p>{box.format(*titles)}" if number < share * count else ""
        yield parse_document(f"<h1>{titles[0]}</h1><p>{story}.{end}", "https://a.com/")


def varied(learned, page, page_type=None):
    model = site_model(learned)
    found = find_varied(
        read_features(page),
        page_type or PageType(),
        model.shingles,
        model.sentences,
        model.documents,
    )
    return [] if found is None else found.nonzero()[0].tolist()


@pytest.mark.parametrize("share", [1.0, 0.3, 0.1])
def test_a_box_with_other_titles_on_each_page_is_found(share):
    assert varied(list(pages(40, share)), next(pages(1))) == [2]


def test_a_box_is_found_though_no_page_of_the_latest_has_it():
    assert varied(list(pages(80, 0.1)), next(pages(1))) == [2]


def test_a_box_of_few_pages_stays():
    assert varied(list(pages(20, 0.15)), next(pages(1))) == []


@pytest.mark.parametrize("page_type", [PageType(documentation=0.9), PageType(forum=0.9)])
def test_records_of_references_and_forums_stay(page_type):
    assert varied(list(pages(20)), next(pages(1)), page_type) == []


def test_what_stands_on_a_page_twice_is_a_pattern_of_its_list():
    entries = "".join(f"<li>{BOX.format(one, one)}" for one in ("some", "more"))
    assert varied(list(pages(20)), parse_document(f"<ul>{entries}", "https://a.com/")) == []


def test_of_a_series_paragraphs_that_are_no_neighbours_stay():
    other = (
        "To build this one you need the {} with its cable, some glue for the lower part of the {} and an hour "
        "of your time, as in all parts of this series before."
    )
    box = f"{BOX}<p>{{}} goes on.<p>{other}"
    young = list(pages(10, box=box))
    assert varied(young, young[0]) == []
    assert varied(list(pages(20, box=box)), young[0]) == [2, 4]


def test_sentences_that_are_repeated_as_a_whole_are_not_judged_here():
    whole = BOX.format("one story", "another story")
    assert varied(list(pages(20, box=whole)), next(pages(1, box=whole))) == []


def test_lines_of_links_and_of_numbers_stay():
    links = "<a href=/x>" + BOX.format("{}</a><a href=/y>", "{}") + "</a>"
    assert varied(list(pages(20, box=links)), next(pages(1, box=links))) == []
    rows = " ".join(f"{number} of {number}" for number in range(12)) + " {} {}"
    assert varied(list(pages(20, box=rows)), next(pages(1, box=rows))) == []


@given(st.lists(st.sampled_from("abcdefg1"), min_size=1, max_size=40))
def test_of_neighbouring_shingles_at_least_one_is_counted(letters):
    words = read_words(read_characters([" ".join(letters)]))
    every = all_shingles(words, np.array([True])).first.tolist()
    chosen = set(winnowed_shingles(words, np.array([True])).first.tolist())
    assert chosen <= set(every)
    window = VARIED_TEXT_CONFIG.shingles_window
    for place in range(len(every) - window + 1):
        neighbours = every[place : place + window]
        if neighbours[-1] - neighbours[0] == window - 1:
            assert chosen.intersection(neighbours)
    assert bool(every) == bool(chosen)
    nothing = all_shingles(words, np.array([False]))
    assert len(nothing.first) == len(nothing.keys) == 0
