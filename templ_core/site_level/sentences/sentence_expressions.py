r"""Repeated sentences as regular expressions of Python's `re`.

What a site model keeps of a sentence is a hash. Its expression is made from one page that has the
sentence, and matches every text whose sentence has this hash: numbers, dates and capitalised names may
differ wherever `read_sentences` lets them differ.

An expression applies to the blocks of a page joined by line feeds, without flags. Its first group is the
sentence, from the first character of its first word to the last one of its last word.
"""

import functools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import msgspec
import numpy as np

from templ_core.letters import CLOSER, KNOWN, SENTENCE_END, UPPER, letter_tables
from templ_core.page_level.features.characters import read_characters, read_words
from templ_core.site_level.phrases.calendars import MONTHS, WEEKDAYS
from templ_core.site_level.sentences.sentences import Sentences, read_sentences
from templ_core.site_level.sentences.sentences_config import SENTENCES_CONFIG, SentencesConfig
from templ_core.tokens import UNSPACED, tokenise

_UNSPACED = UNSPACED[1:-1]
_RARE = f"{chr(KNOWN)}-{chr(0x10FFFF)}"
_WIDE_FROM = 0x3000
"""From this code point on, the end of a sentence needs no space behind it."""
_SPACED = rf"[^\W{_UNSPACED}{_RARE}]"
"""A character of a word in a script with spaces between words."""
_BETWEEN = rf"[^\w{_UNSPACED}{_RARE}]"
"""A character that stands between words."""
_OTHER_FORMS = "ſıİ"
"""Letters that `re` takes for forms of others where case does not matter, and `str.lower` does not."""
_WORD_START, _WORD_END = rf"(?<!{_SPACED})", rf"(?!{_SPACED})"


class _Pieces(msgspec.Struct, frozen=True):
    """Parts that all expressions are made of."""

    begin: str
    """The border before a sentence."""
    end: str
    """The border behind a sentence, as a look-ahead."""
    gap: str
    """What stands between two words of one sentence; it may be empty."""
    is_before_number: str
    """A word with a digit follows, in this sentence or the next."""
    number: str
    """A word with a digit."""
    dated: str
    """A word with a digit, or the name of a month or weekday beside one."""
    more_dated: str
    """A word with a digit or the name of a month or weekday, behind a word of `dated`."""
    capitalised: str
    """A word that begins with a capital letter."""
    uncapitalised: str
    """A word that neither begins with a capital letter nor belongs to a number or date."""
    word: str
    """A word."""


