import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from templ_core.lab.papers.foschini._phrase_tokens import TokenNumbers
from templ_core.lab.papers.foschini.phrase_corpus import page_tokens, token_places
from templ_core.tokens import JOINER, JOINERS_MAX, SYMBOL, UNSPACED, WORD

COMPOUND = rf"{WORD}++(?:{JOINER}{{1,{JOINERS_MAX}}}{WORD}++)*+"
LINES = re.compile(rf"{COMPOUND}|\n|{UNSPACED}")
MARKUP = re.compile(f"{COMPOUND}|{SYMBOL}++|{UNSPACED}")

TEXTS = st.text(
    st.one_of(
        st.characters(codec="utf-8"),
        st.sampled_from(
            "aZ09_.,:/@'’&-$€ \t\n\x1c\x85\u2028\xa0中กéا٣²\U00020000\U0002fa20\U00030000"
        ),
    ),
    max_size=30,
)


@given(TEXTS)
@example("a...b....c.")
@example("中1-中")
@example("\n\na\n")
def test_text_has_the_tokens_that_the_expression_finds(text):
    assert page_tokens(text) == LINES.findall(f"\n{text}\n")


@given(TEXTS)
@example('<p class="a">x y</p>')
def test_markup_has_the_tokens_that_the_expression_finds(text):
    places = [(match.group(), *match.span()) for match in MARKUP.finditer(text)]
    assert token_places(text, markup=True) == places


@pytest.mark.parametrize("remembered_max", [1, 3, 1000])
@given(texts=st.lists(TEXTS, max_size=4))
def test_each_token_gets_its_number_and_its_text(remembered_max, texts):
    number_of = {}
    numbers = TokenNumbers(
        lambda token: number_of.setdefault(token, len(number_of) + 1),
        border=0,
        remembered_max=remembered_max,
    )
    tokens, owners = numbers.read(texts)
    number_of["\n"] = 0
    assert tokens.tolist() == [
        number_of[token] for token in LINES.findall("\n".join(["", *texts, ""]))
    ]
    assert owners.tolist() == [
        *(number for number, text in enumerate(texts) for _ in LINES.findall(f"\n{text}")),
        len(texts),
    ]
    tokens, owners = numbers.read(texts, markup=True)
    assert tokens.tolist() == [number_of[token] for text in texts for token in MARKUP.findall(text)]
    assert owners.tolist() == [
        number for number, text in enumerate(texts) for _ in MARKUP.findall(text)
    ]


def test_the_number_of_a_token_is_asked_for_once_while_it_is_remembered():
    asked = []
    numbers = TokenNumbers(lambda token: asked.append(token) or 7, border=0, remembered_max=3)
    assert numbers.read(["a b a", "c a"])[0].tolist() == [0, 7, 7, 7, 0, 7, 7, 0]
    assert asked == ["a", "b", "c"]
    numbers.read(["d a"])
    assert asked == ["a", "b", "c", "d", "a"]
