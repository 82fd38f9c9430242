"""Fitting PAGELEVEL's four logistic regressions to labels counted on sites."""

import zlib
from collections.abc import Callable, Iterable

import msgspec
import numpy as np
from sklearn.linear_model import LogisticRegression as Fitter

from templ_core.array_types import Bools, Floats, Int64s
from templ_core.lab.papers.pagelevel.logistic_regression import CLIP, LogisticRegression
from templ_core.lab.papers.pagelevel.node_features import read_node_features
from templ_core.lab.papers.pagelevel.smoothed_classifier import BANDS, SmoothedClassifier, bands
from templ_core.lab.training.labels.node_templates import THETA, count_site, site_labels
from templ_core.lab.training.labels.site_pages import Site, SitePage, read_sites

Progress = Callable[[str], None]

NODES_PER_PAGE = 100
_PENALTY = 1.0
"""Inverse strength of the L2 penalty, as scikit-learn counts it."""


class NodeSample(msgspec.Struct, frozen=True, kw_only=True):
    """Blocks of many pages; columns of length n_rows."""

    features: list[str]
    rows: Floats
    area: Floats
    template: Bools
    site: list[str]


def sample_nodes(site: Site, theta: float = THETA) -> NodeSample:
    """At most NODES_PER_PAGE blocks of each page of a site, drawn by its address.

    The paper's labels: template where more than 85 % of the block's HTML is in site-level
    templates, else (noisily) not.
    """
    frequency = count_site(site.pages)
    features: list[str] = []
    rows, area, template = [], [], []
    for page in site.pages:
        found = read_node_features(page.document, page.presentation)
        drawn = _drawn(len(found.node), page.page.url)
        labels = site_labels(page, frequency, theta)
        features = list(found.columns)
        rows.append(found.rows[drawn])
        area.append(found.area[drawn])
        template.append(labels.template[found.node[drawn]])
    return NodeSample(
        features=features,
        rows=np.concatenate(rows),
        area=np.concatenate(area),
        template=np.concatenate(template),
        site=[site.name] * sum(map(len, area)),
    )


def _drawn(count: int, url: str) -> Int64s:
    if count <= NODES_PER_PAGE:
        return np.arange(count)
    rng = np.random.default_rng(zlib.crc32(url.encode()))
    return np.sort(rng.choice(count, NODES_PER_PAGE, replace=False))


def joined(samples: Iterable[NodeSample]) -> NodeSample:
    """Samples of several sites as one."""
    some = list(samples)
    return NodeSample(
        features=some[0].features,
        rows=np.concatenate([one.rows for one in some]),
        area=np.concatenate([one.area for one in some]),
        template=np.concatenate([one.template for one in some]),
        site=[site for one in some for site in one.site],
    )


def fit_smoothed_classifier(sample: NodeSample) -> SmoothedClassifier:
    """Four regressions, the bands of area holding a quarter of the blocks each."""
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


def fit_logistic(rows: Floats, positive: Bools, weight: Floats | None = None) -> LogisticRegression:
    """Logistic regression with an L2 penalty, on standardised features."""
    mean, deviation = rows.mean(axis=0), rows.std(axis=0)
    scale = np.where(deviation > 1e-9, 1 / np.maximum(deviation, 1e-9), 0.0)
    if positive.all() or not positive.any():
        log_odds = 5.0 if positive.all() else -5.0
        return LogisticRegression(
            mean=mean, scale=scale, weights=np.zeros(len(mean)), bias=log_odds
        )
    model = Fitter(C=_PENALTY, max_iter=500)
    model.fit(np.clip((rows - mean) * scale, -CLIP, CLIP), positive, sample_weight=weight)
    return LogisticRegression(
        mean=mean, scale=scale, weights=model.coef_[0], bias=float(model.intercept_[0])
    )


def train_smoothed_classifier(pages: Iterable[SitePage], progress: Progress) -> SmoothedClassifier:
    """PAGELEVEL's classifier from pages without gold.

    Args:
        pages: Several pages of each of several sites.
        progress: Told what was just done.

    Raises:
        TooFewPages: labels cannot be counted; the message says what is missing.
    """
    samples = []
    for site in read_sites(pages):
        samples.append(sample_nodes(site))
        progress(f"{site.name}: {len(site.pages)} pages, {len(samples[-1].area)} blocks")
    return fit_smoothed_classifier(joined(samples))
