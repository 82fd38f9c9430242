"""Whether a page is the one that was asked for: by what it lacks in comparison with its site, and by its words.

A page without content has its site's template and little of its own. What it has of its own, how that compares with the
usual length, and whether it is where content usually is, say more than its words, which are of any language.
"""

import functools
import math
import operator
from collections.abc import Sequence
from itertools import starmap
from pkgutil import get_data
from typing import Annotated

import msgspec

_DECIMALS = 4
WITHOUT_MAX = 0.5
"""Probability of a page without content from which on a page is taken for one."""

_Ratio = Annotated[float, msgspec.Meta(ge=0, le=1)]


class PageQuality(msgspec.Struct, frozen=True, kw_only=True):
    """What a page may be in place of a page with content: the probability of each, 0 to 1."""

    soft_404: _Ratio
    """It says that the page does not exist, although its HTTP status is a success."""
    wall: _Ratio
    """A consent notice, log-in, captcha or paywall is in front of the content."""
    empty_shell: _Ratio
    """Scripts would fill it."""
    template_only: _Ratio
    """It is the template of its site without content."""

    @property
    def has_content(self) -> bool:
        """Whether it is probable enough that it has content."""
        without = self.soft_404 + self.wall + self.empty_shell + self.template_only
        return without < WITHOUT_MAX


KINDS = PageQuality.__struct_fields__
"""The kinds of pages without content; the number of a page with content is that of none of them."""


class Weights(msgspec.Struct, frozen=True):
    """A logistic regression over the kinds and, at last, a page with content."""

    bias: list[float]
    weights: list[list[float]]
    """A row for each kind, a column for each of the `quality_inputs`, and for what each has above each of its knots."""
    knots: list[list[float]]
    """Values of the inputs at which their slopes change."""


def with_slopes(inputs: Sequence[float], knots: Sequence[Sequence[float]]) -> list[float]:
    """Return inputs, and what each of them has above each of its knots, so that a weight may differ from there on.

    >>> with_slopes([3.0, 1.0], [[2.0, 2.0]])
    [3.0, 1.0, 1.0, 0.0]
    """
    above = (
        max(value - knot, 0.0) for row in knots for value, knot in zip(inputs, row, strict=True)
    )
    return [*inputs, *above]


@functools.cache
def _weights() -> list[Weights]:
    """Return the weights for pages of unknown and of known sites, which `templ experiments page-quality` fits."""
    body = get_data(__package__, "page_quality.json") or b""
    return msgspec.json.decode(body, type=list[Weights])


def page_quality(inputs: Sequence[float]) -> PageQuality | None:
    """Return what a page may be, given its `quality_inputs`, or None."""
    if not inputs:
        return None
    weights = _weights()[bool(inputs[-1])]
    columns = with_slopes(inputs, weights.knots)
    scores = [
        bias + math.fsum(starmap(operator.mul, zip(row, columns, strict=True)))
        for bias, row in zip(weights.bias, weights.weights, strict=True)
    ]
    shares = [math.exp(score - max(scores)) for score in scores]
    whole = math.fsum(shares)
    probabilities = (round(share / whole, _DECIMALS) for share in shares)
    return PageQuality(**dict(zip(KINDS, probabilities, strict=False)))
