"""Idioms: strings that recur on a site and yet are content, such as "at the end of the".

The second filter after the energy cut-off, which Foschini's thesis (2007, section 3.3) misses. That a
string is on many sites proves nothing ("Leave a reply" is); these stand in kept content on many sites,
and on few in templates. `templ train-idioms` makes the list from pages with gold.
"""

import functools
from collections.abc import Iterable, Sequence
from importlib import resources

import msgspec
import numpy as np

from templ_core.errors import CodecError
from templ_core.site_level.phrases._phrase_automaton import UNKNOWN, PhraseAutomaton

IDIOMS_FORMAT = 1
SHIPPED = "idioms.json"
Keys = tuple[str, ...]
"""Keys of a string's tokens (`Normaliser.key`); a line feed at either end is the border of a block."""


class _File(msgspec.Struct, frozen=True, kw_only=True):
    format: int
    sites: int
    """Sites they were looked for on."""
    sites_min: int
    """Sites whose content has each."""
    idioms: list[str]
    """Keys with a blank between them."""


class Idioms:
    """Tells the strings that idioms make up whole, each token inside some idiom."""

    def __init__(self, strings: Iterable[Keys]) -> None:
        """Read the idioms; with none, nothing is one."""
        self._numbers: dict[str, int] = {}
        number = self._numbers.setdefault
        self._automaton = PhraseAutomaton(
            [number(key, len(self._numbers)) for key in keys] for keys in strings
        )

    def make_up(self, keys: Sequence[str]) -> bool:
        """Whether overlapping or adjacent idioms cover every token and border of a string."""
        numbers = np.array([self._numbers.get(key, UNKNOWN) for key in keys], np.int32)
        return bool(self._automaton.covered(numbers).all())


@functools.cache
def shipped_idioms() -> Idioms:
    """The idioms that come with the package; read once."""
    return Idioms(decode_idioms(resources.files(__package__).joinpath(SHIPPED).read_bytes()))


def encode_idioms(strings: Iterable[Keys], *, sites: int, sites_min: int) -> bytes:
    """The file of a list of idioms, a line each.

    Args:
        strings: The idioms.
        sites: Sites they were looked for on.
        sites_min: Sites whose content has each.
    """
    file = _File(
        format=IDIOMS_FORMAT,
        sites=sites,
        sites_min=sites_min,
        idioms=sorted(" ".join(keys) for keys in strings),
    )
    return msgspec.json.format(msgspec.json.encode(file), indent=1) + b"\n"


def decode_idioms(body: bytes) -> list[Keys]:
    """The idioms of a file.

    Raises:
        CodecError: no such file, or of another format.
    """
    try:
        file = msgspec.json.decode(body, type=_File)
    except msgspec.DecodeError as error:
        raise CodecError(f"not a list of idioms: {error}") from None
    if file.format != IDIOMS_FORMAT:
        raise CodecError(f"idioms of format {file.format}, known is {IDIOMS_FORMAT}")
    return [tuple(text.split(" ")) for text in file.idioms]
