"""Phrases as regular expressions: Foschini's thesis (2007), section 3.4."""

import re

from templ_core.lab.papers.foschini.mutable_patterns import TOKEN_END, TOKEN_START, Normaliser
from templ_core.lab.papers.foschini.phrase_corpus import LINE
from templ_core.lab.papers.foschini.phrase_set import Phrase, PhraseSet
from templ_core.tokens import JOINER, JOINERS_MAX, SYMBOL, UNSPACED, WORD

_BETWEEN_TOKENS = rf"[^\w\n{UNSPACED[1:-1]}]*"
_LINE_START = rf"(?m:^){_BETWEEN_TOKENS}"
_LINE_END = rf"{_BETWEEN_TOKENS}(?m:$)"
_BETWEEN_MARKUP_TOKENS = r"\s*"
_WORD = re.compile(WORD)
_UNSPACED = re.compile(UNSPACED)
_JOINERS = re.compile(rf"{JOINER}{{1,{JOINERS_MAX}}}")


def expressions(phrase_set: PhraseSet) -> list[str]:
    """Return the regular expression of each phrase of a set, in their order; see `expression`."""
    normaliser = Normaliser(phrase_set.patterns)
    return [
        expression(phrase, normaliser, markup=phrase_set.markup) for phrase in phrase_set.phrases
    ]


def expression(phrase: Phrase, normaliser: Normaliser, *, markup: bool = False) -> str:
    r"""Return a Python `re` expression that matches exactly the occurrences of a phrase.

    It applies to text as it is, without flags: case matters, runs of digits inside words are `\d+`,
    and a mutable pattern is written out. In text a line is a block, and any marks and white space
    but line feeds may stand between two tokens; a border takes all that its line has at that end.
    In markup, only white space may, and symbols are tokens. Look-arounds keep a match from starting
    or ending inside a token.

    >>> keys = ("\n", "Posted", "on", "<weekday>", "\n")
    >>> pattern = expression(Phrase(keys, 3), Normaliser())
    >>> re.findall(pattern, "News\nPosted on Monday.\nPosted on time")
    ['Posted on Monday.']

    Args:
        phrase: The phrase.
        normaliser: Has the mutable patterns with which the phrase was learned.
        markup: Whether the phrase was learned on markup.
    """
    keys = [key for key in phrase.keys if key != LINE]
    between = _BETWEEN_MARKUP_TOKENS if markup else _BETWEEN_TOKENS
    start = _LINE_START if phrase.keys[0] == LINE else TOKEN_START if _WORD.search(keys[0]) else ""
    end = _LINE_END if phrase.keys[-1] == LINE else ""
    return start + between.join(_piece(key, normaliser) for key in keys) + end


def _piece(key: str, normaliser: Normaliser) -> str:
    """Return a pattern of whole tokens with this key that do not start inside a compound."""
    if _WORD.search(key):
        return normaliser.expression(key) + TOKEN_END
    if _UNSPACED.fullmatch(key):
        return key
    symbols = re.escape(key)
    if _JOINERS.fullmatch(key):
        symbols = f"(?:(?<!{WORD}){symbols}|{symbols}(?!{WORD}))"
    return f"(?<!{SYMBOL}){symbols}(?!{SYMBOL})"
