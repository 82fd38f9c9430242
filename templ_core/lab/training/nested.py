"""Nested cross-validation by site: no score used in training comes from a model that saw the test.

For test fold f, a training page of fold g has hashed scores from tables fitted without f and g; the
trees and networks are fitted on those, and the page of fold f has scores from tables without f.
"""

import zlib
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

import msgspec
import numpy as np
from scipy import sparse

from templ_core.array_types import Float32s, Floats, Int64s
from templ_core.lab.training.fit import (
    ATTRIBUTE_PENALTY,
    TEXT_PENALTY,
    Sample,
    fit_table,
)
from templ_core.lab.training.pages import TrainingPage
from templ_core.lab.training.sparse import stack
from templ_core.page_level.features.contexts import with_contexts
from templ_core.page_level.model.hashed_scores import HashedTable

Progress = Callable[[str], None]
"""Told what was just done."""

FOLDS = 5
NONE = -1
"""The fold left out by a model that is fitted to everything."""
ROWS_PER_PAGE = 250
ROWS_PER_PAGE_MIN = 20
SAMPLE_POWER = 0.7
"""Rows of a page grow with its weight to this power."""
WORDS_MAX = 200
"""Words of a segment beyond which it weighs no more."""


class Corpus(msgspec.Struct, frozen=True, kw_only=True):
    """Training pages with what fitting needs beside them."""

    pages: Sequence[TrainingPage]
    fold: Int64s
    """Fold of each page's site; length n_pages."""
    weight: Floats
    """Weight of each page."""


class HashedScores(msgspec.Struct, frozen=True, kw_only=True):
    """Scores of all segments by tables that leave folds out."""

    tables: dict[tuple[int, int], tuple[HashedTable, HashedTable]]
    """By the folds left out, ascending; attribute and text."""
    log_odds: dict[tuple[int, int], tuple[Float32s, Float32s]]
    starts: Int64s
    """First row of each page, and the number of rows."""

    def of_page(self, page: int, left_out: tuple[int, int]) -> tuple[Floats, Floats]:
        """Attribute and text scores of a page's segments."""
        rows = slice(self.starts[page], self.starts[page + 1])
        attribute, text = self.log_odds[left_out]
        return attribute[rows].astype(np.float64), text[rows].astype(np.float64)


def fold_of(owner: str) -> int:
    """The fold of a site's owner."""
    return zlib.crc32(owner.encode()) % FOLDS


def sampled_rows(page: TrainingPage, most: int, seed: int) -> Int64s:
    """At most `most` segments of a page that count, drawn by its address and the seed."""
    rows = np.flatnonzero(page.labels.counts)
    if len(rows) > most:
        rng = np.random.default_rng([seed, zlib.crc32(page.url.encode())])
        rows = np.sort(rng.choice(rows, most, replace=False))
    return rows


def row_weights(page: TrainingPage) -> Floats:
    """sqrt(words) of each segment, so that the weight of a page grows with its square root."""
    size = np.sqrt(np.minimum(page.tree.words, WORDS_MAX))
    weights: Floats = size / np.sqrt(size.sum())
    return weights


def hashed_scores(corpus: Corpus, progress: Progress, *, judged: bool = True) -> HashedScores:
    """Tables that leave folds out, and their scores of all segments.

    They learn from all rows in one order: what trees and networks learn from their scores would
    follow each draw.

    Args:
        corpus: All pages.
        progress: Told what was just done.
        judged: Leave out every pair of folds, as cross-validation needs; else one at a time, as
            fitting to all pages does.
    """
    counts = [len(page.text) for page in corpus.pages]
    starts = np.concatenate([[0], np.cumsum(counts)])
    fold = np.repeat(corpus.fold, counts)
    content = np.concatenate([page.labels.content for page in corpus.pages])
    weight = np.concatenate(
        [row_weights(page) * one for page, one in zip(corpus.pages, corpus.weight, strict=True)]
    )
    counted = np.concatenate([page.labels.counts for page in corpus.pages])
    kinds = (
        (stack([page.attribute_rows for page in corpus.pages]), ATTRIBUTE_PENALTY),
        (stack([page.text_rows for page in corpus.pages]), TEXT_PENALTY),
    )
    tables: dict[tuple[int, int], tuple[HashedTable, HashedTable]] = {}
    log_odds: dict[tuple[int, int], tuple[Float32s, Float32s]] = {}
    for left_out in left_out_pairs() if judged else left_out_folds():
        used = np.flatnonzero(counted & ~np.isin(fold, left_out))
        sample = Sample(content=content[used], weight=weight[used])
        attribute, text = (fit_table(rows[used], sample, penalty) for rows, penalty in kinds)
        tables[left_out] = attribute, text
        log_odds[left_out] = (
            _table_log_odds(kinds[0][0], attribute),
            _table_log_odds(kinds[1][0], text),
        )
        progress(f"hashed tables without folds {left_out}")
    return HashedScores(tables=tables, log_odds=log_odds, starts=starts)


def _table_log_odds(rows: sparse.csr_matrix, table: HashedTable) -> Float32s:
    return table.log_odds(rows @ (table.weights * np.float32(table.unit))).astype(np.float32)


def left_out_folds() -> Iterator[tuple[int, int]]:
    """NONE alone, and each fold with NONE."""
    yield NONE, NONE
    yield from ((NONE, fold) for fold in range(FOLDS))


def left_out_pairs() -> Iterator[tuple[int, int]]:
    """NONE alone, each fold with NONE, and each two folds."""
    yield from left_out_folds()
    yield from combinations(range(FOLDS), 2)


def scores_of_page(
    corpus: Corpus, scores: HashedScores, page: int, left_out: int
) -> tuple[Floats, Floats]:
    """Attribute and text scores of a page by tables that saw neither its fold nor `left_out`."""
    own = int(corpus.fold[page])
    pair = (NONE, own) if left_out == own else (min(left_out, own), max(left_out, own))
    return scores.of_page(page, pair)


def page_rows(corpus: Corpus, scores: HashedScores, page: int, left_out: int) -> Float32s:
    """Features of a page for models that leave a fold out.

    The page's own fold is left out by its hashed scores as well.
    """
    one = corpus.pages[page]
    attribute, text = scores_of_page(corpus, scores, page, left_out)
    return with_contexts(one.base, one.tree, one.group, attribute, text)


def training_rows(
    corpus: Corpus, scores: HashedScores, left_out: int, seed: int
) -> tuple[Float32s, Sample]:
    """Rows of all pages outside a fold, with labels and weights.

    Pages of little weight give fewer rows, which weigh the more.
    """
    rows, content, weight = [], [], []
    for number, page in enumerate(corpus.pages):
        if corpus.fold[number] == left_out:
            continue
        share = min(corpus.weight[number], 1.0) ** SAMPLE_POWER
        drawn = sampled_rows(page, max(int(ROWS_PER_PAGE * share), ROWS_PER_PAGE_MIN), seed)
        stands_for = min(int(page.labels.counts.sum()), ROWS_PER_PAGE) / len(drawn)
        rows.append(page_rows(corpus, scores, number, left_out)[drawn])
        content.append(page.labels.content[drawn])
        weight.append(row_weights(page)[drawn] * corpus.weight[number] * stands_for)
    return np.concatenate(rows), Sample(
        content=np.concatenate(content), weight=np.concatenate(weight)
    )
