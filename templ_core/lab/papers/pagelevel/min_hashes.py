"""Near-duplicates by the smallest hashes of a text's shingles.

Broder et al., *Syntactic clustering of the web*, WWW6 1997, with the settings of Chakrabarti et al.
(WWW 2007, section 6.2): text in lower case, only letters and digits, shingles of 6 words, the 8
smallest hashes, near-duplicates when at least 4 of them match.
"""

import hashlib
import re

SHINGLE_WORDS = 6
HASHES = 8
MATCHES_MIN = 4

_WORD = re.compile(r"[^\W_]+")


def min_hashes(text: str) -> frozenset[bytes]:
    """The HASHES smallest hashes of the shingles; a text shorter than one shingle is one."""
    words = _WORD.findall(text.lower())
    starts = range(max(len(words) - SHINGLE_WORDS, 0) + 1) if words else ()
    shingles = {" ".join(words[start : start + SHINGLE_WORDS]) for start in starts}
    digests = (hashlib.blake2b(one.encode(), digest_size=8).digest() for one in shingles)
    return frozenset(sorted(digests)[:HASHES])


def are_near_duplicates(one: frozenset[bytes], other: frozenset[bytes]) -> bool:
    """Whether at least MATCHES_MIN of the hashes match."""
    return len(one & other) >= MATCHES_MIN
