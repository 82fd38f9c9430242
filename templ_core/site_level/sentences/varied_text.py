"""Text that a site repeats with other words in some places, as boxes of related articles do.

No sentence of it is repeated as a whole, but the runs of words between the places that change are.
"""

import numpy as np

from templ_core.array_types import Bools, Int64s
from templ_core.distinct import singles
from templ_core.page_level.features.page_features import PageFeatures
from templ_core.page_level.model.page_type import PageType
from templ_core.site_level.places.keyed_sums import KeyedSums
from templ_core.site_level.sentences.repeated_sentences import is_record_page
from templ_core.site_level.sentences.sentences import prose_sentences
from templ_core.site_level.sentences.sentences_config import VARIED_TEXT_CONFIG, VariedTextConfig
from templ_core.site_level.sentences.shingles import Shingles, all_shingles, varying_segments


def tabulate_shingles(
    counts: KeyedSums, pages: int, config: VariedTextConfig = VARIED_TEXT_CONFIG
) -> KeyedSums:
    """Return the shingles that enough pages of a window have, with the number of these pages.

    Args:
        counts: Pages of the window that have each shingle.
        pages: Number of the window's pages.
        config: The tunable numbers.
    """
    return counts.where(counts.sums[0] >= max(config.pages_min, config.pages_ratio_min * pages))


def find_varied(
    features: PageFeatures,
    page_type: PageType,
    shingles: KeyedSums,
    sentences: KeyedSums,
    pages: int,
    config: VariedTextConfig = VARIED_TEXT_CONFIG,
) -> Bools | None:
    """Return which segments their site repeats with some words changed; None where none is.

    The records of a reference and of a forum are alike on purpose, so nothing is looked up there, nor in
    headings, code and lines of links. Of an article of a series several paragraphs are alike, so where few
    pages have them, the segments found must be neighbours.

    Args:
        features: The features of a page with at least one segment.
        page_type: Its type.
        shingles: The shingles that recur on its site, from `tabulate_shingles`.
        sentences: The sentences that recur on its site, from `tabulate_sentences`.
        pages: Pages that these tables rest on.
        config: The tunable numbers.
    """
    if is_record_page(page_type, config.record_probability) or not shingles.keys.size:
        return None
    wanted = varying_segments(features, config)
    if not wanted.any():
        return None
    first, on_pages = _recurring(all_shingles(features.words, wanted, config), shingles)
    if len(first) < config.shingles_min:
        return None
    varies = ~_is_in_sentence(first, features, sentences)
    first, on_pages = first[varies], on_pages[varies]
    segment = features.words.segment[first]
    found = np.bincount(segment, minlength=len(wanted))
    covered = np.bincount(segment, _covered_words(first, segment, config), len(wanted))
    varied: Bools = (found >= config.shingles_min) & (
        covered >= config.covered_ratio_min * features.words.per_segment
    )
    if np.count_nonzero(np.diff(np.flatnonzero(varied)) > 1):
        certain_pages = max(config.certain_pages_min, config.certain_ratio * pages)
        varied &= np.bincount(segment, on_pages, len(wanted)) >= certain_pages * found
    return varied if varied.any() else None


def _recurring(shingles: Shingles, table: KeyedSums) -> tuple[Int64s, Int64s]:
    """Return the first word of each shingle in a table, and its pages.

    A shingle that stands on the page more than once is a pattern of its list entries, and does not count.
    """
    on_pages = table.of(shingles.keys)[0]
    recurs = np.flatnonzero(on_pages)
    once = np.sort(recurs[singles(shingles.keys[recurs])])
    return shingles.first[once], on_pages[once]


def _is_in_sentence(first: Int64s, features: PageFeatures, table: KeyedSums) -> Bools:
    """Return which words are in sentences that recur as a whole, which `find_repeated` judges."""
    sentences = prose_sentences(features)
    recurs = table.of(sentences.keys)[0] > 0
    begin = np.append(-1, sentences.first[recurs])
    behind = np.append(-1, begin[1:] + sentences.words[recurs])
    is_inside: Bools = first < behind[np.searchsorted(begin, first, "right") - 1]
    return is_inside


def _covered_words(first: Int64s, segment: Int64s, config: VariedTextConfig) -> Int64s:
    """Return the words that each shingle covers, with a short gap to the next one of its segment."""
    behind = first + config.shingle_words
    joins = (segment[1:] == segment[:-1]) & (first[1:] - behind[:-1] <= config.gap_words_max)
    behind[:-1] = np.where(joins, first[1:], behind[:-1])
    return behind - first
