"""The text of all segments as columns of characters and words.

What is counted in a text is counted over these columns, all segments at once.
"""

import functools
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.letters import DIGIT, KNOWN, UNSPACED, WORD, letter_tables

Ints = npt.NDArray[np.int64]
UInt64s = npt.NDArray[np.uint64]
Bools = npt.NDArray[np.bool_]

_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xD6E8FEB86659FD93)


class Characters(msgspec.Struct, frozen=True, kw_only=True):
    """All characters of a page's segments, one line feed after each segment."""

    classes: npt.NDArray[np.uint16]
    """Bits: WORD, UNSPACED and so on; length n_characters."""
    lower: npt.NDArray[np.uint32]
    """Code points in lower case; length n_characters."""
    starts: Ints
    """First character of each segment; length n_segments."""
    lengths: Ints
    """Characters of each segment, at least 1; length n_segments."""

    def count(self, marked: npt.NDArray[Any]) -> Ints:
        """How many characters of each segment are marked; length n_segments."""
        return np.add.reduceat(marked, self.starts, dtype=np.int64)

    def has(self, bits: int) -> Bools:
        """Which characters are of one of these classes; length n_characters."""
        found: Bools = (self.classes & bits) != 0
        return found


class Words(msgspec.Struct, frozen=True, kw_only=True):
    """All words of a page (see `templ_core.tokens`) in order; columns of length n_words."""

    first: Ints
    """First character of each word."""
    length: Ints
    """Characters of each word."""
    segment: Ints
    """The segment each word is in."""
    place: Ints
    """Number of the word within its segment, from 0."""
    hashes: UInt64s
    """Equal for words that are equal in lower case."""
    per_segment: Ints
    """Words of each segment; length n_segments."""


def read_characters(texts: Sequence[str]) -> Characters:
    """The characters of at least one segment, none of them empty."""
    lengths = np.array([len(text) for text in texts], np.int64)
    joined = "\n".join([*texts, ""])
    points = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), "<u4")
    place = np.minimum(points, KNOWN)
    classes, lower = letter_tables()
    return Characters(
        classes=classes[place],
        lower=np.where(points < KNOWN, lower[place], points),
        starts=np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths + 1)[:-1]]),
        lengths=lengths,
    )


def read_words(characters: Characters) -> Words:
    """The words of the characters."""
    is_word, alone = characters.has(WORD), characters.has(UNSPACED)
    joins = is_word[1:] & is_word[:-1] & ~alone[1:] & ~alone[:-1]
    begins = is_word.copy()
    begins[1:] &= ~joins
    ends = is_word.copy()
    ends[:-1] &= ~joins
    first = np.flatnonzero(begins)
    length = np.flatnonzero(ends) + 1 - first
    segment = np.searchsorted(characters.starts, first, side="right") - 1
    per_segment = np.bincount(segment, minlength=len(characters.starts))
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(per_segment)])
    return Words(
        first=first,
        length=length,
        segment=segment,
        place=np.arange(len(first)) - before[segment],
        hashes=_word_hashes(characters.lower[is_word], length),
        per_segment=per_segment,
    )


def text_hashes(words: Words) -> UInt64s:
    """Equal for segments of equal words in equal order; length n_segments."""
    turned = words.hashes * _powers()[np.minimum(words.place, len(_powers()) - 1)]
    before = np.concatenate([np.zeros(1, np.uint64), np.cumsum(turned)])
    ends = np.cumsum(words.per_segment)
    return mix(before[ends] - before[ends - words.per_segment])


def shape_hashes(characters: Characters, words: Words) -> UInt64s:
    """As `text_hashes`, but all words with digits are equal: dates, prices, numbers of comments."""
    digits = np.concatenate([np.zeros(1, np.int64), np.cumsum(characters.has(DIGIT))])
    numeric = digits[words.first + words.length] > digits[words.first]
    return text_hashes(
        msgspec.structs.replace(words, hashes=np.where(numeric, _SPREAD, words.hashes))
    )


def mix(values: UInt64s) -> UInt64s:
    """Hashes whose low bits depend on all bits of `values` (a finaliser as in MurmurHash3)."""
    turned = (values ^ (values >> np.uint64(32))) * _MIX
    return turned ^ (turned >> np.uint64(32))


def _word_hashes(letters: npt.NDArray[np.uint32], length: Ints) -> UInt64s:
    ends = np.cumsum(length)
    starts = ends - length
    place = np.arange(len(letters)) - np.repeat(starts, length)
    powers = _powers()
    turned = letters.astype(np.uint64) * powers[np.minimum(place, len(powers) - 1)]
    before = np.concatenate([np.zeros(1, np.uint64), np.cumsum(turned)])
    return mix(before[ends] - before[starts])


@functools.cache
def _powers() -> UInt64s:
    """Odd factors by place; places beyond the table share its last one."""
    return np.cumprod(np.full(1024, _SPREAD, np.uint64), dtype=np.uint64)
