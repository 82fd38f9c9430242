"""Fitting of the fusion of page and site, a logistic regression with fixed signs of its weights, and its evaluation.

It is judged on held-out sites and corpora.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import msgspec
import numpy as np
from scipy.optimize import minimize

from templ_core.array_types import Bools, Float32s, Floats
from templ_core.config import CoreConfig
from templ_core.decide import Decision, decide, own_log_odds, site_weight
from templ_core.lab.evaluation.curves import Calibration, calibrate
from templ_core.lab.evaluation.report import Interval, group_by, mean_interval
from templ_core.lab.evaluation.rows import NO_ROWS, RowCounts, count_rows
from templ_core.lab.training.fit import fit_confidence
from templ_core.lab.training.labels.gold_labels import Labels
from templ_core.lab.training.pages import WordBag
from templ_core.page_level.model.page_model import EXPECTED, Confidence
from templ_core.page_level.page_evidence import PageEvidence
from templ_core.site_level.fusion._fusion import fused_log_odds
from templ_core.site_level.fusion.fusion import STRING_INPUT_MAX, UNFITTED, Term, shipped_fusion
from templ_core.site_level.fusion.site_columns import (
    CONSTANT,
    FUSION_INPUTS,
    LINKS_AGAIN,
    REPEATED_INPUTS,
    STRING_INPUTS,
    SiteColumns,
)
from templ_core.site_level.site_evidence import SiteEvidence

LINK_BOX = "box of links"
"""The kind of text in a page that is a box of links, see `InjectedSegments`."""


class KnownSite(msgspec.Struct, frozen=True, kw_only=True):
    """What a site model knew about a page's site when the page arrived."""

    documents: int
    """Number of documents behind the site model; 0 before the first one."""
    columns: SiteColumns
    """Inputs of the fusion, by name; each of length n_segments. Empty without documents."""
    new_runs: bytes = b""
    """See `SiteEvidence.new_runs`."""


UNKNOWN = KnownSite(documents=0, columns={})
"""The first page of a site finds nothing known."""


class FusionOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The scores of a decision on one page."""

    f1: float
    """Word F1, 0 to 1."""
    precision: float
    """Share of the kept words that are content, 0 to 1."""
    template_f1: float | None
    """Word F1 of the removed text; None if the gold names no elements or there is too little template."""
    empty: bool
    """Whether no text was kept."""
    rows: RowCounts = NO_ROWS
    """The rows of label and value in the gold; none for other extractors."""
    confidence_inputs: Sequence[float] = ()
    """What the confidence of the page is computed from; empty for other extractors."""


class FusionPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page with gold, with the evidence about it when it arrived."""

    corpus: str
    site: str
    page_type: str
    """Page type as the corpus names it; empty if it names none."""
    fold: int
    """Number of the page model that scored the page and has not seen its site."""
    seen: int
    """Number of the page among those of its site, from 1."""
    whole_site: bool = False
    """Whether the site model knew all pages of the site, as in two passes; else it knew those before the page."""
    scores: PageEvidence
    known: KnownSite
    labels: Labels
    bag: WordBag
    has_selector: bool
    """Whether the gold names elements, so that all other text is template."""
    peers: dict[str, FusionOutcome]
    """The scores of other extractors, by name."""
    rows: Sequence[Sequence[int]] = ()
    """The segments of each row of label and value in the gold, see `gold_rows`."""
    injected: "InjectedSegments | None" = None
    """The texts that were put into the page; None = there are none."""


class InjectedSegments(msgspec.Struct, frozen=True, kw_only=True):
    """Texts that were put into a page, which are template."""

    segments: Bools
    """Their segments; length n_segments."""
    due: Bools
    """The segments of texts that enough pages had before for them to be removed; length n_segments."""
    kind: str
    """What of the texts changes from page to page; empty = nothing. `LINK_BOX` for lines of links."""
    share: float
    """Share of the site's pages that have each text, 0 to 1."""


_PENALTY = 0.1
"""Strength of the L2 penalty on the distance of the weights from `UNFITTED`.

With a tenth of it, one held-out site loses 0.027 word F1 and the corpus sites_other 0.010. With three
times as much, the corpus stream loses 0.002.
"""
_LOG_ODDS_MAX = 12.0
"""Log-odds of the page level are clipped to this range, in both directions."""
_STRING_PENALTY = 1e-4
"""Strength of the L2 penalty on the weights of strings; injected pages say well what they must be."""
_DEVIATIONS = 4.0
"""Inputs are clipped this many standard deviations from their mean."""
_BINARY = frozenset({"headline"})
"""Inputs that are 0 or 1; they are not clipped, since rare ones would nearly vanish."""
_PAGE_SHARE, _WORDS_AT_LEAST = 0.1, 5
"""The size of a page is its gold words plus this share of all its words plus this number."""
_ITERATIONS = 200
"""Most iterations of the optimiser."""
_WEIGHT_DECIMALS = 4


