import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from templ_core.lab.papers.foschini.matching import (
    PhraseMatcher,
    expression,
    expressions,
    union_of_spans,
)
from templ_core.lab.papers.foschini.mutable_patterns import PATTERNS, MutablePattern, Normaliser
from templ_core.lab.papers.foschini.phrase_corpus import page_tokens
from templ_core.lab.papers.foschini.phrases import Phrase, PhrasesConfig, PhraseSet, learn_phrases

PIECES = st.sampled_from(
    [
        *("read", "more", "Read", "MAY", "May", "BBC", "mars", "by", "days", "x86", "post-17"),
        *(
            "12",
            "7",
            "12:30",
            "1:2:3:4",
            "5pm",
            "27/02/2007",
            "2007-02-27",
            "27.02.2007",
            "1,200.50",
        ),
        *(
            "555-1234",
            "1/2",
            "3rd",
            "US$5",
            "9EUR",
            "U.S",
            "a@b.org",
            "www.a.org/b",
            "http://a.org/?x=1",
        ),
        *("don't", "and/or", "a....b", "___", "中", "文", "ก", "é", "٣", "²", "Mr", "a_b", "0"),
        *(
            " ",
            " ",
            " ",
            "\n",
            "\n",
            ".",
            ",",
            "- ",
            "--",
            "|",
            "“",
            "€",
            "$",
            "%",
            "<",
            "</",
            '="',
            "://",
        ),
    ]
)
TEXTS = st.lists(PIECES, max_size=14).map("".join)


def all_matches(pattern, text):
    """Yield the span of every match, overlapping ones included."""
    compiled = re.compile(pattern)
    place = 0
    while match := compiled.search(text, place):
        yield match.span()
        place = match.start() + 1


def phrases_of(text, markup):
    """Return the strings of a text's own tokens, as phrases."""
    normaliser = Normaliser()
    keys = [t if t == "\n" else normaliser.key(t) for t in page_tokens(text, markup=markup)]
    found = set()
    for start in range(len(keys)):
        for length in range(1, 6):
            string = keys[start : start + length]
            if len(string) == length and "\n" not in string[1:-1] and set(string) != {"\n"}:
                found.add(tuple(string))
    return sorted(found)


@pytest.mark.parametrize("markup", [False, True])
@given(source=TEXTS, text=TEXTS, data=st.data())
def test_the_automaton_finds_what_all_expressions_together_match(source, text, markup, data):
    candidates = phrases_of(source + " " + text, markup)
    chosen = data.draw(st.lists(st.sampled_from(candidates), max_size=6)) if candidates else []
    phrases = PhraseSet(pages=1, markup=markup, phrases=tuple(Phrase(k, 1) for k in chosen))
    expected = union_of_spans(
        [s for pattern in expressions(phrases) for s in all_matches(pattern, text)]
    )
    assert PhraseMatcher(phrases).spans(text) == expected


@given(TEXTS)
@example("Published on: Tuesday, 27th February, 2007")
def test_an_expression_matches_its_source(text):
    normaliser = Normaliser()
    for keys in phrases_of(text, markup=False):
        assert re.search(expression(Phrase(keys, 1), normaliser), text)


def test_variations_of_the_source_match():
    source = "Published on: Tuesday, 27th February, 2007 | 3 responses"
    keys = tuple(map(Normaliser().key, page_tokens(source)[1:-1]))
    pattern = expression(Phrase(keys, 1), Normaliser())
    assert re.search(pattern, "- Published on: Monday, 1st marzo, 2012 - 12 responses -")
    assert not re.search(pattern, "Published on: Monday, 1st marzo, 2012 | no responses")
    assert not re.search(pattern, "Unpublished on: Tuesday, 27th February, 2007 | 3 responses")


def test_further_patterns_come_before_those_of_the_package():
    genre = MutablePattern("genre", words=("jazz", "rock"), pattern="neo-[a-z]+")
    pages = [f"filed under {kind} music\nsome {kind} text" for kind in ("jazz", "rock", "neo-folk")]
    phrases = learn_phrases(pages, PhrasesConfig(), patterns=[genre])
    assert ("\n", "filed", "under", "<genre>", "music", "\n") in [p.keys for p in phrases.phrases]
    assert PhraseMatcher(phrases).spans("filed under neo-soul music") == [(0, 26)]


@pytest.mark.parametrize(
    ("name", "tokens"),
    [
        ("month", "May MAY mai août Dez enero fevereiro"),
        ("weekday", "Monday lunes Mittwoch jeudi domenica segunda-feira"),
        ("ordinal", "1st 22nd 3rd 27th 1er"),
        ("time_unit", "minutes hrs Stunden años"),
        ("number", "7 1,200.50 3.5"),
        ("time", "12:30 5pm 09:15:00"),
        ("money", "US$5 9.50EUR"),
        ("telephone", "555-1234 +39-050-123"),
        ("url", "http://a.org/b?c=1 www.a.org"),
        ("email", "some.one@a-b.org"),
        ("initials", "U.S J.R.R"),
        ("uppercase", "BBC NY-NC"),
        ("by", "by By"),
        ("abbreviation", "Mr Dr"),
        ("ruler", "____"),
        ("date", "27/02/2007 2007-02-27 27.02.2007 2007-02-27T12:30:00"),
        ("figures", "1/2 3:4:5:6"),
    ],
)
def test_tokens_belong_to_their_pattern(name, tokens):
    assert name in {pattern.name for pattern in PATTERNS}
    for token in page_tokens(tokens)[1:-1]:
        assert Normaliser().key(token) == f"<{name}>"
