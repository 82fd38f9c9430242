"""Mutable patterns: tokens that change from page to page and yet belong to a template.

Foschini's thesis (2007), sections 3.3 and 5.2. A pattern matches whole compounds
(`templ_core.tokens`), so which pattern a token belongs to does not depend on what stands around it.
"""

import functools
import re
from collections.abc import Sequence

import msgspec

from templ_core.site_level.strings.calendars import MONTHS, WEEKDAYS
from templ_core.tokens import JOINER, JOINERS_MAX, WORD

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
        found = _SHAPES.fullmatch(token)
        if found and found.lastindex:
            return _SHAPE_KEYS[found.lastindex - 1]
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
        found = [_alternatives(self._by_key[f"<{name}>"]) for name in names]
        found += map(re.escape, words)
        return f"(?!(?:{'|'.join(found)}){TOKEN_END})" if found else ""


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
