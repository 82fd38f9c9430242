"""PAGELEVEL: its classifier, and the three variants basic, basic-merge and smooth.

Chakrabarti, Kumar, Punera, *Page-level Template Detection via Isotonic Smoothing*, WWW 2007, sections 5 and 6.1. The
classifier is four logistic regressions, each for elements of a band of areas; 1 means template. They are fitted to
labels counted on sites and stored as JSON with a format version. Scores of all elements are smoothed, small ones
hidden in their parents. The classifier is a baseline; cleaning uses the page model.
"""

import zlib
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec
import numpy as np
from sklearn.linear_model import LogisticRegression as Fitter

from templ_core.array_types import Bools, Floats, Int32s, Int64s
from templ_core.errors import CodecError
from templ_core.lab.evaluation.segments import Grouping
from templ_core.lab.papers.pagelevel.node_features import (
    NodeFeatures,
    leave_out,
    read_node_features,
)
from templ_core.lab.training.fit import ReportProgress, drawn_places
from templ_core.lab.training.labels import site_labels
from templ_core.page_level.smoothing import Smoothed, smooth

DEVIATIONS_MAX = 5.0
"""Features are clipped this many standard deviations from their mean."""


class LogisticRegression(msgspec.Struct, frozen=True, kw_only=True):
    """A fitted logistic regression; columns of length n_features."""

    mean: Floats
    """Mean of each feature over the training rows."""
    scale: Floats
    """1 / standard deviation of each feature; 0 for constant features."""
    weights: Floats
    bias: float

    def log_odds(self, rows: Floats) -> Floats:
        """Return the log-odds of the positive class for each row of features."""
        log_odds: Floats = (
            np.clip((rows - self.mean) * self.scale, -DEVIATIONS_MAX, DEVIATIONS_MAX) @ self.weights
        )
        return log_odds + self.bias


BANDS = 4
"""Number of bands of areas."""
_DECIMALS = 3
"""Decimals to which log-odds are rounded, so that every machine gives the same text."""


class SmoothedClassifier(msgspec.Struct, frozen=True, kw_only=True):
    """Four logistic regressions, each for elements of one band of areas."""

    features: list[str]
    """Names of the features, in the order of the columns of `NodeFeatures.rows`."""
    area_from: list[float]
    """Smallest area of each band in square pixels, ascending from 0."""
    models: list[LogisticRegression]
    """The model of each band; the positive class is template."""

    def templateness(self, features: NodeFeatures) -> Floats:
        """Return x of the paper: the probability that each block is template; length n_blocks."""
        band = bands(features.area, self.area_from)
        rows = features.rows
        log_odds = np.zeros(len(rows))
        for number, model in enumerate(self.models):
            log_odds[band == number] = model.log_odds(rows[band == number])
        templateness: Floats = 1 / (1 + np.exp(-np.round(log_odds, _DECIMALS)))
        return templateness


def bands(area: Floats, area_from: list[float]) -> Int64s:
    """Return the number of the band that each area is in."""
    return np.maximum(np.searchsorted(area_from, area, side="right") - 1, 0)


def segment_scores(features: NodeFeatures, owner: Int32s, score: Floats) -> Floats:
    """Return the score of the block that each segment is in; length n_segments."""
    place = np.searchsorted(features.node, owner)
    result: Floats = score[place]
    return result


_FORMAT = "templ-smoothed-classifier-1"
_DIGITS = 12
"""Significant digits of the numbers in a file."""


class _File(msgspec.Struct, frozen=True):
    format: str
    classifier: SmoothedClassifier


def encode_classifier(classifier: SmoothedClassifier) -> bytes:
    """Return the file of a classifier."""
    return msgspec.json.encode(
        _File(_FORMAT, classifier),
        enc_hook=lambda column: [float(f"{value:.{_DIGITS}g}") for value in column.tolist()],
    )


def decode_classifier(body: bytes) -> SmoothedClassifier:
    """Read a classifier from its file.

    Raises:
        CodecError: This is no such file, or it has another format version.
    """
    try:
        file = msgspec.json.decode(
            body, type=_File, dec_hook=lambda _, value: np.asarray(value, np.float64)
        )
    except (msgspec.DecodeError, ValueError) as error:
        raise CodecError(f"not a PAGELEVEL classifier: {error}") from None
    if file.format != _FORMAT:
        raise CodecError(f"format {file.format!r}; this version reads {_FORMAT!r}")
    return file.classifier


