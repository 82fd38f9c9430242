"""Learning the strings of a window: Foschini's thesis (2007), chapter 3, over all of its pages."""

import math
from collections.abc import Sequence

import numpy as np

from templ_core.array_types import Bools, Int32s, Int64s, UInt8s, UInt16s, UInt64s
from templ_core.page_level.features.characters import mix
from templ_core.site_level.config import PLACES_CONFIG, REVISIONS_CONFIG, STRINGS_CONFIG
from templ_core.site_level.keyed_sums import KeyedSums, count_columns, count_keys
from templ_core.site_level.strings._strings import (
    frequent_prefixes,
    maximal_strings,
    numbered,
    prose_corpus,
)
from templ_core.site_level.strings.string_evidence import FIRST_SHAPE, PageStrings, StringTable
from templ_core.site_level.strings.suffix_array import BREAK, SuffixArray

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SHAPES_MAX = (1 << 16) - FIRST_SHAPE


def learn_strings(
    pages: Sequence[tuple[UInt64s, PageStrings]], shape_pages: KeyedSums, seed_pages: KeyedSums
) -> StringTable:
    """Return the strings of a window.

    Strings of whole segments are found in the sequence of each page's shapes, strings of words in the prose
    whose seeds recur. What no other page has is a break in both, or is not sorted at all. The newest pages of a large
    window count as a window of their own, too: otherwise it would be long until enough of its pages have a text that
    the site has begun to repeat. Except for which pages are the newest, the order does not matter.

    Args:
        pages: Of each page the shapes of its segments, and its prose; the newest last.
        shape_pages: Pages of the window that have each shape.
        seed_pages: Pages of the window that have each seed.
    """
    config = STRINGS_CONFIG
    usual = _pages_of(config.usual_share, len(pages))
    least = _least_pages(len(pages))
    newest = pages[-config.newest_pages :]
    is_frequent = shape_pages.sums[0] >= min(usual, least[0])
    if len(newest) < len(pages):
        is_frequent |= _frequent(shape_pages.keys, [own for own, _ in newest])
    frequent = _most_frequent(shape_pages.where(is_frequent))
    recurring = seed_pages.where(seed_pages.sums[0] >= least[0]).keys
    corpus = prose_corpus([page for _, page in pages], recurring)
    words = _strings(*corpus, least, config.words_min, len(pages))
    if len(newest) < len(pages):
        late = _newest_strings([page for _, page in newest], least, seed_pages)
        words = tuple(map(_joined, words, late))
    few, some, many = words
    end = np.zeros(1, np.uint64)
    shapes = np.concatenate([end, *[part for own, _ in pages for part in (own, end)]])
    sizes = np.array([own.size + 1 for own, _ in pages], np.int64)
    tokens = numbered(frequent.keys, shapes, FIRST_SHAPE)
    owners = np.repeat(np.arange(len(pages), dtype=np.int32), sizes)
    in_page = np.repeat(np.cumsum(sizes) - sizes, [page.segment.size for _, page in pages])
    segments = np.concatenate([np.empty(0, np.int32), *[page.segment for _, page in pages]])
    places = in_page + segments.astype(np.int64)
    return StringTable(
        shapes=frequent.keys,
        usual=_strings(*_packed(tokens[1:], owners), [usual], 1, len(pages))[0],
        words=(few, some, many),
        alike=_alike(shapes, tokens, places, frequent, usual),
    )


def _least_pages(pages: int) -> list[int]:
    """Return how many of some pages must have a string of words of each level."""
    least = [_pages_of(share, pages) for share in STRINGS_CONFIG.shares]
    return [*least[:-1], max(least[-1], REVISIONS_CONFIG.first_mature_documents)]


def _frequent(keys: UInt64s, newest: Sequence[UInt64s]) -> Bools:
    """Return which keys, in ascending order, enough of the newest pages have for a string of few pages."""
    lately = count_columns(newest)
    found: Bools = np.isin(keys, lately.keys[lately.sums[0] >= _least_pages(len(newest))[0]])
    return found


