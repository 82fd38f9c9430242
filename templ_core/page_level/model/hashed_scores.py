"""Two logistic regressions over hashed tokens: of tags and class names, and of words.

The weight of a token stands in a table at the place that its hash gives, so a model is a table of
numbers whatever the vocabulary. Tokens above a segment count once for each ancestor that has them,
which makes the score of a path a sum over its nodes. `_hashed_scores.pyx` sums the weights.
"""

import msgspec
import numpy as np
import numpy.typing as npt

TABLE_SIZE = 1 << 15
"""Places of each table. A table of 4 096 would cost 0.02 F1, more than 16 384 gains nothing."""
NAMES_SIZE = 1 << 12
"""Places of the table of tags and parts of class names by which the page type is found."""
NODE_ROLES = ("owner", "inline", "above1", "above2", "above3", "far")
"""What a node can be to a segment: the block it stands in (owner), an inline element of its text,
one of the three ancestors above the owner (above1 to above3), or an ancestor further up (far).

`html` and `body` count only as owners."""


class HashedTable(msgspec.Struct, frozen=True, kw_only=True):
    """The weights of one logistic regression."""

    weights: npt.NDArray[np.int8]
    """Log-odds of the tokens at each place, in units of `unit`; length TABLE_SIZE."""
    unit: float
    """Log-odds of a weight of 1."""
    bias: float
    """Log-odds of a segment without tokens."""
