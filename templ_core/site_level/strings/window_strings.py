"""Learning the strings of a window: Foschini's thesis (2007), chapter 3, over all of its pages."""

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from templ_core.array_types import Int32s, Int64s, UInt8s, UInt16s, UInt32s, UInt64s
from templ_core.page_level.features.characters import mix
from templ_core.site_level.config import PLACES_CONFIG, REVISIONS_CONFIG, STRINGS_CONFIG
from templ_core.site_level.keyed_sums import KeyedSums, count_columns, count_keys, distinct
from templ_core.site_level.strings._recurring import (
    RunCounts,
    columns_with,
    neighbours,
    recurring_corpus,
    recurring_parts,
    run_keys,
    usual_parts,
)
from templ_core.site_level.strings._strings import frequent_prefixes, maximal_strings
from templ_core.site_level.strings.string_evidence import FIRST_SHAPE, PageStrings, StringTable
from templ_core.site_level.strings.suffix_array import SuffixArray

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SHAPES_MAX = (1 << 16) - FIRST_SHAPE

PageName: TypeAlias = bytes
"""Content digest of a page."""


class WindowStrings:
    """The strings of a window, which change with the pages that come and leave.

    Strings of whole segments are found among the usual shapes of each page, strings of words in the prose. The newest
    pages of a large window count as a window of their own, too: otherwise it would be long until enough of its pages
    have a text that the site has begun to repeat. What is kept from one window to the next saves time; the strings
    depend on the window alone, and except for which pages are the newest, its order does not matter.
    """

    def __init__(self) -> None:
        self._all = _Prose()
        self._newest = _Prose()

    def learn(
        self, pages: Mapping[PageName, tuple[UInt64s, PageStrings]], shape_pages: KeyedSums
    ) -> StringTable:
        """Return the strings of a window.

        Args:
            pages: Of each page the shapes of its segments, and its prose; the newest last.
            shape_pages: Pages of the window that have each shape.
        """
        config = STRINGS_CONFIG
        usual, least = _pages_of(config.usual_share, len(pages)), _least_pages(len(pages))
        shapes, prose = [own for own, _ in pages.values()], [own for _, own in pages.values()]
        is_frequent = shape_pages.sums[0] >= min(usual, least[0])
        names = list(pages)
        words = self._all.strings(dict(zip(names, prose, strict=True)), least)
        newest = slice(-config.newest_pages, None)
        if config.newest_pages < len(pages):
            late = _least_pages(config.newest_pages)
            lately = count_columns(shapes[newest])
            frequent_lately = lately.keys[lately.sums[0] >= late[0]]
            is_frequent[np.searchsorted(shape_pages.keys, frequent_lately)] = True
            born = self._newest.strings(
                dict(zip(names[newest], prose[newest], strict=True)),
                late,
                (self._all.counts, least[1]),
            )
            words = tuple(map(_joined, words, born))
        few, some, many = words
        frequent = _most_frequent(shape_pages.where(is_frequent))
        (is_usual,) = (frequent.sums[0] >= usual).nonzero()
        tokens = (FIRST_SHAPE + is_usual).astype(np.uint16)
        corpus = recurring_corpus(usual_parts(shapes, frequent.keys[is_usual], tokens), 1)
        return StringTable(
            shapes=frequent.keys,
            usual=_strings(corpus, [usual], 1)[0],
            words=(few, some, many),
            alike=_alike(
                neighbours(shapes, [run.segment for run in prose], frequent.keys), frequent, usual
            ),
        )