class LinearModel(msgspec.Struct, frozen=True, kw_only=True):
    """The fitted part of a fusion model: log-odds of content are the bias plus the sum of the terms."""

    terms: dict[str, Term]
    """By name of the input."""
    bias: float


def fit_fusion(
    pages: Sequence[FusionPage], names: Sequence[str], config: CoreConfig
) -> LinearModel:
    """Fit the weights of some inputs to the pages whose site was known when they arrived.

    The weights of strings are fitted after these, with all others as they are, to gold and to pages with injected
    text. Gold alone gives repetition no weight, because what a site repeats inside its content is rare there;
    and what was injected must not move the weights of the places where it was put. The weight of links that other
    pages have is fitted last, likewise, to gold and to pages with boxes of links: together, it would take weight from the strings of most pages, which
    are menus as well, and shops and forums would lose what strings show of their records.

    The loss is the cross-entropy of the decision as it is made in production: the fused log-odds and
    the page's own log-odds are mixed by the trust in the site. A segment weighs the square root of
    its words divided by the size of its page; all pages of a site together weigh the square root of
    their number. An L2 penalty pulls the weights of the standardised inputs towards `UNFITTED`, and
    every weight keeps the sign that `FUSION_INPUTS` gives.
    """
    others = [name for name in names if name not in REPEATED_INPUTS]
    model = _fit_others([page for page in pages if page.injected is None], others, config)
    for group, is_box in ((STRING_INPUTS, False), ((LINKS_AGAIN,), True)):
        if some := [name for name in names if name in group]:
            taught = [
                page
                for page in pages
                if page.injected is None or (page.injected.kind == LINK_BOX) == is_box
            ]
            model = _with_repeated(model, taught, some, config)
    return model


def _with_repeated(
    model: LinearModel, pages: Sequence[FusionPage], names: Sequence[str], config: CoreConfig
) -> LinearModel:
    """Return a model with weights of some inputs that say what the site repeats; they count from the documents on that rules need, too."""
    used = [page for page in pages if page.known.documents >= max(config.page_rules_pages, 1)]
    weight = _weights(used)
    rows = np.concatenate([_rows(page, names) for page in used])
    counted = (weight > 0) & rows.any(axis=1)
    trust = _trust(used, config)[counted]
    known = [fused_log_odds(page.known.columns, model.terms, model.bias) for page in used]
    fitted = _fit(
        _Rows(
            inputs=rows[counted].astype(np.float64),
            trust=trust,
            rest=trust * np.concatenate(known)[counted] + (1 - trust) * _own(used, config)[counted],
            share=np.concatenate([page.labels.content for page in used])[counted],
            weight=weight[counted] / weight.sum(),
        ),
        [(None, 0.0)] * len(names),
        np.zeros(len(names)),
        np.full(len(names), _STRING_PENALTY),
    )
    terms = {
        name: Term(weight=round(float(one), _WEIGHT_DECIMALS), low=0.0, high=STRING_INPUT_MAX)
        for name, one in zip(names, fitted, strict=True)
    }
    return LinearModel(terms={**model.terms, **terms}, bias=model.bias)


def _trust(pages: Sequence[FusionPage], config: CoreConfig) -> Floats:
    return np.concatenate(
        [site_weight(page.known.columns, page.known.documents, config) for page in pages]
    )


def _own(pages: Sequence[FusionPage], config: CoreConfig) -> Floats:
    own = np.concatenate([own_log_odds(page.scores, config) for page in pages])
    result: Floats = np.clip(own, -_LOG_ODDS_MAX, _LOG_ODDS_MAX)
    return result


