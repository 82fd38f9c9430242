"""Nested cross-validation by site: no feature of a training page leaks the labels of a test page.

The scores of the hashed tables are features of the trees and networks. When fold f is held out, a
training page of fold g gets its scores from tables fitted without f and g, and a test page of fold f
gets its scores from tables fitted without f.
"""

import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

import msgspec
import numpy as np
from scipy import sparse

from templ_core.array_types import Float32s, Floats, Int64s
from templ_core.lab.training.fit import (
    ATTRIBUTE_PENALTY,
    TEXT_PENALTY,
    ReportProgress,
    Sample,
    drawn_places,
    fit_table,
)
from templ_core.lab.training.pages import TrainingPage, stack
from templ_core.page_level.config import MODEL_CONFIG
from templ_core.page_level.features._contexts import with_contexts
from templ_core.page_level.model.hashed_scores import HashedTable

FOLDS = 5
NO_FOLD = -1
"""The fold that is left out when a model is fitted to all pages."""
_ROWS_PER_PAGE = 250
"""Most segments of a page that are trained on."""
_ROWS_PER_PAGE_MIN = 20
"""Segments of a page that are trained on however little the page weighs."""
_SAMPLE_POWER = 0.7
"""The number of segments of a page grows with its weight to this power."""
_WORDS_MAX = 200
"""The weight of a segment does not grow beyond this number of words."""


class TrainingCorpus(msgspec.Struct, frozen=True, kw_only=True):
    """Training pages with their folds and weights; columns of length n_pages."""

    pages: Sequence[TrainingPage]
    fold: Int64s
    """Fold of each page's site, 0 to FOLDS - 1."""
    weight: Floats
    """Weight of each page, above 0."""


class HashedScores(msgspec.Struct, frozen=True, kw_only=True):
    """Held-out scores of all segments: those of tables fitted without certain folds."""

    tables: dict[tuple[int, int], tuple[HashedTable, HashedTable]]
    """The attribute table and the text table, by the two folds left out, in ascending order."""
    log_odds: dict[tuple[int, int], tuple[Float32s, Float32s]]
    """The scores of all segments by both tables, by the two folds left out."""
    starts: Int64s
    """Number of the first segment of each page; last the number of segments."""

    def of_page(self, page: int, left_out: tuple[int, int]) -> tuple[Floats, Floats]:
        """Return the attribute and text scores of a page's segments by tables without two folds."""
        rows = slice(self.starts[page], self.starts[page + 1])
        attribute, text = self.log_odds[left_out]
        return attribute[rows].astype(np.float64), text[rows].astype(np.float64)


def fold_of(owner: str) -> int:
    """Return the fold of a site's owner, 0 to FOLDS - 1."""
    return zlib.crc32(owner.encode()) % FOLDS


def language_folds(languages: Sequence[str], owners: Sequence[str]) -> list[int]:
    """Return the fold of each page, 0 to FOLDS - 1, where no language is in two folds.

    All pages of an owner count as of the language that most of them have. The language of most pages comes first,
    and each goes to the fold with the fewest pages so far.

    >>> language_folds(["en", "en", "de", "en", "fr"], ["a", "a", "b", "b", "c"])
    [0, 0, 1, 1, 2]
    """
    of_owner: dict[str, Counter[str]] = {}
    for owner, language in zip(owners, languages, strict=True):
        of_owner.setdefault(owner, Counter())[language] += 1
    spoken = [of_owner[owner].most_common(1)[0][0] for owner in owners]
    fold_of_language: dict[str, int] = {}
    sizes = [0] * FOLDS
    for language, pages in Counter(spoken).most_common():
        fold = sizes.index(min(sizes))
        fold_of_language[language] = fold
        sizes[fold] += pages
    return [fold_of_language[language] for language in spoken]


def row_weights(page: TrainingPage) -> Floats:
    """Return the weight of each segment: sqrt(words), divided so that the sum grows slowly.

    The weights of a page sum to the square root of the sum of sqrt(words), so that long pages do not
    outweigh all others.
    """
    size = np.sqrt(np.minimum(page.tree.words, _WORDS_MAX))
    weights: Floats = size / np.sqrt(size.sum())
    return weights


