"""The tokens of pages: which of them change though they are template, and pages as one sequence of token numbers.

Foschini's thesis (2007), sections 3.2, steps 1 and 2, 3.3 and 5.2. A mutable pattern is a set of tokens that change from page
to page and yet belong to a template. It matches whole compounds (`templ_core.tokens`), so which pattern a token
belongs to does not depend on what stands around it.
"""

import functools
import re
from collections.abc import Sequence
from typing import TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.array_types import Int32s, Int64s, UInt16s, UInt32s
from templ_core.dom.document import Document
from templ_core.site_level.strings.string_evidence import MONTHS, WEEKDAYS
from templ_core.site_level.strings.suffix_array import BORDER, BREAK
from templ_core.tokens import UNSPACED, WORD

SYMBOL = rf"[^\w\s{UNSPACED[1:-1]}]"
"""Pattern of a character that is neither white space nor in a word."""
JOINERS = ".,:/@'’&=?#%+~$€£¥-"
"""Marks that join the words before and after them to a compound."""
JOINER = f"[{JOINERS}]"
"""Pattern of one such mark."""
JOINERS_MAX = 3
"""Largest number of marks in a row inside a compound: `https://a.org` has three."""

_UNITS = {
    "en": "second seconds minute minutes hour hours day days week weeks month months year years "
    "sec secs min mins hr hrs",
    "es": "segundo segundos minuto minutos hora horas día días semana semanas mes meses año años",
    "de": "Sekunde Sekunden Minute Minuten Stunde Stunden Tag Tage Tagen Woche Wochen Monat Monate "
    "Monaten Jahr Jahre Jahren",
    "fr": "seconde secondes heure heures jour jours semaine semaines mois année années",
    "it": "secondo secondi minuti ora ore giorno giorni settimana settimane mese mesi anno anni",
    "pt": "dia dias semanas mês ano anos",
}
"""Names of units of time by language, found in the same forms as those of months."""

_UPPER = "[A-ZÀ-ÖØ-ÞŠŽΑ-ΫЀ-Я]"
_MORE = rf"(?:{JOINER}{{1,{JOINERS_MAX}}}{WORD}+)*"
_AMOUNT = r"\d+(?:[.,]\d+)*"
_DIGITS = re.compile(r"\d+")

TOKEN_END = rf"(?!{JOINER}{{0,{JOINERS_MAX}}}{WORD})"
"""Look-ahead: a compound ends here."""
TOKEN_START = "".join(rf"(?<!{WORD}{JOINER * joiners})" for joiners in range(JOINERS_MAX + 1))
"""Look-behind: a compound may start here."""


class MutablePattern(msgspec.Struct, frozen=True):
    """A set of tokens that count as the same token."""

    name: str
    """The name of the set: small letters and underscores."""
    words: tuple[str, ...] = ()
    """Tokens that belong to the set, as written."""
    pattern: str = ""
    """A Python `re` expression of whole tokens that belong to the set; empty = none."""
    but_not: tuple[str, ...] = ()
    """Names of earlier patterns that may match the same tokens."""

    def problem(self) -> str | None:
        """Return what keeps the pattern from being used; None where nothing does."""
        if not re.fullmatch("[a-z_]+", self.name):
            return "has a name that is not of small letters and underscores"
        if not self.words and not self.pattern:
            return "has neither `words` nor `pattern`"
        try:
            compiled = re.compile(self.pattern)
        except re.error as error:
            return f"is no regular expression: {error}"
        return "has groups; write (?: ) instead" if compiled.groups else None


def _names(*texts: str) -> tuple[str, ...]:
    """Return every name as written, with a capital, and in capitals."""
    forms: dict[str, None] = {}
    for name in " ".join(texts).split():
        forms |= dict.fromkeys((name, name[0].upper() + name[1:], name.upper()))
    return tuple(forms)