def _fit_others(
    pages: Sequence[FusionPage], names: Sequence[str], config: CoreConfig
) -> LinearModel:
    """Return a model of the inputs but strings, fitted to gold."""
    used = [page for page in pages if page.known.documents]
    counted = (weight := _weights(used)) > 0
    rows = np.concatenate([_rows(page, names) for page in used])[counted]
    trust = _trust(used, config)[counted]
    own = _own(used, config)[counted]
    weight = weight[counted] / weight.sum()
    mean = weight @ rows
    deviation = np.sqrt(weight @ (rows - mean) ** 2) + 1e-9
    reach = np.array([np.inf if name in _BINARY else _DEVIATIONS for name in names]) * deviation
    low = np.maximum(mean - reach, rows.min(axis=0))
    high = np.minimum(mean + reach, rows.max(axis=0))
    inputs = (np.clip(rows, low, high) - mean) / deviation
    unfitted = [UNFITTED.terms[one].weight if one in UNFITTED.terms else 0.0 for one in names]
    fitted = _fit(
        _Rows(
            inputs=np.concatenate([inputs, np.ones((len(inputs), 1))], axis=1).astype(np.float32),
            trust=trust,
            rest=(1 - trust) * own,
            share=np.concatenate([page.labels.content for page in used])[counted],
            weight=weight,
        ),
        [*((0, None) if FUSION_INPUTS[one].sign > 0 else (None, 0) for one in names), (None, None)],
        np.append(deviation * unfitted, 0.0),
        np.append(np.full(len(names), _PENALTY), 0.0),
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


def _weights(pages: Sequence[FusionPage]) -> Floats:
    """Return the weight of each segment of all pages; 0 for segments that are not scored."""
    of_site = Counter((page.corpus, page.site) for page in pages)
    parts = []
    for page in pages:
        words = page.scores.words
        size = page.bag.gold_words + _PAGE_SHARE * words.sum() + _WORDS_AT_LEAST
        part = np.sqrt(words) / size / np.sqrt(of_site[page.corpus, page.site])
        parts.append(np.where(page.labels.counts, part, 0.0))
    return np.concatenate(parts)


def _rows(page: FusionPage, names: Sequence[str]) -> Float32s:
    columns = [page.known.columns[name] for name in names]
    return np.stack(columns, axis=1, dtype=np.float32)


class _Rows(msgspec.Struct, frozen=True, kw_only=True):
    """The segments to fit to; their log-odds are rest + trust * (inputs @ weights)."""

    inputs: Float32s | Floats
    """The inputs, (n_rows, n_weights)."""
    trust: Floats
    """Weight of the site against the page alone, 0 to 1."""
    rest: Floats
    """Contribution of the page alone; log-odds."""
    share: Floats
    """Gold share of each segment that is content, 0 to 1."""
    weight: Floats
    """Weight of each segment; they sum to 1."""


def _fit(
    rows: _Rows,
    bounds: Sequence[tuple[float | None, float | None]],
    unfitted: Floats,
    penalty: Floats,
) -> Floats:
    """Return the weights of the inputs that minimise the loss.

    A penalty, of its own strength for each weight, pulls the weights towards the unfitted ones.
    """

    def loss(weights: Floats) -> tuple[float, Floats]:
        kind = rows.inputs.dtype
        log_odds = rows.rest + rows.trust * (rows.inputs @ weights.astype(kind))
        slope = rows.weight * rows.trust * (1 / (1 + np.exp(-log_odds)) - rows.share)
        away = weights - unfitted
        gradient = (slope.astype(kind) @ rows.inputs).astype(np.float64) + penalty * away
        value = rows.weight @ (np.logaddexp(0, log_odds) - rows.share * log_odds)
        return float(value + (penalty * away**2).sum() / 2), gradient

    optimum = minimize(
        loss, unfitted, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": _ITERATIONS}
    )
    result: Floats = optimum.x
    return result


_CONSTANT_WORDS_MIN = 4
"""Fewest words of a constant text that is template by places alone."""

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
    """Yield the texts in each page with injection, how many of their due words are kept, and how many there are."""
    for page in pages:
        if page.injected is not None:
            kept = _decided(page, models[by_site(page)], config).kept
            words = page.scores.words * page.injected.due
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

    Each confidence is fitted to the sites of the other folds. The outcomes are by models that were fitted
    without the page's site.
    """
    judged = [
        (page, one) for page, one in zip(pages, outcomes, strict=True) if page.known.documents
    ]
    pairs: dict[str, list[tuple[float, float]]] = {}
    for fold in sorted({by_site(page) for page, _ in judged}):
        others = [pair for pair in judged if by_site(pair[0]) != fold]
        confidence = confidence_of(*zip(*others, strict=True)) if others else EXPECTED
        for page, outcome in judged:
            if by_site(page) == fold and outcome.confidence_inputs:
                pair = confidence.of(list(outcome.confidence_inputs)), outcome.f1
                for name in (f"kind: {page.page_type}", page.corpus):
                    pairs.setdefault(name, []).append(pair)
    of_kinds_first = sorted(pairs, key=lambda name: (not name.startswith("kind: "), name))
    return {name: calibrate(*zip(*pairs[name], strict=True)) for name in of_kinds_first}


def _outcome(page: FusionPage, decision: Decision) -> FusionOutcome:
    kept = decision.kept
    f1, precision, _ = page.bag.f1(kept)
    return FusionOutcome(
        f1=f1,
        precision=precision,
        template_f1=page.bag.template_f1(kept) if page.has_selector else None,
        empty=not kept.any(),
        rows=count_rows(page.rows, kept),
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
    places = group_by(range(len(pages)), lambda at: (pages[at].corpus, pages[at].site))
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


def of_second_halves(pages: Sequence[FusionPage]) -> list[int]:
    """Return the indexes of the pages that are in the second half of those of their site, in order of arrival."""
    sites = group_by(range(len(pages)), lambda at: (pages[at].corpus, pages[at].site))
    return sorted(at for some in sites.values() for at in some[len(some) // 2 :])
