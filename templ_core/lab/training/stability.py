"""How far trainings with other seeds and samples are apart."""

from collections.abc import Sequence
from statistics import fmean

import msgspec

from templ_core.lab.training.quality import PageResult

SITE_PAGES_MIN = 20
"""Sites with fewer pages are not looked at."""
SITE_SPREAD_MAX = 0.03
"""A site that moves further has changed."""


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """Mean F1 of the same pages in several trainings."""

    f1: list[float]

    @property
    def widest(self) -> float:
        """From the lowest to the highest."""
        return max(self.f1) - min(self.f1)


class Stability(msgspec.Struct, frozen=True, kw_only=True):
    """Spreads of corpora, and of their sites with many pages."""

    corpora: dict[str, Spread]
    sites: dict[str, dict[str, Spread]]
    """By corpus, then by site."""


def stability(trainings: Sequence[Sequence[PageResult]]) -> Stability:
    """The spreads of at least one training.

    Args:
        trainings: Results of the same pages, each scored by models that have not seen its site.
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
