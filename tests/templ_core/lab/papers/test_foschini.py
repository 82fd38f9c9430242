import re
from collections import defaultdict
from random import Random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from templ_core.dom.document import parse_document
from templ_core.errors import CodecError
from templ_core.lab.papers.foschini import matching, page_tokens
from templ_core.lab.papers.foschini.phrases import (
    Phrase,
    PhraseAutomaton,
    PhraseSet,
    SplitText,
    decode_idioms,
    encode_idioms,
    find_idioms,
    find_repeats,
    learn_phrases,
    opened,
    shipped_idioms,
)
from templ_core.site_level.strings.suffix_array import BORDER, BREAK, SuffixArray, tokens_left

STRINGS = st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=6), max_size=12)


@given(STRINGS, st.lists(st.sampled_from("abcde"), max_size=30))
def test_the_automaton_finds_what_a_search_at_each_place_finds(strings, keys):
    ends = [0] * len(keys)
    inside = [False] * len(keys)
    for string in strings:
        for start in range(len(keys) - len(string) + 1):
            stop = start + len(string)
            if keys[start:stop] == string:
                ends[stop - 1] = max(ends[stop - 1], len(string))
                inside[start:stop] = [True] * len(string)
    automaton = PhraseAutomaton(strings)
    assert automaton.lengths(keys) == ends
    assert automaton.covers(keys) == all(inside)


def repeats_by_brute_force(tokens, documents, documents_min, tokens_min):
    """Count every string position by position, and return those that cannot be extended."""
    places = defaultdict(list)
    for start in range(len(tokens)):
        for end in range(start + 1, len(tokens) + 1):
            if tokens[end - 1] == BREAK:
                break
            places[tuple(tokens[start:end])].append(start)
            if tokens[end - 1] == BORDER and end - start > 1:
                break
    repeats = {}
    for string, starts in places.items():
        count = len({documents[start] for start in starts})
        if count < documents_min or len(string) < tokens_min or len(starts) < 2:
            continue
        before = {tokens[start - 1] if start else BREAK for start in starts}
        after = {
            tokens[start + len(string)] if start + len(string) < len(tokens) else BREAK
            for start in starts
        }
        closed_left = string[0] == BORDER or before == {BREAK} or len(before) > 1
        ended = string[-1] == BORDER and len(string) > 1
        closed_right = ended or after == {BREAK} or len(after) > 1
        if closed_left and closed_right:
            repeats[string] = count
    return repeats


def repeats(tokens, documents, **limits):
    tokens = np.array(tokens, np.uint16)
    columns = find_repeats(SuffixArray(tokens), np.array(documents, np.uint16), **limits)
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    strings = {
        tuple(tokens[start : start + length].tolist()): count for start, length, count in rows
    }
    assert len(strings) == len(rows)
    return strings


@st.composite
def corpora(draw):
    """Draw documents of few different tokens, some with breaks or borders."""
    tokens, documents = [], []
    for document in range(draw(st.integers(1, 8))):
        words = draw(st.lists(st.sampled_from([2, 3, 4, BORDER, BREAK]), max_size=24))
        tokens += [*words, BREAK]
        documents += [document] * (len(words) + 1)
    return tokens, documents


@settings(max_examples=150, deadline=None)
@given(corpora(), st.integers(2, 5), st.integers(1, 4))
def test_repeats_equal_those_found_by_brute_force(corpus, documents_min, tokens_min):
    tokens, documents = corpus
    limits = {"documents_min": documents_min, "tokens_min": tokens_min}
    assert repeats(tokens, documents, **limits) == repeats_by_brute_force(
        tokens, documents, documents_min, tokens_min
    )


@pytest.mark.parametrize("tokens", [[], [2], [BREAK], [2, 2]])
def test_a_single_document_has_no_repeats(tokens):
    assert repeats(tokens, [0] * len(tokens), documents_min=2) == {}


def test_strings_end_at_breaks_and_borders():
    tokens = np.array([2, 3, BORDER, 4, BREAK, BORDER, BORDER, 2], np.uint16)
    assert tokens_left(tokens).tolist() == [3, 2, 2, 1, 0, 2, 2, 1]


@settings(deadline=None)
@given(st.lists(st.integers(0, 5), max_size=30), st.integers(1, 8))
def test_opening_is_the_largest_minimum_around_each_value(values, width):
    windows = [range(start, start + width) for start in range(len(values) - width + 1)]
    expected = [
        max((min(values[i] for i in window) for window in windows if at in window), default=0)
        for at in range(len(values))
    ]
    assert opened(np.array(values, np.int32), width).tolist() == expected


LETTERS = "0123456789.,:/-_@$€stndrdhAPMUSDTZa+"