PATTERNS = (
    MutablePattern("month", _names(*MONTHS.values())),
    MutablePattern("weekday", _names(*WEEKDAYS.values())),
    MutablePattern("time_unit", _names(*_UNITS.values())),
    MutablePattern("by", ("by", "By", "BY")),
    MutablePattern(
        "abbreviation", ("Mr", "Mrs", "Ms", "Dr", "Prof", "Sen", "Gov", "Rep", "Sr", "Sra", "Dra")
    ),
    MutablePattern("currency", ("USD", "EUR", "GBP", "CHF", "JPY", "CAD", "AUD", "BRL")),
    MutablePattern("url", pattern=rf"(?:(?:https?|ftp)://|www\.){WORD}+{_MORE}"),
    MutablePattern("email", pattern=rf"{WORD}+(?:[.+-]{WORD}+)*@{WORD}+(?:[.-]{WORD}+)+"),
    MutablePattern(
        "date",
        pattern=r"\d{1,4}(?:-\d{1,2}-|/\d{1,2}/|\.\d{1,2}\.)\d{1,4}"
        r"|\d+-\d+-\d+T\d+:\d+(?::\d+)?(?:\.\d+)?(?:Z|[+-]\d+:\d+)?",
    ),
    MutablePattern("time", pattern=r"\d{1,2}:\d{2}(?::\d{2})?|\d+(?:[:.]\d+)?(?:[ap]m|[AP]M)"),
    MutablePattern("number", pattern=_AMOUNT, but_not=("date",)),
    MutablePattern("telephone", pattern=r"\d+(?:[-.+]\d+)+", but_not=("date", "number")),
    MutablePattern(
        "figures",
        pattern=rf"\d+(?:{JOINER}{{1,{JOINERS_MAX}}}\d+)+",
        but_not=("date", "time", "number", "telephone"),
    ),
    MutablePattern("ordinal", pattern=r"\d+(?:st|nd|rd|th|er|re|ère|e|ème|o|a|º|ª)"),
    MutablePattern(
        "money",
        pattern=rf"[A-Z]{{1,3}}[$€£¥]{_AMOUNT}|{_AMOUNT}(?:USD|EUR|GBP|CHF|JPY|CAD|AUD|BRL)",
    ),
    MutablePattern("initials", pattern=rf"(?:{_UPPER}\.)+{_UPPER}"),
    MutablePattern("ruler", pattern="_+"),
    MutablePattern("uppercase", pattern=rf"{_UPPER}{{2,}}(?:[-_&']{_UPPER}+)*"),
)
"""The patterns in order: a token belongs to the first one that it matches.

Digits alone, joined by marks, always belong to one, and no other pattern depends on which digits a
token has. Rulers of other characters, signs of currency and brackets stand between tokens and never
matter.
"""
_SHAPES = re.compile("|".join(f"({one.pattern})" for one in PATTERNS if one.pattern))
"""One group for each pattern that has an expression: the first group that fits a whole token matches."""
_SHAPE_KEYS = tuple(f"<{one.name}>" for one in PATTERNS if one.pattern)
"""The key of each group of `_SHAPES`."""


