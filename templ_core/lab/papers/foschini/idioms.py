"""Idioms: strings that recur on a site and yet are content, such as "at the end of the".

Removing them is the second filter after the energy cut-off, as in Foschini's thesis (2007, section 3.3).
The thesis removes all strings that many sites have, but that proves little: "Leave a reply" is on many
sites, too. So idioms are strings in the content of many sites and in the templates of few.
`templ train-idioms` makes the list from pages with gold.
"""

import functools
from collections.abc import Iterable, Sequence
from importlib import resources
from typing import TypeAlias

import msgspec
import numpy as np

from templ_core.errors import CodecError
from templ_core.lab.papers.foschini._phrase_automaton import UNKNOWN, PhraseAutomaton

IDIOMS_FORMAT = 1
SHIPPED_IDIOMS = "idioms.json"
TokenKeys: TypeAlias = tuple[str, ...]
"""Keys of a string's tokens (`Normaliser.key`); a line feed at either end is the border of a block."""


class _IdiomsFile(msgspec.Struct, frozen=True, kw_only=True):
    format: int
    sites: int
    """Number of sites that were searched for idioms."""
    sites_min: int
    """Number of sites whose content has each idiom, at least."""
    idioms: list[str]
    """Keys of each idiom with a blank between them."""


class Idioms:
    """A list of idioms that tells which strings consist of idioms alone.

    >>> idioms = Idioms([("at", "the", "end"), ("the", "end", "of", "the")])
    >>> idioms.make_up(("at", "the", "end", "of", "the"))
    True
    >>> idioms.make_up(("at", "the", "end", "of", "May"))
    False
    """

    def __init__(self, strings: Iterable[TokenKeys]) -> None:
        """Read the idioms."""
        self._numbers: dict[str, int] = {}
        number = self._numbers.setdefault
        self._automaton = PhraseAutomaton(
            [number(key, len(self._numbers)) for key in keys] for keys in strings
        )

    def make_up(self, keys: Sequence[str]) -> bool:
        """Return whether overlapping or adjacent idioms cover each token and border of a string."""
        numbers = np.array([self._numbers.get(key, UNKNOWN) for key in keys], np.int32)
        return bool(self._automaton.covered(numbers).all())


@functools.cache
def shipped_idioms() -> Idioms:
    """Return the idioms that come with the package; they are read once."""
    return Idioms(decode_idioms(resources.files(__package__).joinpath(SHIPPED_IDIOMS).read_bytes()))


def encode_idioms(strings: Iterable[TokenKeys], *, sites: int, sites_min: int) -> bytes:
    """Return the file of a list of idioms, with a line for each.

    Args:
        strings: The idioms.
        sites: Number of sites that were searched for idioms.
        sites_min: Number of sites whose content has each idiom, at least.
    """
    file = _IdiomsFile(
        format=IDIOMS_FORMAT,
        sites=sites,
        sites_min=sites_min,
        idioms=sorted(" ".join(keys) for keys in strings),
    )
    return msgspec.json.format(msgspec.json.encode(file), indent=1) + b"\n"


def decode_idioms(body: bytes) -> list[TokenKeys]:
    """Return the idioms of a file.

    Raises:
        CodecError: The bytes are no list of idioms, or one of another format.
    """
    try:
        file = msgspec.json.decode(body, type=_IdiomsFile)
    except msgspec.DecodeError as error:
        raise CodecError(f"not a list of idioms: {error}") from None
    if file.format != IDIOMS_FORMAT:
        raise CodecError(f"idioms of format {file.format}, known is {IDIOMS_FORMAT}")
    return [tuple(text.split(" ")) for text in file.idioms]
