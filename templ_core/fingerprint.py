"""Key for near-duplicates of a text: SimHash (Charikar, STOC 2002) over shingles of 3 tokens."""

import hashlib

import numpy as np

from templ_core.array_types import UInt64s
from templ_core.distinct import distinct
from templ_core.tokens import tokenise

BITS = 64
_SHINGLE_TOKENS = 3
_CHUNK = 1 << 16


def simhash(text: str) -> int | None:
    """Return the 64-bit SimHash of a text, or None if the text has no token.

    Texts whose keys differ in at most 3 bits are near-duplicates (Manku, Jain, Das Sarma, WWW
    2007). Tokens are lower-cased and hashed to 64 bits with BLAKE2b. The hash of a shingle is
    `mix(a ^ rotl(b, 21) ^ rotl(c, 42))`, where `mix` is SplitMix64's finaliser. Each different
    shingle counts once. A text of fewer than three tokens is hashed by its tokens.

    >>> (simhash("one two three four") ^ simhash("One  two three, four!")).bit_count()
    0
    """
    tokens = tokenise(text.lower())
    if not tokens:
        return None
    shingles = distinct(_shingles(_token_hashes(tokens)))
    ones = np.zeros(BITS, np.int64)
    for start in range(0, len(shingles), _CHUNK):
        chunk = shingles[start : start + _CHUNK].astype(">u8").view(np.uint8)
        ones += np.unpackbits(chunk.reshape(-1, BITS // 8), axis=1).sum(axis=0, dtype=np.int64)
    return int.from_bytes(np.packbits(2 * ones > len(shingles)).tobytes(), "big")


def _token_hashes(tokens: list[str]) -> UInt64s:
    numbers = {token: number for number, token in enumerate(dict.fromkeys(tokens))}
    digests = b"".join(hashlib.blake2b(t.encode(), digest_size=8).digest() for t in numbers)
    indexes = np.fromiter(map(numbers.__getitem__, tokens), np.int64, len(tokens))
    hashes: UInt64s = np.frombuffer(digests, ">u8").astype(np.uint64)[indexes]
    return hashes


def _shingles(hashes: UInt64s) -> UInt64s:
    if len(hashes) < _SHINGLE_TOKENS:
        return _mixed(hashes)
    return _mixed(hashes[:-2] ^ _rotated(hashes[1:-1], 21) ^ _rotated(hashes[2:], 42))


def _rotated(values: UInt64s, bits: int) -> UInt64s:
    left, right = np.uint64(bits), np.uint64(BITS - bits)
    rotated: UInt64s = (values << left) | (values >> right)
    return rotated


def _mixed(values: UInt64s) -> UInt64s:
    """Return the values mixed by SplitMix64's finaliser (Steele, Lea, Flood, OOPSLA 2014)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: UInt64s = values ^ (values >> np.uint64(31))
    return mixed
