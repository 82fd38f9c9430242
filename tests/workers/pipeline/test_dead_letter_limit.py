from itertools import cycle, islice

from workers.pipeline.dead_letter_limit import DeadLetterLimit
from workers.settings import load_settings


def pages_until_stopped(outcomes, **limits):
    """The number of pages after which the worker stops, and why; None = it goes on."""
    limit = DeadLetterLimit(load_settings(**limits))
    for number, is_dead in enumerate(outcomes, 1):
        excess = limit.exceeded_by(is_dead=is_dead)
        if excess is not None:
            return number, excess
    return None


def test_so_many_dead_letters_in_a_row_stop_the_worker():
    outcomes = [False, *[True] * 99, False, *[True] * 100]
    found = pages_until_stopped(outcomes, dead_letters_run_max=100, dead_letters_ratio_max=1.0)
    assert found == (201, "100 pages in a row are dead letters (TEMPL_DEAD_LETTERS_RUN_MAX)")


def test_a_feed_of_which_most_is_dead_stops_the_worker():
    good = [False] * 1000
    mostly_dead = islice(cycle([True, True, False]), 1000)
    found = pages_until_stopped([*good, *mostly_dead], dead_letters_ratio_pages=100)
    number, excess = found
    assert 1050 < number < 1100
    assert excess == "51 of the latest 100 pages are dead letters (TEMPL_DEAD_LETTERS_RATIO_MAX)"


def test_a_feed_of_which_half_is_dead_goes_on():
    half = islice(cycle([True, False]), 10_000)
    assert pages_until_stopped(half) is None


def test_the_share_of_the_first_pages_does_not_count():
    assert pages_until_stopped([True] * 99, dead_letters_ratio_pages=100) is None


def test_both_limits_can_be_switched_off():
    limits = {"dead_letters_run_max": 0, "dead_letters_ratio_max": 1.0}
    assert pages_until_stopped([True] * 5000, **limits) is None
