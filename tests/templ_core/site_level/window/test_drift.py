from random import Random

import numpy as np
import pytest

from templ_core.site_level.window.drift import DriftDetector
from tests.templ_core.site_level.builders import CONFIG

PATHS = 40


def page(design, number, own=6):
    """The paths of a page: some of those of all pages of its design, and some of its own."""
    rng = Random(f"{design}/{number}")
    shared = [hash_of(design, one) for one in range(PATHS)]
    paths = [*rng.sample(shared, PATHS - 5), *(rng.getrandbits(60) for _ in range(own))]
    return np.array(sorted(paths), np.uint64)


def hash_of(design, number):
    return Random(f"{design}:{number}").getrandbits(60)


def pages(designs):
    return [page(design, number) for number, design in enumerate(designs)]


def find_drift(window, config):
    return DriftDetector(config).follow(window)


def test_a_site_that_stays_as_it_is_has_no_alarm():
    drift = find_drift(pages("a" * 300), CONFIG)
    assert drift.changed_at is None
    assert drift.fit > 0.7


def test_a_new_design_is_noticed_within_seven_pages():
    for count in range(1, 30):
        drift = find_drift(pages("a" * 60 + "b" * count), CONFIG)
        if drift.changed_at is not None:
            break
    assert count <= 7
    assert drift.changed_at == 60


def test_the_first_page_of_a_new_design_fits_nothing():
    assert find_drift(pages("a" * 20 + "b"), CONFIG).fit < 0.2
    assert find_drift(pages("a" * 20 + "bb"), CONFIG).fit > 0.7


def test_a_site_that_alternates_two_designs_keeps_both():
    assert find_drift(pages("ab" * 60), CONFIG).changed_at is None
    assert find_drift(pages(("a" * 12 + "b" * 12) * 4), CONFIG).changed_at is None


def test_a_design_that_comes_back_has_not_gone():
    assert find_drift(pages("a" * 60 + "b" * 20), CONFIG).changed_at == 60
    assert find_drift(pages("a" * 60 + "b" * 20 + "a"), CONFIG).changed_at is None


def test_while_both_designs_are_shown_there_is_no_alarm():
    mixed = "a" * 40 + "ab" * 15
    assert find_drift(pages(mixed), CONFIG).changed_at is None
    drift = find_drift(pages(mixed + "b" * 10), CONFIG)
    assert drift.changed_at == len(mixed) - 1


def test_a_long_run_of_listings_ends_no_articles():
    assert find_drift(pages("aaal" * 10 + "l" * 200), CONFIG).changed_at is None


def test_a_design_with_articles_and_listings_goes_as_a_whole():
    drift = find_drift(pages("aaal" * 15 + "bbbm" * 10), CONFIG)
    assert drift.changed_at in (59, 60)


@pytest.mark.parametrize("seed", range(20))
def test_rare_clusters_raise_no_alarm(seed):
    rng = Random(seed)
    designs = rng.choices("aaaaaaaaallcdefg", k=400)
    assert find_drift(pages(designs), CONFIG).changed_at is None


def test_without_pages_nothing_has_changed():
    assert find_drift([], CONFIG).changed_at is None


def test_a_detector_that_follows_a_window_finds_what_a_new_one_finds():
    window = pages("a" * 60 + "b" * 8)
    detector = DriftDetector(CONFIG)
    for first, last in [(0, 1), (0, 5), (0, 60), (0, 68), (0, 50), (3, 68), (3, 68)]:
        part = window[first:last]
        assert detector.follow(part) == find_drift(part, CONFIG)


def test_a_detector_looks_at_pages_that_it_has_seen_only_once():
    window, looked_at = pages("a" * 10), []
    detector = DriftDetector(CONFIG)
    look_at = detector._look_at
    detector._look_at = lambda page: (looked_at.append(page), look_at(page))
    detector.follow(window[:6])
    detector.follow(window)
    assert len(looked_at) == 10