def hashed_scores(
    corpus: TrainingCorpus, progress: ReportProgress, *, judged: bool = True
) -> HashedScores:
    """Fit the hashed tables without certain folds, and score all segments with each of them.

    Tables are fitted to all rows in a fixed order, not to a sample: trees and networks learn from
    their scores, and would change with each sample.

    Args:
        corpus: All training pages.
        progress: Called after each step.
        judged: Whether to leave out every pair of folds, as cross-validation needs. If False, single
            folds are left out, which is enough to fit a model to all pages.
    """
    counts = [len(page.text) for page in corpus.pages]
    starts = np.concatenate([[0], np.cumsum(counts)])
    fold = np.repeat(corpus.fold, counts)
    content = np.concatenate([page.labels.content for page in corpus.pages])
    weight = np.concatenate(
        [row_weights(page) * one for page, one in zip(corpus.pages, corpus.weight, strict=True)]
    )
    counted = np.concatenate([page.labels.counts for page in corpus.pages])
    tokens = (
        (stack([page.attribute_rows for page in corpus.pages]), ATTRIBUTE_PENALTY),
        (stack([page.text_rows for page in corpus.pages]), TEXT_PENALTY),
    )
    tables: dict[tuple[int, int], tuple[HashedTable, HashedTable]] = {}
    log_odds: dict[tuple[int, int], tuple[Float32s, Float32s]] = {}
    for left_out in left_out_pairs() if judged else left_out_folds():
        used = np.flatnonzero(counted & ~np.isin(fold, left_out))
        sample = Sample(content=content[used], weight=weight[used])
        attribute, text = (fit_table(rows[used], sample, penalty) for rows, penalty in tokens)
        tables[left_out] = attribute, text
        log_odds[left_out] = (
            _table_log_odds(tokens[0][0], attribute),
            _table_log_odds(tokens[1][0], text),
        )
        progress(f"hashed tables of {_pages_used(left_out)}")
    return HashedScores(tables=tables, log_odds=log_odds, starts=starts)


def _pages_used(left_out: tuple[int, int]) -> str:
    """Return which pages are used when these folds are left out; -1 stands for none.

    >>> _pages_used((-1, -1)), _pages_used((0, 0)), _pages_used((0, 2))
    ('all pages', 'all pages but fold 1', 'all pages but folds 1 and 3')
    """
    folds = sorted({fold + 1 for fold in left_out if fold >= 0})
    if not folds:
        return "all pages"
    return f"all pages but fold{'s' if len(folds) > 1 else ''} {' and '.join(map(str, folds))}"


def _table_log_odds(rows: sparse.csr_matrix, table: HashedTable) -> Float32s:
    limit = MODEL_CONFIG.score_log_odds_max
    sums = rows @ (table.weights * np.float32(table.unit))
    log_odds: Float32s = np.clip(table.bias + sums, -limit, limit).astype(np.float32)
    return log_odds


def left_out_folds() -> Iterator[tuple[int, int]]:
    """Yield the pairs that leave out no fold, and each single fold."""
    yield NO_FOLD, NO_FOLD
    yield from ((NO_FOLD, fold) for fold in range(FOLDS))


def left_out_pairs() -> Iterator[tuple[int, int]]:
    """Yield the pairs that leave out no fold, each single fold, and each two folds."""
    yield from left_out_folds()
    yield from combinations(range(FOLDS), 2)


def scores_of_page(
    corpus: TrainingCorpus, scores: HashedScores, page: int, left_out: int
) -> tuple[Floats, Floats]:
    """Return a page's attribute and text scores by tables that saw neither its fold nor `left_out`."""
    own = int(corpus.fold[page])
    pair = (NO_FOLD, own) if left_out == own else (min(left_out, own), max(left_out, own))
    return scores.of_page(page, pair)


def page_rows(corpus: TrainingCorpus, scores: HashedScores, page: int, left_out: int) -> Float32s:
    """Return the features of a page for models that leave a fold out.

    The hashed scores among them leave out the page's own fold as well.
    """
    one = corpus.pages[page]
    attribute, text = scores_of_page(corpus, scores, page, left_out)
    return with_contexts(one.base, one.tree, one.group, attribute, text)


def training_rows(
    corpus: TrainingCorpus, scores: HashedScores, left_out: int, seed: int
) -> tuple[Float32s, Sample]:
    """Return a sample of the rows of all pages outside a fold, with labels and weights.

    Pages of little weight give fewer rows, and each of them weighs more.
    """
    rows, content, weight = [], [], []
    for number, page in enumerate(corpus.pages):
        if corpus.fold[number] == left_out:
            continue
        share = min(corpus.weight[number], 1.0) ** _SAMPLE_POWER
        most = max(int(_ROWS_PER_PAGE * share), _ROWS_PER_PAGE_MIN)
        labelled = np.flatnonzero(page.labels.counts)
        own_seed = [seed, zlib.crc32(page.url.encode())]
        drawn = labelled[drawn_places(len(labelled), most, own_seed)]
        stands_for = min(int(page.labels.counts.sum()), _ROWS_PER_PAGE) / len(drawn)
        rows.append(page_rows(corpus, scores, number, left_out)[drawn])
        content.append(page.labels.content[drawn])
        weight.append(row_weights(page)[drawn] * corpus.weight[number] * stands_for)
    return np.concatenate(rows), Sample(
        content=np.concatenate(content), weight=np.concatenate(weight)
    )
