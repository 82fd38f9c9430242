"""What has changed on a page since an earlier fetch: in its content sentence by sentence, and in its metadata.

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
from templ_core.metadata.fields import Metadata, Product
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


FieldName: TypeAlias = Literal[
    "title", "authors", "published_at", "modified_at", "price", "availability", "offers"
]
"""A field of the metadata, or of its product, that is compared."""
_OF_NUMBERS = frozenset(("published_at", "modified_at", "price"))
"""Fields that hold numbers and dates only."""


class FieldChange(msgspec.Struct, frozen=True, kw_only=True):
    """A field of the metadata that has another value."""

    name: FieldName
    before: list[str]
    """Its values in the earlier fetch; empty where it had none."""
    after: list[str]
    """Its values now."""


class PageChanges(msgspec.Struct, frozen=True, kw_only=True):
    """What has changed in the content of a page since an earlier fetch."""

    since: str | None = None
    """Time of the earlier fetch, an RFC 3339 time in UTC; null where it is not known."""
    degree: Literal["none", "minor", "major"]
    """`none` for equal content; `minor` where only numbers, dates, prices or the order of the sentences differ."""
    added: list[str]
    """Sentences that the page did not show before."""
    removed: list[str]
    """Sentences that the page does not show any more."""
    moved: list[str]
    """Sentences that stand in another order."""
    new_ratio: Annotated[float, msgspec.Meta(ge=0, le=1)]
    """Share of the words of the text that are in added sentences."""
    fields: list[FieldChange] = []
    """What is known of the page besides its text, where that differs."""


class FetchedText(msgspec.Struct, frozen=True, kw_only=True):
    """The text of one fetch of a page."""

    kept: str
    """The clean text."""
    shown: Sequence[str]
    """The texts of all segments, kept or not."""
    metadata: Metadata | None = None
    """What is known of the page besides its text; None where that was not asked for."""


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
    if max(sum(map(len, version.shown)) for version in (before, after)) > CHARS_MAX:
        return None
    old, new = dict(_sentences(before.kept)), dict(_sentences(after.kept))
    added = _not_shown(new.keys() - old.keys(), before.shown)
    removed = _not_shown(old.keys() - new.keys(), after.shown)
    moved = _moved(
        [sentence for sentence in old if sentence in new],
        [sentence for sentence in new if sentence in old],
    )
    lengths = [(len(one), one in added) for one, _ in _sentences(after.kept)]
    words = sum(length for length, _ in lengths)
    new_words = sum(length for length, is_new in lengths if is_new)
    fields = _changed_fields(before.metadata, after.metadata)
    return PageChanges(
        since=since,
        degree=_degree(added, removed, moved, fields),
        added=[text for one, text in new.items() if one in added],
        removed=[text for one, text in old.items() if one in removed],
        moved=[text for one, text in new.items() if one in moved],
        new_ratio=round(new_words / words, _RATIO_DECIMALS) if words else 0.0,
        fields=fields,
    )


def _changed_fields(before: Metadata | None, after: Metadata | None) -> list[FieldChange]:
    """Return the fields that differ; none where one of the fetches has no metadata."""
    if before is None or after is None:
        return []
    old, new = _compared_fields(before), _compared_fields(after)
    return [
        FieldChange(name=name, before=old[name], after=value)
        for name, value in new.items()
        if old[name] != value
    ]


def _compared_fields(metadata: Metadata) -> dict[FieldName, list[str]]:
    product = metadata.product or Product()
    price = [part for part in (product.price, product.price_currency) if part]
    offers = [
        " ".join(filter(None, (offer.sku, offer.price, offer.price_currency, offer.availability)))
        for offer in product.offers
    ]
    single: dict[FieldName, str | None] = {
        "title": metadata.title,
        "published_at": metadata.published_at,
        "modified_at": metadata.modified_at,
        "availability": product.availability,
        "price": " ".join(price),
    }
    return {
        **{name: [value] if value else [] for name, value in single.items()},
        "authors": metadata.authors,
        # The first offer is that of the price.
        "offers": offers if len(offers) > 1 else [],
    }


def _sentences(text: str) -> Iterator[tuple[_Words, str]]:
    """Yield the words of each sentence in lower case, and the sentence; what has no words is left out."""
    for sentence in _SENTENCE_END.split(text):
        if words := tuple(tokenise(sentence.lower())):
            yield words, sentence.strip()


def _not_shown(sentences: AbstractSet[_Words], shown: Sequence[str]) -> AbstractSet[_Words]:
    """Return the sentences that a page does not show.

    It shows a sentence as a whole segment, or has each run of _RUN_WORDS words of it, or both of two words.
    """
    asked = {run for sentence in sentences for run in _runs(sentence)}
    missing: set[_Words] = set()
    words: list[str] = []
    for text in shown if sentences else ():
        own = tokenise(text.lower())
        missing.add(tuple(own))
        words += own
    for length in {min(len(run), _RUN_WORDS) for run in asked if len(run) > 1}:
        missing.update(asked.intersection(_runs(words, length)))
    return {
        sentence
        for sentence in sentences
        if sentence not in missing and not missing.issuperset(_runs(sentence))
    }


def _runs(words: Sequence[str], length: int = _RUN_WORDS) -> Iterator[_Words]:
    """Yield each run of this many words, or all words where there are no more."""
    length = min(length, len(words))
    return zip(*(words[start:] for start in range(length)), strict=False)


def _moved(before: Sequence[_Words], after: Sequence[_Words]) -> AbstractSet[_Words]:
    """Return the fewest sentences without which two orders of the same sentences are equal.

    The others are a longest increasing subsequence of their places (Schensted 1961).
    """
    place = {one: number for number, one in enumerate(before)}
    ends: list[int] = []
    lengths = []
    for sentence in after:
        length = bisect_left(ends, place[sentence])
        ends[length : length + 1] = [place[sentence]]
        lengths.append(length)
    stay, wanted = set(), len(ends) - 1
    for sentence, length in zip(reversed(after), reversed(lengths), strict=True):
        if length == wanted:
            stay.add(sentence)
            wanted -= 1
    return place.keys() - stay


def _degree(
    added: AbstractSet[_Words],
    removed: AbstractSet[_Words],
    moved: AbstractSet[_Words],
    fields: Sequence[FieldChange],
) -> Literal["none", "minor", "major"]:
    texts_differ = Counter(map(_without_numbers, added)) != Counter(map(_without_numbers, removed))
    if texts_differ or any(field.name not in _OF_NUMBERS for field in fields):
        return "major"
    return "minor" if added or moved or fields else "none"


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
