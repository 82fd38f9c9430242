"""How many pages of a window have each sentence, and which text stands around it: exact counts."""

from collections.abc import Sequence

import msgspec
import numpy as np

from templ_core.array_types import Int32s, Int64s, UInt64s
from templ_core.distinct import singles
from templ_core.page_level.features.characters import mix
from templ_core.site_level.places.keyed_sums import KeyedSums, count_keys, no_sums
from templ_core.site_level.sentences.sentences_config import SENTENCES_CONFIG, SentencesConfig

_FACTOR = np.uint64(0x9E3779B97F4A7C15)


class PageSentences(msgspec.Struct, frozen=True, kw_only=True):
    """The sentences of a page that its site counts, in order; columns of length n_sentences."""

    keys: UInt64s
    """The keys of `Sentences`."""
    segment: Int32s
    """The segment that each sentence is in."""


class SentenceCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Numbers of pages; what some pages add is a value of this type, too."""

    sentences: KeyedSums
    """Pages that have each sentence."""
    before: KeyedSums
    """Pages that have each sentence behind the same text; the labels are the key of the sentence and the
    hash of the text."""
    behind: KeyedSums
    """Pages that have each sentence before the same text; the labels are those of `before`."""

    def learn_one(self, page: "SentenceCounts") -> "SentenceCounts":
        """Return the counts with those of a page, or of other pages, added."""
        return SentenceCounts(
            sentences=self.sentences.plus(page.sentences),
            before=self.before.plus(page.before),
            behind=self.behind.plus(page.behind),
        )

    def forget_one(self, page: "SentenceCounts") -> "SentenceCounts":
        """Return the counts as they were before a page, or other pages, had been learned."""
        return SentenceCounts(
            sentences=self.sentences.minus(page.sentences),
            before=self.before.minus(page.before),
            behind=self.behind.minus(page.behind),
        )


def count_sentences(pages: Sequence[tuple[PageSentences, UInt64s]]) -> SentenceCounts:
    """Return what some pages add to the counts of their site; their order does not matter.

    A sentence that stands on a page more than once is a pattern of its records, such as the entries of a
    list, and is not counted.

    Args:
        pages: Of each page its sentences, and the hash of each segment's text.
    """
    found = [_sentences_once(sentences, texts) for sentences, texts in pages]
    if not found:
        return NO_SENTENCES
    keys, before, behind = (np.concatenate(columns) for columns in zip(*found, strict=True))
    return SentenceCounts(
        sentences=count_keys(keys), before=_beside(keys, before), behind=_beside(keys, behind)
    )


def _sentences_once(sentences: PageSentences, texts: UInt64s) -> tuple[UInt64s, UInt64s, UInt64s]:
    """Return the sentences that stand on a page once, and the texts before and behind each."""
    once = singles(sentences.keys)
    segment = sentences.segment[once]
    around = np.zeros(len(texts) + 2, np.uint64)
    around[1:-1] = texts
    return sentences.keys[once], around[segment], around[segment + 2]


def _beside(keys: UInt64s, texts: UInt64s) -> KeyedSums:
    return count_keys(mix(keys * _FACTOR + texts), np.stack([keys, texts]))


def tabulate_sentences(
    counts: SentenceCounts,
    text_pages: KeyedSums,
    pages: int,
    config: SentencesConfig = SENTENCES_CONFIG,
) -> KeyedSums:
    """Return the sentences of a window that are template.

    Args:
        counts: The counts of the window's pages.
        text_pages: Pages of the window that have each text.
        pages: Number of the window's pages.
        config: The tunable numbers.

    Returns:
        For each sentence the pages that have it, the most pages that have the same text before it, and
        the most pages that have the same text behind it. A text of many more pages than the sentence
        has is one of the site's, such as its footer, and is not counted as the same.
    """
    pages_min = max(config.pages_min, config.pages_ratio_min * pages)
    sentences = counts.sentences.where(counts.sentences.sums[0] >= pages_min)
    around = [
        _most_pages(sentences, beside, text_pages, config.context_pages_ratio_max)
        for beside in (counts.before, counts.behind)
    ]
    return KeyedSums(
        keys=sentences.keys,
        sums=np.concatenate([sentences.sums, *around]),
        labels=sentences.labels,
    )


def _most_pages(
    sentences: KeyedSums, beside: KeyedSums, text_pages: KeyedSums, ratio_max: float
) -> Int64s:
    """Return the pages of the most frequent text beside each sentence; shape (1, n_sentences)."""
    most = np.zeros((1, len(sentences.keys)), np.int64)
    if len(sentences.keys):
        keys, texts = beside.labels
        of = np.searchsorted(sentences.keys, keys).clip(max=len(sentences.keys) - 1)
        known = np.flatnonzero(sentences.keys[of] == keys)
        of = of[known]
        with_text = text_pages.of(np.ascontiguousarray(texts[known]))[0]
        is_own = (with_text > 0) & (with_text <= ratio_max * sentences.sums[0][of])
        np.maximum.at(most[0], of[is_own], beside.sums[0][known][is_own])
    return most


NO_SENTENCES = SentenceCounts(sentences=no_sums(1, 0), before=no_sums(1, 2), behind=no_sums(1, 2))
"""The counts of an empty window."""
