from random import Random

import pytest

from workers.lab.experiments.phrases_alone import (
    INJECTION_LENGTHS,
    INJECTION_PLACES,
    count_host_lines,
    inject,
    make_injected_strings,
)

LINES = [f"This is line {number} of a clean text" for number in "abcdefghijkl"]
VOCABULARY = ["red", "green", "blue", "grey"]


def test_each_length_gets_each_place_with_and_without_a_slot():
    shapes = {
        (len(one.words), one.place, one.slot is not None)
        for shift in range(8)
        for one in make_injected_strings(VOCABULARY, shift, Random(0))
    }
    assert {
        (length, place, False) for length in INJECTION_LENGTHS for place in INJECTION_PLACES
    } <= shapes
    assert {
        (length, place, True) for length in INJECTION_LENGTHS[2:] for place in INJECTION_PLACES
    } <= shapes


@pytest.mark.parametrize("shift", range(4))
def test_spans_hold_the_strings_and_the_rest_is_the_text(shift):
    templates = make_injected_strings(VOCABULARY, shift, Random(1))
    page = inject("\n".join(LINES), templates, 1.0, Random(2))
    assert sorted(number for number, _, _ in page.spans) == list(range(len(templates)))
    rest, place = "", 0
    for number, start, end in page.spans:
        words = page.text[start:end].split(" ")
        template = templates[number]
        assert len(words) == len(template.words)
        for position, word in enumerate(words):
            assert position == template.slot or word == template.words[position]
        before, after = page.text[:start].rpartition("\n")[2], page.text[end:].partition("\n")[0]
        assert bool(before) == (template.place in ("end of block", "inside"))
        assert bool(after) == (template.place in ("start of block", "inside"))
        rest, place = rest + page.text[place:start], end
    rest += page.text[place:]
    assert rest.split() == " ".join(LINES).split()


def test_share_and_seed_decide_which_strings_are_injected():
    templates = make_injected_strings(VOCABULARY, 0, Random(1))
    text = "\n".join(LINES)
    assert inject(text, templates, 0.0, Random(2)).text == text
    counts = [len(inject(text, templates, 0.5, Random(seed)).spans) for seed in range(200)]
    assert 4 < sum(counts) / len(counts) < 5
    assert inject(text, templates, 0.5, Random(3)) == inject(text, templates, 0.5, Random(3))


def test_only_lines_of_five_words_take_a_string():
    assert count_host_lines("one two three four five\nshort\n") == 1
    assert (
        len(inject("short", make_injected_strings(VOCABULARY, 0, Random(1)), 1.0, Random(2)).spans)
        == 3
    )
