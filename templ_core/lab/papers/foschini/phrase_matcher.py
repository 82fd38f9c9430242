"""Which parts of a page a site's phrases cover."""

import numpy as np

from templ_core.array_types import Bools, Floats
from templ_core.dom.document import Document
from templ_core.lab.papers.foschini._phrase_automaton import UNKNOWN, PhraseAutomaton
from templ_core.lab.papers.foschini._phrase_tokens import TokenNumbers, token_spans
from templ_core.lab.papers.foschini.mutable_patterns import normaliser_of
from templ_core.lab.papers.foschini.phrase_corpus import LINE, lines_of_segments
from templ_core.lab.papers.foschini.phrase_removal import Span, union_of_spans
from templ_core.lab.papers.foschini.phrase_set import PhraseSet

_REMEMBERED_TOKENS = 1 << 17
"""Different tokens whose numbers are kept from page to page; then the memory starts anew."""
_BORDER = 0


class PhraseMatcher:
    r"""Finds the phrases of a set on any number of pages.

    >>> from templ_core.dom.document import parse_document
    >>> from templ_core.lab.papers.foschini.phrase_set import Phrase
    >>> phrase = Phrase(("\n", "Leave", "a", "comment", "\n"), 3)
    >>> matcher = PhraseMatcher(PhraseSet(pages=3, phrases=(phrase,)))
    >>> page = "<p>Nobody may leave a comment.<p>Leave a comment"
    >>> matcher.coverage(parse_document(page, "http://a.example/")).tolist()
    [0.0, 1.0]
    """

    def __init__(self, phrase_set: PhraseSet) -> None:
        """Read the phrases of a set."""
        self._markup = phrase_set.markup
        self.is_empty = not phrase_set.phrases
        number_of_key = {LINE: _BORDER}
        self._automaton = PhraseAutomaton(
            [number_of_key.setdefault(key, len(number_of_key)) for key in phrase.keys]
            for phrase in phrase_set.phrases
        )
        normaliser = normaliser_of(phrase_set.patterns)
        self._numbers = TokenNumbers(
            lambda token: number_of_key.get(normaliser.key(token), UNKNOWN),
            border=_BORDER,
            remembered_max=_REMEMBERED_TOKENS,
        )

    def spans(self, page: str) -> list[Span]:
        """Return the spans of a page that phrases cover, in order and apart from each other.

        They are the union of all matches of the phrases' expressions.

        Args:
            page: Text with a line for each block; markup where the set was learned on markup.
        """
        numbers, _ = self._numbers.read([page], markup=self._markup)
        starts, ends = token_spans(page, markup=self._markup).T
        if not self._markup:
            is_border = numbers == _BORDER
            starts, ends = np.r_[0, starts, len(page)], np.r_[0, ends, len(page)]
            starts, ends = np.where(is_border, ends, starts), np.where(is_border, starts, ends)
        lengths = self._automaton.lengths(numbers)
        last = np.flatnonzero(lengths)
        first = last - lengths[last] + 1
        return union_of_spans(list(zip(starts[first].tolist(), ends[last].tolist(), strict=True)))

    def coverage(self, document: Document, wanted: Bools | None = None) -> Floats:
        """Return the share of each segment's tokens inside phrases, 0 to 1; length n_segments.

        Args:
            document: The page.
            wanted: Which segments to look at, the others get 0; None = all.
        """
        size = len(document.segments.texts)
        segments = np.arange(size) if wanted is None else np.flatnonzero(wanted)
        numbers, owners = self._numbers.read(lines_of_segments(document, segments))
        share = np.zeros(size)
        share[segments] = self._automaton.shares(
            numbers, owners, count=len(segments), border=_BORDER
        )
        return share
