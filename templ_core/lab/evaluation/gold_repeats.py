"""What the gold of a site repeats, which counts neither way.

Terms of delivery and notices that the gold of page after page has are content to some who make gold and
template to others. It is no mistake to keep them, and none to remove them.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from templ_core.array_types import Bools
from templ_core.lab.evaluation.segments import words_with_places
from templ_core.lab.evaluation.words import (
    REPEATED_PAGES_MIN,
    SENTENCE_WORDS_MIN,
    in_shared_runs,
    sentences_of,
)
from templ_core.tokens import tokenise

_PAGES_RATIO = 0.05
"""Least share of a site's pages with gold that have a repeated sentence, 0 to 1."""
_SHARE_MIN = 0.5
"""Least share of a segment's words in repeated sentences that makes it a repeat, 0 to 1."""

Sentence = tuple[str, ...]
"""The words of a sentence, in lower case."""
RepeatsBySite = Mapping[str, Collection[Sentence]]
"""The repeated sentences of each site."""


def repeated_sentences(gold_texts: Sequence[str]) -> set[Sentence]:
    """Return the sentences that the gold of a site repeats, given the gold text of each page.

    They have at least SENTENCE_WORDS_MIN words and stand in the gold of at least REPEATED_PAGES_MIN pages,
    and of a twentieth of the pages.

    >>> notice = "We send each tea within two days of the order."
    >>> len(repeated_sentences([f"Tea number {number}. {notice}" for number in range(4)]))
    1
    """
    on_pages = Counter(
        sentence
        for text in gold_texts
        for sentence in {words for _, words in _long_sentences(text)}
    )
    pages_min = max(REPEATED_PAGES_MIN, _PAGES_RATIO * len(gold_texts))
    return {sentence for sentence, count in on_pages.items() if count >= pages_min}


def repeats_by_site(gold_texts: Iterable[tuple[str, str]]) -> RepeatsBySite:
    """Return the repeated sentences of each site, given the site and gold text of each page."""
    sites: defaultdict[str, list[str]] = defaultdict(list)
    for site, text in gold_texts:
        sites[site].append(text)
    return {site: repeated_sentences(texts) for site, texts in sites.items()}


def repeats_in(gold_text: str, repeats: Collection[Sentence]) -> tuple[str, ...]:
    """Return the sentences of a page's gold text that are among the repeats of its site.

    There are none where they are all of the gold text, since nothing would be left to score.
    """
    repeated = [(text, words) for text, words in _long_sentences(gold_text) if words in repeats]
    all_words = sum(len(words) for _, words in repeated)
    return tuple(text for text, _ in repeated) if all_words < len(tokenise(gold_text)) else ()


def repeated_segments(texts: Sequence[str], repeats: Sequence[str]) -> Bools:
    """Return which segments consist of repeated sentences for the better part; a column of length n_segments.

    >>> notice = "We send each tea within two days of the order."
    >>> repeated_segments(["Tea of May", f"Note: {notice}"], [notice]).tolist()
    [False, True]
    """
    if not repeats:
        return np.zeros(len(texts), np.bool_)
    words, segment = words_with_places(texts)
    sought = [word for one in repeats for word in [*tokenise(one.lower()), ""]]
    shared = in_shared_runs(words, sought, SENTENCE_WORDS_MIN)
    count = np.bincount(segment, minlength=len(texts))
    result: Bools = np.bincount(segment, shared, len(texts)) >= np.maximum(_SHARE_MIN * count, 1)
    return result


def _long_sentences(text: str) -> Iterable[tuple[str, Sentence]]:
    for sentence in sentences_of(text):
        words = tuple(tokenise(sentence.lower()))
        if len(words) >= SENTENCE_WORDS_MIN:
            yield sentence, words
