"""Text that a site repeats with other words in some places, as boxes of related articles do.

No sentence of it is repeated as a whole, but most runs of words between the places that change are.
"""

import os
import numpy as np

from templ_core.array_types import Bools
from templ_core.page_level.features.page_features import PageFeatures
from templ_core.page_level.model.page_type import PageType
from templ_core.site_level.config import VARIED_TEXT_CONFIG, VariedTextConfig
from templ_core.site_level.places.keyed_sums import KeyedSums
from templ_core.site_level.sentences.sentences import prose_sentences
from templ_core.site_level.sentences.shingles import long_prose, read_shingles


def tabulate_shingles(
    counts: KeyedSums, pages: int, config: VariedTextConfig = VARIED_TEXT_CONFIG
) -> KeyedSums:
    """Return the shingles that enough pages of a window have, with the number of these pages."""
    return counts.where(counts.sums[0] >= max(config.pages_min, config.pages_ratio_min * pages))


def find_varied(
    features: PageFeatures,
    page_type: PageType,
    table: KeyedSums,
    sentence_table: KeyedSums,
    pages: int,
    config: VariedTextConfig = VARIED_TEXT_CONFIG,
) -> Bools | None:
    if (
        not table.keys.size
        or max(page_type.documentation, page_type.forum) > config.record_probability
    ):
        return None
    wanted = long_prose(features, config)
    if not wanted.any():
        return None
    shingles = read_shingles(features, wanted, config, all=True)
    on_pages = table.of(shingles.keys)[0]
    if os.environ.get("ONCE","1")=="1":
        _, inverse, counts = np.unique(shingles.keys, return_inverse=True, return_counts=True)
        on_pages = np.where(counts[inverse] == 1, on_pages, 0)
    first, on_pages = shingles.first[on_pages > 0], on_pages[on_pages > 0]
    if len(first) and os.environ.get("EXCL", "1") == "1":
        sentences = prose_sentences(features)
        recurs = sentence_table.of(sentences.keys)[0] > 0
        begin = sentences.first[recurs]
        end = begin + sentences.words[recurs]
        if len(begin):
            of = np.searchsorted(begin, first, "right") - 1
            own = (of < 0) | (first >= end[of])
            first, on_pages = first[own], on_pages[own]
    if len(first) < config.shingles_min:
        return None
    segment = features.words.segment[first]
    behind = first + config.shingle_words
    joins = (segment[1:] == segment[:-1]) & (first[1:] - behind[:-1] <= config.gap_words_max)
    behind[:-1] = np.where(joins, first[1:], behind[:-1])
    covered = np.bincount(segment, behind - first, len(wanted))
    varied: Bools = wanted & (
        covered >= config.covered_ratio_min * features.words.per_segment
    ) & (np.bincount(segment, minlength=len(wanted)) >= config.shingles_min)
    if not varied.any():
        return None
    if os.environ.get("RUNS","1")=="1":
        where = np.flatnonzero(varied)
        runs = 1 + np.count_nonzero(np.diff(where) > 1)
        if runs > 1:
            mean = np.bincount(segment, on_pages, len(wanted)) / np.maximum(np.bincount(segment, minlength=len(wanted)), 1)
            varied &= mean >= max(config.certain_pages_min, config.certain_ratio * pages)
    return varied if varied.any() else None