class SentenceText(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence as one page has it."""

    key: int
    """The key of `Sentences`."""
    text: str
    """From its first word to its last one."""


def sentence_texts(texts: Sequence[str], sentences: Sentences) -> Iterator[SentenceText]:
    """Yield the text of each sentence of a page.

    Args:
        texts: Text of each segment of the page, of which at least one has a word.
        sentences: Sentences of the page, or some of them.
    """
    words = read_words(read_characters(texts))
    starts = np.concatenate([[0], np.cumsum([len(text) + 1 for text in texts])])
    last = sentences.first + sentences.words - 1
    begin = words.first[sentences.first] - starts[sentences.segment]
    end = words.first[last] + words.length[last] - starts[sentences.segment]
    for key, segment, first, behind in zip(
        sentences.keys.tolist(),
        sentences.segment.tolist(),
        begin.tolist(),
        end.tolist(),
        strict=True,
    ):
        yield SentenceText(key=key, text=texts[segment][first:behind])


def expressible_texts(
    wanted: Iterable[int], known: Iterable[SentenceText], config: SentencesConfig = SENTENCES_CONFIG
) -> dict[int, str]:
    """Return a text for each wanted key that has one with an expression.

    A text whose key depends on the sentence behind it, as one that ends in "in May" before "3 people", has
    none; another page may have the sentence without that.

    Args:
        wanted: Keys of sentences.
        known: Texts of sentences.
        config: The tunable numbers.
    """
    left = set(wanted)
    found: dict[int, str] = {}
    for one in known:
        if one.key in left and _own_key(one.text, config) == one.key:
            left.remove(one.key)
            found[one.key] = one.text
    return found


def sentence_expression(text: str, config: SentencesConfig = SENTENCES_CONFIG) -> str:
    r"""Return a Python `re` expression that matches exactly the sentences with the key of this one.

    Its only group is the sentence. It applies to whole blocks joined by line feeds, without flags.

    >>> pattern = sentence_expression("Mary Poe wrote this on 3 May for our small and proud paper")
    >>> page = (
    ...     "News.\nJo Lee wrote this on 29 March 2026 for our small and proud paper. She is new."
    ... )
    >>> re.findall(pattern, page)
    ['Jo Lee wrote this on 29 March 2026 for our small and proud paper']

    Args:
        text: One sentence, which is counted by itself as it is on its page; see `expressible_texts`.
        config: The tunable numbers.

    Raises:
        ValueError: The text is not one sentence that is counted, or the numbers allow sentences of so few
            words that they have no expression.
    """
    if _own_key(text, config) is None:
        raise ValueError("this is not one sentence that is counted")
    if config.named_words_min > config.plain_words_min:
        raise ValueError("named_words_min is above plain_words_min")
    words = read_words(read_characters([text]))
    spelled = [
        text[first : first + length]
        for first, length in zip(words.first.tolist(), words.length.tolist(), strict=True)
    ]
    numbers = _numbers(spelled, words.numeric.tolist())
    plain = [
        not (number or capital)
        for number, capital in zip(numbers, words.capital.tolist(), strict=True)
    ]
    if sum(plain) < config.plain_words_min:
        body = _fewer_plain_words(config.plain_words_min) + _exact(spelled, numbers)
    else:
        body = _pattern(spelled, plain, config.words_min)
    pieces = _pieces()
    return f"{pieces.begin}({body}){pieces.end}"


def shingle_expression(text: str) -> str:
    r"""Return a Python `re` expression that matches exactly the shingles with the key of this one.

    It applies to one block, without flags.

    >>> re.findall(shingle_expression("all 3 of us went"), "Now ALL 17 of us went, not all.")
    ['ALL 17 of us went']

    Args:
        text: The words of a shingle, with what stands between them.
    """
    words = read_words(read_characters([text]))
    tokens = [
        _pieces().number if is_number else _spelled(text[first : first + length], any_case=True)
        for first, length, is_number in zip(
            words.first.tolist(), words.length.tolist(), words.numeric.tolist(), strict=True
        )
    ]
    return f"{_BETWEEN}*".join(tokens)


def word_expression() -> str:
    """Return the expression of one word, as `read_words` finds them."""
    return _pieces().word


def _own_key(text: str, config: SentencesConfig) -> int | None:
    """Return the key of a text that is one counted sentence by itself, else None."""
    sentences = read_sentences(read_words(read_characters([text])), config)
    return int(sentences.keys[0]) if len(sentences.keys) == 1 else None


def _numbers(spelled: Sequence[str], numeric: Sequence[bool]) -> list[bool]:
    """Return which words of a sentence are numbers or parts of dates."""
    found: list[bool] = []
    for place, (word, has_digit) in enumerate(zip(spelled, numeric, strict=True)):
        beside = (place > 0 and found[-1]) or (place + 1 < len(numeric) and numeric[place + 1])
        found.append(has_digit or (beside and _lower(word) in _calendar()))
    return found


def _pattern(spelled: Sequence[str], plain: Sequence[bool], words_min: int) -> str:
    """Return the expression of a sentence whose numbers, dates and names may change."""
    pieces = _pieces()
    run = f"(?>(?:{pieces.gap}(?:{pieces.dated}(?:{pieces.gap}{pieces.more_dated})*|{pieces.capitalised}))+)"
    parts, was_plain = [], True
    for word, is_plain in zip(spelled, plain, strict=True):
        if is_plain:
            parts.append(pieces.gap + _literal(word, any_case=False))
        elif was_plain:
            parts.append(run)
        was_plain = is_plain
    few = len(parts) < words_min
    return (f"(?=(?:{pieces.gap}{pieces.word}){{{words_min}}})" if few else "") + "".join(parts)


def _exact(spelled: Sequence[str], numbers: Sequence[bool]) -> str:
    """Return the expression of a sentence of which numbers alone may change, each to one number."""
    pieces = _pieces()
    parts, was_number = [], False
    for word, is_number in zip(spelled, numbers, strict=True):
        if is_number:
            token = pieces.more_dated if was_number else pieces.dated
        else:
            token = _literal(word, any_case=True)
        parts.append(pieces.gap + token)
        was_number = is_number
    return "".join(parts)


def _fewer_plain_words(plain_words_min: int) -> str:
    """Return a look-ahead for sentences with fewer words that neither are names nor numbers."""
    pieces = _pieces()
    other = f"(?:{pieces.dated}(?:{pieces.gap}{pieces.more_dated})*|{pieces.capitalised})"
    skipped = f"(?>(?:{pieces.gap}{other})*)"
    return f"(?!(?:{skipped}{pieces.gap}{pieces.uncapitalised}){{{plain_words_min}}})"


def _literal(word: str, *, any_case: bool) -> str:
    """Return the expression of a word of a sentence, in which a month beside a number is none."""
    is_calendar = bool(re.match(_SPACED, word)) and _lower(word) in _calendar()
    follows = f"(?!{_pieces().is_before_number})" if is_calendar else ""
    return _spelled(word, any_case=any_case) + follows


def _spelled(word: str, *, any_case: bool) -> str:
    """Return the expression of a word in any case, or in any with the same kind of first letter."""
    capitals, spellings = _capitals(), _spellings()
    parts = []
    for place, character in enumerate(word):
        forms = spellings.get(_lower(character), character)
        if place == 0 and not any_case:
            forms = "".join(one for one in forms if one not in capitals)
        parts.append(re.escape(forms) if len(forms) == 1 else f"[{forms}]")
    whole = "".join(parts)
    return f"{_WORD_START}{whole}{_WORD_END}" if re.match(_SPACED, word) else whole


def _lower(text: str) -> str:
    table = letter_tables()[1]
    return "".join(chr(table[ord(one)]) if ord(one) < KNOWN else one for one in text)


@functools.cache
def _spellings() -> dict[str, str]:
    """Return the characters that have the same lower case as each, where there are several."""
    found: defaultdict[int, list[int]] = defaultdict(list)
    for point, small in enumerate(letter_tables()[1][:KNOWN].tolist()):
        found[small].append(point)
    return {chr(small): "".join(map(chr, forms)) for small, forms in found.items() if forms[1:]}


@functools.cache
def _capitals() -> frozenset[str]:
    return frozenset(map(chr, np.flatnonzero(letter_tables()[0] & UPPER).tolist()))


@functools.cache
def _calendar() -> frozenset[str]:
    return frozenset(tokenise(_lower(" ".join([*MONTHS.values(), *WEEKDAYS.values()]))))


def _ranges(points: Sequence[int]) -> str:
    """Return ascending code points as the inside of a class of characters."""
    parts: list[list[int]] = []
    for point in points:
        if parts and parts[-1][1] == point - 1:
            parts[-1][1] = point
        else:
            parts.append([point, point])
    return "".join(
        chr(first) if first == last else f"{chr(first)}-{chr(last)}" for first, last in parts
    )


@functools.cache
def _pieces() -> _Pieces:
    classes = letter_tables()[0]
    marks = [chr(point) for point in np.flatnonzero(classes[:KNOWN] & SENTENCE_END)]
    wide = "".join(one for one in marks if ord(one) >= _WIDE_FROM)
    narrow = re.escape("".join(one for one in marks if ord(one) < _WIDE_FROM))
    closers = re.escape("".join(map(chr, np.flatnonzero(classes[:KNOWN] & CLOSER))))
    ends = rf"(?:[{wide}\n]|[{narrow}][{narrow}{closers}]*\s)"
    gap = f"(?:(?!{ends}){_BETWEEN})*"
    alone = rf"[{_UNSPACED}{_RARE}]"
    number = rf"(?:{_WORD_START}(?={_SPACED}*\d){_SPACED}+|(?=\d)[{_UNSPACED}])"
    is_before_number = f"{_BETWEEN}*{number}"
    names = "|".join(sorted(_calendar(), key=lambda name: (-len(name), name)))
    calendar = f"{_WORD_START}(?!{_SPACED}*[{_OTHER_FORMS}])(?i:{names}){_WORD_END}"
    upper = _ranges(np.flatnonzero(classes[:KNOWN] & UPPER).tolist())
    return _Pieces(
        begin=rf"(?:\A|{ends}){_BETWEEN}*",
        end=rf"(?={gap}(?:{ends}|\Z))",
        gap=gap,
        is_before_number=is_before_number,
        number=number,
        dated=f"(?:{number}|{calendar}(?={is_before_number}))",
        more_dated=f"(?:{number}|{calendar})",
        capitalised=f"(?:{_WORD_START}[{upper}]{_SPACED}*)",
        uncapitalised=(
            rf"(?:(?!{number}|{calendar}{is_before_number})"
            rf"(?:{_WORD_START}(?![{upper}]){_SPACED}+|{alone}))"
        ),
        word=f"(?:{_WORD_START}{_SPACED}+|{alone})",
    )
