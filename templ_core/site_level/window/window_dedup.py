"""Which pages of a window count: near-duplicates of an article would make it look like a template.

This is the one definition of near-duplicates in the project: two pages are near-duplicates when they
have most of the words of the longer one in common, text by text. What a page's texts are is up to the
caller; in a window they are the segments that the page model takes for content.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from templ_core.site_level.config import WINDOW_DEDUP, WindowDedupConfig
from templ_core.site_level.window.page_summary import PageSummary, longest_texts

TextWords: TypeAlias = Mapping[int, int]
"""Hash of each different text of a page, and the words of the text."""


def distinct_pages(pages: Sequence[PageSummary]) -> list[int]:
    """Return the indexes of the pages whose content is no near-duplicate of a page before them.

    Args:
        pages: A window's pages in order of (event time, page id).
    """
    return _distinct(
        [page.probes for page in pages], lambda index: pages[index].content_words(), WINDOW_DEDUP
    )


def distinct_texts(
    pages: Sequence[TextWords], config: WindowDedupConfig = WINDOW_DEDUP
) -> list[int]:
    """Return the indexes of the pages that are no near-duplicate of a kept page before them.

    >>> report, refetched, other = {1: 60, 2: 40}, {1: 60, 2: 40, 3: 5}, {1: 60, 4: 40}
    >>> distinct_texts([report, refetched, other])
    [0, 2]

    Args:
        pages: The texts of each page.
        config: What counts as a near-duplicate.
    """
    probes = [longest_texts(page, config) for page in pages]
    return _distinct(probes, pages.__getitem__, config)


def _distinct(
    probes: Sequence[tuple[int, ...]],
    texts_of: Callable[[int], TextWords],
    config: WindowDedupConfig,
) -> list[int]:
    """Return the indexes of the pages that are no near-duplicate of a kept page before them.

    Args:
        probes: The longest texts of each page; none where it cannot be a near-duplicate.
        texts_of: Returns the texts of the page of an index.
        config: What counts as a near-duplicate.
    """
    kept: list[int] = []
    by_probe: defaultdict[int, list[int]] = defaultdict(list)
    for index, longest in enumerate(probes):
        others = {other for text in longest for other in by_probe[text]}
        if others:
            page = texts_of(index)
            if any(_are_near(page, texts_of(other), config.near_ratio) for other in others):
                continue
        for text in longest:
            by_probe[text].append(index)
        kept.append(index)
    return kept


def latest_contents(contents: Sequence[bytes], contents_max: int) -> list[int]:
    """Return the indexes of the first pages of the latest different contents, in order.

    >>> latest_contents([b"a", b"b", b"a", b"c", b"b"], 2)
    [1, 3]

    Args:
        contents: Digests of a window's pages in order of (event time, page id).
        contents_max: Number of contents at most, at least 1.
    """
    first: dict[bytes, int] = {}
    for index, content in enumerate(contents):
        first.setdefault(content, index)
    return list(first.values())[-contents_max:]


def _are_near(one: TextWords, other: TextWords, near_ratio: float) -> bool:
    common = sum(words for text, words in one.items() if text in other)
    return common >= near_ratio * max(sum(one.values()), sum(other.values()))
