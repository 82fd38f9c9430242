"""Contents that were published before, found by the SimHash of their texts.

Copies keep nearly all of their shingles in another template, so their keys differ in few of 64 bits. Such keys
agree in one of four bands of 16 bits, but for one bit at most. So a key is stored under its four bands, and looked
up under each of them as it is and with one bit changed: Manku, Jain, Das Sarma (WWW 2007, section 3) with fewer
tables and more queries.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, NamedTuple

from templ_core.tokens import tokenise

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BITS = 7
"""Most of 64 bits in which the keys of copies differ; four bands find all pairs of up to 7."""
TOKENS_MIN = 50
"""Texts of fewer tokens may be equal by chance or by the software of two sites: of 13 011 pages of 1 442 sites, those
that are and are no copies have up to 42 (`tests.quality.mirrors --pairs`)."""

_TOKEN_CHARS = (8, 20)
"""Characters of a usual token with its separator, and of the longest one, with few exceptions."""
_BANDS = 4
_BAND_BITS = 16
_CHANGES = (0, *(1 << bit for bit in range(_BAND_BITS)))


def says_enough(text: str) -> bool:
    """Return whether a text has at least TOKENS_MIN tokens near its beginning."""
    return any(len(tokenise(text[: chars * TOKENS_MIN])) >= TOKENS_MIN for chars in _TOKEN_CHARS)


def is_near(key: int, other: int) -> bool:
    """Return whether two keys differ in at most BITS bits."""
    return (key ^ other).bit_count() <= BITS


class NearContents(NamedTuple):
    """Contents near a key, in the order of their ranks."""

    places: NDArray[np.uint32]
    ranks: NDArray[np.int64]


class KnownContents:
    """Keys of contents in numbered places, each with its rank in the order of publication.

    >>> known = KnownContents(1000)
    >>> known.put(7, key=0xFFFF, rank=2)
    >>> known.put(8, key=0xFF7F, rank=1)
    >>> [known.near(key).places.tolist() for key in (0x7F, 0x7FFF, 1 << 63)]
    [[], [8, 7], []]
    """

    def __init__(self, places: int) -> None:
        """Begin without contents, with room for this many; a place takes memory when it is used first."""
        import numpy as np  # noqa: PLC0415 - a process that compares no contents does without it

        self._keys = np.zeros(places, np.uint64)
        self._ranks = np.zeros(places, np.int64)
        self._buckets: dict[int, array[int]] = {}

    def put(self, place: int, key: int, rank: int) -> None:
        """Set the content of a place, 0 or more, that has none.

        Args:
            place: Number of the place.
            key: Its SimHash.
            rank: Contents with a smaller rank were published before.
        """
        self._keys[place], self._ranks[place] = key, rank
        for band in _bands(key):
            self._buckets.setdefault(band, array("I")).append(place)

    def drop(self, place: int) -> None:
        """Forget the content of a place that has one."""
        for band in _bands(int(self._keys[place])):
            bucket = self._buckets[band]
            bucket.remove(place)
            if not bucket:
                del self._buckets[band]

    def key(self, place: int) -> int:
        """Return the key of the content of a place that has one."""
        return int(self._keys[place])

    def near(self, key: int) -> NearContents:
        """Return the contents whose keys differ in at most BITS bits."""
        import numpy as np  # noqa: PLC0415

        get = self._buckets.get
        bands = _bands(key)
        neighbours = [one for change in _CHANGES for band in bands if (one := get(band ^ change))]
        places = np.frombuffer(b"".join(neighbours), np.uint32)
        # A content may be under several bands.
        near = np.unique(places[np.bitwise_count(self._keys[places] ^ np.uint64(key)) <= BITS])
        order = np.argsort(self._ranks[near], kind="stable")
        return NearContents(near[order], self._ranks[near[order]])


def _bands(key: int) -> list[int]:
    """Return the bands of a key, each with its number above its bits."""
    mask = (1 << _BAND_BITS) - 1
    return [band << _BAND_BITS | key >> _BAND_BITS * band & mask for band in range(_BANDS)]
