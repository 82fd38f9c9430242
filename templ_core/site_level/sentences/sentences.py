"""The sentences of a page under keys that are equal where only dates, numbers and names differ."""

import functools

import msgspec
import numpy as np

from templ_core.array_types import Bools, Int32s, UInt64s
from templ_core.page_level.features.characters import Words, read_characters, read_words
from templ_core.page_level.features.page_features import PageFeatures
from templ_core.page_level.features.surroundings import HEADING, VERBATIM
from templ_core.site_level.phrases.calendars import MONTHS, WEEKDAYS
from templ_core.site_level.sentences import _sentences
from templ_core.site_level.sentences.sentences_config import SENTENCES_CONFIG, SentencesConfig


class Sentences(msgspec.Struct, frozen=True, kw_only=True):
    """The sentences of a page that have some words, in order; columns of length n_sentences."""

    segment: Int32s
    """The segment that each sentence is in."""
    first: Int32s
    """Index of the first word among the words of the page."""
    words: Int32s
    """Number of words."""
    keys: UInt64s
    """A hash below 2**32 of the words, without what changes in a mutable pattern."""

    def where(self, chosen: Bools) -> "Sentences":
        """Return the sentences that are chosen; `chosen` has length n_sentences."""
        return Sentences(
            segment=self.segment[chosen],
            first=self.first[chosen],
            words=self.words[chosen],
            keys=self.keys[chosen],
        )


def read_sentences(words: Words, config: SentencesConfig = SENTENCES_CONFIG) -> Sentences:
    """Return the sentences of a page that have at least `config.words_min` words.

    Numbers, dates and words with a capital are mutable patterns (Foschini 2007, section 3.3): a run of
    them counts as one word, whatever it says. Where fewer than `config.plain_words_min` words would be
    left, the names count as they are.

    >>> from templ_core.page_level.features.characters import read_characters, read_words
    >>> texts = [
    ...     "Mary Poe wrote this on 3 May for our small and proud paper.",
    ...     "Jo Lee wrote this on 29 March 2026 for our small and proud paper.",
    ...     "Mary Poe read this on 3 May for our small and proud paper.",
    ... ]
    >>> one, same, other = read_sentences(read_words(read_characters(texts))).keys.tolist()
    >>> one == same, one == other
    (True, False)

    Args:
        words: The words of the page.
        config: The tunable numbers.
    """
    columns = _sentences.read_sentences(
        words, _calendar(), config.words_min, config.named_words_min, config.plain_words_min
    )
    return Sentences(**columns)


def prose_sentences(features: PageFeatures) -> Sentences:
    """Return the sentences of a page that stand in prose, see `prose_segments`.

    Args:
        features: The features of the page.
    """
    sentences = read_sentences(features.words)
    return sentences.where(prose_segments(features)[sentences.segment])


def prose_segments(features: PageFeatures, config: SentencesConfig = SENTENCES_CONFIG) -> Bools:
    """Return which segments are neither headings nor code nor lines of links; length n_segments.

    A headline is quoted on other pages, and code repeats itself; neither is template for it. Lines of links
    recur in all menus, so page model and places judge them well; where these keep one, such as the
    services that carry an episode, that other pages have it says nothing new.

    Args:
        features: The features of the page.
        config: The tunable numbers.
    """
    is_text = features.surroundings & (HEADING | VERBATIM) == 0
    is_prose: Bools = is_text & (features.link_density < config.link_density_max)
    return is_prose


@functools.cache
def _calendar() -> UInt64s:
    """Return the hashes of the names of months and weekdays in ascending order."""
    names = " ".join([*MONTHS.values(), *WEEKDAYS.values()])
    return np.unique(read_words(read_characters([names])).hashes)
