"""How many pages of a window have each sentence, and which text stands around it: exact counts."""

from collections.abc import Iterable

import msgspec
import numpy as np

from templ_core.array_types import Int32s, UInt64s
from templ_core.page_level.features.characters import mix
from templ_core.site_level.config import SENTENCES_CONFIG, SentencesConfig
from templ_core.site_level.places.keyed_sums import KeyedSums, add_all, count_once, no_sums

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_BEHIND = np.uint64(0xD6E8FEB86659FD93)


class PageSentences(msgspec.Struct, frozen=True, kw_only=True):
    """The sentences of a page that its site counts, in order; columns of length n_sentences."""

    keys: UInt64s
    """The keys of `Sentences`."""
    segment: Int32s
    """The segment that each sentence is in."""


class SentenceCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Numbers of pages; what a single page adds is a value of this type, too."""

    sentences: KeyedSums
    """Pages that have each sentence."""
    contexts: KeyedSums
    """Pages that have each sentence with the same text before it, or behind it; the label is the key
    of the sentence."""

    def learn_one(self, page: "SentenceCounts") -> "SentenceCounts":
        """Return the counts with those of a page, or of other pages, added."""
        return SentenceCounts(
            sentences=self.sentences.plus(page.sentences),
            contexts=self.contexts.plus(page.contexts),
        )

    def forget_one(self, page: "SentenceCounts") -> "SentenceCounts":
        """Return the counts as they were before a page, or other pages, had been learned."""
        return SentenceCounts(
            sentences=self.sentences.minus(page.sentences),
            contexts=self.contexts.minus(page.contexts),
        )


class SentenceTable(msgspec.Struct, frozen=True, kw_only=True):
    """The sentences that recur on a site."""

    sentences: KeyedSums
    """Pages that have each sentence."""
    constant_contexts: KeyedSums
    """Pages that have each context of one of these sentences, if the sentence often has it."""


def count_sentences(sentences: PageSentences, texts: UInt64s) -> SentenceCounts:
    """Return what one page adds to the counts of its site.

    Args:
        sentences: The sentences of the page.
        texts: Hash of each segment's text; length n_segments.
    """
    keys = sentences.keys
    contexts = np.concatenate(
        [
            contexts_before(keys, sentences.segment, texts),
            contexts_behind(keys, sentences.segment, texts),
        ]
    )
    return SentenceCounts(
        sentences=count_once(keys),
        contexts=count_once(contexts, np.concatenate([keys, keys])[np.newaxis]),
    )


def count_all_sentences(pages: Iterable[SentenceCounts]) -> SentenceCounts:
    """Return the counts of a window; the order of its pages does not matter."""
    everything = [NO_SENTENCES, *pages]
    return SentenceCounts(
        sentences=add_all([one.sentences for one in everything]),
        contexts=add_all([one.contexts for one in everything]),
    )


def contexts_before(keys: UInt64s, segment: Int32s, texts: UInt64s) -> UInt64s:
    """Return a key for each sentence with the text of the segment before its own.

    Args:
        keys: Keys of the sentences.
        segment: The segment that each sentence is in.
        texts: Hash of each segment's text; length n_segments.
    """
    around = np.concatenate([np.zeros(1, np.uint64), texts])
    return mix(keys * _FACTOR + around[segment])


def contexts_behind(keys: UInt64s, segment: Int32s, texts: UInt64s) -> UInt64s:
    """Return a key for each sentence with the text of the segment behind its own.

    Args:
        keys: Keys of the sentences.
        segment: The segment that each sentence is in.
        texts: Hash of each segment's text; length n_segments.
    """
    around = np.concatenate([texts, np.zeros(1, np.uint64)])
    return mix(keys * _BEHIND + around[segment + 1])


def tabulate_sentences(
    counts: SentenceCounts, pages: int, config: SentencesConfig = SENTENCES_CONFIG
) -> SentenceTable:
    """Return the sentences of a window that are template, with the texts that often stand around them.

    Args:
        counts: The counts of the window's pages.
        pages: Number of these pages.
        config: The tunable numbers.
    """
    sentences, contexts = counts.sentences, counts.contexts
    pages_min = max(config.pages_min, config.pages_ratio_min * pages)
    sentences = sentences.where(sentences.sums[0] >= pages_min)
    of_sentence = sentences.of(np.ascontiguousarray(contexts.labels[0]))[0]
    is_constant = (of_sentence > 0) & (contexts.sums[0] >= config.constant_ratio * of_sentence)
    return SentenceTable(sentences=sentences, constant_contexts=contexts.where(is_constant))


NO_SENTENCES = SentenceCounts(sentences=no_sums(1, 0), contexts=no_sums(1, 1))
"""The counts of an empty window."""
