import numpy as np
import pytest

from templ_core.page_level.features.characters import read_characters, read_words
from templ_core.site_level.places.keyed_sums import KeyedSums
from templ_core.site_level.sentences.sentence_counts import (
    NO_SENTENCES,
    PageSentences,
    count_sentences,
    tabulate_sentences,
)
from templ_core.site_level.sentences.sentences import read_sentences

PLAIN = "our small paper is written and printed here by the people of this town."


def sentences_of(*texts):
    return read_sentences(read_words(read_characters(list(texts))))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("On 3 May ", "On 29 March 2026 "),
        ("Le 12 mars 2026 ", "Le 1 août 1999 "),
        ("By Mary Poe: ", "By Jean-Luc de Gaulle Smith: "),
        ("For $ 4.50 ", "For $ 1,200 "),
    ],
)
def test_dates_numbers_and_names_make_no_difference(one, other):
    if "de" in other:
        other = other.replace("de ", "")
    first, second = sentences_of(one + PLAIN, other + PLAIN).keys
    assert first == second


def test_other_words_make_a_difference():
    keys = sentences_of(
        PLAIN, PLAIN.replace("written", "read"), PLAIN.replace("here", "there")
    ).keys
    assert len(set(keys.tolist())) == 3


def test_names_count_where_little_else_is_left():
    one = "Anna Poe And Bob Lee Sell Tea And Pies At The Old Mill."
    assert len(set(sentences_of(one, one.replace("Anna", "Jane")).keys.tolist())) == 2


@pytest.mark.parametrize(
    "text",
    ["Read it here now please.", "Wednesday, 7 June 2000, 16:58 GMT 17:58 UK", "1 2 3 4 5 6 7 8 9"],
)
def test_short_sentences_and_rows_of_numbers_are_not_counted(text):
    assert not len(sentences_of(text).keys)


def test_a_segment_has_several_sentences():
    found = sentences_of("Short one. " + PLAIN.capitalize() + " " + PLAIN, PLAIN)
    assert found.segment.tolist() == [0, 0, 1]
    assert found.first.tolist() == [2, 16, 30]
    assert found.words.tolist() == [14, 14, 14]


def page(keys, texts):
    sentences = PageSentences(
        keys=np.array(keys, np.uint64), segment=np.arange(1, len(keys) + 1, dtype=np.int32)
    )
    return sentences, np.array(texts, np.uint64)


def test_what_a_page_adds_can_be_taken_away_again():
    pages = [page([7, 9], [100 + number, 1, 2, 3]) for number in range(5)]
    together = count_sentences(pages)
    before = together.forget_one(count_sentences(pages[:1]))
    alone = count_sentences(pages[1:])
    for name in ("sentences", "before", "behind"):
        one, other = getattr(before, name), getattr(alone, name)
        assert one.keys.tolist() == other.keys.tolist()
        assert one.sums.tolist() == other.sums.tolist()
    assert not len(count_sentences([]).sentences.keys)
    assert NO_SENTENCES.learn_one(count_sentences(pages[:1])).sentences.keys.tolist() == [7, 9]


def table_of(pages, window_pages, text_pages=()):
    known = np.array(sorted(text for text, _ in text_pages), np.uint64)
    sums = np.array([[dict(text_pages)[text] for text in known.tolist()]], np.int64)
    texts = KeyedSums(keys=known, sums=sums, labels=np.empty((0, len(known)), np.uint64))
    return tabulate_sentences(count_sentences(pages), texts, window_pages)


def test_a_sentence_is_template_from_four_pages_and_a_twentieth_of_them():
    four = [page([7], [number, 1, 1]) for number in range(4)]
    assert table_of(four, 80).keys.tolist() == [7]
    assert not len(table_of(four, 81).keys)
    assert not len(table_of(four[:3], 3).keys)


@pytest.mark.parametrize(("pages_with_it", "counted"), [(4, 4), (8, 4), (9, 0)])
def test_it_is_counted_how_often_the_same_text_stands_beside_a_sentence(pages_with_it, counted):
    """What stands before differs; what stands behind is the same, unless it is text of the site."""
    pages = [page([7], [number, 1, 50]) for number in range(100, 104)]
    around = [(50, pages_with_it), *((number, 1) for number in range(100, 104))]
    assert table_of(pages, 10, around).sums.tolist() == [[4], [1], [counted]]


def test_a_pattern_that_a_page_has_twice_is_not_counted():
    counts = count_sentences([page([7, 9, 7], [0, 1, 2, 3, 4])])
    assert counts.sentences.keys.tolist() == [9]