def key_by_one_pattern_after_another(token):
    for pattern in page_tokens.PATTERNS:
        if token in pattern.words:
            return f"<{pattern.name}>"
    for pattern in page_tokens.PATTERNS:
        if pattern.pattern and re.fullmatch(pattern.pattern, token):
            return f"<{pattern.name}>"
    return re.sub(r"\d+", "0", token)


def test_a_token_has_the_key_of_the_first_pattern_that_it_matches():
    random, normaliser = Random(1), page_tokens.Normaliser()
    tokens = ["".join(random.choices(LETTERS, k=random.randint(1, 9))) for _ in range(5_000)]
    wrong = [one for one in tokens if normaliser.key(one) != key_by_one_pattern_after_another(one)]
    assert not wrong


def test_a_pattern_of_ones_own_comes_before_those_of_the_package():
    own = (page_tokens.MutablePattern("version", pattern=r"\d+\.\d+"),)
    assert page_tokens.normaliser_of(own).key("1.5") == "<version>"
    assert page_tokens.normaliser_of(()).key("1.5") == "<number>"


def article(number):
    words = " ".join(
        f"w{chr(97 + (number * 7 + i * i) % 26)}{chr(97 + i % 26)}q" for i in range(60)
    )
    return (
        f"<div>Posted on March {number}, 2024 by the editors</div><p>{words}.</p>"
        f"<ul><li>Home<li>About us</ul><p>{number} comments so far</p>"
    )


def documents(count):
    return [parse_document(article(number), "https://a.org/") for number in range(1, count + 1)]


def learn(pages, **limits):
    return learn_phrases([page_tokens.page_text(page) for page in pages], **limits)


def test_segments_of_the_template_are_covered_and_articles_are_not():
    window = documents(12)
    matcher = matching.PhraseMatcher(learn(window))
    new = parse_document(article(25), "https://a.org/")
    text = page_tokens.page_text(new)
    assert matching.text_outside(text, matcher.spans(text)) == new.segments.texts[1]


def test_no_page_and_one_page_have_no_phrases():
    for some in ([], documents(1)):
        assert learn(some).phrases == ()


def test_pages_without_text_have_no_coverage():
    matcher = matching.PhraseMatcher(learn(documents(6)))
    assert matcher.spans(page_tokens.page_text(parse_document("", "https://a.org/"))) == []


@pytest.mark.parametrize("size_bytes", [0, 100, 1000])
def test_the_least_supported_phrases_go_first(size_bytes):
    whole = learn(documents(6)).phrases
    limited = learn(documents(6), set_bytes=size_bytes).phrases
    assert limited == whole[: len(limited)]
    assert sum(len(key.encode()) + 1 for one in limited for key in one.keys) <= size_bytes
    assert np.all(np.diff([phrase.pages for phrase in limited]) <= 0)


PIECES = st.sampled_from(
    [
        "read", "more", "Read", "MAY", "May", "BBC", "mars", "by", "days", "x86", "post-17", "12",
        "7", "12:30", "1:2:3:4", "5pm", "27/02/2007", "2007-02-27", "27.02.2007", "1,200.50",
        "555-1234", "1/2", "3rd", "US$5", "9EUR", "U.S", "a@b.org", "www.a.org/b",
        "http://a.org/?x=1", "don't", "and/or", "a....b", "___", "中", "文", "ก", "é", "٣", "²",
        "Mr", "a_b", "0", " ", " ", " ", "\n", "\n", ".", ",", "- ", "--", "|", "“", "€", "$",
        "%", "<", "</", '="', "://",
    ]
)  # fmt: skip
TEXTS_OF_PIECES = st.lists(PIECES, max_size=14).map("".join)


def all_matches(pattern, text):
    """Yield the span of every match, overlapping ones included."""
    compiled = re.compile(pattern)
    place = 0
    while match := compiled.search(text, place):
        yield match.span()
        place = match.start() + 1


def phrases_of(text, markup):
    """Return the strings of a text's own tokens, as phrases."""
    normaliser = page_tokens.Normaliser()
    keys = [
        t if t == "\n" else normaliser.key(t) for t in page_tokens.page_tokens(text, markup=markup)
    ]
    strings = set()
    for start in range(len(keys)):
        for length in range(1, 6):
            string = keys[start : start + length]
            if len(string) == length and "\n" not in string[1:-1] and set(string) != {"\n"}:
                strings.add(tuple(string))
    return sorted(strings)


