"""Keyword extraction: the candidates of a page, their features, and the score of a ranking.

Kolcz, Yih, *Site-Independent Template-Block Detection*, PKDD 2007, section 5, judge cleaning by this
application. The features are those of Yih, Goodman, Carvalho, *Finding Advertising Keywords on Web
Pages*, WWW 2006, that a page alone has: no linguistic features and no query logs.
"""

import math
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from templ_core.array_types import Floats
from templ_core.lab.papers.pagelevel.variants import LogisticRegression, fit_logistic
from templ_core.lab.training.fit import drawn_places
from templ_core.tokens import tokenise

PHRASE_WORDS_MAX = 3
"""Most words of a candidate."""
_CLAUSE_END = re.compile(r"[.!?,;:()\[\]{}\"“”„«»|/\n。，、！？]+")


class Passage(msgspec.Struct, frozen=True, kw_only=True):
    """A segment as keyword extraction needs it."""

    text: str
    link_share: float
    """Share of the characters that are in links, 0 to 1."""
    heading: bool
    """Whether the segment is a heading."""


class KeywordPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page that keywords are extracted from."""

    title: str
    passages: Sequence[Passage]


class DocumentFrequency(msgspec.Struct, frozen=True, kw_only=True):
    """The document frequencies of the phrases of a collection."""

    pages: int
    """Number of pages of the collection."""
    pages_with: Mapping[str, int]
    """Number of pages that have each phrase."""


Candidates = tuple[list[str], Floats]
"""The different phrases of a page in order of their first occurrence, as words in lower case with one blank between
them, and their features, (n_phrases, n_features)."""


@dataclass(slots=True)
class _Seen:
    """Sums over the occurrences of a phrase."""

    first: int
    number: int = 0
    link_share: float = 0.0
    headings: int = 0
    capitals: int = 0


def normal_phrase(text: str) -> str:
    """Return a keyword in the form of a candidate; empty if it has no words.

    >>> normal_phrase(" Climate-Change ")
    'climate change'
    """
    return " ".join(tokenise(text.lower()))


def document_frequency(pages: Iterable[KeywordPage]) -> DocumentFrequency:
    """Return the document frequencies of all phrases of a collection."""
    counts: Counter[str] = Counter()
    number = 0
    for page in pages:
        number += 1
        counts.update(
            {
                phrase
                for passage in page.passages
                for words in _clauses(passage.text)
                for _, phrase, _ in _phrases(words)
            }
        )
    return DocumentFrequency(pages=number, pages_with=counts)


def read_candidates(page: KeywordPage, frequency: DocumentFrequency) -> Candidates:
    """Return all phrases of up to PHRASE_WORDS_MAX words inside clauses, with their features."""
    seen: dict[str, _Seen] = {}
    position = 0
    for passage in page.passages:
        for words in _clauses(passage.text):
            for place, phrase, capital in _phrases(words):
                counts = seen.get(phrase)
                if counts is None:
                    counts = seen[phrase] = _Seen(position + place)
                counts.number += 1
                counts.link_share += passage.link_share
                counts.headings += passage.heading
                counts.capitals += capital
            position += len(words)
    title = f" {normal_phrase(page.title)} "
    rows = [_features(phrase, one, position, title, frequency) for phrase, one in seen.items()]
    return list(seen), np.array(rows, np.float64).reshape(len(rows), -1)


def top_n(ranked: Sequence[str], wanted: frozenset[str], n: int) -> float:
    """Return the number of keywords among the first n phrases, divided by the largest possible one.

    >>> top_n(["tiger", "zoo", "home"], frozenset(["tiger", "lion"]), 1)
    1.0
    """
    return len(wanted.intersection(ranked[:n])) / min(len(wanted), n)


def _clauses(text: str) -> Iterator[list[str]]:
    for clause in _CLAUSE_END.split(text):
        words = tokenise(clause)
        if words:
            yield words


def _phrases(words: Sequence[str]) -> Iterator[tuple[int, str, bool]]:
    """Yield place, phrase and whether it starts with a capital, for all runs that have a letter."""
    lower = [word.lower() for word in words]
    for place, word in enumerate(words):
        capital = word[0].isupper()
        for end in range(place + 1, min(place + PHRASE_WORDS_MAX, len(words)) + 1):
            phrase = " ".join(lower[place:end])
            if not phrase.replace(" ", "").isdecimal():
                yield place, phrase, capital


def _features(
    phrase: str, seen: _Seen, words: int, title: str, frequency: DocumentFrequency
) -> list[float]:
    number = seen.number
    length = phrase.count(" ") + 1
    rarity = math.log((frequency.pages + 1) / (frequency.pages_with.get(phrase, 0) + 1))
    return [
        math.log1p(number),
        number / words,
        rarity,
        math.log1p(number) * rarity,
        f" {phrase} " in title,
        seen.headings > 0,
        seen.link_share / number,
        seen.first / words,
        math.log1p(seen.first),
        seen.capitals / number,
        length == 2,
        length == 3,
        math.log(len(phrase)),
        math.log(words),
    ]


_OTHERS_PER_PAGE = 400
"""Most candidates of a page that are trained on as no keywords."""


def fit_keywords(
    pages: Iterable[tuple[KeywordPage, frozenset[str]]], frequency: DocumentFrequency
) -> LogisticRegression:
    """Fit a logistic regression to the candidates of pages with known keywords, as `normal_phrase` writes them."""
    rows, is_keyword = [], []
    for page, wanted in pages:
        phrases, features = read_candidates(page, frequency)
        right = np.array([phrase in wanted for phrase in phrases], np.bool_)
        others = np.flatnonzero(~right)
        seed = zlib.crc32(page.title.encode("utf-8", "replace"))
        others = others[drawn_places(len(others), _OTHERS_PER_PAGE, seed)]
        drawn = np.sort(np.concatenate([np.flatnonzero(right), others]))
        rows.append(features[drawn])
        is_keyword.append(right[drawn])
    return fit_logistic(np.concatenate(rows), np.concatenate(is_keyword))


def rank_keywords(
    page: KeywordPage, frequency: DocumentFrequency, model: LogisticRegression, most: int
) -> list[str]:
    """Return at most `most` phrases of a page, the best first."""
    phrases, features = read_candidates(page, frequency)
    if not phrases:
        return []
    order = np.argsort(-np.round(model.log_odds(features), 6), kind="stable")
    return [phrases[place] for place in order[:most]]
