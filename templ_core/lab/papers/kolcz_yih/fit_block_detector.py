"""Fitting of Kolcz and Yih's detectors to labels counted on sites."""

import zlib
from collections.abc import Iterable, Sequence
from typing import Self

import msgspec
import numpy as np
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression as Fitter

from templ_core.array_types import Bools, Float32s, Floats, Int64s
from templ_core.lab.papers.kolcz_yih.block_detector import (
    WORD_TABLE_SIZE,
    BlockDetector,
    WordOdds,
    intervals,
    word_places,
)
from templ_core.lab.papers.kolcz_yih.block_features import read_block_features
from templ_core.lab.papers.kolcz_yih.block_labels import block_labels
from templ_core.lab.papers.kolcz_yih.discretise import cut_points
from templ_core.lab.papers.kolcz_yih.text_blocks import read_blocks
from templ_core.lab.training.labels.site_pages import ReadSite
from templ_core.lab.training.sampling import drawn_places
from templ_core.page_level.model.tree_ensemble import TreeEnsemble

_BLOCKS_PER_PAGE = 16
"""Most labelled blocks of a page that are trained on."""
_INNER_FOLDS = 5
"""Folds of the inner cross-validation, which gives the text scores that other models are fitted to."""
_WORD_PRIOR = 0.5
"""Number that is added to the count of each word in each class."""
_PENALTY = 0.1
"""Inverse of the strength of the L2 penalty: `C` of scikit-learn."""


class ForestSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Size of the random forest."""

    trees: int = 60
    rows_per_leaf: int = 3
    """Least number of rows in a leaf."""
    leaves: int = 2000
    """Most leaves of a tree."""


class BlockSample(msgspec.Struct, frozen=True, kw_only=True):
    """Labelled blocks of many pages; columns of length n_rows unless said otherwise."""

    rows: Float32s
    """Features except the text score, (n_rows, n_features)."""
    template: Bools
    site: Int64s
    """Number of the site of each block; equal for pages of one site."""
    word: Int64s
    """Places of all blocks' different words in the hash table; length n_words."""
    word_row: Int64s
    """Number of the row that each word belongs to; length n_words."""

    def take(self, chosen: Int64s) -> "BlockSample":
        """Return the chosen rows as a sample."""
        number = np.full(len(self.template), -1, np.int64)
        number[chosen] = np.arange(len(chosen))
        kept = number[self.word_row] >= 0
        return BlockSample(
            rows=self.rows[chosen],
            template=self.template[chosen],
            site=self.site[chosen],
            word=self.word[kept],
            word_row=number[self.word_row[kept]],
        )

    @classmethod
    def joined(cls, samples: Iterable["BlockSample"]) -> Self:
        """Return at least one sample as one."""
        some = list(samples)
        starts = np.cumsum([0, *(len(one.template) for one in some)])
        return cls(
            rows=np.concatenate([one.rows for one in some]),
            template=np.concatenate([one.template for one in some]),
            site=np.concatenate([one.site for one in some]),
            word=np.concatenate([one.word for one in some]),
            word_row=np.concatenate(
                [one.word_row + start for one, start in zip(some, starts, strict=False)]
            ),
        )


def sample_blocks(site: ReadSite, number: int) -> BlockSample | None:
    """Return a sample of the labelled blocks of a site, drawn by the addresses of the pages.

    Args:
        site: The site.
        number: Number of the site in the sample.

    Returns:
        None if the site has no labelled blocks.
    """
    blocks = [read_blocks(page.document, page.presentation) for page in site.pages]
    parts = []
    for page, some, labels in zip(site.pages, blocks, block_labels(blocks), strict=True):
        if not len(labels.place):
            continue
        drawn = drawn_places(
            len(labels.place), _BLOCKS_PER_PAGE, zlib.crc32(page.page.url.encode())
        )
        place = labels.place[drawn]
        found = read_block_features(page.document, page.presentation, some)
        word, block = word_places(found.words)
        row = np.full(len(some.texts), -1, np.int64)
        row[place] = np.arange(len(place))
        used = row[block] >= 0
        parts.append(
            BlockSample(
                rows=found.rows[place].astype(np.float32),
                template=labels.template[drawn],
                site=np.full(len(place), number),
                word=word[used],
                word_row=row[block[used]],
            )
        )
    return BlockSample.joined(parts) if parts else None


