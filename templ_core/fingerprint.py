"""Key for near-duplicates of a text: SimHash (Charikar, STOC 2002) over shingles of 3 tokens."""

from templ_core._fingerprint import simhash_of


def simhash(text: str) -> int | None:
    """Return the 64-bit SimHash of a text, or None if the text has no token.

    Texts whose keys differ in at most 3 bits are near-duplicates (Manku, Jain, Das Sarma, WWW
    2007). Tokens are lower-cased and hashed to 64 bits with BLAKE2b. The hash of a shingle is
    `mix(a ^ rotl(b, 21) ^ rotl(c, 42))`, where `mix` is SplitMix64's finaliser. Each different
    shingle counts once. A text of fewer than three tokens is hashed by its tokens.

    >>> (simhash("one two three four") ^ simhash("One  two three, four!")).bit_count()
    0
    """
    return simhash_of(text.lower())
