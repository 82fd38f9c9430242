"""Near-duplicate key of a cleaned text: SimHash (Charikar, STOC 2002) over 3-token shingles."""

import hashlib

import numpy as np

from templ_core.tokens import tokenise

BITS = 64
_SHINGLE_TOKENS = 3


def simhash(text: str) -> int | None:
    """64-bit SimHash of `text`; None when it has no token.

    Near-duplicates differ in at most 3 bits. Shingles are a set, tokens are lower-cased; a text of
    fewer than three tokens is hashed by its tokens.
    """
    tokens = tokenise(text.lower())
    if not tokens:
        return None
    shingles = {
        " ".join(tokens[i : i + _SHINGLE_TOKENS]) for i in range(len(tokens) - _SHINGLE_TOKENS + 1)
    } or set(tokens)
    digests = b"".join(
        hashlib.blake2b(shingle.encode(), digest_size=BITS // 8).digest() for shingle in shingles
    )
    bits = np.unpackbits(np.frombuffer(digests, np.uint8).reshape(-1, BITS // 8), axis=1)
    majority = 2 * bits.sum(axis=0, dtype=np.int64) > len(shingles)
    return int.from_bytes(np.packbits(majority).tobytes(), "big")
