"""The strings of a window against a slow and obvious twin, and as pages come and leave."""

from random import Random

import numpy as np
import pytest

from templ_core.site_level.config import StringsConfig
from templ_core.site_level.keyed_sums import count_columns
from templ_core.site_level.strings import window_strings
from templ_core.site_level.strings._recurring import RunCounts, run_keys
from templ_core.site_level.strings.string_evidence import PageStrings
from templ_core.site_level.strings.suffix_array import BREAK
from templ_core.site_level.strings.window_strings import WindowStrings
from tests.templ_core.site_level.slow_page import sampled_runs

NUMBER = 2
CONFIG = StringsConfig(newest_pages=12)
SIZE, SAMPLED = CONFIG.words_min, CONFIG.runs_per_seed


@pytest.fixture(autouse=True)
def small_newest_window(monkeypatch):
    monkeypatch.setattr(window_strings, "STRINGS_CONFIG", CONFIG)


def random_phrases(rng):
    return [[rng.randint(NUMBER, 30) for _ in range(rng.randint(2, 9))] for _ in range(12)]


def random_page(rng, phrases):
    """The shapes of a page, and its prose: phrases that other pages have, among words of its own."""
    texts = []
    for _ in range(rng.randint(0, 4)):
        text = []
        for _ in range(rng.randint(1, 4)):
            own = [rng.randint(NUMBER, 60000) for _ in range(rng.randint(0, 3))]
            text += [*rng.choice(phrases), *own]
        texts.append(text)
    shapes = np.array(rng.choices(range(1, 20), k=len(texts) + 6), np.uint64) << np.uint64(58)
    segments = sorted(rng.sample(range(len(shapes)), len(texts)))
    prose = PageStrings(
        segment=np.array(segments, np.int32),
        lengths=np.array([len(text) for text in texts], np.int32),
        tokens=np.array([token for text in texts for token in text], np.uint16),
    )
    return shapes, prose


def strings_of(pages, strings=None):
    shape_pages = count_columns([shapes for shapes, _ in pages.values()])
    return (strings or WindowStrings()).learn(pages, shape_pages)


def listed(tokens):
    """The strings of a column of tokens, each behind a break."""
    strings, string = [], []
    for token in tokens.tolist()[1:]:
        if token != BREAK:
            string.append(token)
        else:
            strings.append(tuple(string))
            string = []
    return strings


def parts(text, shortest):
    return {
        tuple(text[start:end])
        for start in range(len(text))
        for end in range(start + shortest, len(text) + 1)
    }


def slow_strings(pages, least, shortest):
    """The longest strings around each place that enough pages have; pages are lists of texts."""
    of_pages = [set().union(*(parts(text, shortest) for text in page)) for page in pages]
    times = {}
    for page in of_pages:
        for string in page:
            times[string] = times.get(string, 0) + 1
    strings = set()
    for text in {tuple(text) for page in pages for text in page}:
        behind = 0
        for start in range(len(text)):
            ends = range(start + shortest, len(text) + 1)
            end = max((end for end in ends if times[text[start:end]] >= least), default=0)
            if end > behind:
                strings.add(text[start:end])
                behind = end
    return strings


def texts_of(prose):
    ends = np.cumsum(prose.lengths)[:-1]
    return [text.tolist() for text in np.split(prose.tokens, ends)] if len(prose.lengths) else []


def pages_with_runs(pages):
    times = {}
    for texts in pages:
        for key in set().union(*(sampled_runs(text, SIZE, SAMPLED) for text in texts)):
            times[key] = times.get(key, 0) + 1
    return times


def with_runs(pages, recurring):
    """The texts of each page that have one of these runs."""
    return [
        [text for text in texts if recurring.intersection(sampled_runs(text, SIZE, SAMPLED))]
        for texts in pages
    ]


@pytest.mark.parametrize("seed", range(30))
def test_the_strings_are_all_that_enough_pages_have(seed):
    rng = Random(seed)
    phrases = random_phrases(rng)
    window = {bytes([at]): random_page(rng, phrases) for at in range(rng.randint(1, 40))}
    table = strings_of(window)
    pages = [texts_of(prose) for _, prose in window.values()]
    least = window_strings._least_pages(len(pages))
    times = pages_with_runs(pages)
    wanted = with_runs(pages, {key for key, pages_with in times.items() if pages_with >= least[0]})
    wanted_strings = [slow_strings(wanted, one, SIZE) for one in least]
    if len(pages) > CONFIG.newest_pages:
        newest = pages[-CONFIG.newest_pages :]
        late = window_strings._least_pages(len(newest))
        lately = pages_with_runs(newest).items()
        born = {key for key, here in lately if here >= late[0] and times[key] < least[1]}
        for strings, one in zip(wanted_strings, late, strict=True):
            strings.update(slow_strings(with_runs(newest, born), one, SIZE))
    assert [set(listed(words)) for words in table.words] == wanted_strings
    usual = window_strings._pages_of(CONFIG.usual_share, len(pages))
    names = {int(shape): 2 + at for at, shape in enumerate(table.shapes)}
    shapes = [[[names.get(int(one), BREAK) for one in own]] for own, _ in window.values()]
    recurring = slow_strings(shapes, usual, 1)
    assert set(listed(table.usual)) == {one for one in recurring if BREAK not in one}


def test_a_thousand_pages_that_come_and_leave_change_the_strings_as_if_from_nothing():
    rng = Random(7)
    phrases = random_phrases(rng)
    window, strings, shared_count = {}, WindowStrings(), 0
    for step in range(1000):
        # Windows grow to twice the newest pages and more, and shrink to nothing.
        room = 30 * abs(np.sin(step / 150))
        if window and (len(window) > room or rng.random() < 0.4):
            del window[rng.choice(list(window))]
        else:
            window[step.to_bytes(2, "big")] = random_page(rng, phrases)
        if rng.random() < 0.02:
            window = dict(rng.sample(list(window.items()), len(window)))
        one, other = strings_of(window, strings), strings_of(window)
        assert (one.shapes == other.shapes).all()
        assert np.array_equal(one.usual, other.usual)
        assert np.array_equal(one.alike, other.alike)
        for mine, its in zip(one.words, other.words, strict=True):
            assert np.array_equal(mine, its)
            shared_count += len(mine) > 1
    assert shared_count > 500


def test_counts_of_runs_that_come_and_go():
    rng, counts, times = Random(4), RunCounts(), {}
    held = []
    for _ in range(300):
        if held and rng.random() < 0.45:
            keys, by = held.pop(rng.randrange(len(held))), -1
        else:
            keys, by = sorted(rng.sample(range(1, 4000), rng.randint(0, 60))), 1
            held.append(keys)
        counts.add(np.array(keys, np.uint32), by)
        for key in keys:
            times[key] = times.get(key, 0) + by
    every = np.arange(1, 4001, dtype=np.uint32)
    assert counts.of(every).tolist() == [times.get(key, 0) for key in range(1, 4001)]


def test_runs_are_inside_texts_and_known_wherever_they_stand():
    one, other, short = [5, 6, 7, 8, 9], [4, 5, 6, 7, 8], [5, 6]
    lengths = np.array([len(one), len(short), len(other)], np.int32)
    together = run_keys(np.array([*one, *short, *other], np.uint16), lengths, 4)
    apart = [
        run_keys(np.array(text, np.uint16), np.array([len(text)], np.int32), 4)
        for text in (one, other)
    ]
    assert together.tolist() == sorted(set(np.concatenate(apart).tolist()))
    assert len(together) == 3