class _Prose:
    """The prose of some pages: how many of them have each run of words, and which parts of each page recur.

    A string consists of runs of `words_min` words that enough pages have. So only the parts of texts that consist of such
    runs are sorted, each once however many pages have it, and a page that comes or leaves changes the parts of those
    pages only that have a run which is now on enough pages, or is not any more.
    """

    def __init__(self) -> None:
        self.counts = RunCounts()
        self._runs: dict[PageName, UInt32s] = {}
        self._parts: dict[PageName, list[bytes]] = {}
        self._least = 0

    def strings(
        self,
        pages: Mapping[PageName, PageStrings],
        least: Sequence[int],
        larger: tuple[RunCounts | None, int] = (None, 0),
    ) -> tuple[UInt16s, ...]:
        """Return the strings of words of some pages, for each number of pages that must have them.

        They are those of texts that have a sampled run which recurs.

        Args:
            pages: The prose of each page.
            least: Numbers of pages, in ascending order.
            larger: Pages of a larger window that have each run, and the number of them from which on a run says nothing.
        """
        self._follow(pages, least[0])
        size, sampled = STRINGS_CONFIG.words_min, STRINGS_CONFIG.runs_per_seed
        corpus = recurring_corpus(
            self._parts.values(), size, sampled, self.counts, least[0], *larger
        )
        return _strings(corpus, least, size)

    def _follow(self, pages: Mapping[PageName, PageStrings], least: int) -> None:
        """Count what comes and what leaves, and keep the parts that recur."""
        size, least = STRINGS_CONFIG.words_min, _rounded(least)
        come = {
            name: run_keys(page.tokens, page.lengths, size)
            for name, page in pages.items()
            if name not in self._runs
        }
        left = {name: runs for name, runs in self._runs.items() if name not in pages}
        changed = np.concatenate([np.empty(0, np.uint32), *come.values(), *left.values()])
        was_enough = self.counts.of(changed) >= least
        for name, runs in left.items():
            self.counts.add(runs, -1)
            del self._runs[name], self._parts[name]
        for runs in come.values():
            self.counts.add(runs, 1)
        turned = distinct(changed[was_enough != (self.counts.of(changed) >= least)])
        known = list(self._runs)
        if least == self._least:
            known = [known[at] for at in columns_with(list(self._runs.values()), turned)]
        self._runs.update(come)
        for name in (*known, *come):
            page = pages[name]
            self._parts[name] = recurring_parts(page.tokens, page.lengths, size, self.counts, least)
        self._least = least


def _rounded(pages: int) -> int:
    """Return a number of pages without all but its first three binary digits.

    Parts that recur on fewer pages than strings do are sorted, too, so that not all change with each page more of a window.

    >>> [_rounded(pages) for pages in (3, 7, 9, 20, 21)]
    [3, 7, 8, 20, 20]
    """
    spare = max(pages.bit_length() - 3, 0)
    return pages >> spare << spare


def _least_pages(pages: int) -> list[int]:
    """Return how many of some pages must have a string of words of each level."""
    least = [_pages_of(share, pages) for share in STRINGS_CONFIG.shares]
    return [*least[:-1], max(least[-1], REVISIONS_CONFIG.first_mature_documents)]


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
    places: tuple[Int64s, UInt64s, UInt64s], frequent: KeyedSums, usual_pages: int
) -> UInt8s:
    """Return the rows of `StringTable.alike`.

    Args:
        places: For each text of the prose whose shape has a token, the number of the shape, and the shapes before and
            behind it, 0 at the ends of a page.
        frequent: The shapes that have tokens, with their pages.
        usual_pages: Pages that a text of the site has at least.
    """
    of, *beside = places
    pages, texts = frequent.sums[0], frequent.keys[of]
    rows = []
    for neighbour in beside:
        (with_it,) = frequent.of(neighbour)
        is_own = with_it <= STRINGS_CONFIG.neighbour_pages_ratio_max * pages[of]
        counts = is_own & (with_it < usual_pages)
        pairs = count_keys(
            mix(texts[counts] * _FACTOR + neighbour[counts]), of[counts].astype(np.uint64)[None]
        )
        most = np.zeros(len(frequent.keys), np.int64)
        np.maximum.at(most, pairs.labels[0].astype(np.int64), pairs.sums[0])
        others = np.maximum(most - 1, 0) / np.maximum(pages - 1, 1)
        rows.append(np.rint(255 * np.minimum(others, 1)))
    return np.stack(rows).astype(np.uint8)


def _strings(
    corpus: tuple[UInt16s, Int32s, UInt64s], least: Sequence[int], tokens_min: int
) -> tuple[UInt16s, ...]:
    """Return the maximal strings that enough pages have, for each number of pages.

    Args:
        corpus: The parts of texts, see `recurring_corpus`.
        least: Numbers of pages, in ascending order.
        tokens_min: Tokens of the shortest string.
    """
    tokens, owners, bits = corpus
    if len(tokens) < 2:
        return (np.zeros(1, np.uint16),) * len(least)
    suffixes = SuffixArray(tokens)
    lengths, numbers = frequent_prefixes(suffixes, owners, bits, least, tokens_min)
    return tuple(
        maximal_strings(tokens, suffixes.starts, length, number)
        for length, number in zip(lengths, numbers, strict=True)
    )