class Normaliser:
    """Gives tokens the keys by which they are compared.

    The key of a token of a mutable pattern is its name, as in `<date>`; any other token stays as it
    is, case included, but for its runs of digits, which become `0`.

    >>> normaliser = Normaliser()
    >>> [normaliser.key(token) for token in ("Monday", "27/02/2007", "post-17", "Read")]
    ['<weekday>', '<date>', 'post-0', 'Read']
    """

    def __init__(self, extra: Sequence[MutablePattern] = ()) -> None:
        """Read the patterns.

        Raises:
            re.error: A pattern is no regular expression.
        """
        self.patterns = (*extra, *PATTERNS)
        self._extra = tuple(pattern.name for pattern in extra)
        self._words = {
            word: f"<{pattern.name}>"
            for pattern in reversed(self.patterns)
            for word in pattern.words
        }
        self._extra_shapes = [
            (f"<{pattern.name}>", re.compile(pattern.pattern))
            for pattern in extra
            if pattern.pattern
        ]
        self._by_key = {f"<{pattern.name}>": pattern for pattern in self.patterns}
        self._plain_words = not any(pattern.pattern for pattern in extra)

    def key(self, token: str) -> str:
        """Return the key of a token."""
        known = self._words.get(token)
        if known is not None:
            return known
        if self._plain_words and token.isalpha() and not token.isupper():
            return token
        for key, shape in self._extra_shapes:
            if shape.fullmatch(token):
                return key
        match = _SHAPES.fullmatch(token)
        if match and match.lastindex:
            return _SHAPE_KEYS[match.lastindex - 1]
        return _DIGITS.sub("0", token)

    def has_meaning(self, key: str) -> bool:
        """Return whether a key is a word or one of certain words, rather than figures or a shape."""
        pattern = self._by_key.get(key)
        return pattern is None or bool(pattern.words)

    def expression(self, key: str) -> str:
        """Return a regular expression that of all tokens matches exactly those with this key."""
        pattern = self._by_key.get(key)
        if pattern is None:
            body = re.escape(key).replace("0", r"\d+")
            return self._guard([name for name in self._extra if self._has_shape(name)]) + body
        own = self.patterns.index(pattern)
        others = [*pattern.but_not, *(n for n in self._extra if n != pattern.name)]
        words = [
            word
            for other in self.patterns[:own]
            for word in other.words
            if pattern.pattern and re.fullmatch(pattern.pattern, word)
        ]
        return self._guard(others, words) + f"(?:{_alternatives(pattern)})"

    def _has_shape(self, name: str) -> bool:
        return bool(self._by_key[f"<{name}>"].pattern)

    def _guard(self, names: Sequence[str], words: Sequence[str] = ()) -> str:
        """Return a look-ahead that refuses tokens of these patterns, and these words."""
        refused = [_alternatives(self._by_key[f"<{name}>"]) for name in names]
        refused += map(re.escape, words)
        return f"(?!(?:{'|'.join(refused)}){TOKEN_END})" if refused else ""


@functools.lru_cache(16)
def normaliser_of(extra: tuple[MutablePattern, ...]) -> Normaliser:
    """Return the normaliser of some further patterns; equal patterns share one.

    >>> normaliser_of(()) is normaliser_of(())
    True
    """
    return Normaliser(extra)


def _alternatives(pattern: MutablePattern) -> str:
    parts = [*map(re.escape, pattern.words), *([pattern.pattern] if pattern.pattern else [])]
    return "|".join(parts)


LINE = "\n"
"""Key of a border."""
TokenPlace: TypeAlias = tuple[str, int, int]
"""A token, the index of its first character, and the index behind its last one."""
_COMPOUND = rf"{WORD}++(?:{JOINER}{{1,{JOINERS_MAX}}}{WORD}++)*"
_TEXT_TOKEN = re.compile(rf"{_COMPOUND}|\n|{UNSPACED}")
_MARKUP_TOKEN = re.compile(f"{_COMPOUND}|{SYMBOL}++|{UNSPACED}")


def page_text(document: Document) -> str:
    r"""Return the text of a page, a line for each block and each part of it between line breaks.

    A verbatim block is one line, because listings of programs begin alike without being a template.

    >>> from templ_core.dom.document import parse_document
    >>> page_text(parse_document("<h1>News</h1><p>One<br>two", "http://a.example/")).split("\n")
    ['News', 'One', 'two']
    """
    return LINE.join(lines_of_segments(document))


def segment_of_each_line(document: Document) -> Int64s:
    """Return the number of the segment that each line of `page_text` belongs to; length n_lines."""
    lines = [text.count(LINE) + 1 for text in lines_of_segments(document)]
    return np.repeat(np.arange(len(lines)), lines)


def lines_of_segments(document: Document) -> list[str]:
    """Return the text of each segment with a line feed between its lines."""
    element_types, element_type = document.nodes.element_types, document.nodes.element_type
    texts, owners = document.segments.texts, document.segments.owner
    return [
        text.replace(LINE, " ") if element_types[one][0] == "pre" else text
        for text, one in zip(texts, element_type[owners].tolist(), strict=True)
    ]