def _newest_strings(
    newest: Sequence[PageStrings], least: Sequence[int], seed_pages: KeyedSums
) -> tuple[UInt16s, ...]:
    """Return the strings of the newest pages, in texts that are not on some pages of the window throughout."""
    is_born = _frequent(seed_pages.keys, [page.seeds[0] for page in newest])
    is_born &= seed_pages.sums[0] < least[1]
    corpus = prose_corpus(newest, seed_pages.keys[is_born])
    return _strings(*corpus, _least_pages(len(newest)), STRINGS_CONFIG.words_min, len(newest))


def _joined(strings: UInt16s, others: UInt16s) -> UInt16s:
    """Return strings and others, a break around each."""
    return np.concatenate([strings, others[1:]])


def _pages_of(share: float, pages: int) -> int:
    """Return how many pages of a window a string must be on."""
    return max(PLACES_CONFIG.repeated_pages_min, math.ceil(share * pages))


def _most_frequent(shapes: KeyedSums) -> KeyedSums:
    """Return the shapes on most pages, as many as there are tokens."""
    chosen = np.zeros(len(shapes.keys), np.bool_)
    chosen[np.argsort(-shapes.sums[0], kind="stable")[:_SHAPES_MAX]] = True
    return shapes.where(chosen)


def _alike(
    shapes: UInt64s, tokens: UInt16s, places: Int64s, frequent: KeyedSums, usual_pages: int
) -> UInt8s:
    """Return the rows of `StringTable.alike`.

    Args:
        shapes: The shapes of all segments of the window; 0 before and behind those of a page.
        tokens: Their tokens.
        places: Index of what stands before each text of the prose.
        frequent: The shapes that have tokens, with their pages.
        usual_pages: Pages that a text of the site has at least.
    """
    places = places[tokens[places + 1] != BREAK]
    of, texts = tokens[places + 1].astype(np.int64) - FIRST_SHAPE, shapes[places + 1]
    pages = np.concatenate([np.zeros(FIRST_SHAPE, np.int64), frequent.sums[0]])
    rows = []
    for at in (places, places + 2):
        with_it = pages[tokens[at]]
        is_own = with_it <= STRINGS_CONFIG.neighbour_pages_ratio_max * frequent.sums[0][of]
        counts = is_own & (with_it < usual_pages)
        pairs = count_keys(
            mix(texts[counts] * _FACTOR + shapes[at][counts]), of[counts].astype(np.uint64)[None]
        )
        most = np.zeros(len(frequent.keys), np.int64)
        np.maximum.at(most, pairs.labels[0].astype(np.int64), pairs.sums[0])
        others = np.maximum(most - 1, 0) / np.maximum(frequent.sums[0] - 1, 1)
        rows.append(np.rint(255 * np.minimum(others, 1)))
    return np.stack(rows).astype(np.uint8)


def _packed(tokens: UInt16s, owners: Int32s) -> tuple[UInt16s, Int32s]:
    """Return tokens and their pages without breaks that follow each other; the last token is a break."""
    kept = np.ones(len(tokens), np.bool_)
    kept[1:] = (tokens[1:] != BREAK) | (tokens[:-1] != BREAK)
    return tokens[kept], owners[kept]


def _strings(
    tokens: UInt16s, owners: Int32s, least: Sequence[int], tokens_min: int, pages: int
) -> tuple[UInt16s, ...]:
    """Return the maximal strings that enough pages have, for each number of pages."""
    if len(tokens) < 2:
        return (np.zeros(1, np.uint16),) * len(least)
    suffixes = SuffixArray(tokens)
    lengths, numbers = frequent_prefixes(suffixes, owners, pages, least, tokens_min)
    return tuple(
        maximal_strings(tokens, suffixes.starts, length, number)
        for length, number in zip(lengths, numbers, strict=True)
    )
