"""Suffix array and longest common prefixes of a corpus of token numbers.

Manber and Myers, SODA 1990, and Kasai et al., CPM 2001, as in Foschini's thesis (2007), section 3.2.
"""

import functools
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from templ_core.array_types import Int32s, UInt32s

if TYPE_CHECKING:  # Only fits need it and pydivsufsort, which take a while to import.
    from threadpoolctl import ThreadpoolController

Tokens: TypeAlias = npt.NDArray[np.uint16] | UInt32s

BREAK = 0
"""Number of a token that is part of no string: the end of a document, or a token too rare to matter."""
BORDER = 1
"""Number of a token at which strings may start or end, but over which none may run: a block's border."""


class SuffixArray:
    """The suffixes of a corpus in lexicographic order.

    Breaks and borders are single symbols, yet act as if each were unique: common prefixes end
    before a break and at a border. The order of suffixes that differ only after that means nothing.

    >>> suffixes = SuffixArray(np.array([2, 3, BREAK, 2, 3], np.uint16))
    >>> suffixes.starts.tolist()
    [2, 3, 0, 4, 1]
    >>> suffixes.common.tolist()
    [0, 0, 2, 0, 1, 0]
    """

    def __init__(self, tokens: Tokens) -> None:
        """Sort the suffixes of `tokens`, of any length."""
        self.tokens = tokens
        if len(tokens) < 2:
            self.starts: Int32s = np.zeros(len(tokens), np.int32)
            self.common: Int32s = np.zeros(len(tokens) + 1, np.int32)
            self.room: Int32s = tokens_left(tokens)
            return
        from pydivsufsort import divsufsort, kasai  # noqa: PLC0415 - see above

        with _threads().limit(limits=1):
            self.starts = divsufsort(tokens.copy())
        """Position of each rank's suffix; length n."""
        self.common = np.zeros(len(tokens) + 1, np.int32)
        """Tokens that rank r shares with rank r - 1; length n + 1, 0 at both ends."""
        self.common[1:-1] = kasai(tokens, self.starts)[:-1]
        self.room = tokens_left(tokens)[self.starts]
        """Tokens that a string that begins with each rank's suffix may have; length n."""
        np.minimum(self.common[:-1], self.room, out=self.common[:-1])
        np.minimum(self.common[1:-1], self.room[:-1], out=self.common[1:-1])


@functools.cache
def _threads() -> "ThreadpoolController":
    """Return what limits the threads of pydivsufsort.

    It would start one for each processor, which wait for each other.
    """
    from threadpoolctl import ThreadpoolController  # noqa: PLC0415 - see above

    return ThreadpoolController().select(user_api="openmp")


def tokens_left(tokens: Tokens) -> Int32s:
    """Return how many tokens a string that starts at each position may have."""
    size = len(tokens)
    ends = np.where(tokens <= BORDER, np.arange(size, dtype=np.int32), np.int32(size))
    following = np.minimum.accumulate(ends[::-1])[::-1]
    at_border = tokens == BORDER
    after = np.append(following[1:], np.int32(size))
    end = np.where(at_border, after, following)
    closed = np.append(at_border, False)[end]
    left: Int32s = (end - np.arange(size, dtype=np.int32) + closed).astype(np.int32)
    return left
