"""Fitting the fusion of site and page: a logistic regression whose weights keep their signs."""

from collections.abc import Sequence

import msgspec
import numpy as np
from scipy.optimize import minimize

from templ_core.array_types import Float32s, Floats
from templ_core.config import CoreConfig
from templ_core.decide import own_log_odds, site_weight
from templ_core.lab.training.fusion.fusion_page import FusionPage
from templ_core.site_level.fusion.fusion import UNFITTED, Term
from templ_core.site_level.fusion.site_inputs import SIGNS

_PENALTY = 0.1
"""At a tenth of it one site left out loses 0.027, and sites_other 0.010; at three times as much stream
loses 0.002."""
_ODDS_MAX = 12.0
_DEVIATIONS = 4.0
"""Inputs are cut off so many standard deviations from their mean, ..."""
_YES_OR_NO = frozenset({"headline"})
"""... but for those that are 0 or 1, which would be next to nothing where they are rare."""
_PAGE_SHARE, _WORDS_AT_LEAST = 0.1, 5
_ITERATIONS = 200
_WEIGHT_DECIMALS = 4


class LinearModel(msgspec.Struct, frozen=True, kw_only=True):
    """The fitted part of a fusion model."""

    terms: dict[str, Term]
    bias: float


def fit_fusion(
    pages: Sequence[FusionPage], names: Sequence[str], config: CoreConfig
) -> LinearModel:
    """Fit the inputs of these names to pages of known sites, as they are decided.

    A segment weighs the square root of its words over the words of its page's gold; all pages of a
    site together weigh the square root of their number. The weights of standardised inputs are drawn
    to what they are without fitting; inputs are named in `SIGNS`, and no weight has the other sign.
    """
    used = [page for page in pages if page.known]
    counted = (weight := _weights(used)) > 0
    rows = np.concatenate([_rows(page, names) for page in used])[counted]
    trust = np.concatenate(
        [site_weight(page.known[0].columns, page.known[0].documents, config) for page in used]
    )[counted]
    own = np.concatenate([own_log_odds(page.scores, config) for page in used])[counted]
    weight = weight[counted] / weight.sum()
    mean = weight @ rows
    deviation = np.sqrt(weight @ (rows - mean) ** 2) + 1e-9
    reach = np.array([np.inf if name in _YES_OR_NO else _DEVIATIONS for name in names]) * deviation
    low = np.maximum(mean - reach, rows.min(axis=0))
    high = np.minimum(mean + reach, rows.max(axis=0))
    inputs = (np.clip(rows, low, high) - mean) / deviation
    fitted = _fit(
        _Rows(
            inputs=np.concatenate([inputs, np.ones((len(inputs), 1))], axis=1).astype(np.float32),
            trust=trust,
            rest=(1 - trust) * np.clip(own, -_ODDS_MAX, _ODDS_MAX),
            share=np.concatenate([page.labels.content for page in used])[counted],
            weight=weight,
        ),
        [SIGNS[name] for name in names],
        deviation * [_unfitted_weight(name) for name in names],
    )
    slopes = fitted[:-1] / deviation
    return LinearModel(
        terms={
            name: Term(
                weight=round(float(slope), _WEIGHT_DECIMALS),
                low=round(float(least), _WEIGHT_DECIMALS),
                high=round(float(most), _WEIGHT_DECIMALS),
            )
            for name, slope, least, most in zip(names, slopes, low, high, strict=True)
        },
        bias=round(float(fitted[-1] - slopes @ mean), _WEIGHT_DECIMALS),
    )


def _unfitted_weight(name: str) -> float:
    return UNFITTED.terms[name].weight if name in UNFITTED.terms else 0.0


def _weights(pages: Sequence[FusionPage]) -> Floats:
    """The weight of each segment."""
    of_site: dict[tuple[str, str], int] = {}
    for page in pages:
        of_site[page.corpus, page.site] = of_site.get((page.corpus, page.site), 0) + 1
    parts = []
    for page in pages:
        words = page.scores.words
        size = page.bag.gold_words + _PAGE_SHARE * words.sum() + _WORDS_AT_LEAST
        part = np.sqrt(words) / size / np.sqrt(of_site[page.corpus, page.site])
        parts.append(np.where(page.labels.counts, part, 0.0))
    return np.concatenate(parts)


def _rows(page: FusionPage, names: Sequence[str]) -> Float32s:
    columns = [page.known[0].columns[name] for name in names]
    return np.stack(columns, axis=1, dtype=np.float32)


class _Rows(msgspec.Struct, frozen=True, kw_only=True):
    """Segments: log-odds are rest + trust * (inputs @ weights)."""

    inputs: Float32s
    """Standardised, the last one 1."""
    trust: Floats
    rest: Floats
    share: Floats
    """How much of each is content."""
    weight: Floats


def _fit(rows: _Rows, signs: Sequence[int], unfitted: Floats) -> Floats:
    """Weights of the inputs, the last of them the bias.

    Args:
        rows: The segments.
        signs: Of each weight but the bias.
        unfitted: What each weight but the bias is drawn to.
    """

    def loss(weights: Floats) -> tuple[float, Floats]:
        log_odds = rows.rest + rows.trust * (rows.inputs @ weights.astype(np.float32))
        slope = rows.weight * rows.trust * (1 / (1 + np.exp(-log_odds)) - rows.share)
        gradient = (slope.astype(np.float32) @ rows.inputs).astype(np.float64)
        away = weights[:-1] - unfitted
        gradient[:-1] += _PENALTY * away
        value = rows.weight @ (np.logaddexp(0, log_odds) - rows.share * log_odds)
        return float(value + _PENALTY / 2 * (away**2).sum()), gradient

    bounds = [(0, None) if sign > 0 else (None, 0) for sign in signs]
    found = minimize(
        loss,
        np.append(unfitted, 0.0),
        jac=True,
        method="L-BFGS-B",
        bounds=[*bounds, (None, None)],
        options={"maxiter": _ITERATIONS},
    )
    result: Floats = found.x
    return result
