import pytest

from templ_core.lab.evaluation.repeated_text import RepeatedText, repeated_text

WORDS = [f"{first}{second}" for first in "bcdfghklmn" for second in "aeiou"]
NOTICE = "Subscribe to the letter that we send to all readers every Monday."


def story(number):
    return " ".join(WORDS[(number * 7 + place * 3) % 50] + str(number) for place in range(40)) + "."


def test_a_sentence_on_four_pages_is_repeated_and_on_three_it_is_not():
    pages = [f"{story(number)}\n{NOTICE}" for number in range(4)]
    assert repeated_text(pages) == RepeatedText(words=4 * 52, repeated_words=4 * 12)
    assert repeated_text([*pages[:3], story(3)]).repeated_words == 0


def test_a_large_site_needs_a_tenth_of_its_pages():
    pages = [story(number) for number in range(50)]
    few = [f"{page} {NOTICE}" if number < 4 else page for number, page in enumerate(pages)]
    assert repeated_text(few).ratio == 0
    enough = [f"{page} {NOTICE}" if number < 5 else page for number, page in enumerate(pages)]
    assert repeated_text(enough).ratio == pytest.approx(60 / (50 * 40 + 60))


def test_short_sentences_and_copies_of_a_page_do_not_count():
    assert (
        repeated_text([f"{story(number)} All rights reserved." for number in range(9)]).ratio == 0
    )
    assert repeated_text([story(1)] * 9) == RepeatedText(words=40, repeated_words=0)


def test_sentences_of_scripts_without_blanks_end_at_their_own_stop():
    pages = [f"我们使用数据来改进网站。{story(number)}" for number in range(4)]
    assert repeated_text(pages).repeated_words == 4 * 11


def test_sites_add_up_and_no_text_is_no_repetition():
    empty = repeated_text([])
    assert empty.ratio == 0
    assert (empty + RepeatedText(words=10, repeated_words=5)).ratio == 0.5
