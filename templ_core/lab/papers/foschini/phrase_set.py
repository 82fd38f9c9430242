"""The phrases of a site's templates: a value with a bound on its size."""

import msgspec

from templ_core.lab.papers.foschini.mutable_patterns import MutablePattern


class Phrase(msgspec.Struct, frozen=True, array_like=True):
    """A string of tokens that recurs on a site's pages."""

    keys: tuple[str, ...]
    """Keys of its tokens (`Normaliser.key`); a line feed at either end is the border of a block."""
    pages: int
    """Number of distinct pages that have the string."""


class PhraseSet(msgspec.Struct, frozen=True, kw_only=True):
    """The strings that recur on the pages of a site."""

    pages: int
    """Number of distinct pages that the phrases were learned from."""
    phrases: tuple[Phrase, ...]
    """The phrases on most pages first, then the longest, then by keys."""
    markup: bool = False
    """Whether the phrases were learned on markup as it is, and apply to that only."""
    patterns: tuple[MutablePattern, ...] = ()
    """Mutable patterns beyond those that come with the package."""


def bounded_phrases(phrase_set: PhraseSet, size_bytes: int) -> PhraseSet:
    """Return the set without its least supported phrases, so that their text fits into a size.

    >>> phrases = (Phrase(("Leave", "a", "reply"), 9), Phrase(("Read", "more"), 3))
    >>> len(bounded_phrases(PhraseSet(pages=9, phrases=phrases), 20).phrases)
    1

    Args:
        phrase_set: The whole set.
        size_bytes: Most bytes of the keys in UTF-8 with a byte between them.
    """
    room, kept = size_bytes, 0
    for phrase in phrase_set.phrases:
        room -= sum(len(key.encode()) + 1 for key in phrase.keys)
        if room < 0:
            break
        kept += 1
    return msgspec.structs.replace(phrase_set, phrases=phrase_set.phrases[:kept])
