"""Kolcz and Yih's detectors of template blocks: a text score joined with other features.

Kolcz, Yih, *Site-Independent Template-Block Detection*, PKDD 2007, section 4.1 and figure 1: naive Bayes over words
(`text`); its score and the other features, cut into intervals, in logistic regression (`maxent`) or a random forest
(`forest`). Intervals are those of Fayyad, Irani, *Multi-Interval Discretization of Continuous-Valued Attributes for
Classification Learning*, IJCAI 1993: one is split where the class entropy falls most, as long as the gain is larger
than the cost of describing the cut. The detectors are baselines; cleaning uses the page model.
"""

import zlib
from collections.abc import Iterable, Sequence
from typing import Self

import msgspec
import numpy as np
from scipy import sparse
from scipy.special import entr
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from templ_core.array_types import Bools, Float32s, Floats, Int64s
from templ_core.lab.evaluation.curves import CurvePoint
from templ_core.lab.papers.kolcz_yih.blocks import block_labels, read_block_features, read_blocks
from templ_core.lab.training.fit import ReportProgress, drawn_places
from templ_core.lab.training.labels.site_labels import ReadSite
from templ_core.page_level.features.characters import Words
from templ_core.site_level.keyed_sums import distinct

_EQUAL = 1e-12
"""Entropies that differ by less are equal, so that rounding does not decide."""


