import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from templ_core.page_level.features.characters import read_characters, read_words
from templ_core.site_level.sentences.sentence_expressions import (
    expressible_texts,
    sentence_expression,
    sentence_texts,
    word_expression,
)
from templ_core.site_level.sentences.sentences import read_sentences
from templ_core.tokens import count_tokens

WORDS = st.sampled_from(
    [
        "the",
        "of",
        "our",
        "and",
        "to",
        "paper",
        "mary",
        "Mary",
        "may",
        "May",
        "mai",
        "3",
        "29",
        "2026",
        "3rd",
        "monday",
        "Monday",
        "janvier",
        "İstanbul",
        "ſo",
        "KELVIN",
        "Kelvin",
        "élan",
        "Élan",
        "news",
        "NEWS",
        "we",
        "read",
        "中",
        "文",
        "ไทย",
        "ที่นี่",
        "、",
        "feira",
        "segunda",
        "٣",
        "_x",
        "𠀀",
        "STRASSE",
        "Œuvre",
    ]
)
GAPS = st.sampled_from(
    [
        *[" "] * 12,
        ". ",
        "! ",
        ", ",
        "-",
        " — ",
        "\n",
        "。",
        '." ',
        ".) ",
        ". . ",
        ".",
        " (",
        "'",
        "\t",
    ]
)
SENTENCES = st.lists(st.tuples(WORDS, GAPS), min_size=8, max_size=26).map(
    lambda pairs: "".join(word + gap for word, gap in pairs).strip()
)
PLAIN = "Mary Poe wrote this on 3 May for our small and proud paper"


@st.composite
def pages(draw):
    """Blocks with sentences of their own and sentences that differ in a few words."""
    blocks = draw(st.lists(SENTENCES, min_size=1, max_size=3))
    for block in list(blocks):
        words = re.split(r"(\s)", block)
        changed = draw(st.lists(st.integers(0, len(words) - 1), max_size=3))
        for place in changed:
            words[place] = draw(WORDS) if not words[place].isspace() else words[place]
        blocks.append("".join(words))
        blocks.append(block.upper() if draw(st.booleans()) else block.lower())
    return blocks


@settings(max_examples=60, deadline=None)
@given(pages())
@example([f"{PLAIN}. {PLAIN.lower()}.", PLAIN.upper(), f"{PLAIN} in may", "3 people came"])
@example(
    [
        "we read the news of our paper in mai",
        "3 of the news",
        "we read the news of our paper in Mai",
    ]
)
def test_an_expression_matches_exactly_the_sentences_of_its_key(blocks):
    words = read_words(read_characters(blocks))
    sentences = read_sentences(words)
    last = sentences.first + sentences.words - 1
    places: dict[int, set] = {}
    for key, first, end in zip(
        sentences.keys.tolist(),
        words.first[sentences.first].tolist(),
        (words.first[last] + words.length[last]).tolist(),
        strict=True,
    ):
        places.setdefault(key, set()).add((first, end))
    texts = expressible_texts(places, sentence_texts(blocks, sentences))
    page = "\n".join(blocks)
    for key, text in texts.items():
        found = {match.span(1) for match in re.finditer(sentence_expression(text), page)}
        assert found == places[key], text


def test_a_text_whose_key_depends_on_the_next_sentence_has_no_expression():
    blocks = ["we read the news of our paper in mai", "3 people came"]
    sentences = read_sentences(read_words(read_characters(blocks)))
    assert len(sentences.keys) == 1
    assert expressible_texts(sentences.keys.tolist(), sentence_texts(blocks, sentences)) == {}


@pytest.mark.parametrize("text", ["too short", f"{PLAIN}. {PLAIN}.", ""])
def test_what_is_not_one_counted_sentence_is_refused(text):
    with pytest.raises(ValueError, match="one sentence"):
        sentence_expression(text)


@given(st.text(max_size=60))
def test_the_word_expression_finds_the_words_that_are_counted(text):
    count = int(read_words(read_characters([text])).per_segment[0])
    assert len(re.findall(word_expression(), text)) == count
    assert count_tokens("中文 two") == len(re.findall(word_expression(), "中文 two"))
