"""Fitting the fusion of site and page: a logistic regression whose weights keep their signs."""

from collections.abc import Sequence

import msgspec
import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from templ_core.site_level.fusion import Term
from templ_core.site_level.site_inputs import SIGNS
from templ_core.training.fusion_page import FusionPage

Floats = npt.NDArray[np.float64]

_PENALTY = 3e-3
_DEVIATIONS = 4.0
"""Inputs are cut off so many standard deviations from their mean."""
_PAGE_SHARE, _WORDS_AT_LEAST = 0.1, 5
_ITERATIONS = 200
_WEIGHT_DECIMALS = 4


class LinearModel(msgspec.Struct, frozen=True, kw_only=True):
    """The fitted part of a fusion model."""

    terms: dict[str, Term]
    bias: float


def fit_fusion(pages: Sequence[FusionPage], names: Sequence[str]) -> LinearModel:
    """Fit the inputs of these names to pages with columns.

    A segment weighs the square root of its words over the words of its page's gold; all pages of a
    site together weigh the square root of their number. Standardised inputs have an L2 penalty;
    inputs are named in `SIGNS`, and no weight has the other sign.
    """
    used = [page for page in pages if page.known]
    rows = np.concatenate(
        [np.stack([page.known[0].columns[name] for name in names], axis=1) for page in used]
    )
    share = np.concatenate([page.labels.content for page in used])
    weight = _weights(used)
    counted = weight > 0
    rows, share, weight = rows[counted], share[counted], weight[counted] / weight.sum()
    mean = weight @ rows
    deviation = np.sqrt(weight @ (rows - mean) ** 2) + 1e-9
    inputs = np.clip((rows - mean) / deviation, -_DEVIATIONS, _DEVIATIONS)
    inputs = np.concatenate([inputs, np.ones((len(inputs), 1))], axis=1)
    signs = [SIGNS[name] for name in names]
    fitted = _fit(inputs, share, weight, signs)
    slopes = fitted[:-1] / deviation
    return LinearModel(
        terms={
            name: Term(
                weight=round(float(slope), _WEIGHT_DECIMALS),
                low=round(float(low), _WEIGHT_DECIMALS),
                high=round(float(high), _WEIGHT_DECIMALS),
            )
            for name, slope, low, high in zip(
                names,
                slopes,
                mean - _DEVIATIONS * deviation,
                mean + _DEVIATIONS * deviation,
                strict=True,
            )
        },
        bias=round(float(fitted[-1] - slopes @ mean), _WEIGHT_DECIMALS),
    )


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


def _fit(inputs: Floats, share: Floats, weight: Floats, signs: Sequence[int]) -> Floats:
    """Weights of the inputs, the last of them the bias."""

    def loss(weights: Floats) -> tuple[float, Floats]:
        odds = inputs @ weights
        probability = 1 / (1 + np.exp(-odds))
        gradient = inputs.T @ (weight * (probability - share))
        gradient[:-1] += _PENALTY * weights[:-1]
        value = weight @ (np.logaddexp(0, odds) - share * odds)
        return float(value + _PENALTY / 2 * (weights[:-1] ** 2).sum()), gradient

    bounds = [(0, None) if sign > 0 else (None, 0) for sign in signs]
    start = np.zeros(inputs.shape[1])
    found = minimize(
        loss,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=[*bounds, (None, None)],
        options={"maxiter": _ITERATIONS},
    )
    result: Floats = found.x
    return result