def cut_points(values: Floats, positive: Bools) -> Floats:
    """Return the ascending borders of the intervals of a feature.

    Values above a border are in the next interval. A feature that does not help to separate the classes
    apart has no borders.

    >>> values = np.arange(100.0)
    >>> cut_points(values, values > 30).tolist()
    [30.5]
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    known, first = np.unique(ordered, return_index=True)
    ends = np.append(first[1:], len(ordered))
    below = np.concatenate([[0], np.cumsum(positive[order])])
    size = np.concatenate([[0], ends])
    positives = below[size]
    cuts: list[int] = []
    todo = [(0, len(known))]
    while todo:
        start, stop = todo.pop()
        cut = _best_cut(size[start : stop + 1], positives[start : stop + 1])
        if cut is not None:
            cuts.append(start + cut)
            todo += [(start, start + cut), (start + cut, stop)]
    return np.array([(known[cut - 1] + known[cut]) / 2 for cut in sorted(cuts)], np.float64)


def _best_cut(size: Int64s, positives: Int64s) -> int | None:
    """Return how many distinct values are left of the best cut, or None if no cut is worth its cost."""
    total, positive = int(size[-1] - size[0]), int(positives[-1] - positives[0])
    if len(size) < 3 or positive in {0, total}:
        return None
    left, left_positive = size[1:-1] - size[0], positives[1:-1] - positives[0]
    right, right_positive = total - left, positive - left_positive
    entropies = _entropy(left, left_positive), _entropy(right, right_positive)
    mixed = (left * entropies[0] + right * entropies[1]) / total
    best = int(np.flatnonzero(mixed <= mixed.min() + _EQUAL)[0])
    whole = float(_entropy(np.array([total]), np.array([positive]))[0])
    classes = [
        1 + (0 < found < number)
        for number, found in (
            (int(left[best]), int(left_positive[best])),
            (int(right[best]), int(right_positive[best])),
        )
    ]
    cost_bits = np.log2(3**2 - 2) - (
        2 * whole - classes[0] * entropies[0][best] - classes[1] * entropies[1][best]
    )
    if whole - mixed[best] <= (np.log2(total - 1) + cost_bits) / total + _EQUAL:
        return None
    return best + 1


def _entropy(total: Int64s, positive: Int64s) -> Floats:
    """Return the class entropy in bits if `positive` of `total` values are of one class."""
    share = positive / np.maximum(total, 1)
    bits: Floats = (entr(share) + entr(1 - share)) / np.log(2)
    return bits


DETECTORS = ("text", "maxent", "forest")
WORD_TABLE_SIZE = 1 << 16
"""Number of places of the hash table of words."""
_DECIMALS = 3
"""Decimals to which scores are rounded, so that every machine gives the same text."""


class WordOdds(msgspec.Struct, frozen=True, kw_only=True):
    """Naive Bayes over the different words of a block."""

    table: Float32s
    """Log-odds of template for each place of a word; length WORD_TABLE_SIZE."""
    prior: float
    """Log-odds of template before any word is seen."""

    def log_odds(self, words: sparse.csr_matrix) -> Floats:
        """Return the log-odds of template of each block.

        They are the mean over a block's words times the square root of their number. Words of one
        text are not independent: with a sum, the longest blocks would have the most certain scores
        whatever they say.
        """
        number = np.maximum(np.diff(words.indptr), 1)
        log_odds: Floats = self.prior + words @ self.table.astype(np.float64) / np.sqrt(number)
        return log_odds


def word_rows(words: Words) -> sparse.csr_matrix:
    """Return the different words of each block, (n_blocks, WORD_TABLE_SIZE): 1 at the places of its words."""
    place = (words.hashes % np.uint64(WORD_TABLE_SIZE)).astype(np.int64)
    once = distinct(words.segment * WORD_TABLE_SIZE + place)
    entries = np.ones(len(once)), (once // WORD_TABLE_SIZE, once % WORD_TABLE_SIZE)
    return sparse.csr_matrix(entries, (len(words.per_segment), WORD_TABLE_SIZE))


class BlockDetector(msgspec.Struct, frozen=True, kw_only=True):
    """Three detectors that share their features; the last feature is the text score."""

    text: WordOdds
    borders: list[Floats]
    """Borders between the intervals of each feature, ascending."""
    maxent: LogisticRegression
    """The logistic regression over one binary feature for each interval."""
    forest: RandomForestClassifier
    """The random forest over the numbers of the intervals."""

    def scores(self, rows: Float32s | Floats, words: sparse.csr_matrix) -> dict[str, Floats]:
        """Return a score of each block by the names of `DETECTORS`; higher ones mean template.

        Those of `text` and `maxent` are log-odds, those of `forest` probabilities.
        """
        text = np.round(self.text.log_odds(words), _DECIMALS)
        numbers = intervals(np.column_stack([rows, text]).astype(np.float64), self.borders)
        answers = (
            text,
            self.maxent.decision_function(_one_hot(numbers, self.borders)),
            np.round(self.forest.predict_proba(numbers)[:, 1], _DECIMALS),
        )
        return dict(zip(DETECTORS, answers, strict=True))


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


_BLOCKS_PER_PAGE = 16
"""Most labelled blocks of a page that are trained on."""
_INNER_FOLDS = 5
"""Folds of the inner cross-validation, which gives the text scores that other models are fitted to."""
_WORD_PRIOR = 0.5
"""Number that is added to the count of each word in each class."""
_PENALTY = 0.1
"""Inverse of the strength of the L2 penalty: `C` of scikit-learn."""


FOREST_TREES = 60
_ROWS_PER_LEAF, _LEAVES = 3, 2000
"""Least number of rows in a leaf of the random forest, and most leaves of a tree."""


class BlockSample(msgspec.Struct, frozen=True, kw_only=True):
    """Labelled blocks of many pages; columns of length n_rows unless said otherwise."""

    rows: Float32s
    """Features except the text score, (n_rows, n_features)."""
    template: Bools
    site: Int64s
    """Number of the site of each block; equal for pages of one site."""
    words: sparse.csr_matrix
    """Their different words, (n_rows, WORD_TABLE_SIZE); see `word_rows`."""

    def take(self, chosen: Int64s | Bools) -> "BlockSample":
        """Return the chosen rows as a sample."""
        return BlockSample(
            rows=self.rows[chosen],
            template=self.template[chosen],
            site=self.site[chosen],
            words=self.words[chosen],
        )

    @classmethod
    def joined(cls, samples: Iterable["BlockSample"]) -> Self:
        """Return at least one sample as one."""
        some = list(samples)
        columns = {
            name: np.concatenate([getattr(one, name) for one in some])
            for name in ("rows", "template", "site")
        }
        return cls(**columns, words=sparse.vstack([one.words for one in some], "csr"))


def sample_blocks(site: ReadSite, number: int) -> BlockSample | None:
    """Return labelled blocks of a site, drawn by the addresses of the pages; None if there are none."""
    blocks = [read_blocks(page.document, page.presentation) for page in site.pages]
    parts = []
    labels = block_labels(blocks)
    for page, some, (labelled, template) in zip(site.pages, blocks, labels, strict=True):
        if not len(labelled):
            continue
        drawn = drawn_places(len(labelled), _BLOCKS_PER_PAGE, zlib.crc32(page.page.url.encode()))
        place = labelled[drawn]
        features = read_block_features(page.document, page.presentation, some)
        parts.append(
            BlockSample(
                rows=features.rows[place].astype(np.float32),
                template=template[drawn],
                site=np.full(len(place), number),
                words=word_rows(features.words)[place],
            )
        )
    return BlockSample.joined(parts) if parts else None


def without_duplicates(sample: BlockSample) -> BlockSample:
    """Return the first of each set of rows with equal words and features."""
    words = np.zeros(len(sample.template), np.uint64)
    row, word = sample.words.nonzero()
    spread = (word.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    np.add.at(words, row, spread ^ (spread >> np.uint64(29)))
    whole = np.concatenate([sample.rows, words.view(np.float32).reshape(-1, 2)], axis=1)
    _, first = np.unique(np.ascontiguousarray(whole).view(np.uint8), axis=0, return_index=True)
    return sample.take(np.sort(first))


def _fit_text(sample: BlockSample) -> WordOdds:
    """Fit naive Bayes to the different words of each block."""
    counts = [
        np.asarray(sample.words[sample.template == side].sum(axis=0)).ravel() + _WORD_PRIOR
        for side in (True, False)
    ]
    template, content = (count / count.sum() for count in counts)
    share = min(max(float(sample.template.mean()), 1e-3), 1 - 1e-3)
    return WordOdds(
        table=np.log(template / content).astype(np.float32),
        prior=float(np.log(share / (1 - share))),
    )


def out_of_fold_text_log_odds(sample: BlockSample) -> Floats:
    """Return the out-of-fold text scores of all rows: by models that have not seen the row's site."""
    log_odds = np.zeros(len(sample.template))
    for fold in range(_INNER_FOLDS):
        inside = sample.site % _INNER_FOLDS == fold
        if inside.any() and not inside.all():
            log_odds[inside] = _fit_text(sample.take(~inside)).log_odds(sample.words[inside])
    return log_odds


