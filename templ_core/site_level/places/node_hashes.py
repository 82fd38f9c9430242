"""Hashes by which equal text segments are found on the pages of a site."""

import hashlib
from collections.abc import Sequence

import numpy as np

from templ_core.array_types import UInt64s


def node_hashes(texts: Sequence[str]) -> UInt64s:
    """Return a hash of each text, equal for texts that differ in white space or case only.

    >>> one, other = node_hashes(["All  the news", "all the News "])
    >>> one == other
    np.True_
    """
    digests = (
        hashlib.blake2b(" ".join(text.lower().split()).encode(), digest_size=8).digest()
        for text in texts
    )
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)
