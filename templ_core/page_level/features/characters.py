"""The text of all segments as columns of characters and words.

What is counted in a text is counted over these columns, all segments at once.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.array_types import Bools, Int64s, UInt16s, UInt32s, UInt64s
from templ_core.page_level.features import _characters

_NUMERIC = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xD6E8FEB86659FD93)


class Characters(msgspec.Struct, frozen=True, kw_only=True):
    """All characters of a page's segments, one line feed after each segment."""

    classes: UInt16s
    """Bits: WORD, UNSPACED and so on; length n_characters."""
    lower: UInt32s
    """Code points in lower case; length n_characters."""
    starts: Int64s
    """First character of each segment; length n_segments."""
    lengths: Int64s
    """Characters of each segment, at least 1; length n_segments."""

    def count(self, marked: npt.NDArray[Any]) -> Int64s:
        """How many characters of each segment are marked; length n_segments."""
        return np.add.reduceat(marked, self.starts, dtype=np.int64)

    def has(self, bits: int) -> Bools:
        """Which characters are of one of these classes; length n_characters."""
        found: Bools = (self.classes & bits) != 0
        return found


class Words(msgspec.Struct, frozen=True, kw_only=True):
    """All words of a page (see `templ_core.tokens`) in order; columns of length n_words."""

    first: Int64s
    """First character of each word."""
    length: Int64s
    """Characters of each word."""
    segment: Int64s
    """The segment each word is in."""
    place: Int64s
    """Number of the word within its segment, from 0."""
    hashes: UInt64s
    """Equal for words that are equal in lower case."""
    numeric: Bools
    """Words with digits."""
    per_segment: Int64s
    """Words of each segment; length n_segments."""


def read_characters(texts: Sequence[str]) -> Characters:
    """The characters of at least one segment."""
    classes, lower, starts, lengths = _characters.read_characters(list(texts))
    return Characters(classes=classes, lower=lower, starts=starts, lengths=lengths)


def read_words(characters: Characters) -> Words:
    """The words of the characters."""
    first, length, segment, place, hashes, numeric, per_segment = _characters.read_words(
        characters.classes, characters.lower, characters.starts
    )
    return Words(
        first=first,
        length=length,
        segment=segment,
        place=place,
        hashes=hashes,
        numeric=numeric,
        per_segment=per_segment,
    )


def text_hashes(words: Words) -> UInt64s:
    """Equal for segments of equal words in equal order; length n_segments."""
    return _characters.text_hashes(words.hashes, words.per_segment)


def shape_hashes(words: Words) -> UInt64s:
    """As `text_hashes`, but all words with digits are equal: dates, prices, numbers of comments."""
    plain = np.where(words.numeric, _NUMERIC, words.hashes)
    return _characters.text_hashes(plain, words.per_segment)


def mix(values: UInt64s) -> UInt64s:
    """Hashes whose low bits depend on all bits of `values` (a finaliser as in MurmurHash3)."""
    turned = (values ^ (values >> np.uint64(32))) * _MIX
    return turned ^ (turned >> np.uint64(32))
