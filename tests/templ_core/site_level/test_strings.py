"""The compiled loops of repeated text against slow and obvious twins."""

import os
import subprocess
import sys
from pathlib import Path
from random import Random
from types import SimpleNamespace

import numpy as np
import pytest

from templ_core.clean_document import clean
from templ_core.dom.document import parse_document
from templ_core.page_level.features.characters import read_characters, read_words
from templ_core.page_level.features.page_features import read_features
from templ_core.page_level.model.page_type import PageType
from templ_core.site_level.config import StringsConfig
from templ_core.site_level.fusion._fusion import cover_columns
from templ_core.site_level.strings._string_evidence import StringFinder, read_page, sentence_runs
from templ_core.site_level.strings._strings import frequent_prefixes, word_tokens
from templ_core.site_level.strings.string_evidence import (
    PageProse,
    StringTable,
    read_prose,
    read_strings,
)
from templ_core.site_level.strings.suffix_array import BREAK, SuffixArray
from tests.templ_core.site_level.builders import CONFIG, site_model
from tests.templ_core.site_level.repeating_site import WORDS, sentence
from tests.templ_core.site_level.slow_page import slow_page

NOTICE = (
    "We ask all readers of this paper to tell us what they think of it by letter. "
    "Whatever they write is read by somebody who answers before the week is over."
)


def article(number, *extra, paragraphs=5, inside=lambda text: f"<p>{text}</p>"):
    """An article with further blocks at random places among its own."""
    rng = Random(number)
    body = [f"<p>{' '.join(sentence(rng) for _ in range(3))}</p>" for _ in range(paragraphs)]
    for one in extra:
        body.insert(rng.randint(1, len(body) - 1), inside(one))
    return parse_document(
        f"<html><title>{WORDS[number % 20]} {number}</title><body><nav><a href=/>Home</a></nav>"
        f"<article><h1>{sentence(rng)}</h1>{''.join(body)}</article><footer>All rights reserved</footer>",
        "https://paper.example/",
    )


def text_of(page, model):
    return clean(page, model, CONFIG).text


def strings_of(page, model):
    features = read_features(page)
    return read_strings(page, features, model.strings, read_prose(features))


def segment_with(page, part="readers of this paper"):
    return next(number for number, text in enumerate(page.segments.texts) if part in text)


def test_a_paragraph_that_the_site_repeats_goes_wherever_it_stands():
    model = site_model([article(number, NOTICE) for number in range(8)])
    result = clean(article(50, NOTICE), model, CONFIG)
    assert "readers of this paper" not in result.text
    assert result.text.count("\n") >= 4
    assert "site-string" in result.decision.reasons


@pytest.mark.parametrize(
    ("pages", "every", "stays"), [(2, 1, True), (60, 10, False)], ids=["two pages", "a tenth"]
)
def test_a_tenth_of_the_pages_is_enough_but_not_two_of_eight(pages, every, stays):
    window = [article(n, *[NOTICE] * (n < pages and n % every == 0)) for n in range(max(pages, 8))]
    assert ("readers of this paper" in text_of(article(90, NOTICE), site_model(window))) is stays


def test_a_paragraph_that_is_only_partly_repeated_is_cut_at_its_sentences():
    model = site_model([article(number, NOTICE) for number in range(8)])
    own = "The mayor herself opened the old bridge and walked over it with her two sons today."
    others = "Nobody had expected her to come, since the winter had been long and the river high."
    text = text_of(article(50, f"{own} {NOTICE} {others}"), model)
    assert f"{own} {others}" in text
    assert "readers" not in text


def varied(rng):
    """The notice with two words of each sentence changed at random places."""
    sentences = []
    for part in NOTICE.split(". "):
        words = part.split()
        for place in rng.sample(range(1, len(words)), 2):
            words[place] = rng.choice(WORDS)
        sentences.append(" ".join(words).removesuffix(".") + ".")
    return " ".join(sentences)


def test_a_paragraph_of_which_some_words_differ_goes():
    rng = Random(5)
    model = site_model([article(number, varied(rng)) for number in range(30)])
    pages = [article(number, varied(rng)) for number in range(50, 60)]
    kept = sum("before the week" in text_of(page, model) for page in pages)
    assert kept <= 1


def test_posts_that_share_turns_of_phrase_of_a_few_characters_stay():
    characters = [chr(0x4E00 + number) for number in range(300)]
    turns = ["思います", "になった", "という話", "のように", "それから", "でしょう"]

    def post(number):
        rng = Random(f"post {number}")
        parts = [
            rng.choice(turns) + "".join(rng.choices(characters, k=rng.randint(3, 5)))
            for _ in range(8)
        ]
        return parse_document(
            f"<nav><a href=/>板</a></nav><h1>{number}</h1><p>{''.join(parts)}", ""
        )

    model = site_model([post(number) for number in range(60)])
    covered = [strings_of(post(number), model).is_covered.mean() for number in range(60, 70)]
    assert max(covered) < 0.1


