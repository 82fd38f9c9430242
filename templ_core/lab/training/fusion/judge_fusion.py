"""Evaluation of the fusion on held-out sites and corpora."""

from collections.abc import Callable, Iterator, Sequence

import msgspec
import numpy as np

from templ_core.config import CoreConfig
from templ_core.decide import Decision, decide
from templ_core.lab.evaluation.curves import Calibration, calibrate
from templ_core.lab.evaluation.report import Interval, mean_interval
from templ_core.lab.training.fit import fit_confidence
from templ_core.lab.training.fusion.fit_fusion import (
    FusionOutcome,
    FusionPage,
    InjectedSegments,
    LinearModel,
    fit_fusion,
)
from templ_core.page_level.model.confidence import EXPECTED, Confidence
from templ_core.site_level.fusion._fusion import fused_log_odds
from templ_core.site_level.fusion.fusion import shipped_fusion
from templ_core.site_level.fusion.site_columns import CONSTANT, REPEATED_INPUTS
from templ_core.site_level.site_evidence import SiteEvidence

_CONSTANT_WORDS_MIN = 4
"""Constant text of at least so many words is template by places alone."""

PageGroup = Callable[[FusionPage], int | str]
"""Returns the group of a page; groups are held out together."""


def by_site(page: FusionPage) -> int:
    """Return the fold of a page's site: sites of a fold are held out together."""
    return page.fold


def by_corpus(page: FusionPage) -> str:
    """Return the corpus of a page: pages of a corpus are held out together."""
    return page.corpus


def fitted_without(
    pages: Sequence[FusionPage], names: Sequence[str], group: PageGroup, config: CoreConfig
) -> dict[int | str, LinearModel]:
    """Return, for each group of pages, the model that is fitted to all other pages."""
    return {
        left_out: fit_fusion([page for page in pages if group(page) != left_out], names, config)
        for left_out in sorted({group(page) for page in pages}, key=str)
    }


def decide_all(
    pages: Sequence[FusionPage],
    models: dict[int | str, LinearModel],
    group: PageGroup,
    config: CoreConfig,
) -> list[FusionOutcome]:
    """Return the scores of each page with the model that was fitted without its group."""
    return [_outcome(page, _decided(page, models[group(page)], config)) for page in pages]


def injected_words(
    pages: Sequence[FusionPage], models: dict[int | str, LinearModel], config: CoreConfig
) -> Iterator[tuple[InjectedSegments, float, float]]:
    """Yield the text in each page with injection, how many of its words are kept, and how many there are."""
    for page in pages:
        if page.injected is not None:
            kept = _decided(page, models[by_site(page)], config).kept
            words = page.scores.words * page.injected.segments
            yield page.injected, float(words[kept].sum()), float(words.sum())


def _decided(page: FusionPage, model: LinearModel, config: CoreConfig) -> Decision:
    known = page.known
    if not known.documents:
        return decide(page.scores, None, config)
    site = SiteEvidence(
        columns=known.columns,
        log_odds=fused_log_odds(known.columns, model.terms, model.bias),
        repeated_log_odds=fused_log_odds(known.columns, model.terms, 0.0, REPEATED_INPUTS),
        documents=known.documents,
        place_pages=known.documents,
        fusion=shipped_fusion(),
    )
    return decide(page.scores, site, config)


def decide_all_alone(pages: Sequence[FusionPage], config: CoreConfig) -> list[FusionOutcome]:
    """Return the scores of each page by the page level alone."""
    return [_outcome(page, decide(page.scores, None, config)) for page in pages]


def decide_all_unfitted(pages: Sequence[FusionPage], config: CoreConfig) -> list[FusionOutcome]:
    """Return the scores of each page by its places alone, a baseline that every model should beat.

    A segment is kept if the pooled log-odds of its place speak for content, unless it is constant
    text of several words. If nothing is kept, the page level decides alone.
    """
    outcomes = []
    for page in pages:
        decision = decide(page.scores, None, config)
        kept = np.zeros(len(page.scores.words), np.bool_)
        if page.known.documents:
            columns = page.known.columns
            is_constant = (columns[CONSTANT] > 0) & (page.scores.words >= _CONSTANT_WORDS_MIN)
            kept = (columns["place"] >= 0) & ~is_constant
        if kept.any():
            decision = msgspec.structs.replace(decision, kept=kept)
        outcomes.append(_outcome(page, decision))
    return outcomes


def confidence_of(pages: Sequence[FusionPage], outcomes: Sequence[FusionOutcome]) -> Confidence:
    """Return the confidence of pages of known sites, fitted to what was found of sites that were left out."""
    known = [one for page, one in zip(pages, outcomes, strict=True) if page.known.documents]
    return fit_confidence([one.confidence_inputs for one in known], [one.f1 for one in known])


def calibrations(
    pages: Sequence[FusionPage], outcomes: Sequence[FusionOutcome]
) -> dict[str, Calibration]:
    """Return how well the confidence of pages of known sites is calibrated, by page type, then by corpus.

    Each confidence is fitted to the sites of the other folds.

    Args:
        pages: The pages.
        outcomes: The scores of each page, by models that were fitted without its site.
    """
    judged = [
        (page, one) for page, one in zip(pages, outcomes, strict=True) if page.known.documents
    ]
    found: dict[str, list[tuple[float, float]]] = {}
    for fold in sorted({by_site(page) for page, _ in judged}):
        others = [pair for pair in judged if by_site(pair[0]) != fold]
        confidence = confidence_of(*zip(*others, strict=True)) if others else EXPECTED
        for page, one in judged:
            if by_site(page) == fold and one.confidence_inputs:
                pair = confidence.of(list(one.confidence_inputs)), one.f1
                for name in (f"kind: {page.page_type}", page.corpus):
                    found.setdefault(name, []).append(pair)
    of_kinds_first = sorted(found, key=lambda name: (not name.startswith("kind: "), name))
    return {name: calibrate(*zip(*found[name], strict=True)) for name in of_kinds_first}


def _outcome(page: FusionPage, decision: Decision) -> FusionOutcome:
    """Return the scores of the kept segments of a page."""
    kept = decision.kept
    return FusionOutcome(
        f1=page.bag.f1(kept)[0],
        template_f1=page.bag.template_f1(kept) if page.has_selector else None,
        empty=not kept.any(),
        confidence_inputs=decision.confidence_inputs,
    )


class SiteChange(msgspec.Struct, frozen=True, kw_only=True):
    """The change that the evidence of the site makes on one site."""

    corpus: str
    site: str
    pages: int
    alone: float
    """Mean word F1 of the page level alone."""
    fused: float
    """Mean word F1 of page and site together."""
    interval: Interval
    """Confidence interval of the mean difference, paired by page."""


def site_changes(
    pages: Sequence[FusionPage],
    alone: Sequence[FusionOutcome],
    fused: Sequence[FusionOutcome],
    seed: int,
) -> list[SiteChange]:
    """Return the change on each site, the largest loss first."""
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
