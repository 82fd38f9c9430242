"""Suffix array and longest common prefixes of a corpus of token numbers.

Manber and Myers, SODA 1990, and Kasai et al., CPM 2001, as in Foschini's thesis (2007), section 3.2.
"""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from templ_core.array_types import UInt32s
from templ_core.site_level.strings._strings import sorted_suffixes

Tokens: TypeAlias = npt.NDArray[np.uint16] | UInt32s

BREAK = 0
"""Number of a token that is part of no string: the end of a document, or a token too rare to matter."""
BORDER = 1
"""Number of a token at which strings may start or end, but over which none may run: a block's border."""


class SuffixArray:
    """The suffixes of a corpus in lexicographic order.

    Breaks and borders are single symbols, yet act as if each were unique: common prefixes end
    before a break and at a border. Suffixes that differ only behind a break are in the order of their positions.

    >>> suffixes = SuffixArray(np.array([2, 3, BREAK, 2, 3], np.uint16))
    >>> suffixes.starts.tolist()
    [2, 0, 3, 1, 4]
    >>> suffixes.common.tolist()
    [0, 0, 2, 0, 1, 0]
    """

    def __init__(self, tokens: Tokens) -> None:
        """Sort the suffixes of `tokens`, of any length."""
        self.tokens = tokens
        self.starts, self.common = sorted_suffixes(tokens.astype(np.uint32))
        """Position of each rank's suffix, of length n; tokens that rank r shares with rank r - 1, of length n + 1, 0 at
        both ends."""
