"""The variants of PAGELEVEL that the experiments compare, each as a function of a page."""

from collections.abc import Callable

from templ_core.lab.papers.pagelevel.variants import (
    PENALTY_FACTOR,
    Penalty,
    Variant,
    basic_merge_variant,
    smooth_spread_on_grid,
    smooth_variant,
)
from workers.lab.experiments.corpora.scored_pages import ScoredPage

PENALTY_MULTIPLES = (0.001, 0.01, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 1000.0)
"""Multiples of the paper's penalty factor, for the figures over the penalty."""

PageVariant = Callable[[ScoredPage], Variant]
"""Computes one variant's decisions for a page."""


def merging_variant(delta: float) -> PageVariant:
    """Return the paper's merge of neighbouring segments whose scores differ by less than delta."""
    return lambda page: basic_merge_variant(page.templateness, page.words, delta)


def smoothing_variant(factor: float = PENALTY_FACTOR, penalty: Penalty = "area") -> PageVariant:
    """Return the paper's smoothing with a penalty factor."""
    return lambda page: smooth_variant(
        page.features, page.document.segments.owner, page.block_templateness, factor, penalty
    )


def spread_smoothing_variant(factor: float = PENALTY_FACTOR) -> PageVariant:
    """Return smoothing with the objective on the slides of the paper's talk."""
    return lambda page: smooth_variant(
        page.features,
        page.document.segments.owner,
        page.block_templateness,
        factor,
        smoother=smooth_spread_on_grid,
    )
