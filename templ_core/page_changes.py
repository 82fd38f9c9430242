"""What has changed in the content of a page since an earlier fetch, sentence by sentence.

A sentence is new only if the page did not show it before, whatever was kept of it then, and it is gone only
if the page does not show it any more. So another template, or another decision about a segment, is no change.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import groupby
from typing import Annotated, Literal, TypeAlias

import msgspec

from templ_core.metadata.dates import month_number
from templ_core.patterns import pattern
from templ_core.tokens import tokenise

CHARS_MAX = 1 << 20
"""Characters of the longest page that is compared, so that a comparison takes less than a second."""
_RUN_WORDS = 3
"""Words of the runs by which a sentence is looked up on a page that may divide its text in another way."""
_RATIO_DECIMALS = 4
_SENTENCE_END = pattern(
    r"[\n\t]|(?<!\b\d\.)(?<!\b\d\d\.)(?<=[.!?…؟।])\s+|(?<=[.!?…؟।][\"'”’»)\]])\s+|(?<=[。！？])"
)
"""A point behind one or two figures may be that of a day."""
_NUMBER = "0"

_Words: TypeAlias = tuple[str, ...]


class PageChanges(msgspec.Struct, frozen=True, kw_only=True):
    """What has changed in the content of a page since an earlier fetch."""

    since: str | None = None
    """Time of the earlier fetch, an RFC 3339 time in UTC; null where it is not known."""
    degree: Literal["none", "minor", "major"]
    """`none` for equal content; `minor` where only numbers, dates or the order of the sentences differ."""
    added: list[str]
    """Sentences that the page did not show before."""
    removed: list[str]
    """Sentences that the page does not show any more."""
    moved: list[str]
    """Sentences that stand in another order."""
    new_ratio: Annotated[float, msgspec.Meta(ge=0, le=1)]
    """Share of the words of the text that are in added sentences."""


class FetchedText(msgspec.Struct, frozen=True, kw_only=True):
    """The text of one fetch of a page."""

    kept: str
    """The clean text."""
    shown: Sequence[str]
    """The texts of all segments in their order, kept or not."""


def page_changes(
    before: FetchedText, after: FetchedText, since: str | None = None
) -> PageChanges | None:
    """Return what has changed between two fetches of a page; None where one of them is too long.

    >>> before, after = (
    ...     "One is here. Two is old. Read 5 times",
    ...     "One is here. Three is new. Read 6 times",
    ... )
    >>> changes = page_changes(
    ...     FetchedText(kept=before, shown=[before]), FetchedText(kept=after, shown=[after])
    ... )
    >>> changes.degree, changes.added, changes.removed
    ('major', ['Three is new.', 'Read 6 times'], ['Two is old.', 'Read 5 times'])

    Args:
        before: The earlier fetch.
        after: The later fetch.
        since: Time of the earlier fetch.
    """
    if max(sum(map(len, one.shown)) for one in (before, after)) > CHARS_MAX:
        return None
    old, new = dict(_sentences(before.kept)), dict(_sentences(after.kept))
    added = _not_shown(new.keys() - old.keys(), before.shown)
    removed = _not_shown(old.keys() - new.keys(), after.shown)
    moved = _moved([one for one in old if one in new], [one for one in new if one in old])
    lengths = [(len(one), one in added) for one, _ in _sentences(after.kept)]
    words = sum(length for length, _ in lengths)
    new_words = sum(length for length, is_new in lengths if is_new)
    return PageChanges(
        since=since,
        degree=_degree(added, removed, moved),
        added=[text for one, text in new.items() if one in added],
        removed=[text for one, text in old.items() if one in removed],
        moved=[text for one, text in new.items() if one in moved],
        new_ratio=round(new_words / words, _RATIO_DECIMALS) if words else 0.0,
    )


def _sentences(text: str) -> Iterator[tuple[_Words, str]]:
    """Yield the words of each sentence in lower case, and the sentence; what has no words is left out."""
    for sentence in _SENTENCE_END.split(text):
        if words := tuple(tokenise(sentence.lower())):
            yield words, sentence.strip()


def _not_shown(sentences: AbstractSet[_Words], shown: Sequence[str]) -> AbstractSet[_Words]:
    """Return the sentences that a page does not show.

    It shows a sentence as a whole segment, or has each run of _RUN_WORDS words of it, or both of two words.
    """
    asked = {run for one in sentences for run in _runs(one)}
    found: set[_Words] = set()
    words: list[str] = []
    for text in shown if sentences else ():
        own = tokenise(text.lower())
        found.add(tuple(own))
        words += own
    for length in {min(len(run), _RUN_WORDS) for run in asked if len(run) > 1}:
        found.update(asked.intersection(_runs(words, length)))
    return {one for one in sentences if one not in found and not found.issuperset(_runs(one))}


def _runs(words: Sequence[str], length: int = _RUN_WORDS) -> Iterator[_Words]:
    """Yield each run of so many words, or all words where there are no more."""
    length = min(length, len(words))
    return zip(*(words[start:] for start in range(length)), strict=False)


def _moved(before: Sequence[_Words], after: Sequence[_Words]) -> AbstractSet[_Words]:
    """Return the fewest sentences without which two orders of the same sentences are equal.

    The others are a longest increasing subsequence of their places (Schensted 1961).
    """
    place = {one: number for number, one in enumerate(before)}
    ends: list[int] = []
    lengths = []
    for one in after:
        length = bisect_left(ends, place[one])
        ends[length : length + 1] = [place[one]]
        lengths.append(length)
    stay, wanted = set(), len(ends) - 1
    for one, length in zip(reversed(after), reversed(lengths), strict=True):
        if length == wanted:
            stay.add(one)
            wanted -= 1
    return place.keys() - stay


def _degree(
    added: AbstractSet[_Words], removed: AbstractSet[_Words], moved: AbstractSet[_Words]
) -> Literal["none", "minor", "major"]:
    if Counter(map(_without_numbers, added)) != Counter(map(_without_numbers, removed)):
        return "major"
    return "minor" if added or moved else "none"


def _without_numbers(sentence: _Words) -> _Words:
    """Return a sentence with one word for the numbers in a row, and the names of months beside them."""
    has_digit = [any(map(str.isdecimal, word)) for word in sentence]
    beside = zip([False, *has_digit], [*has_digit[1:], False], strict=False)
    words = (
        _NUMBER if is_number or (any(near) and month_number(word)) else word
        for word, is_number, near in zip(sentence, has_digit, beside, strict=True)
    )
    groups = groupby(words)
    return tuple(w for word, run in groups for w in ([word] if word == _NUMBER else run))
