"""Learning the strings of a window: Foschini's thesis (2007), chapter 3, over all of its pages."""

import math
from collections.abc import Sequence

import numpy as np

from templ_core.array_types import Int32s, UInt8s, UInt16s, UInt64s
from templ_core.page_level.features.characters import mix
from templ_core.site_level.config import STRINGS_CONFIG, StringsConfig
from templ_core.site_level.places.keyed_sums import KeyedSums, count_keys
from templ_core.site_level.strings._strings import frequent_prefixes, numbered
from templ_core.site_level.strings.page_strings import PageStrings
from templ_core.site_level.strings.string_table import (
    FIRST_SHAPE,
    StringTable,
    find_keys,
    joined,
)
from templ_core.site_level.strings.suffix_array import BREAK, SuffixArray

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SHAPES_MAX = (1 << 16) - FIRST_SHAPE


def learn_strings(
    pages: Sequence[tuple[UInt64s, PageStrings]],
    shape_pages: KeyedSums,
    seed_pages: KeyedSums,
    config: StringsConfig = STRINGS_CONFIG,
) -> StringTable:
    """Return the strings of a window; they depend on its pages alone, not on their order.

    Strings of whole segments are found in the sequence of each page's shapes, strings of words in the prose
    whose seeds recur. What no other page has is a break in both, or is not sorted at all.

    Args:
        pages: Of each page the shapes of its segments, and its prose.
        shape_pages: Pages of the window that have each shape.
        seed_pages: Pages of the window that have each seed.
        config: The tunable numbers.
    """
    usual = _pages_of(config.usual_share, config.usual_pages_min, len(pages))
    least = [
        _pages_of(share, pages_min, len(pages))
        for share, pages_min in zip(config.shares, config.pages_min, strict=True)
    ]
    frequent = _most_frequent(shape_pages.where(shape_pages.sums[0] >= min(usual, least[0])))
    few, some, many = _strings(
        *_word_corpus(pages, seed_pages, least[0]), least, config.words_min, len(pages)
    )
    return StringTable(
        shapes=frequent.keys,
        usual=_strings(*_segment_corpus(pages, frequent.keys), [usual], 1, len(pages))[0],
        words=(few, some, many),
        alike=_alike(pages, frequent, usual, config),
    )


def _pages_of(share: float, pages_min: int, pages: int) -> int:
    """Return how many pages of a window a string must be on."""
    return max(pages_min, math.ceil(share * pages))


def _most_frequent(shapes: KeyedSums) -> KeyedSums:
    """Return the shapes on most pages, as many as there are tokens."""
    chosen = np.zeros(len(shapes.keys), np.bool_)
    chosen[np.argsort(-shapes.sums[0], kind="stable")[:_SHAPES_MAX]] = True
    return shapes.where(chosen)


def _alike(
    pages: Sequence[tuple[UInt64s, PageStrings]],
    frequent: KeyedSums,
    usual_pages: int,
    config: StringsConfig,
) -> UInt8s:
    """Return the rows of `StringTable.alike`."""
    none = np.zeros(1, np.uint64)
    before, text, behind = [none[:0]], [none[:0]], [none[:0]]
    for shapes, page in pages:
        around = np.concatenate([none, shapes, none])
        before.append(around[page.segment])
        text.append(shapes[page.segment])
        behind.append(around[page.segment + 2])
    texts = np.concatenate(text)
    at, known = find_keys(frequent.keys, texts)
    of, texts = at[known], texts[known]
    rows = []
    for beside in (np.concatenate(before)[known], np.concatenate(behind)[known]):
        with_it = frequent.of(np.ascontiguousarray(beside))[0]
        is_own = with_it <= config.neighbour_pages_ratio_max * frequent.sums[0][of]
        for counts in (is_own & (with_it < usual_pages), is_own):
            pairs = count_keys(
                mix(texts[counts] * _FACTOR + beside[counts]), of[counts].astype(np.uint64)[None]
            )
            most = np.zeros(len(frequent.keys), np.int64)
            np.maximum.at(most, pairs.labels[0].astype(np.int64), pairs.sums[0])
            others = np.maximum(most - 1, 0) / np.maximum(frequent.sums[0] - 1, 1)
            rows.append(np.rint(255 * np.minimum(others, 1)))
    return np.stack(rows).astype(np.uint8)


_Corpus = tuple[UInt16s, Int32s]


def _segment_corpus(pages: Sequence[tuple[UInt64s, PageStrings]], frequent: UInt64s) -> _Corpus:
    """Return the segments of all pages as tokens, a break behind each page, and their pages."""
    end = np.zeros(1, np.uint64)
    parts = [end[:0], *(part for shapes, _ in pages for part in (shapes, end))]
    shapes = np.concatenate(parts)
    tokens = numbered(frequent, shapes, FIRST_SHAPE)
    sizes = [len(shapes) + 1 for shapes, _ in pages]
    return _packed(tokens, np.repeat(np.arange(len(pages), dtype=np.int32), sizes))


def _word_corpus(
    pages: Sequence[tuple[UInt64s, PageStrings]], seed_pages: KeyedSums, pages_min: int
) -> _Corpus:
    """Return the prose that has a seed of enough pages, a break behind each text, and its pages."""
    recurring = seed_pages.keys[seed_pages.sums[0] >= pages_min]
    parts, owners = [np.zeros(0, np.uint16)], [np.zeros(0, np.int32)]
    if len(recurring):
        for number, (_, page) in enumerate(pages):
            keys, texts = page.seeds
            found = find_keys(recurring, keys)[1]
            if not found.any():
                continue
            chosen = np.zeros(len(page.lengths), np.bool_)
            chosen[texts[found]] = True
            ends = np.cumsum(page.lengths)
            tokens = np.where(np.repeat(chosen, page.lengths), page.tokens, BREAK)
            parts.append(np.insert(tokens, ends[chosen], BREAK).astype(np.uint16))
            owners.append(np.full(len(parts[-1]), number, np.int32))
    return _packed(np.concatenate(parts), np.concatenate(owners))


def _packed(tokens: UInt16s, owners: Int32s) -> _Corpus:
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
    common = np.where(suffixes.common < tokens_min, np.int32(0), suffixes.common)
    lengths, numbers = frequent_prefixes(common, owners[suffixes.starts], pages, least)
    return tuple(
        _maximal(tokens, suffixes.starts, length, number)
        for length, number in zip(lengths, numbers, strict=True)
    )


def _maximal(tokens: UInt16s, starts: Int32s, lengths: Int32s, numbers: Int32s) -> UInt16s:
    """Return the strings that do not continue a longer one to the left, each once."""
    of_position, number_of = np.zeros((2, len(tokens) + 1), np.int32)
    of_position[starts], number_of[starts] = lengths, numbers
    before = np.append(0, of_position[:-1])
    (begins,) = ((of_position > 0) & (before <= of_position)).nonzero()
    _, first = np.unique(number_of[begins], return_index=True)
    begins = begins[np.sort(first)]
    return joined(tokens, begins.astype(np.int32), of_position[begins])
