"""A text that a known site begins to repeat is noticed, learned and left out within a few pages."""

from random import Random

import numpy as np
import pytest

from templ_core import SiteCleaner
from templ_core.page_level.features.page_features import read_features
from templ_core.site_level.config import NEW_TEXT_CONFIG, STRINGS_CONFIG
from templ_core.site_level.strings._strings import uncovered_runs
from templ_core.site_level.strings.new_runs import new_runs
from templ_core.site_level.strings.string_evidence import read_prose
from templ_core.site_level.window._new_text import recurring, without
from templ_core.site_level.window.new_text import after_fit, begins_to_repeat, latest_new_runs
from templ_core.site_level.window.schedule import is_due
from tests.templ_core.site_level.test_strings import NOTICE, WORDS, article, sentence


def markup(number, *extra):
    rng = Random(f"page {number}")
    body = [" ".join(sentence(rng) for _ in range(3)) for _ in range(6)]
    for one in extra:
        body.insert(rng.randint(1, 5), one)
    return (
        f"<html><title>{WORDS[number % 20]} {number}</title><body><nav><a href=/>Home</a></nav><article>"
        f"<h1>{sentence(rng)}</h1>{''.join(f'<p>{one}</p>' for one in body)}</article></body></html>"
    )


@pytest.mark.parametrize("share", [1.0, 0.5])
def test_a_new_text_of_a_known_site_goes_after_five_pages_that_had_it(share):
    cleaner, rng, having = SiteCleaner(), Random(1), []
    for number in range(200):
        has = number >= 150 and rng.random() < share
        page = cleaner.clean(markup(number, *[NOTICE] * has), f"https://paper.example/{number}")
        if has:
            having.append(NOTICE in page.text)
    assert having[:4] == [True] * 4
    assert not any(having[6:])
    assert len(having) > 15


def runs_of(page, is_covered=None, log_odds=3.0):
    features = read_features(page)
    prose = read_prose(features)
    if is_covered is None:
        is_covered = np.zeros(len(features.words.hashes), np.bool_)
    content = np.full(len(page.segments.texts), log_odds)
    return new_runs(features.words, prose, content, is_covered)


def test_pages_share_the_runs_of_the_text_that_they_share_and_no_others():
    long = f"{NOTICE} {NOTICE.upper()}"
    pages = [runs_of(article(number, long)) for number in range(5)]
    shared = recurring(pages, 5)
    assert 2 <= len(shared) <= 4 * len(long.split()) // NEW_TEXT_CONFIG.runs_per_key
    assert begins_to_repeat(pages)
    assert not begins_to_repeat(pages[:4])
    assert not begins_to_repeat([runs_of(article(number)) for number in range(24)])
    assert not begins_to_repeat(after_fit(pages))


def test_text_that_strings_cover_and_text_that_is_no_content_has_no_runs():
    page = article(1, NOTICE)
    words = len(read_features(page).words.hashes)
    assert runs_of(page)
    assert runs_of(page, np.ones(words, np.bool_)) == b""
    assert runs_of(page, log_odds=-2.0) == b""


def test_runs_are_those_of_neighbouring_words_of_one_segment():
    tokens = np.array([5, 6, 7, 8, 9, 5, 6, 7, 0, 8], np.uint16)
    segment = np.array([0, 0, 0, 0, 1, 1, 1, 1, 1, 1])
    wanted = np.ones(2, np.bool_)
    nothing = np.zeros(10, np.bool_)
    assert len(uncovered_runs(tokens, segment, wanted, nothing, 3, 1)) == 3
    assert len(uncovered_runs(tokens, segment, np.array([1, 0], np.bool_), nothing, 3, 1)) == 2
    assert len(uncovered_runs(tokens, segment, wanted, tokens == 6, 3, 1)) == 0
    longer = uncovered_runs(np.tile(tokens[:4], 2), np.zeros(8, np.int64), wanted, nothing, 3, 1)
    assert len(longer) == 4  # Each run once, in ascending order.
    assert (np.diff(longer.astype(np.int64)) > 0).all()


def test_the_latest_pages_alone_are_remembered_and_ask_for_a_model():
    latest = []
    for number in range(30):
        latest = latest_new_runs(latest, number.to_bytes(2, "little"))
    assert latest == [number.to_bytes(2, "little") for number in range(6, 30)]
    assert not is_due(1003, 1000, 1000, (), latest)
    assert is_due(1003, 1000, 1000, (), [b"aa"] * STRINGS_CONFIG.newest_pages_min)


def test_recurring_hashes_are_those_of_enough_pages_in_ascending_order():
    rng = Random(3)
    pages = [{rng.randrange(60) * 997 for _ in range(20)} for _ in range(9)]
    packed = [b"".join(key.to_bytes(2, "little") for key in sorted(one)) for one in pages]
    for least in range(1, 10):
        keys = sorted(
            {key for one in pages for key in one if sum(key in page for page in pages) >= least}
        )
        runs = recurring(packed, least)
        assert runs == b"".join(key.to_bytes(2, "little") for key in keys)
        left = [without(one, runs) for one in packed]
        assert recurring(left, least) == b""
        assert sum(map(len, left)) == 2 * sum(len(one - set(keys)) for one in pages)
