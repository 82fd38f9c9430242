"""Which parts of a page a site's phrases cover, taking them out, and phrases as regular expressions.

Foschini's thesis (2007), sections 3.4 and 6.1.
"""

import re
from collections.abc import Sequence
from typing import TypeAlias

from templ_core.lab.papers.foschini.page_tokens import (
    JOINER,
    JOINERS_MAX,
    LINE,
    SYMBOL,
    TOKEN_END,
    TOKEN_START,
    Normaliser,
    normaliser_of,
    token_places,
)
from templ_core.lab.papers.foschini.phrases import Phrase, PhraseAutomaton, PhraseSet
from templ_core.tokens import UNSPACED, WORD

Span: TypeAlias = tuple[int, int]
"""Index of the first character, and the index behind the last one."""

_WORD_CHARACTER = re.compile(r"\w")


_GAP_CHARS = 16
"""Spans with fewer characters between them become one."""
_ISLAND_CHARS = 12
"""A shorter span with text on both sides in its line is dropped."""


def union_of_spans(spans: Sequence[Span]) -> list[Span]:
    """Return the spans in order, with those that overlap or touch made one.

    >>> union_of_spans([(7, 9), (0, 3), (2, 5)])
    [(0, 5), (7, 9)]
    """
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def settled_spans(page: str, spans: Sequence[Span]) -> list[Span]:
    r"""Return the spans after the locality heuristics of Foschini's thesis, section 6.1.

    "A little chunk of good text in between two large templated strings is probably part of the
    template too", "a few characters removed in the middle of a clean chunk of text are probably a
    false positive".

    >>> settled_spans("Home | News\nOur tea is fresh", [(0, 4), (7, 11), (16, 19)])
    [(0, 19)]
    >>> settled_spans("Home | News\nOur tea is fresh", [(16, 19)])
    []
    """
    merged: list[Span] = []
    for start, end in spans:
        if merged and start - merged[-1][1] < _GAP_CHARS:
            merged[-1] = merged[-1][0], end
        else:
            merged.append((start, end))
    return [
        span
        for span in merged
        if span[1] - span[0] >= _ISLAND_CHARS or not _inside_a_line(page, span)
    ]


def _inside_a_line(page: str, span: Span) -> bool:
    """Return whether a line has words on both sides of a span."""
    before = page[page.rfind("\n", 0, span[0]) + 1 : span[0]]
    end_of_line = page.find("\n", span[1])
    after = page[span[1] : end_of_line if end_of_line >= 0 else None]
    return bool(_WORD_CHARACTER.search(before) and _WORD_CHARACTER.search(after))


def text_outside(page: str, spans: Sequence[Span]) -> str:
    r"""Return the text outside the spans; lines that keep no word go.

    >>> text_outside("Home\nRead more: boats", [(0, 4), (5, 15)])
    'boats'
    """
    parts, place = [], 0
    for start, end in spans:
        parts.append(page[place:start])
        place = end
    parts.append(page[place:])
    lines = "".join(parts).split("\n")
    return "\n".join(line.strip() for line in lines if _WORD_CHARACTER.search(line))


class PhraseMatcher:
    r"""Finds the phrases of a set on any number of pages.

    >>> from templ_core.lab.papers.foschini.phrases import Phrase
    >>> phrase = Phrase(("\n", "Leave", "a", "comment", "\n"), 3)
    >>> matcher = PhraseMatcher(PhraseSet(pages=3, phrases=(phrase,)))
    >>> matcher.spans("Nobody may leave a comment.\nLeave a comment")
    [(28, 43)]
    """

    def __init__(self, phrase_set: PhraseSet) -> None:
        self._markup = phrase_set.markup
        self._automaton = PhraseAutomaton(phrase.keys for phrase in phrase_set.phrases)
        self._key = normaliser_of(phrase_set.patterns).key

    def spans(self, page: str) -> list[Span]:
        """Return the spans of a page that phrases cover, in order and apart from each other.

        They are the union of all matches of the phrases' expressions.

        Args:
            page: Text with a line for each block; markup where the set was learned on markup.
        """
        places = token_places(page, markup=self._markup)
        keys = (token if token == LINE else self._key(token) for token, _, _ in places)
        # A phrase begins behind a border, and ends before one.
        starts = [behind if token == LINE else first for token, first, behind in places]
        ends = [first if token == LINE else behind for token, first, behind in places]
        return union_of_spans(
            [
                (starts[last - length + 1], ends[last])
                for last, length in enumerate(self._automaton.lengths(keys))
                if length
            ]
        )


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
