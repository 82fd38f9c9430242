"""The phrases of a site's templates: a value with a compact form and a bound on its size."""

from typing import Annotated

import msgspec

from templ_core.site_level.phrases.mutable_patterns import MutablePattern
from templ_core.stored.columns import ROWS_MAX
from templ_core.stored.compact import CompactColumns, CompactForm, Pages, Texts


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
        size_bytes: Most bytes of the keys in UTF-8 with a byte between them, which in practice is more
            than what `encode_phrase_set` makes of them.
    """
    room, kept = size_bytes, 0
    for phrase in phrase_set.phrases:
        room -= sum(len(key.encode()) + 1 for key in phrase.keys)
        if room < 0:
            break
        kept += 1
    return msgspec.structs.replace(phrase_set, phrases=phrase_set.phrases[:kept])


class _Compact(CompactColumns, frozen=True, array_like=True):
    pages: Pages
    markup: bool
    patterns: tuple[()]
    """No patterns: an expression from outside could be invalid or take for ever."""
    counts: Annotated[list[Pages], msgspec.Meta(max_length=ROWS_MAX)]
    phrases: Texts
    """Keys with a blank between them."""


_FORM = CompactForm("phrase set", 1, _Compact, max_bytes=1 << 20)
"""How phrase sets are stored; `CoreConfig.phrase_set_bytes` is a quarter of the largest size."""


def encode_phrase_set(phrase_set: PhraseSet) -> bytes:
    """Return a set in compact form, MessagePack and zstd; equal sets give equal bytes.

    Raises:
        ValueError: The set has patterns of its own, which are not stored.
    """
    if phrase_set.patterns:
        raise ValueError("a phrase set with patterns of its own has no compact form")
    compact = _Compact(
        _FORM.format,
        phrase_set.pages,
        phrase_set.markup,
        (),
        [phrase.pages for phrase in phrase_set.phrases],
        [" ".join(phrase.keys) for phrase in phrase_set.phrases],
    )
    return _FORM.encode(compact)


def decode_phrase_set(body: bytes) -> PhraseSet:
    """Return the phrase set whose compact form is `body`.

    Raises:
        CodecError: The bytes are no phrase set, damaged, or of another format.
    """
    with _FORM.refusing():
        compact = _FORM.decode(body)
        phrases = [
            Phrase(tuple(text.split(" ")), count)
            for text, count in zip(compact.phrases, compact.counts, strict=True)
        ]
        return PhraseSet(pages=compact.pages, markup=compact.markup, phrases=tuple(phrases))
