"""Keys for near-duplicates of a text: SimHash, and the smallest hashes of its shingles.

SimHash (Charikar, STOC 2002) is over shingles of 3 tokens. The smallest hashes are those of Broder et al.,
*Syntactic clustering of the web*, WWW6 1997, with the settings of Chakrabarti et al. (WWW 2007, section 6.2):
text in lower case, only letters and digits, shingles of 6 words, the 8 smallest hashes, near-duplicates when
at least 4 of them match.
"""

import hashlib

from templ_core._fingerprint import simhash_of
from templ_core.patterns import pattern

_SHINGLE_WORDS = 6
HASHES = 8
"""Most hashes of a text."""
HASH_BYTES = 8
"""Size of a hash."""
_MATCHES_MIN = 4
"""Fewest hashes that near-duplicates share."""

_WORD = pattern(r"[^\W_]+")


def simhash(text: str) -> int | None:
    """Return the 64-bit SimHash of a text, or None if the text has no token.

    Texts whose keys differ in at most 3 bits are near-duplicates (Manku, Jain, Das Sarma, WWW
    2007). Tokens are lower-cased and hashed to 64 bits with BLAKE2b. The hash of a shingle is
    `mix(a ^ rotl(b, 21) ^ rotl(c, 42))`, where `mix` is SplitMix64's finaliser. Each different
    shingle counts once. A text of fewer than three tokens is hashed by its tokens.

    >>> (simhash("one two three four") ^ simhash("One  two three, four!")).bit_count()
    0
    """
    # The lower case of these letters is two characters, or depends on what follows.
    return simhash_of(text.lower() if "Σ" in text or "İ" in text else text)


def min_hashes(text: str) -> frozenset[bytes]:
    """Return the HASHES smallest hashes of a text's shingles of 6 words.

    A text with fewer words is one shingle. An empty text has no hashes.

    >>> text = "one two three four five six seven eight nine ten"
    >>> are_near_duplicates(min_hashes(text), min_hashes(text.upper() + "!"))
    True
    >>> are_near_duplicates(min_hashes(text), min_hashes("something else"))
    False
    """
    words = _WORD.findall(text.lower())
    starts = range(max(len(words) - _SHINGLE_WORDS, 0) + 1) if words else ()
    shingles = {" ".join(words[start : start + _SHINGLE_WORDS]) for start in starts}
    digests = (
        hashlib.blake2b(shingle.encode(), digest_size=HASH_BYTES).digest() for shingle in shingles
    )
    return frozenset(sorted(digests)[:HASHES])


def are_near_duplicates(first: frozenset[bytes], second: frozenset[bytes]) -> bool:
    """Return whether two texts share at least 4 of their `min_hashes`."""
    return len(first & second) >= _MATCHES_MIN
