"""The compiled loops of repeated text against slow and obvious twins."""

from random import Random

import numpy as np
import pytest

from templ_core.page_level.features.characters import read_characters, read_words
from templ_core.site_level.strings._strings import (
    StringFinder,
    covered_words,
    frequent_prefixes,
    heaviest_around,
    read_seeds,
    word_tokens,
)
from templ_core.site_level.strings.string_table import joined
from templ_core.site_level.strings.suffix_array import BREAK, SuffixArray

NUMBER = 2


def random_pages(rng, pages, letters=4, longest=12):
    """Pages as lists of tokens from a small alphabet, a break behind each."""
    return [
        [rng.randint(3, 2 + letters) for _ in range(rng.randint(0, longest))] + [BREAK]
        for _ in range(pages)
    ]


def substrings(page):
    """All strings of a page that run over no break."""
    found = set()
    for start in range(len(page)):
        for end in range(start + 1, len(page) + 1):
            if BREAK in page[start:end]:
                break
            found.add(tuple(page[start:end]))
    return found


@pytest.mark.parametrize("seed", range(60))
def test_the_longest_prefix_that_enough_pages_have(seed):
    rng = Random(seed)
    pages = random_pages(rng, rng.randint(2, 7))
    tokens = np.array([one for page in pages for one in page], np.uint16)
    owner = np.repeat(np.arange(len(pages), dtype=np.int32), [len(page) for page in pages])
    suffixes = SuffixArray(tokens)
    least = sorted(rng.choices(range(2, 5), k=2))
    lengths, numbers = frequent_prefixes(suffixes.common, owner[suffixes.starts], len(pages), least)
    of_pages = [substrings(page) for page in pages]
    column = tokens.tolist()
    for level, pages_min in enumerate(least):
        strings = {}
        for rank, start in enumerate(suffixes.starts.tolist()):
            best = 0
            for end in range(start + 1, len(column) + 1):
                string = tuple(column[start:end])
                if BREAK in string or sum(string in one for one in of_pages) < pages_min:
                    break
                best = end - start
            assert lengths[level, rank] == best
            if best:
                string = tuple(column[start : start + best])
                assert strings.setdefault(int(numbers[level, rank]), string) == string


def corpus_of(strings):
    tokens = np.array([one for string in strings for one in string] or [0], np.uint16)
    lengths = np.array([len(string) for string in strings], np.int32)
    return joined(tokens, np.cumsum(lengths) - lengths, lengths)


@pytest.mark.parametrize("seed", range(80))
def test_the_longest_strings_that_a_text_has_in_common_with_some_others(seed):
    rng = Random(seed)
    strings = [page[:-1] for page in random_pages(rng, rng.randint(0, 6)) if page[1:]]
    text = [rng.randint(2, 6) if rng.random() < 0.9 else BREAK for _ in range(30)]
    tokens_min = rng.randint(1, 4)
    known = set().union(*(substrings(one) for one in strings))
    wanted = [
        (start, end)
        for start in range(len(text))
        for end in range(start + tokens_min, len(text) + 1)
        if tuple(text[start:end]) in known
        and tuple(text[start : end + 1] if end < len(text) else ()) not in known
        and tuple(text[start - 1 : end] if start else ()) not in known
    ]
    finder = StringFinder(corpus_of(strings))
    first, behind = finder.matches(np.array(text, np.uint16), tokens_min)
    assert list(zip(first.tolist(), behind.tolist(), strict=True)) == wanted
    both = np.array([*text, *text], np.uint16)
    owners = np.repeat(np.arange(2), len(text))
    first, behind = finder.matches(both, tokens_min, owners)
    again = [(start + len(text), end + len(text)) for start, end in wanted]
    assert list(zip(first.tolist(), behind.tolist(), strict=True)) == wanted + again


def test_strings_without_an_end_are_refused():
    with pytest.raises(ValueError, match="no end"):
        StringFinder(np.array([5, 6], np.uint16))
    with pytest.raises(ValueError, match="no end"):
        StringFinder(np.empty(0, np.uint16))


@pytest.mark.parametrize("seed", range(20))
def test_words_around_and_words_covered(seed):
    rng = Random(seed)
    count = 40
    owners = np.sort(np.array([rng.randint(0, 5) for _ in range(count)], np.int64))
    weights = np.array([rng.randint(1, 9) for _ in range(count)], np.int32)
    starts = sorted(rng.sample(range(count - 6), 5))
    ends = sorted(start + rng.randint(1, 6) for start in starts)
    first, behind = np.array(starts, np.int32), np.array(ends, np.int32)
    heaviest = [
        max(
            (int(weights[s:e].sum()) for s, e in zip(starts, ends, strict=True) if s <= at < e),
            default=0,
        )
        for at in range(count)
    ]
    assert heaviest_around(first, behind, weights).tolist() == heaviest
    gap = rng.randint(0, 5)
    covered = {at for s, e in zip(starts, ends, strict=True) for at in range(s, e)}
    for before, after in zip(sorted(covered), sorted(covered)[1:], strict=False):
        if owners[before] == owners[after] and after - before - 1 <= gap:
            covered |= set(range(before, after))
    found = covered_words(first, behind, owners, gap)
    assert np.flatnonzero(found).tolist() == sorted(covered)


def tokens_of(text):
    words = read_words(read_characters([text]))
    calendar = np.unique(read_words(read_characters(["may march monday"])).hashes)
    return word_tokens(words, calendar).tolist()


def test_numbers_and_dates_are_one_token():
    one = tokens_of("Written on 3 May 2026 for us")
    assert one == tokens_of("Written on 17 March 1999 for us")
    assert one.count(NUMBER) == 3
    assert tokens_of("You may go. 3 went") != tokens_of("You 3 go. 3 went")
    assert NUMBER not in tokens_of("You may go on a march")
    assert min(tokens_of("so many different words of a page of the paper")) > NUMBER


def test_runs_of_words_are_sampled_by_themselves():
    rng = Random(3)
    shared = [rng.randint(3, 60000) for _ in range(40)]
    keys = []
    for _ in range(2):
        own = [rng.randint(3, 60000) for _ in range(20)]
        text = np.array([*own, *shared], np.uint16)
        found, owner = read_seeds(text, np.array([len(own), len(shared)], np.int32), 4, 2)
        assert set(owner.tolist()) <= {0, 1}
        keys.append(set(found[owner == 1].tolist()))
    assert keys[0] == keys[1]
    assert 8 < len(keys[0]) < 30
    every, _ = read_seeds(np.array(shared, np.uint16), np.array([40], np.int32), 4, 1)
    assert len(every) == 37
    assert keys[0] <= set(every.tolist())
