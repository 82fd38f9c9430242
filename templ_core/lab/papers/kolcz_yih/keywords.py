"""Keyword extraction: what a page's candidates are, and how good a ranking of them is.

The application that Kolcz, Yih, *Site-Independent Template-Block Detection*, PKDD 2007, section 5,
judge cleaning by, with the features of Yih, Goodman, Carvalho, *Finding Advertising Keywords on Web
Pages*, WWW 2006, as far as a page alone has them: neither linguistic features nor query logs.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec
import numpy as np

from templ_core.array_types import Floats
from templ_core.tokens import tokenise

PHRASE_WORDS_MAX = 3
_CLAUSE_END = re.compile(r"[.!?,;:()\[\]{}\"“”„«»|/\n。，、！？]+")


class Passage(msgspec.Struct, frozen=True, kw_only=True):
    """A segment as keyword extraction sees it."""

    text: str
    link_share: float
    """Of its characters, in links; 0 to 1."""
    heading: bool


class KeywordPage(msgspec.Struct, frozen=True, kw_only=True):
    """What keywords are extracted from."""

    title: str
    passages: Sequence[Passage]


class DocumentFrequency(msgspec.Struct, frozen=True, kw_only=True):
    """On how many pages of a collection each phrase is."""

    pages: int
    pages_with: Mapping[str, int]


class Candidates(msgspec.Struct, frozen=True, kw_only=True):
    """The different phrases of a page in order of their first occurrence, with their features."""

    phrases: list[str]
    """Words in lower case, one blank between."""
    rows: Floats
    """(n_phrases, n_features)"""


class _Seen:
    """Sums over the occurrences of a phrase."""

    __slots__ = ("capitals", "first", "headings", "link_share", "number")

    def __init__(self, first: int) -> None:
        self.first = first
        self.number = 0
        self.link_share = 0.0
        self.headings = 0
        self.capitals = 0


def normal_phrase(text: str) -> str:
    """A keyword as a candidate would read; empty where it has no words."""
    return " ".join(tokenise(text.lower()))


def document_frequency(pages: Iterable[KeywordPage]) -> DocumentFrequency:
    """Counts of all phrases of a collection."""
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
    """All phrases of up to PHRASE_WORDS_MAX words that no mark or block divides."""
    seen: dict[str, _Seen] = {}
    position = 0
    for passage in page.passages:
        for words in _clauses(passage.text):
            for place, phrase, capital in _phrases(words):
                one = seen.get(phrase)
                if one is None:
                    one = seen[phrase] = _Seen(position + place)
                one.number += 1
                one.link_share += passage.link_share
                one.headings += passage.heading
                one.capitals += capital
            position += len(words)
    title = f" {normal_phrase(page.title)} "
    rows = [_features(phrase, one, position, title, frequency) for phrase, one in seen.items()]
    return Candidates(phrases=list(seen), rows=np.array(rows, np.float64).reshape(len(rows), -1))


def top_n(ranked: Sequence[str], wanted: frozenset[str], n: int) -> float:
    """Right ones among the first n, by how many could be right; 0 to 1.

    Args:
        ranked: Phrases, the best first.
        wanted: The page's keywords, at least one.
        n: At least 1.
    """
    return len(wanted.intersection(ranked[:n])) / min(len(wanted), n)


def _clauses(text: str) -> Iterator[list[str]]:
    for clause in _CLAUSE_END.split(text):
        words = tokenise(clause)
        if words:
            yield words


def _phrases(words: Sequence[str]) -> Iterator[tuple[int, str, bool]]:
    """Place, phrase and whether it starts with a capital, of all runs of words with a letter."""
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