_NODES_PER_PAGE = 100
"""Most blocks of a page that are trained on."""
_PENALTY = 1.0
"""Inverse of the strength of the L2 penalty: `C` of scikit-learn."""


NodeSample = tuple[Floats, Floats, Bools]
"""Features of blocks, (n_rows, n_features), their estimated areas in square pixels, and whether each is template."""


def sample_nodes(site: site_labels.ReadSite) -> tuple[list[str], NodeSample]:
    """Return the names of the features, and a sample of the labelled blocks of a site, drawn by the addresses of the pages.

    The labels are those of the paper: a block is template if more than 85 % of its HTML is in
    site-level templates, else it is (with some noise) content.
    """
    frequency = site_labels.count_site(site.pages)
    samples: list[NodeSample] = []
    for page in site.pages:
        features = read_node_features(page.document, page.presentation)
        seed = zlib.crc32(page.page.url.encode())
        drawn = drawn_places(len(features.node), _NODES_PER_PAGE, seed)
        template = site_labels.site_labels(page, frequency).template[features.node[drawn]]
        samples.append((features.rows[drawn], features.area[drawn], template))
    return list(features.columns), _joined(samples)


def _joined(samples: Sequence[NodeSample]) -> NodeSample:
    rows, area, template = map(np.concatenate, zip(*samples, strict=True))
    return rows, area, template


def fit_smoothed_classifier(features: list[str], sample: NodeSample) -> SmoothedClassifier:
    """Fit the four regressions; each band of areas holds a quarter of the blocks."""
    rows, area, template = sample
    quarters = np.quantile(area, np.arange(1, BANDS) / BANDS)
    area_from = [0.0, *np.round(quarters, 0).tolist()]
    band = bands(area, area_from)
    return SmoothedClassifier(
        features=features,
        area_from=area_from,
        models=[
            fit_logistic(rows[band == number], template[band == number]) for number in range(BANDS)
        ],
    )


def fit_logistic(rows: Floats, positive: Bools) -> LogisticRegression:
    """Fit a logistic regression with an L2 penalty to standardised features.

    >>> rows = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> model = fit_logistic(rows, np.array([False, False, True, True]))
    >>> (model.log_odds(rows) > 0).tolist()
    [False, False, True, True]

    Args:
        rows: Features, (n_rows, n_features).
        positive: Whether each row is of the positive class. If all rows are of one class, the
            log-odds are constant.
    """
    mean, deviation = rows.mean(axis=0), rows.std(axis=0)
    scale = np.where(deviation > 1e-9, 1 / np.maximum(deviation, 1e-9), 0.0)
    if positive.all() or not positive.any():
        log_odds = 5.0 if positive.all() else -5.0
        return LogisticRegression(
            mean=mean, scale=scale, weights=np.zeros(len(mean)), bias=log_odds
        )
    model = Fitter(C=_PENALTY, max_iter=500)
    model.fit(np.clip((rows - mean) * scale, -DEVIATIONS_MAX, DEVIATIONS_MAX), positive)
    return LogisticRegression(
        mean=mean, scale=scale, weights=model.coef_[0], bias=float(model.intercept_[0])
    )


def train_smoothed_classifier(
    pages: Iterable[site_labels.CorpusPage], progress: ReportProgress
) -> SmoothedClassifier:
    """Train PAGELEVEL's classifier on pages without gold.

    Raises:
        TooFewPages: Labels cannot be counted; the message says what is missing.
    """
    samples: list[NodeSample] = []
    for site in site_labels.read_sites(pages):
        features, sample = sample_nodes(site)
        samples.append(sample)
        progress(f"{site.name}: {len(site.pages)} pages, {len(sample[1])} blocks")
    return fit_smoothed_classifier(features, _joined(samples))


HIDDEN_AREA_PX = 2000.0
"""Nodes with a smaller area, in square pixels, are neither classified nor smoothed (section 5.3)."""
PENALTY_FACTOR = 0.01
"""c of the penalty c * A / A_i that the paper settled on."""

Penalty = Literal["area", "nodes", "parent-area"]
PENALTIES: tuple[Penalty, ...] = ("area", "nodes", "parent-area")