def without_duplicates(sample: BlockSample) -> BlockSample:
    """Return the first of each set of rows with equal words and features."""
    words = np.zeros(len(sample.template), np.uint64)
    spread = (sample.word.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    np.add.at(words, sample.word_row, spread ^ (spread >> np.uint64(29)))
    whole = np.concatenate([sample.rows, words.view(np.float32).reshape(-1, 2)], axis=1)
    _, first = np.unique(np.ascontiguousarray(whole).view(np.uint8), axis=0, return_index=True)
    return sample.take(np.sort(first))


def _fit_text(sample: BlockSample) -> WordOdds:
    """Fit naive Bayes to the different words of each block."""
    counts = [
        np.bincount(
            sample.word[sample.template[sample.word_row] == side], minlength=WORD_TABLE_SIZE
        )
        + _WORD_PRIOR
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
            text = _fit_text(sample.take(np.flatnonzero(~inside)))
            log_odds[inside] = text.log_odds(sample.word, sample.word_row, len(log_odds))[inside]
    return log_odds


def fit_block_detector(
    sample: BlockSample, seed: int, forest: ForestSettings | None = None
) -> BlockDetector:
    """Fit the three detectors; duplicates are removed before and after discretisation.

    Args:
        sample: Labelled blocks of many sites.
        seed: Seed of the random forest.
        forest: Size of the random forest; None for the default.
    """
    once = without_duplicates(sample)
    log_odds = out_of_fold_text_log_odds(once)
    rows = np.concatenate([once.rows, log_odds[:, None]], axis=1).astype(np.float64)
    borders = [cut_points(column, once.template) for column in rows.T]
    binned = intervals(rows, borders)
    _, first = np.unique(
        np.concatenate([binned, once.template[:, None]], axis=1), axis=0, return_index=True
    )
    binned, template = binned[np.sort(first)], once.template[np.sort(first)]
    weights, bias = _fit_maxent(binned, template, [len(some) + 1 for some in borders])
    return BlockDetector(
        text=_fit_text(once),
        borders=borders,
        weights=weights,
        bias=bias,
        trees=_fit_forest(binned, template, forest or ForestSettings(), seed),
    )


def _fit_maxent(
    binned: Int64s, template: Bools, sizes: Sequence[int]
) -> tuple[list[Floats], float]:
    """Fit a logistic regression to one binary feature for each interval."""
    starts = np.cumsum([0, *sizes])
    column = (binned + starts[:-1]).ravel()
    ends = np.arange(len(binned) + 1) * binned.shape[1]
    binary = sparse.csr_matrix((np.ones(len(column)), column, ends), (len(binned), starts[-1]))
    model = Fitter(C=_PENALTY, max_iter=300, solver="liblinear")
    model.fit(binary, template)
    return np.split(model.coef_[0], starts[1:-1]), float(model.intercept_[0])


def _fit_forest(
    binned: Int64s, template: Bools, settings: ForestSettings, seed: int
) -> TreeEnsemble:
    """Fit a random forest to the numbers of the intervals."""
    model = RandomForestClassifier(
        n_estimators=settings.trees,
        min_samples_leaf=settings.rows_per_leaf,
        max_leaf_nodes=settings.leaves,
        random_state=seed,
    )
    model.fit(binned.astype(np.float32), template)
    trees = [one.tree_ for one in model.estimators_]
    sizes = [tree.node_count for tree in trees]
    roots = np.cumsum([0, *sizes[:-1]])
    start = np.repeat(roots, sizes)
    left = np.concatenate([tree.children_left for tree in trees])
    right = np.concatenate([tree.children_right for tree in trees])
    leaf = left < 0
    own = np.arange(len(left))
    share = np.concatenate([tree.value[:, 0, 1] / tree.value[:, 0].sum(axis=1) for tree in trees])
    return TreeEnsemble(
        feature=np.where(leaf, 0, np.concatenate([tree.feature for tree in trees])).astype(
            np.int32
        ),
        threshold=np.concatenate([tree.threshold for tree in trees]).astype(np.float32),
        left=np.where(leaf, own, start + left).astype(np.int32),
        right=np.where(leaf, own, start + right).astype(np.int32),
        value=np.where(leaf, share / settings.trees, 0).astype(np.float32),
        roots=roots.astype(np.int32),
        base=0.0,
        depth=max(int(tree.max_depth) for tree in trees),
    )
