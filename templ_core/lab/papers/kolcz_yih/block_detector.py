"""Kolcz and Yih's detectors of template blocks: a text score joined with other features.

Kolcz, Yih, *Site-Independent Template-Block Detection*, PKDD 2007, section 4.1: naive Bayes over
words (`text`); its score and the other features, cut into intervals, in logistic regression
(`maxent`) or a random forest (`forest`). The detectors are baselines; cleaning uses the page model.
"""

import msgspec
import numpy as np

from templ_core.array_types import Float32s, Floats, Int64s
from templ_core.distinct import distinct
from templ_core.lab.papers.kolcz_yih.block_features import BlockFeatures
from templ_core.page_level.features.characters import Words
from templ_core.page_level.model.tree_ensemble import TreeEnsemble

WORD_TABLE_SIZE = 1 << 16
"""Number of places of the hash table of words."""
_DECIMALS = 3
"""Scores are rounded to so many decimals, so that every machine gives the same text."""


class WordOdds(msgspec.Struct, frozen=True, kw_only=True):
    """Naive Bayes over the different words of a block."""

    table: Float32s
    """Log-odds of template for each place of a word; length WORD_TABLE_SIZE."""
    prior: float
    """Log-odds of template before any word is seen."""

    def log_odds(self, place: Int64s, block: Int64s, count: int) -> Floats:
        """Return the log-odds of template of each block.

        They are the mean over a block's words times the square root of their number. Words of one
        text are not independent: with a sum, the longest blocks would have the most certain scores
        whatever they say.

        Args:
            place: Place of each different word, as in `word_places`; length n_words.
            block: Number of the block of each word; length n_words.
            count: Number of blocks.
        """
        total = np.bincount(block, self.table[place], count)
        number = np.maximum(np.bincount(block, minlength=count), 1)
        log_odds: Floats = self.prior + total / np.sqrt(number)
        return log_odds


def word_places(words: Words) -> tuple[Int64s, Int64s]:
    """Return the places of each block's different words in the table, and the block of each."""
    place = (words.hashes % np.uint64(WORD_TABLE_SIZE)).astype(np.int64)
    once = distinct(words.segment * WORD_TABLE_SIZE + place)
    return once % WORD_TABLE_SIZE, once // WORD_TABLE_SIZE


class BlockDetector(msgspec.Struct, frozen=True, kw_only=True):
    """Three detectors that share their features; the last feature is the text score."""

    text: WordOdds
    borders: list[Floats]
    """Borders between the intervals of each feature, ascending."""
    weights: list[Floats]
    """Log-odds of template of each interval of each feature."""
    bias: float
    trees: TreeEnsemble
    """The random forest over the numbers of the intervals; its sum is the probability of template."""

    def text_log_odds(self, place: Int64s, block: Int64s, count: int) -> Floats:
        """Return the log-odds of template of each block from its words alone, rounded.

        Args:
            place: Place of each different word, as in `word_places`; length n_words.
            block: Number of the block of each word; length n_words.
            count: Number of blocks.
        """
        log_odds: Floats = np.round(self.text.log_odds(place, block, count), _DECIMALS)
        return log_odds

    def maxent_log_odds(self, numbers: Int64s) -> Floats:
        """Return the log-odds of template of each block by logistic regression.

        Args:
            numbers: Number of the interval that each feature is in, (n_blocks, n_features).
        """
        log_odds = np.full(len(numbers), self.bias)
        for column, weights in zip(numbers.T, self.weights, strict=True):
            log_odds += weights[column]
        return log_odds

    def forest_probability(self, numbers: Int64s) -> Floats:
        """Return the probability of template of each block by the random forest, rounded.

        Args:
            numbers: Number of the interval that each feature is in, (n_blocks, n_features).
        """
        probability: Floats = np.round(self.trees.log_odds(numbers.astype(np.float32)), _DECIMALS)
        return probability

    def template_probability(self, features: BlockFeatures) -> Floats:
        """Return the probability of template of each block of a page by the random forest."""
        words = features.words
        log_odds = self.text_log_odds(*word_places(words), len(words.per_segment))
        return self.forest_probability(self.intervals_of(features.rows, log_odds))

    def intervals_of(self, rows: Float32s | Floats, text_log_odds: Floats) -> Int64s:
        """Return the number of the interval that each feature is in, (n_blocks, n_features).

        Args:
            rows: The features except the text score, one row for each block.
            text_log_odds: The text score of each block.
        """
        both = np.concatenate([rows, text_log_odds[:, None]], axis=1).astype(np.float64)
        return intervals(both, self.borders)


def intervals(rows: Floats, borders: list[Floats]) -> Int64s:
    """Return the number of the interval that each value is in; the shape of `rows`.

    >>> intervals(np.array([[0.5], [2.5]]), [np.array([1.0, 2.0])]).tolist()
    [[0], [2]]
    """
    return np.stack(
        [
            np.searchsorted(some, column, side="left")
            for column, some in zip(rows.T, borders, strict=True)
        ],
        axis=1,
    )
