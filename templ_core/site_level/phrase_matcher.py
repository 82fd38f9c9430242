"""What a site's phrases cover of a page."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from templ_core.dom.document import Document
from templ_core.site_level.mutable_patterns import Normaliser
from templ_core.site_level.phrase_automaton import UNKNOWN, PhraseAutomaton
from templ_core.site_level.phrase_corpus import (
    LINE,
    TokenPlace,
    lines_of_segments,
    page_tokens,
    token_places,
)
from templ_core.site_level.phrase_removal import Span, union
from templ_core.site_level.phrase_set import PhraseSet

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_REMEMBERED_TOKENS = 1 << 17


class PhraseMatcher:
    """Finds a set's phrases on pages; made once for a set, used on any number of pages."""

    def __init__(self, phrase_set: PhraseSet) -> None:
        """Read the phrases of a set."""
        self._markup = phrase_set.markup
        numbers: dict[str, int] = {}
        self._automaton = PhraseAutomaton(
            [numbers.setdefault(key, len(numbers)) for key in phrase.keys]
            for phrase in phrase_set.phrases
        )
        self._number_of = _TokenNumbers(numbers, Normaliser(phrase_set.patterns))

    def covered(self, tokens: Sequence[str]) -> Bools:
        """Which tokens of a page are inside a phrase; line feeds are the borders of blocks."""
        return self._automaton.covered(list(map(self._number_of.__getitem__, tokens)))

    def spans(self, page: str) -> list[Span]:
        """What phrases cover of a page, in order: the union of all matches of their expressions.

        Args:
            page: Text, a line a block; markup where the set was learned on markup.
        """
        places = token_places(page, markup=self._markup)
        numbers = [self._number_of[token] for token, _, _ in places]
        first, last = self._automaton.occurrences(numbers)
        return union(
            [
                (_start(places[one]), _end(places[other]))
                for one, other in zip(first.tolist(), last.tolist(), strict=True)
            ]
        )

    def coverage(self, document: Document, wanted: Bools | None = None) -> Floats:
        """The share of each segment's tokens inside phrases, 0 to 1; length n_segments.

        Args:
            document: The page.
            wanted: The segments to look at, 0 for the others; None = all.
        """
        if wanted is not None:
            return self._coverage_of(document, np.flatnonzero(wanted))
        return self._coverage_of(document, np.arange(len(document.segments.texts)))

    def _coverage_of(self, document: Document, segments: Ints) -> Floats:
        lines = lines_of_segments(document, segments)
        tokens = page_tokens(LINE.join(lines)) if lines else []
        covered = self.covered(tokens)
        is_border = np.fromiter((token == LINE for token in tokens), np.bool_, len(tokens))
        line = (np.cumsum(is_border) - 1)[~is_border]
        segment = np.repeat(segments, [text.count(LINE) + 1 for text in lines])[line]
        size = len(document.segments.texts)
        total = np.bincount(segment, minlength=size)
        share: Floats = np.bincount(segment, covered[~is_border], size) / np.maximum(total, 1)
        return share


def _start(place: TokenPlace) -> int:
    token, first, behind = place
    return behind if token == LINE else first


def _end(place: TokenPlace) -> int:
    token, first, behind = place
    return first if token == LINE else behind


class _TokenNumbers(dict[str, int]):
    """Tokens to the numbers of their keys; remembers a bounded number of tokens."""

    def __init__(self, numbers: dict[str, int], normaliser: Normaliser) -> None:
        super().__init__()
        self._numbers = numbers
        self._key = normaliser.key

    def __missing__(self, token: str) -> int:
        if len(self) >= _REMEMBERED_TOKENS:
            self.clear()
        key = token if token == LINE else self._key(token)
        number = self[token] = self._numbers.get(key, UNKNOWN)
        return number