def fit_block_detector(sample: BlockSample, seed: int, trees: int = FOREST_TREES) -> BlockDetector:
    """Fit the three detectors; duplicates are removed before and after discretisation."""
    once = without_duplicates(sample)
    log_odds = out_of_fold_text_log_odds(once)
    rows = np.concatenate([once.rows, log_odds[:, None]], axis=1).astype(np.float64)
    borders = [cut_points(column, once.template) for column in rows.T]
    binned = intervals(rows, borders)
    _, first = np.unique(
        np.concatenate([binned, once.template[:, None]], axis=1), axis=0, return_index=True
    )
    binned, template = binned[np.sort(first)], once.template[np.sort(first)]
    maxent = LogisticRegression(C=_PENALTY, max_iter=300, solver="liblinear")
    forest = RandomForestClassifier(
        trees, min_samples_leaf=_ROWS_PER_LEAF, max_leaf_nodes=_LEAVES, random_state=seed
    )
    return BlockDetector(
        text=_fit_text(once),
        borders=borders,
        maxent=maxent.fit(_one_hot(binned, borders), template),
        forest=forest.fit(binned, template),
    )


def _one_hot(numbers: Int64s, borders: Sequence[Floats]) -> sparse.csr_matrix:
    """Return one binary feature for each interval of each feature."""
    starts = np.cumsum([0, *(len(some) + 1 for some in borders)])
    column = (numbers + starts[:-1]).ravel()
    ends = np.arange(len(numbers) + 1) * numbers.shape[1]
    return sparse.csr_matrix((np.ones(len(column)), column, ends), (len(numbers), starts[-1]))


_FOLDS = 10


def cross_site_scores(
    sample: BlockSample, seed: int, progress: ReportProgress, trees: int = FOREST_TREES
) -> dict[str, Floats]:
    """Return the scores of all blocks by each of `DETECTORS`, fitted without their site.

    The blocks of a held-out site keep their duplicates, as in the paper.
    """
    count = len(sample.template)
    scores = {name: np.zeros(count) for name in DETECTORS}
    for fold in range(_FOLDS):
        inside = sample.site % _FOLDS == fold
        if not inside.any():
            continue
        detector = fit_block_detector(sample.take(~inside), seed, trees)
        for name, fold_scores in detector.scores(sample.rows[inside], sample.words[inside]).items():
            scores[name][inside] = fold_scores
        progress(f"fold {fold + 1} of {_FOLDS}: {np.count_nonzero(inside)} blocks")
    return scores


def balanced(template: Bools) -> Floats:
    """Return weights of the blocks that give both classes the same total weight."""
    share = max(float(template.mean()), 1e-9)
    return np.where(template, 0.5 / share, 0.5 / max(1 - share, 1e-9))


def thinned_curve(curve: Sequence[CurvePoint], points: int) -> list[tuple[float, float]]:
    """Return recall and precision of at most `points` of a curve, evenly spaced in recall."""
    at = np.searchsorted([point.recall for point in curve], np.linspace(0.0, 1.0, points))
    chosen = np.unique(np.minimum(at, len(curve) - 1))
    return [(curve[place].recall, curve[place].precision) for place in chosen.tolist()]