class TokenCorpus(msgspec.Struct, frozen=True, kw_only=True):
    """The tokens of some pages, one after the other, a break behind each page."""

    tokens: UInt16s | UInt32s
    """Number of each token; `BREAK` for tokens that occur too rarely."""
    document_of: npt.NDArray[np.unsignedinteger]
    """Number of each token's page."""
    keys: list[str]
    """Key of each number."""


def page_tokens(page: str, *, markup: bool = False) -> list[str]:
    r"""Return the tokens of a page; the lines of text have a border before and after each.

    The tokens of text are compounds, characters of scripts without spaces, and borders. A compound is
    a word, or words joined by up to three marks without white space: numbers, times and addresses are
    one token each. The four characters on either side of a place decide whether a token starts or ends
    there. In markup runs of other symbols are tokens, too, and there are no borders.

    >>> page_tokens("Read at 12:30\nhttps://a.org/b?c=1")
    ['\n', 'Read', 'at', '12:30', '\n', 'https://a.org/b?c=1', '\n']
    >>> page_tokens('<p class="a">x y</p>', markup=True)
    ['<', 'p', 'class', '="', 'a', '">', 'x', 'y', '</', 'p', '>']
    """
    return _MARKUP_TOKEN.findall(page) if markup else [LINE, *_TEXT_TOKEN.findall(page), LINE]


def token_places(page: str, *, markup: bool = False) -> list[TokenPlace]:
    """Return the tokens of a page with their places in `page`.

    The place of a border is the end of one line and the start of the next.
    """
    matches = (_MARKUP_TOKEN if markup else _TEXT_TOKEN).finditer(page)
    places = [(one[0], one.start(), one.end()) for one in matches]
    return places if markup else [(LINE, 0, 0), *places, (LINE, len(page), len(page))]


def read_corpus(
    pages: Sequence[str], normaliser: Normaliser, *, occurrences_min: int, markup: bool
) -> TokenCorpus:
    """Return the corpus of some pages.

    Args:
        pages: Text with a line for each block; or markup as it is.
        normaliser: Gives tokens their keys.
        occurrences_min: Keys that occur less often become breaks.
        markup: Whether the pages are markup; symbols are tokens then, and lines mean nothing.
    """
    number_of_key = {"": BREAK, LINE: BORDER}

    @functools.cache
    def number_of(token: str) -> int:
        key = token if token == LINE else normaliser.key(token)
        return number_of_key.setdefault(key, len(number_of_key))

    parts = [
        np.fromiter(map(number_of, page_tokens(page, markup=markup)), np.int32) for page in pages
    ]
    return _renumbered(parts, list(number_of_key), occurrences_min)


def _renumbered(parts: list[Int32s], keys: list[str], occurrences_min: int) -> TokenCorpus:
    """Return the corpus with numbers for frequent keys alone, without gaps, so they need few bytes."""
    sizes = np.array([len(part) + 1 for part in parts], np.int64)
    end = np.array([BREAK], np.int32)
    joined = np.concatenate([piece for part in parts for piece in (part, end)] or [end[:0]])
    frequent = np.bincount(joined, minlength=len(keys)) >= occurrences_min
    frequent[[BREAK, BORDER]] = True
    new = np.where(frequent, np.cumsum(frequent) - 1, BREAK)
    small = np.count_nonzero(frequent) <= np.iinfo(np.uint16).max
    tokens = new.astype(np.uint16 if small else np.uint32)[joined]
    few = len(parts) <= np.iinfo(np.uint16).max
    documents = np.arange(len(parts)).astype(np.uint16 if few else np.uint32)
    document_of = np.repeat(documents, sizes)
    kept = np.ones(len(tokens), np.bool_)
    kept[1:] = (tokens[1:] != BREAK) | (tokens[:-1] != BREAK)
    return TokenCorpus(
        tokens=tokens[kept],
        document_of=document_of[kept],
        keys=[keys[number] for number in np.flatnonzero(frequent).tolist()],
    )
