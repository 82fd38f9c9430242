"""Shingles: runs of some words, by which text is found that a site repeats with other words in it.

After Broder, "On the resemblance and containment of documents" (SEQUENCES 1997); which of them are counted
is chosen by winnowing: Schleimer, Wilkerson and Aiken, "Winnowing" (SIGMOD 2003), section 3.
"""

import msgspec

from templ_core.array_types import Bools, Int64s, UInt64s
from templ_core.page_level.features.characters import Words
from templ_core.page_level.features.page_features import PageFeatures
from templ_core.site_level.sentences import _shingles
from templ_core.site_level.sentences.sentences import prose_segments
from templ_core.site_level.sentences.sentences_config import VARIED_TEXT_CONFIG, VariedTextConfig


class Shingles(msgspec.Struct, frozen=True, kw_only=True):
    """Shingles of a page, in order; columns of length n_shingles."""

    first: Int64s
    """Index of the first word among the words of the page."""
    keys: UInt64s
    """A hash below 2**24 of the words, so that few bytes are stored; words with a digit are equal in it."""


def winnowed_shingles(
    words: Words, wanted: Bools, config: VariedTextConfig = VARIED_TEXT_CONFIG
) -> Shingles:
    """Return the shingles of some segments that a site counts.

    Of `config.shingles_window` neighbours at least one is chosen, the one with the smallest hash, so that two
    texts that share a run of words mostly share the shingles chosen in it.

    >>> from templ_core.page_level.features.characters import read_characters, read_words
    >>> import numpy as np
    >>> text = "we met by the old mill in the rain and went home before it grew dark again"
    >>> words = read_words(read_characters([text, "So " + text]))
    >>> both = winnowed_shingles(words, np.array([True, True]))
    >>> one = winnowed_shingles(words, np.array([True, False]))
    >>> len(set(both.keys.tolist())) - len(one.keys) <= 1
    True

    Args:
        words: The words of the page.
        wanted: Which segments to look at; length n_segments.
        config: The tunable numbers.
    """
    return _read(words, wanted, config.shingles_window, config)


def all_shingles(
    words: Words, wanted: Bools, config: VariedTextConfig = VARIED_TEXT_CONFIG
) -> Shingles:
    """Return all shingles of some segments.

    Args:
        words: The words of the page.
        wanted: Which segments to look at; length n_segments.
        config: The tunable numbers.
    """
    return _read(words, wanted, 1, config)


def _read(words: Words, wanted: Bools, window: int, config: VariedTextConfig) -> Shingles:
    first, keys = _shingles.read_shingles(
        words, wanted, config.shingle_words, config.named_words_min, window
    )
    return Shingles(first=first, keys=keys)


def varying_segments(
    features: PageFeatures, config: VariedTextConfig = VARIED_TEXT_CONFIG
) -> Bools:
    """Return which segments are prose of some words, which may vary from page to page; length n_segments.

    Args:
        features: The features of the page.
        config: The tunable numbers.
    """
    return prose_segments(features) & (features.words.per_segment >= config.words_min)