def penalties(penalty: Penalty, factor: float, parent: Int32s, area: Floats) -> Floats:
    """Return what it costs to start a section at each node; infinite for nodes without area.

    Args:
        penalty: c * A / A_i, c * N / N_i (N: nodes of the subtree) or c * A_parent(i) / A_i.
        factor: c.
        parent: Parent of each node in document order; -1 for the first node, the only root.
        area: Square pixels of each node.

    Example:
        >>> chain = np.array([-1, 0, 1], np.int32)
        >>> penalties("area", 0.01, chain, np.array([400.0, 100.0, 0.0])).tolist()
        [0.01, 0.04, inf]
    """
    size = _nodes_inside(parent) if penalty == "nodes" else area
    whole = size[np.maximum(parent, 0)] if penalty == "parent-area" else size.max()
    result = np.full(len(size), np.inf)
    np.divide(factor * whole, size, out=result, where=size > 0)
    return result


def _nodes_inside(parent: Int32s) -> Floats:
    count = np.ones(len(parent))
    for node in range(len(parent) - 1, 0, -1):
        count[parent[node]] += count[node]
    return count


def smooth_nodes(parent: Int32s, score: Floats, area: Floats, penalty: Floats) -> Smoothed:
    """Return smoothed scores and sections of all elements of a page.

    An element with k hidden ones inside counts k + 1 times. Hidden elements, and elements without a
    score, take the result of the nearest element above them. An element without area (a folded
    menu, for example) has no place in a visible section of the page: it keeps its own score.

    Args:
        parent: Parent of each node in document order; -1 for the first node, the only root.
        score: Templateness, 0 to 1; NaN where there is none.
        area: Square pixels of each node; 0 where it is not shown.
        penalty: What it costs to start a section at each node.

    Example:
        >>> chain, area = np.array([-1, 0, 0], np.int32), np.array([9e4, 4e4, 1e3])
        >>> smoothed = smooth_nodes(chain, np.array([0.0, 1.0, 1.0]), area, np.zeros(3))
        >>> smoothed.score.tolist(), smoothed.section.tolist()
        ([0.0, 1.0, 0.0], [0, 1, 0])
    """
    scored = ~np.isnan(score)
    tree = leave_out(parent, ~scored | (area < HIDDEN_AREA_PX))
    shown = scored & (area > 0)
    hidden = np.bincount(tree.stands_for[shown], minlength=len(tree.kept))
    weight = np.where(scored[tree.kept], hidden, 0.0)
    x = np.nan_to_num(score[tree.kept])
    smoothed = smooth(tree.parent, x, weight, penalty[tree.kept])
    above = smoothed.score[tree.stands_for]
    return Smoothed(
        score=np.where(scored & ~shown, score, above), section=smoothed.section[tree.stands_for]
    )


_TEMPLATE_ABOVE = 0.5
"""Segments with more templateness are template."""


class Variant(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a variant for the segments of a page; columns of length n_segments."""

    templateness: Floats
    """0 to 1."""
    group: Grouping
    """The segmentation of the page."""

    @property
    def kept(self) -> Bools:
        """Whether each segment is kept, because it is not template."""
        return self.templateness <= _TEMPLATE_ABOVE


def basic_variant(templateness: Floats) -> Variant:
    """Return the variant "basic": the classifier alone.

    Neighbours hardly ever have equal scores, so each segment is a group of its own.
    """
    return Variant(templateness=templateness, group=np.arange(len(templateness)))


def basic_merge_variant(templateness: Floats, words: Floats, delta: float) -> Variant:
    """Return the variant "basic-merge", which merges neighbours with similar scores.

    Neighbours whose scores differ by less than delta form a group with their mean score.

    >>> merged = basic_merge_variant(np.array([0.1, 0.3, 0.9]), np.array([3.0, 1.0, 1.0]), 0.25)
    >>> merged.group.tolist(), merged.templateness.round(2).tolist()
    ([0, 0, 1], [0.15, 0.15, 0.9])
    """
    apart = np.abs(np.diff(templateness, prepend=-np.inf)) >= delta
    group = np.cumsum(apart) - 1
    mean = np.bincount(group, templateness * words) / np.bincount(group, words)
    return Variant(templateness=mean[group], group=group)


def smooth_variant(
    features: NodeFeatures,
    owner: Int32s,
    templateness: Floats,
    factor: float = PENALTY_FACTOR,
    penalty: Penalty = "area",
) -> Variant:
    """Return the variant "smooth": smoothed scores, grouped by the section that a segment is in."""
    costs = penalties(penalty, factor, features.parent, features.area)
    result = smooth_nodes(features.parent, templateness, features.area, costs)
    place = np.searchsorted(features.node, owner)
    return Variant(
        templateness=segment_scores(features, owner, result.score), group=result.section[place]
    )
