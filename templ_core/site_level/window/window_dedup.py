"""Which pages of a window count: near-duplicates of an article would make it look like a template.

This is the one definition of near-duplicates in the project: two pages are near-duplicates when they
have most of the words of the longer one in common, text by text. What a page's texts are is up to the
caller; in a window they are the segments that the page model takes for content.

A page that has some words to itself is compared without the texts that are the site's. Otherwise the delivery
terms of a shop would make its products near-duplicates of each other.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from templ_core.array_types import Int64s, UInt64s
from templ_core.site_level.config import PLACES_CONFIG, WINDOW_DEDUP_CONFIG, WindowDedupConfig
from templ_core.site_level.keyed_sums import distinct
from templ_core.site_level.window.page_summary import PageSummary

TextWords: TypeAlias = Mapping[int, int]
"""Hash of each different text of a page, and the words of the text."""


def distinct_pages(pages: Sequence[PageSummary]) -> list[int]:
    """Return the indexes of a window's pages whose content is no near-duplicate of a page before them."""
    if not pages:
        return []
    contents = [page.content_texts for page in pages]
    texts = np.concatenate([texts for texts, _ in contents])
    words = np.concatenate([words for _, words in contents])
    number = np.repeat(np.arange(len(pages)), [texts.size for texts, _ in contents])
    _, of, times = np.unique(texts, return_inverse=True, return_counts=True)
    pages_with = times[of]
    own_words = np.bincount(number, words * (pages_with == 1), len(pages))
    is_told_apart = own_words >= WINDOW_DEDUP_CONFIG.words_min
    counts = ~is_told_apart[number] | (pages_with < PLACES_CONFIG.repeated_pages_min)
    texts, words, number = texts[counts], words[counts], number[counts]
    compared = _pages_with_shared_probes(texts, words, number, len(pages))
    bounds = np.searchsorted(number, [compared, compared + 1]).T.tolist()
    own = [(texts[first:end].tolist(), words[first:end].tolist()) for first, end in bounds]
    kept = distinct_texts([dict(zip(*columns, strict=True)) for columns in own])
    return np.delete(np.arange(len(pages)), np.delete(compared, kept)).tolist()


def _pages_with_shared_probes(texts: UInt64s, words: Int64s, number: Int64s, pages: int) -> Int64s:
    """Return the pages that have a probe in common with another one, as all near-duplicates have (see `_probes`)."""
    total = np.bincount(number, words, pages)
    left = np.cumsum(total)[number] - np.cumsum(words) + words
    is_probe = total[number] >= WINDOW_DEDUP_CONFIG.words_min
    is_probe &= left >= WINDOW_DEDUP_CONFIG.near_ratio * total[number]
    _, index, times = np.unique(texts[is_probe], return_inverse=True, return_counts=True)
    return distinct(number[is_probe][times[index] > 1])


def distinct_texts(
    pages: Sequence[TextWords], config: WindowDedupConfig = WINDOW_DEDUP_CONFIG
) -> list[int]:
    """Return the indexes of the pages that are no near-duplicate of a kept page before them.

    >>> report, refetched, other = {1: 60, 2: 40}, {1: 60, 2: 40, 3: 5}, {1: 60, 4: 40}
    >>> distinct_texts([report, refetched, other])
    [0, 2]

    Args:
        pages: The texts of each page; all count.
        config: What counts as a near-duplicate.
    """
    kept: list[int] = []
    by_probe: defaultdict[int, list[int]] = defaultdict(list)
    for index, page in enumerate(pages):
        probes = _probes(page, config)
        others = {other for text in probes for other in by_probe[text]}
        if any(_are_near(page, pages[other], config.near_ratio) for other in others):
            continue
        for text in probes:
            by_probe[text].append(index)
        kept.append(index)
    return kept


def _probes(page: TextWords, config: WindowDedupConfig) -> list[int]:
    """Return the longest texts of a page; each near-duplicate shares one of them.

    They are more words than near-duplicates may lack. Texts have one order, so of two near-duplicates the one whose
    probes end first has a text in common among them, and the other has it among its own.
    """
    total = left = sum(page.values())
    probes: list[int] = []
    for minus_words, text in sorted([(-words, text) for text, words in page.items()]):
        if total < config.words_min or left < config.near_ratio * total:
            break
        probes.append(text)
        left += minus_words
    return probes


def _are_near(first: TextWords, second: TextWords, near_ratio: float) -> bool:
    common = sum([words for text, words in first.items() if text in second])
    return common >= near_ratio * max(sum(first.values()), sum(second.values()))


def first_of_each(contents: Sequence[bytes]) -> list[int]:
    """Return the indexes of the first pages of the different contents, in order.

    >>> first_of_each([b"a", b"b", b"a", b"c", b"b"])
    [0, 1, 3]
    """
    first = zip(reversed(contents), reversed(range(len(contents))), strict=True)
    return sorted(dict(first).values())
