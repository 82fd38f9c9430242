import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templ_core.letters import COMMA, DIGIT
from templ_core.page_level.features.characters import read_characters, read_words, text_hashes
from templ_core.tokens import tokenise

TEXTS = st.lists(
    st.text(min_size=1).filter(lambda text: len(tokenise(text)) > 0), min_size=1, max_size=5
)


@given(TEXTS)
def test_words_are_those_of_the_tokeniser(texts):
    assume_known = [text for text in texts if all(ord(letter) < 0x20000 for letter in text)]
    if assume_known:
        words = read_words(read_characters(assume_known))
        assert words.per_segment.tolist() == [len(tokenise(text)) for text in assume_known]


def test_signs_of_unspaced_scripts_are_words_as_they_are_tokens():
    signs = "".join(map(chr, range(0xE00, 0xE80))) + "\u0ee0\u102d\u17b6\u30fb"
    words = read_words(read_characters([signs, "ก็ 7"]))
    assert words.per_segment.tolist() == [len(tokenise(signs)), 3]


def test_words_have_a_place_a_length_and_a_segment():
    words = read_words(read_characters(["One, two", "中文 x86"]))
    assert words.segment.tolist() == [0, 0, 1, 1, 1]
    assert words.place.tolist() == [0, 1, 0, 1, 2]
    assert words.length.tolist() == [3, 3, 1, 1, 3]


def test_marks_are_counted_by_segment():
    characters = read_characters(["a, b, c", "7", "1,5"])
    assert characters.count(characters.has(COMMA)).tolist() == [2, 0, 1]
    assert characters.count(characters.has(DIGIT)).tolist() == [0, 1, 2]


def test_equal_words_have_equal_hashes_whatever_their_case_and_place():
    hashes = text_hashes(read_words(read_characters(["Ab  cd!", "x ab CD", "ab, cd", "cd ab"])))
    assert hashes[0] == hashes[2]
    assert len(np.unique(hashes)) == 3


@pytest.mark.parametrize("text", ["\ud800 lone", "a" * 5000, "\U0001f600 smile", "w " * 3000])
def test_unusual_text_has_words_too(text):
    words = read_words(read_characters([text]))
    assert words.per_segment[0] >= 1
