"""How good the decisions of a fusion are on pages of sites, or of corpora, it was not fitted to."""

from collections.abc import Callable, Sequence

import msgspec
import numpy as np

from templ_core.array_types import Bools
from templ_core.config import CoreConfig
from templ_core.decide import decide
from templ_core.lab.evaluation.bootstrap import Interval, mean_interval
from templ_core.lab.training.fusion.fit_fusion import LinearModel, fit_fusion
from templ_core.lab.training.fusion.fusion_page import FusionPage, Outcome
from templ_core.site_level.fusion.fusion import fused_log_odds, shipped_fusion
from templ_core.site_level.fusion.site_inputs import CONSTANT
from templ_core.site_level.site_evidence import SiteEvidence

LAST_OF_BIN = (5, 10, 25, 50, 10**9)
"""Pages of a site seen so far: 1-5, 6-10, 11-25, 26-50 and more."""
_CONSTANT_WORDS_MIN = 4

Group = Callable[[FusionPage], int | str]


def by_site(page: FusionPage) -> int:
    """Pages left out together: of the sites that one page model has not seen."""
    return page.fold


def by_corpus(page: FusionPage) -> str:
    """Pages left out together: of one corpus."""
    return page.corpus


def fitted_without(
    pages: Sequence[FusionPage], names: Sequence[str], group: Group, config: CoreConfig
) -> dict[int | str, LinearModel]:
    """For each group of pages the model that is fitted to all others."""
    return {
        left_out: fit_fusion([page for page in pages if group(page) != left_out], names, config)
        for left_out in sorted({group(page) for page in pages}, key=str)
    }


def decide_all(
    pages: Sequence[FusionPage],
    models: dict[int | str, LinearModel],
    group: Group,
    config: CoreConfig,
    way: int = 0,
) -> list[Outcome]:
    """What each page comes to with the model that was fitted without it.

    Args:
        pages: The pages.
        models: By group.
        group: The group of a page.
        config: The core's thresholds.
        way: Number of the way in which sites are learned.
    """
    outcomes = []
    for page in pages:
        kept = decide(page.scores, None, config).kept
        if page.known:
            known, model = page.known[way], models[group(page)]
            site = SiteEvidence(
                columns=known.columns,
                log_odds=fused_log_odds(known.columns, model.terms, model.bias),
                documents=known.documents,
                fusion=shipped_fusion(),
            )
            kept = decide(page.scores, site, config).kept
        outcomes.append(_outcome(page, kept))
    return outcomes


def decide_all_alone(pages: Sequence[FusionPage], config: CoreConfig) -> list[Outcome]:
    """What each page comes to without its site."""
    return [_outcome(page, decide(page.scores, None, config).kept) for page in pages]


def decide_all_unfitted(pages: Sequence[FusionPage], config: CoreConfig) -> list[Outcome]:
    """What each page comes to by its places alone: the floor of every fitted model.

    Segments stay where the mean log-odds of their places, pooled over the window, are for content,
    unless they are constant text of a few words. A page left without text is decided alone.
    """
    outcomes = []
    for page in pages:
        kept = np.zeros(len(page.scores.words), np.bool_)
        if page.known:
            columns = page.known[0].columns
            is_constant = (columns[CONSTANT] > 0) & (page.scores.words >= _CONSTANT_WORDS_MIN)
            kept = (columns["place"] >= 0) & ~is_constant
        outcomes.append(
            _outcome(page, kept if kept.any() else decide(page.scores, None, config).kept)
        )
    return outcomes


def _outcome(page: FusionPage, kept: Bools) -> Outcome:
    return Outcome(
        f1=page.bag.f1(kept)[0],
        template_f1=page.bag.template_f1(kept) if page.has_selector else None,
        empty=not kept.any(),
    )


class SiteChange(msgspec.Struct, frozen=True, kw_only=True):
    """What the site's evidence changes on one site."""

    corpus: str
    site: str
    pages: int
    alone: float
    """Mean word F1 of the page level alone."""
    fused: float
    interval: Interval
    """Of the mean difference, paired by page."""


def site_changes(
    pages: Sequence[FusionPage], alone: Sequence[Outcome], fused: Sequence[Outcome], seed: int
) -> list[SiteChange]:
    """The change of each site, the largest loss first."""
    places: dict[tuple[str, str], list[int]] = {}
    for place, page in enumerate(pages):
        places.setdefault((page.corpus, page.site), []).append(place)
    changes = [
        SiteChange(
            corpus=corpus,
            site=site,
            pages=len(some),
            alone=float(np.mean([alone[one].f1 for one in some])),
            fused=float(np.mean([fused[one].f1 for one in some])),
            interval=mean_interval([fused[one].f1 - alone[one].f1 for one in some], seed),
        )
        for (corpus, site), some in places.items()
    ]
    return sorted(changes, key=lambda one: one.fused - one.alone)
