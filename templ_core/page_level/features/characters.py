"""The text of all segments of a page as columns of characters and of words.

Whatever is counted in a text is counted over these columns, for all segments at once.
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
    """All characters of a page's segments, with one line feed after each segment."""

    classes: UInt16s
    """The class bits of each character, see `templ_core.letters`; length n_characters.

    Here WORD marks what is in a token (`templ_core.tokens`): also the signs of unspaced scripts.
    """
    lower: UInt32s
    """Code points in lower case; length n_characters."""
    starts: Int64s
    """Index of each segment's first character; length n_segments."""
    lengths: Int64s
    """Number of characters of each segment without the line feed, at least 1; length n_segments."""

    def count(self, marked: npt.NDArray[Any]) -> Int64s:
        """Return how many characters of each segment are marked; length n_segments.

        Args:
            marked: 1 or True for each marked character; length n_characters.
        """
        return np.add.reduceat(marked, self.starts, dtype=np.int64)

    def has(self, bits: int) -> Bools:
        """Return which characters are of any of these classes; length n_characters."""
        are_of: Bools = (self.classes & bits) != 0
        return are_of


class Words(msgspec.Struct, frozen=True, kw_only=True):
    """All words of a page (see `templ_core.tokens`) in order; columns of length n_words."""

    first: Int64s
    """Index of each word's first character."""
    length: Int64s
    """Number of characters of each word."""
    segment: Int64s
    """The segment that each word is in."""
    place: Int64s
    """Number of each word within its segment, from 0."""
    hashes: UInt64s
    """A hash of each word in lower case."""
    numeric: Bools
    """Whether each word has a digit."""
    capital: Bools
    """Whether each word begins with a capital letter."""
    ends: Bools
    """Whether each word is the last one of a sentence, of a line or of its segment."""
    per_segment: Int64s
    """Number of words of each segment; length n_segments."""


def read_characters(texts: Sequence[str]) -> Characters:
    """Return the characters of at least one segment."""
    return Characters(**_characters.read_characters(list(texts)))


def read_words(characters: Characters) -> Words:
    """Return the words of a page's characters.

    Example:
        >>> words = read_words(read_characters(["Room 101, please", "It's 中文"]))
        >>> words.length.tolist()
        [4, 3, 6, 2, 1, 1, 1]
        >>> words.numeric.tolist()[:3], words.per_segment.tolist()
        ([False, True, False], [3, 4])
        >>> read_words(read_characters(["It rains. Take 3.5 l of tea!"])).ends.tolist()
        [False, True, False, False, False, False, False, True]
    """
    columns = _characters.read_words(characters.classes, characters.lower, characters.starts)
    return Words(**columns)


def text_hashes(words: Words) -> UInt64s:
    """Return a hash of each segment's words and their order; length n_segments."""
    return _characters.text_hashes(words.hashes, words.per_segment)


def shape_hashes(words: Words) -> UInt64s:
    """Return hashes like `text_hashes` in which all words with digits are equal.

    Dates, prices and numbers of comments then make no difference.
    """
    plain = np.where(words.numeric, _NUMERIC, words.hashes)
    return _characters.text_hashes(plain, words.per_segment)


def mix(values: UInt64s) -> UInt64s:
    """Return hashes whose low bits depend on all bits of `values`.

    This is a finaliser like the one of MurmurHash3; `_hashing.pxd` has the same for compiled code.
    """
    turned = (values ^ (values >> np.uint64(32))) * _MIX
    return turned ^ (turned >> np.uint64(32))
