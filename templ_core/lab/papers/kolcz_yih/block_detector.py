"""Kolcz and Yih's detector of template blocks: a text score joined with the other features.

Kolcz, Yih, *Site-Independent Template-Block Detection*, PKDD 2007, section 4.1: naive Bayes over
words (`text`); its score and the other features, cut into intervals, in logistic regression
(`maxent`) or a random forest (`forest`). A reported baseline; cleaning uses `page_model`.
"""

import msgspec
import numpy as np

from templ_core.array_types import Float32s, Floats, Int64s
from templ_core.distinct import distinct
from templ_core.lab.papers.kolcz_yih.block_features import BlockFeatures
from templ_core.page_level.features.characters import Words
from templ_core.page_level.model.tree_ensemble import TreeEnsemble

TABLE_SIZE = 1 << 16
"""Places of the words' table."""
TEXT_SCORE = "text score"
DECIMALS = 3


class WordOdds(msgspec.Struct, frozen=True, kw_only=True):
    """Naive Bayes over the different words of a block."""

    table: Float32s
    """Log-odds for template of each word, by its hash; length TABLE_SIZE."""
    prior: float
    """Log-odds before any word."""

    def log_odds(self, words: Words) -> Floats:
        """Log-odds for template of each block.

        The mean over its words times the root of their number: words of one text are not
        independent, and a sum would let the longest blocks be the surest whatever they say.
        """
        place, block = word_places(words)
        count = len(words.per_segment)
        total = np.bincount(block, self.table[place], count)
        number = np.maximum(np.bincount(block, minlength=count), 1)
        log_odds: Floats = np.round(self.prior + total / np.sqrt(number), DECIMALS)
        return log_odds


def word_places(words: Words) -> tuple[Int64s, Int64s]:
    """Places of each block's different words in the table, and the block of each."""
    place = (words.hashes % np.uint64(TABLE_SIZE)).astype(np.int64)
    once = distinct(words.segment * TABLE_SIZE + place)
    return once % TABLE_SIZE, once // TABLE_SIZE


class BlockDetector(msgspec.Struct, frozen=True, kw_only=True):
    """Three detectors that share their features."""

    text: WordOdds
    features: list[str]
    """Names of the features, the text score last."""
    borders: list[Floats]
    """Between the intervals of each feature, ascending."""
    weights: list[Floats]
    """Log-odds for template of each interval of each feature."""
    bias: float
    trees: TreeEnsemble
    """Looks at the numbers of the intervals; its sum is the probability of template."""

    def text_log_odds(self, features: BlockFeatures) -> Floats:
        """Log-odds for template of each block from its words alone."""
        return self.text.log_odds(features.words)

    def maxent_log_odds(self, numbers: Int64s) -> Floats:
        """Log-odds for template of each block by logistic regression.

        Args:
            numbers: Of the interval each feature is in; (n_blocks, n_features).
        """
        log_odds = np.full(len(numbers), self.bias)
        for column, weights in zip(numbers.T, self.weights, strict=True):
            log_odds += weights[column]
        return log_odds

    def forest_probability(self, features: BlockFeatures) -> Floats:
        """Probability of template of each block by the random forest."""
        rows = self.intervals_of(features).astype(np.float32)
        probability: Floats = np.round(self.trees.log_odds(rows), DECIMALS)
        return probability

    def intervals_of(self, features: BlockFeatures) -> Int64s:
        """Number of the interval each feature is in; (n_blocks, n_features)."""
        rows = np.concatenate([features.rows, self.text_log_odds(features)[:, None]], axis=1)
        return intervals(rows, self.borders)


def intervals(rows: Floats, borders: list[Floats]) -> Int64s:
    """Number of the interval each value is in; the shape of `rows`."""
    return np.stack(
        [
            np.searchsorted(some, column, side="left")
            for column, some in zip(rows.T, borders, strict=True)
        ],
        axis=1,
    )
