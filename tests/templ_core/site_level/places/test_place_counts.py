"""Compares counts, constancy and pooling with their definitions, on small pages."""

from math import exp, isclose, log

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from templ_core.site_level.places._place_log_odds import where_repeated
from templ_core.site_level.places.place_counts import NO_PAGES, count_pages
from templ_core.site_level.places.place_log_odds import read_places
from templ_core.site_level.places.place_table import tabulate
from templ_core.site_level.places.places import PagePlaces

SEGMENTS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 3), st.sampled_from([-2.0, 0.0, 3.0])), min_size=1
)
PAGES = st.lists(SEGMENTS, min_size=1, max_size=9)


def places_of(segments):
    """Return a page of segments given as (place, text, log-odds); texts have 3 words and more."""
    place = np.array([place for place, _, _ in segments], np.uint64)
    text = np.array([text for _, text, _ in segments], np.uint64)
    return PagePlaces(
        path=place,
        cell=place + np.uint64(100),
        anchor=place // np.uint64(2),
        text=text,
        shape=text,
        words=(text.astype(np.int32) + 3),
        containers=np.zeros(1, np.uint64),
        first=np.zeros(1, np.int32),
        last=np.array([len(segments)], np.int32),
    )


def log_odds_of(segments):
    return np.array([log_odds for _, _, log_odds in segments])


def counts_of(pages):
    return [(places_of(page), log_odds_of(page)) for page in pages]


def columns(counts):
    tables = (counts.runs, counts.paths, counts.texts, counts.shapes, counts.containers)
    return counts.pages, [(one.keys.tolist(), one.sums.tolist()) for one in tables]


@given(PAGES)
def test_learning_page_by_page_is_counting_the_window(pages):
    learned = NO_PAGES
    for page in counts_of(pages):
        learned = learned.learn_one(count_pages([page]))
    assert columns(learned) == columns(count_pages(counts_of(pages)))
    assert columns(learned) == columns(count_pages(counts_of(pages[::-1])))


@given(PAGES, SEGMENTS)
def test_forgetting_a_page_gives_the_counts_before(pages, page):
    window = count_pages(counts_of(pages))
    one = count_pages(counts_of([page]))
    assert columns(window.learn_one(one).forget_one(one)) == columns(window)


def brute_constancy(pages, place):
    """Return words per page over words of different texts; 0.3 for places on fewer than two pages."""
    words = [text + 3 for page in pages for at, text, _ in page if at == place]
    texts = {text for page in pages for at, text, _ in page if at == place}
    on = sum(any(at == place for at, _, _ in page) for page in pages)
    return sum(words) / on / sum(text + 3 for text in texts) if on >= 2 else 0.3


@given(PAGES)
def test_pages_are_counted_and_constant_texts_are_found_by_the_constancy_of_their_path(pages):
    table = tabulate(count_pages(counts_of(pages)))
    asked = [(place, text, 0.0) for place in range(3) for text in range(4)]
    known = read_places(table, places_of(asked), log_odds_of(asked))
    for row, (place, text, _) in enumerate(asked):
        on = sum(any(at == place for at, _, _ in page) for page in pages)
        has = sum(any(one == text for _, one, _ in page) for page in pages)
        assert known.path_pages[row] == on
        assert known.text_pages[row] == known.shape_pages[row] == (has if has > 1 else 0)
        constancy = brute_constancy(pages, place)
        assert known.constant[row] == is_constant(on, constancy, known.text_pages[row], text + 3)


def is_constant(on, constancy, has, words):
    """Return whether a text is nearly the same everywhere, or one of a few in rotation."""
    same = on >= 4 and constancy >= 0.5 and has >= 0.3 * on
    return same or (words >= 4 and on * constancy >= 5 and has >= 3)


def brute_pooled(pages, here, is_there):
    """Return the log-odds of the mean content of a place; constant texts count as 0."""
    mass = words = 0.0
    for page in [*pages, here]:
        for at, text, log_odds in page:
            if not is_there(at):
                continue
            on = sum(any(a == at for a, _, _ in one) for one in pages)
            has = sum(any(t == text for _, t, _ in one) for one in pages)
            fixed = is_constant(on, brute_constancy(pages, at), has, text + 3)
            probability = 0 if fixed else 1 / (1 + np.exp(-log_odds))
            mass += round(1000 * (text + 3) * probability) / 1000
            words += text + 3
    mean = min(max(mass / words, 0.01), 0.99)
    return log(mean / (1 - mean))


@given(PAGES, SEGMENTS)
def test_log_odds_are_those_of_cell_and_anchor_pooled_over_the_window_and_the_page(pages, here):
    table = tabulate(count_pages(counts_of(pages)))
    known = read_places(table, places_of(here), log_odds_of(here))
    for (place, _, _), log_odds, content in zip(here, known.log_odds, known.content, strict=True):
        of_cell = brute_pooled(pages, here, lambda at, place=place: at == place)
        of_anchor = brute_pooled(pages, here, lambda at, place=place: at // 2 == place // 2)
        assert isclose(log_odds, (of_cell + of_anchor) / 2, abs_tol=1e-9)
        assert isclose(content, 1 / (1 + exp(-log_odds)), abs_tol=1e-12)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5))))
def test_texts_that_stand_more_than_once_at_their_path_are_found(pairs):
    path, text = (np.array([pair[n] for pair in pairs], np.uint64) for n in range(2))
    assert where_repeated(path, text).tolist() == [pairs.count(pair) > 1 for pair in pairs]