@pytest.mark.parametrize("tag", ["pre", "h2"])
def test_no_strings_of_words_are_looked_for_in_code_and_headings(tag):
    def inside(text):
        return f"<{tag}>{text}</{tag}>"

    model = site_model([article(number, NOTICE, inside=inside) for number in range(8)])
    page = article(50, NOTICE)
    assert strings_of(page, model).few.share[segment_with(page)] == 0


def test_text_with_the_same_text_beside_it_belongs_to_a_record():
    def inside(text):
        return f"<h4>Returns</h4><p>{text}</p><h4>Raises</h4>"

    pages = [article(number, *[NOTICE] * (number % 5 == 0), inside=inside) for number in range(40)]
    model, page = site_model(pages), article(90, NOTICE, inside=inside)
    at = segment_with(page)
    strings = strings_of(page, model)
    assert strings.few.share[at] == 1
    assert strings.alike[at] > 0.9
    assert cover_of_records(strings)[at] == 0
    apart = site_model([article(number, *[NOTICE] * (number % 5 == 0)) for number in range(40)])
    assert cover_of_records(strings_of(article(90, NOTICE), apart)).max() > 0.5


def cover_of_records(strings):
    manual = PageType(documentation=1.0)
    others, records = cover_columns(
        strings.few, strings.alike, strings.listed, np.zeros(len(strings.alike)), manual, 8, 50
    )
    assert not others.any()
    return records


def test_text_that_a_page_has_more_than_once_is_a_pattern_of_its_list():
    model = site_model([article(number, NOTICE) for number in range(8)])
    once, twice = article(50, NOTICE), article(50, NOTICE, NOTICE)
    assert strings_of(once, model).listed.max() < 0.5
    assert strings_of(twice, model).listed[segment_with(twice)] == 1


def test_delivery_terms_go_from_products_of_few_words():
    """The terms are nine tenths of each page, so by their words alone the products would be copies."""
    rng = Random(8)
    terms = " ".join(sentence(rng, 20) for _ in range(25))

    def product(number):
        own = Random(number)
        return parse_document(
            f"<title>{number}</title><nav><a href=/>Shop</a></nav><div class=product><h1>{sentence(own, 4)}</h1>"
            f"<p>{sentence(own, 20)} {sentence(own, 20)}</p></div><div class=terms><p>{terms}</p></div>",
            "https://shop.example/",
        )

    model = site_model([product(number) for number in range(4)])
    assert model.documents == 4
    text = text_of(product(50), model)
    assert len(text.split()) < 60
    assert text


def test_the_strings_depend_on_the_pages_and_not_on_their_order():
    pages = [article(number, *[NOTICE] * (number % 3 == 0)) for number in range(12)]
    one, other = (site_model(some) for some in (pages, pages[::-1]))
    assert (one.strings.shapes == other.strings.shapes).all()
    first, second = (strings_of(article(90, NOTICE), model) for model in (one, other))
    assert (first.few.share == second.few.share).all()
    assert (first.usual_words == second.usual_words).all()
    assert (first.alike == second.alike).all()


def test_the_newest_pages_of_a_large_window_are_a_window_of_their_own():
    before = [article(number) for number in range(200)]
    lately = [article(number, NOTICE) for number in range(200, 205)]
    one, other = site_model([*before, *lately]), site_model([*lately, *before])
    page = article(900, NOTICE)
    notice = segment_with(page)
    assert strings_of(page, one).some.share[notice] == 1
    assert strings_of(page, other).some.share[notice] == 0
    assert NOTICE not in text_of(page, one)


NUMBER = 2


def random_pages(rng, pages, letters=4, longest=12):
    """Pages as lists of tokens from a small alphabet, a break behind each."""
    return [
        [rng.randint(3, 2 + letters) for _ in range(rng.randint(0, longest))] + [BREAK]
        for _ in range(pages)
    ]


def substrings(page):
    """All strings of a page that run over no break."""
    strings = set()
    for start in range(len(page)):
        for end in range(start + 1, len(page) + 1):
            if BREAK in page[start:end]:
                break
            strings.add(tuple(page[start:end]))
    return strings


