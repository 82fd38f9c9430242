"""Runs of some words of a page, by which text is found that its site repeats with other words in it."""

import msgspec

from templ_core.array_types import Bools, Int64s, UInt64s
from templ_core.page_level.features.page_features import PageFeatures
from templ_core.site_level.config import VARIED_TEXT_CONFIG, VariedTextConfig
from templ_core.site_level.sentences import _shingles
from templ_core.site_level.sentences.sentences import prose_segments


class Shingles(msgspec.Struct, frozen=True, kw_only=True):
    first: Int64s
    keys: UInt64s


def read_shingles(
    features: PageFeatures, wanted: Bools, config: VariedTextConfig = VARIED_TEXT_CONFIG, all=False
) -> Shingles:
    first, keys = _shingles.read_shingles(features.words, wanted, config.shingle_words, config.named_words_min, 1 if all else config.window)
    return Shingles(first=first, keys=keys)


def long_prose(features: PageFeatures, config: VariedTextConfig = VARIED_TEXT_CONFIG) -> Bools:
    """Return which segments are long enough, and neither headings nor code; length n_segments."""
    is_long = features.words.per_segment >= config.words_min
    return is_long & (prose_segments(features))
