"""Stability of training: how far the scores of trainings with different seeds are apart."""

from collections.abc import Sequence
from statistics import fmean

import msgspec

from templ_core.lab.training.quality import PageResult

SITE_PAGES_MIN = 20
"""Sites with fewer pages are left out."""
SITE_SPREAD_MAX = 0.03
"""Sites with a larger spread of mean F1 are reported as unstable."""


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """Mean word F1 of the same pages in several trainings."""

    f1: list[float]
    """One value for each training."""

    @property
    def widest(self) -> float:
        """Highest minus lowest value."""
        return max(self.f1) - min(self.f1)


class Stability(msgspec.Struct, frozen=True, kw_only=True):
    """The spreads of corpora and of their sites with many pages."""

    corpora: dict[str, Spread]
    """By corpus."""
    sites: dict[str, dict[str, Spread]]
    """By corpus, then by site."""


def stability(trainings: Sequence[Sequence[PageResult]]) -> Stability:
    """Return the spreads over at least one training.

    Args:
        trainings: Held-out results of the same pages in each training.
    """
    corpora = sorted({one.corpus for one in trainings[0]})
    sites: dict[str, dict[str, Spread]] = {}
    for corpus in corpora:
        pages = [one.site for one in trainings[0] if one.corpus == corpus]
        large = sorted({site for site in pages if pages.count(site) >= SITE_PAGES_MIN})
        sites[corpus] = {site: _spread(trainings, corpus, site) for site in large}
    return Stability(
        corpora={corpus: _spread(trainings, corpus, None) for corpus in corpora}, sites=sites
    )


def _spread(trainings: Sequence[Sequence[PageResult]], corpus: str, site: str | None) -> Spread:
    return Spread(
        f1=[
            fmean(
                one.f1
                for one in results
                if one.corpus == corpus and (site is None or one.site == site)
            )
            for results in trainings
        ]
    )
