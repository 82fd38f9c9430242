"""Which phrases of a set stand where on a page, one by one."""

import msgspec
import numpy as np

from templ_core.dom.document import Document
from templ_core.site_level.phrases._phrase_automaton import UNKNOWN, PhraseAutomaton
from templ_core.site_level.phrases.mutable_patterns import Normaliser
from templ_core.site_level.phrases.phrase_corpus import LINE, lines_of_segments, token_places
from templ_core.site_level.phrases.phrase_set import Phrase, PhraseSet


class PhraseHit(msgspec.Struct, frozen=True):
    """One occurrence of a phrase in a segment."""

    phrase: Phrase
    start: int
    """Index of its first character in the text of the segment."""
    end: int
    """Index behind its last character."""


class PhraseFinder:
    r"""Finds the occurrences of a set's phrases, the longest of those that end at a place.

    >>> phrases = PhraseSet(pages=3, phrases=(Phrase(("\n", "Leave", "a", "comment", "\n"), 3),))
    >>> from templ_core.dom.document import parse_document
    >>> page = parse_document("<p>Leave it<p>Leave a comment", "http://a.example/")
    >>> [
    ...     [(one.phrase.pages, one.start) for one in hits]
    ...     for hits in PhraseFinder(phrases).hits(page)
    ... ]
    [[], [(3, 0)]]
    """

    def __init__(self, phrase_set: PhraseSet) -> None:
        """Read the phrases of a set that was learned on text."""
        self._phrases = {phrase.keys: phrase for phrase in phrase_set.phrases}
        self._numbers: dict[str, int] = {}
        number = self._numbers.setdefault
        self._automaton = PhraseAutomaton(
            [number(key, len(self._numbers)) for key in phrase.keys]
            for phrase in phrase_set.phrases
        )
        self._normaliser = Normaliser(phrase_set.patterns)

    def hits(self, document: Document) -> list[list[PhraseHit]]:
        """Return the occurrences in each segment; length n_segments."""
        return [self._in_text(text) for text in lines_of_segments(document)]

    def _in_text(self, text: str) -> list[PhraseHit]:
        found, start = [], 0
        for line in text.split(LINE):
            found += self._in_line(line, start)
            start += len(line) + 1
        return found

    def _in_line(self, line: str, start: int) -> list[PhraseHit]:
        places = token_places(line)
        keys = tuple(
            LINE if token == LINE else self._normaliser.key(token) for token, _, _ in places
        )
        numbers = np.array([self._numbers.get(key, UNKNOWN) for key in keys], np.int32)
        lengths = self._automaton.lengths(numbers)
        found = []
        for last in np.flatnonzero(lengths).tolist():
            first = last - int(lengths[last]) + 1
            phrase = self._phrases.get(keys[first : last + 1])
            if phrase is not None:
                found.append(PhraseHit(phrase, start + places[first][1], start + places[last][2]))
        return found
