"""The classifier of PAGELEVEL: four logistic regressions, each for elements of a band of areas.

Chakrabarti, Kumar, Punera, *Page-level Template Detection via Isotonic Smoothing*, WWW 2007,
section 5. Here 1 means template. The regressions are fitted to labels counted on sites and stored as JSON with a
format version. The classifier is a baseline; cleaning uses the page model.
"""

import zlib
from collections.abc import Iterable
from typing import Any, Self

import msgspec
import numpy as np
from sklearn.linear_model import LogisticRegression as Fitter

from templ_core.array_types import Bools, Floats, Int32s, Int64s
from templ_core.errors import CodecError
from templ_core.lab.papers.pagelevel.node_features import NodeFeatures, read_node_features
from templ_core.lab.training.fit import ReportProgress, drawn_places
from templ_core.lab.training.labels.site_labels import (
    CorpusPage,
    ReadSite,
    count_site,
    read_sites,
    site_labels,
)

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
"""Log-odds are rounded to so many decimals, so that every machine gives the same text."""


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
    return msgspec.json.encode(_File(_FORMAT, classifier), enc_hook=_numbers)


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


def _numbers(value: Any) -> list[float]:
    return [float(f"{number:.{_DIGITS}g}") for number in value.tolist()]


_NODES_PER_PAGE = 100
"""Most blocks of a page that are trained on."""
_PENALTY = 1.0
"""Inverse of the strength of the L2 penalty: `C` of scikit-learn."""


class NodeSample(msgspec.Struct, frozen=True, kw_only=True):
    """Labelled blocks of many pages; columns of length n_rows."""

    features: list[str]
    """Names of the features."""
    rows: Floats
    """Features, (n_rows, n_features)."""
    area: Floats
    """Estimated area in square pixels."""
    template: Bools

    @classmethod
    def joined(cls, samples: Iterable["NodeSample"]) -> Self:
        """Return at least one sample as one."""
        some = list(samples)
        columns = {
            name: np.concatenate([getattr(one, name) for one in some])
            for name in ("rows", "area", "template")
        }
        return cls(features=some[0].features, **columns)


def sample_nodes(site: ReadSite) -> NodeSample:
    """Return a sample of the labelled blocks of a site, drawn by the addresses of the pages.

    The labels are those of the paper: a block is template if more than 85 % of its HTML is in
    site-level templates, else it is (with some noise) content.
    """
    frequency = count_site(site.pages)
    samples = []
    for page in site.pages:
        found = read_node_features(page.document, page.presentation)
        drawn = drawn_places(len(found.node), _NODES_PER_PAGE, zlib.crc32(page.page.url.encode()))
        template = site_labels(page, frequency).template[found.node[drawn]]
        rows, area = found.rows[drawn], found.area[drawn]
        samples.append(
            NodeSample(features=list(found.columns), rows=rows, area=area, template=template)
        )
    return NodeSample.joined(samples)


def fit_smoothed_classifier(sample: NodeSample) -> SmoothedClassifier:
    """Fit the four regressions; each band of areas holds a quarter of the blocks."""
    quarters = np.quantile(sample.area, np.arange(1, BANDS) / BANDS)
    area_from = [0.0, *np.round(quarters, 0).tolist()]
    band = bands(sample.area, area_from)
    return SmoothedClassifier(
        features=sample.features,
        area_from=area_from,
        models=[
            fit_logistic(sample.rows[band == number], sample.template[band == number])
            for number in range(BANDS)
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
    pages: Iterable[CorpusPage], progress: ReportProgress
) -> SmoothedClassifier:
    """Train PAGELEVEL's classifier on pages without gold.

    Raises:
        TooFewPages: Labels cannot be counted; the message says what is missing.
    """
    samples = []
    for site in read_sites(pages):
        samples.append(sample_nodes(site))
        progress(f"{site.name}: {len(site.pages)} pages, {len(samples[-1].area)} blocks")
    return fit_smoothed_classifier(NodeSample.joined(samples))