@pytest.mark.parametrize("markup", [False, True])
@given(source=TEXTS_OF_PIECES, text=TEXTS_OF_PIECES, data=st.data())
def test_the_automaton_finds_what_all_expressions_together_match(source, text, markup, data):
    candidates = phrases_of(source + " " + text, markup)
    chosen = data.draw(st.lists(st.sampled_from(candidates), max_size=6)) if candidates else []
    phrases = PhraseSet(pages=1, markup=markup, phrases=tuple(Phrase(k, 1) for k in chosen))
    expected = matching.union_of_spans(
        [s for pattern in matching.expressions(phrases) for s in all_matches(pattern, text)]
    )
    assert matching.PhraseMatcher(phrases).spans(text) == expected


@settings(max_examples=30)
@given(TEXTS_OF_PIECES)
@example("Published on: Tuesday, 27th February, 2007")
def test_an_expression_matches_its_source(text):
    normaliser = page_tokens.Normaliser()
    for keys in phrases_of(text, markup=False):
        assert re.search(matching.expression(Phrase(keys, 1), normaliser), text)


def test_variations_of_the_source_match():
    source = "Published on: Tuesday, 27th February, 2007 | 3 responses"
    keys = tuple(map(page_tokens.Normaliser().key, page_tokens.page_tokens(source)[1:-1]))
    pattern = matching.expression(Phrase(keys, 1), page_tokens.Normaliser())
    assert re.search(pattern, "- Published on: Monday, 1st marzo, 2012 - 12 responses -")
    assert not re.search(pattern, "Published on: Monday, 1st marzo, 2012 | no responses")
    assert not re.search(pattern, "Unpublished on: Tuesday, 27th February, 2007 | 3 responses")


def test_further_patterns_come_before_those_of_the_package():
    genre = page_tokens.MutablePattern("genre", words=("jazz", "rock"), pattern="neo-[a-z]+")
    pages = [f"filed under {kind} music\nsome {kind} text" for kind in ("jazz", "rock", "neo-folk")]
    phrases = learn_phrases(pages, patterns=[genre])
    assert ("\n", "filed", "under", "<genre>", "music", "\n") in [p.keys for p in phrases.phrases]
    assert matching.PhraseMatcher(phrases).spans("filed under neo-soul music") == [(0, 26)]


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
    assert name in {pattern.name for pattern in page_tokens.PATTERNS}
    for token in page_tokens.page_tokens(tokens)[1:-1]:
        assert page_tokens.Normaliser().key(token) == f"<{name}>"


SENTENCE = "At the end of the road as well as the river it stays"
NAMES = ("ant", "bee", "cat", "dog", "eel", "fox", "gnu", "hen")


def test_file_gives_back_the_idioms():
    strings = [("as", "well", "as", "the"), ("\n", "For", "example", "\n")]
    body = encode_idioms(strings, sites=9, sites_min=3)
    assert set(decode_idioms(body)) == set(strings)
    assert body == encode_idioms(strings[::-1], sites=9, sites_min=3)


@pytest.mark.parametrize("body", [b"[]", b"{", b'{"format":9,"sites":1,"sites_min":1,"idioms":[]}'])
def test_other_files_are_refused(body):
    with pytest.raises(CodecError):
        decode_idioms(body)


def test_what_stands_in_content_of_many_sites_is_an_idiom_and_in_templates_none():
    def site(name):
        content = f"It{name} as well as the b{name} Leave a reply now c{name}"
        return SplitText(content=content, template=f"d{name}\nz{name} Leave a reply now e{name}")

    idioms = find_idioms([site(name) for name in NAMES], sites_min=8)
    assert idioms == [("as", "well", "as", "the")]
    assert find_idioms([site(name) for name in NAMES[1:]], sites_min=8) == []


def test_shorter_idioms_stand_for_longer_ones():
    texts = [
        f"x{n} at the end of y{n}\nx{n} the end of the z{n}\nat the end of the" for n in range(9)
    ]
    sites = [SplitText(content=text, template="") for text in texts]
    idioms = find_idioms(sites)
    assert ("at", "the", "end", "of") in idioms
    assert ("at", "the", "end", "of", "the") not in idioms
    assert PhraseAutomaton(idioms).covers(("at", "the", "end", "of", "the"))


def test_idioms_that_recur_on_a_site_are_no_phrases():
    pages = [
        f"One{n} story{n} of{n} day{n}\n{SENTENCE}\nmore{n} words{n} here{n}" for n in range(9)
    ]
    idiom = ("\n", *SENTENCE.split(), "\n")
    learned = learn_phrases(pages, idioms=PhraseAutomaton([]))
    assert idiom in [phrase.keys for phrase in learned.phrases]
    filtered = learn_phrases(pages, idioms=PhraseAutomaton([idiom]))
    assert idiom not in [phrase.keys for phrase in filtered.phrases]


def test_shipped_list():
    idioms = shipped_idioms()
    assert idioms.covers(("at", "the", "same", "time"))
    assert not idioms.covers(("\n", "Leave", "a", "reply", "\n"))