@pytest.mark.parametrize("seed", range(60))
def test_the_longest_prefix_that_enough_pages_have(seed):
    rng = Random(seed)
    pages = random_pages(rng, rng.randint(2, 7))
    tokens = np.array([one for page in pages for one in page], np.uint16)
    owner = np.repeat(np.arange(len(pages), dtype=np.int32), [len(page) for page in pages])
    holders = [rng.sample(range(6), rng.randint(1, 2)) for _ in pages]
    bits = np.array([[sum(1 << one for one in some if one < 3), 0] for some in holders], np.uint64)
    bits[:, 1] = [sum(1 << one for one in some if one > 2) for some in holders]
    suffixes = SuffixArray(tokens)
    least = sorted(rng.choices(range(2, 5), k=2))
    lengths, numbers = frequent_prefixes(suffixes, owner, bits, least, 1)
    of_holders = [set() for _ in range(6)]
    for page, some in zip(pages, holders, strict=True):
        for one in some:
            of_holders[one] |= substrings(page)
    column = tokens.tolist()
    for level, pages_min in enumerate(least):
        strings = {}
        for rank, start in enumerate(suffixes.starts.tolist()):
            best = 0
            for end in range(start + 1, len(column) + 1):
                string = tuple(column[start:end])
                if BREAK in string or sum(string in one for one in of_holders) < pages_min:
                    break
                best = end - start
            assert lengths[level, rank] == best
            if best:
                string = tuple(column[start : start + best])
                assert strings.setdefault(int(numbers[level, rank]), string) == string


def corpus_of(strings):
    return np.array([BREAK, *(one for string in strings for one in (*string, BREAK))], np.uint16)


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


@pytest.mark.parametrize("tokens", [[5, 6], []])
def test_strings_without_an_end_are_refused(tokens):
    with pytest.raises(ValueError, match="no end"):
        StringFinder(np.array(tokens, np.uint16))


@pytest.mark.parametrize("seed", range(100))
def test_what_is_said_about_a_page(seed):
    rng = Random(seed)
    per_segment = np.array([rng.randint(0, 14) for _ in range(rng.randint(1, 9))], np.int64)
    is_prose = per_segment >= 6
    owners = np.repeat(np.arange(len(per_segment)), per_segment)
    letters = [rng.randint(3, 7) for _ in owners]
    tokens = np.where(is_prose[owners], letters, BREAK).astype(np.uint16)
    known = rng.randint(0, 6)
    starts = rng.choices(range(len(letters) + 1), k=rng.randint(0, 5))
    level = [letters[at : at + rng.randint(4, 20)] for at in starts]
    levels = [corpus_of(level)]
    for _ in range(2):  # Strings of more pages are parts of those of fewer.
        level = [
            one[rng.randint(0, 3) :][: rng.randint(4, 20)] for one in level if rng.random() < 0.8
        ]
        levels.append(corpus_of(level))
    table = StringTable(
        shapes=np.arange(10, 10 + known, dtype=np.uint64),
        usual=corpus_of([[rng.randint(2, 4) for _ in range(3)] for _ in range(rng.randint(0, 3))]),
        words=tuple(levels),
        alike=np.array(rng.choices([0, 100, 255], k=2 * known), np.uint8).reshape(2, known),
    )
    features = SimpleNamespace(
        words=SimpleNamespace(segment=owners, per_segment=per_segment),
        shape=np.array([rng.randint(8, 16) for _ in per_segment], np.uint64),
    )
    prose = PageProse(is_prose=is_prose, tokens=tokens)
    config = StringsConfig(gap_words_max=rng.randint(0, 3))
    usual, rows, is_covered = slow_page(features, prose, table, config)
    evidence = read_page(features, prose, table, config)
    assert evidence[0].tolist() == usual
    assert evidence[1].tolist() == rows
    assert evidence[2].tolist() == is_covered


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
    tokens = tokens_of("Written on 3 May 2026 for us")
    assert tokens == tokens_of("Written on 17 March 1999 for us")
    assert tokens.count(NUMBER) == 3
    assert tokens_of("You may go. 3 went") != tokens_of("You 3 go. 3 went")
    assert NUMBER not in tokens_of("You may go on a march")
    assert min(tokens_of("so many different words of a page of the paper")) > NUMBER


def test_a_character_of_a_script_without_spaces_has_the_token_of_four():
    one, other = tokens_of("鳥が空を高く飛ぶ"), tokens_of("鳥が空に高く飛ぶ")
    assert [place for place in range(8) if one[place] != other[place]] == [0, 1, 2, 3]
    assert tokens_of("今日は3月") == tokens_of("今日は17月")


SORT = """
import os
import numpy as np
from templ_core.site_level.strings.suffix_array import SuffixArray
tokens = np.random.default_rng(0).integers(2, 3000, 100_000).astype(np.uint16)
before = len(os.listdir("/proc/self/task"))
SuffixArray(tokens)
print(before, len(os.listdir("/proc/self/task")))
"""


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs Linux")
def test_sorting_starts_no_threads():
    run = subprocess.run(
        [sys.executable, "-c", SORT],
        env={**os.environ, "OMP_NUM_THREADS": "4", "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        check=True,
        text=True,
    )
    before, after = run.stdout.split()
    assert before == after
