"""The compiled loops of repeated text against slow and obvious twins."""

from random import Random
from types import SimpleNamespace

import numpy as np
import pytest

from templ_core.page_level.features.characters import read_characters, read_words
from templ_core.site_level.config import StringsConfig
from templ_core.site_level.strings._string_evidence import StringFinder, read_page, sentence_runs
from templ_core.site_level.strings._strings import frequent_prefixes, read_seeds, word_tokens
from templ_core.site_level.strings.page_strings import PageProse
from templ_core.site_level.strings.string_table import StringTable, joined
from templ_core.site_level.strings.suffix_array import BREAK, SuffixArray
from tests.templ_core.site_level.strings.slow_page import slow_page

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


@pytest.mark.parametrize("seed", range(100))
def test_what_is_said_about_a_page(seed):
    rng = Random(seed)
    per_segment = np.array([rng.randint(0, 14) for _ in range(rng.randint(1, 9))], np.int64)
    is_prose = per_segment >= 6
    owners = np.repeat(np.arange(len(per_segment)), per_segment)
    letters = [rng.randint(3, 7) for _ in owners]
    tokens = np.where(is_prose[owners], letters, BREAK).astype(np.uint16)
    known = rng.randint(0, 6)
    levels = []
    for _ in range(3):
        starts = rng.choices(range(len(letters) + 1), k=rng.randint(0, 5))
        levels.append(corpus_of([letters[at : at + rng.randint(4, 20)] for at in starts]))
    table = StringTable(
        shapes=np.arange(10, 10 + known, dtype=np.uint64),
        usual=corpus_of([[rng.randint(2, 4) for _ in range(3)] for _ in range(rng.randint(0, 3))]),
        words=tuple(levels),
        alike=np.array(
            [[rng.choice([0, 100, 255]) for _ in range(known)] for _ in range(2)], np.uint8
        ),
    )
    features = SimpleNamespace(
        words=SimpleNamespace(segment=owners, per_segment=per_segment),
        shape=np.array([rng.randint(8, 16) for _ in per_segment], np.uint64),
    )
    prose = PageProse(is_prose=is_prose, tokens=tokens)
    config = StringsConfig(gap_words_max=rng.randint(0, 3))
    usual, rows, is_covered = slow_page(features, prose, table, config)
    found = read_page(features, prose, table, config)
    assert found[0].tolist() == usual
    assert found[1].tolist() == rows
    assert found[2].tolist() == is_covered


def test_runs_of_sentences_that_strings_cover():
    words = SimpleNamespace(
        segment=np.array([0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2]),
        ends=np.array([0, 1, 0, 1, 0, 1, 0, 1, 1, 0, 1], np.bool_),
    )
    is_covered = np.array([1, 1, 1, 1, 0, 0, 1, 1, 0, 1, 1], np.bool_)
    share = np.array([4 / 6, 2 / 3, 1.0])
    assert sentence_runs(words, share, is_covered, 0.9) == [(0, 0, 3, 4), (1, 6, 7, 2)]
    assert sentence_runs(words, share, is_covered, 0.5) == []
    is_covered[:4] = [0, 0, 0, 1]
    assert sentence_runs(words, share, is_covered, 0.9) == [(1, 6, 7, 2)]


def tokens_of(text):
    words = read_words(read_characters([text]))
    calendar = np.unique(read_words(read_characters(["may march monday"])).hashes)
    return word_tokens(words, np.ones(1, np.bool_), calendar).tolist()


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
