"""Fitting of PAGELEVEL's four logistic regressions to labels counted on sites."""

import zlib
from collections.abc import Iterable
from typing import Self

import msgspec
import numpy as np
from sklearn.linear_model import LogisticRegression as Fitter

from templ_core.array_types import Bools, Floats
from templ_core.lab.papers.pagelevel.logistic_regression import DEVIATIONS_MAX, LogisticRegression
from templ_core.lab.papers.pagelevel.node_features import read_node_features
from templ_core.lab.papers.pagelevel.smoothed_classifier import BANDS, SmoothedClassifier, bands
from templ_core.lab.progress import ReportProgress
from templ_core.lab.training.labels.node_templates import count_site, site_labels
from templ_core.lab.training.labels.site_pages import CorpusPage, ReadSite, read_sites
from templ_core.lab.training.sampling import drawn_places

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
        """Return the samples of at least one site as one."""
        some = list(samples)
        return cls(
            features=some[0].features,
            rows=np.concatenate([one.rows for one in some]),
            area=np.concatenate([one.area for one in some]),
            template=np.concatenate([one.template for one in some]),
        )


def sample_nodes(site: ReadSite) -> NodeSample:
    """Return a sample of the labelled blocks of a site, drawn by the addresses of the pages.

    The labels are those of the paper: a block is template if more than 85 % of its HTML is in
    site-level templates, else it is (with some noise) content.
    """
    frequency = count_site(site.pages)
    features: list[str] = []
    rows, area, template = [], [], []
    for page in site.pages:
        found = read_node_features(page.document, page.presentation)
        drawn = drawn_places(len(found.node), _NODES_PER_PAGE, zlib.crc32(page.page.url.encode()))
        labels = site_labels(page, frequency)
        features = list(found.columns)
        rows.append(found.rows[drawn])
        area.append(found.area[drawn])
        template.append(labels.template[found.node[drawn]])
    return NodeSample(
        features=features,
        rows=np.concatenate(rows),
        area=np.concatenate(area),
        template=np.concatenate(template),
    )


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

    Args:
        pages: Several pages of each of several sites.
        progress: Called after each site.

    Raises:
        TooFewPages: Labels cannot be counted; the message says what is missing.
    """
    samples = []
    for site in read_sites(pages):
        samples.append(sample_nodes(site))
        progress(f"{site.name}: {len(site.pages)} pages, {len(samples[-1].area)} blocks")
    return fit_smoothed_classifier(NodeSample.joined(samples))
