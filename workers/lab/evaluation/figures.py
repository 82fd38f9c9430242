"""The figures of an evaluation, computed from the judgements of its pages."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean, median
from typing import Any

import msgspec

from templ_core.lab.evaluation.curves import (
    Calibration,
    CurvePoint,
    calibrate,
    curve_of_histograms,
    recall_at,
)
from templ_core.lab.evaluation.report import (
    BootstrapMeans,
    PageScore,
    Summary,
    bootstrap,
    by_pages_seen,
    compare,
    group,
    summarise,
)
from templ_core.lab.evaluation.segments import FMeans, mean_f
from templ_core.lab.evaluation.words import REPEATED_PAGES_MIN, RepeatedText, repeated_text
from workers.lab.evaluation.judge import PARSE, TEMPL, Judgement

ALL = "all pages"
CURVE_PRECISION = 0.9
"""Precision at which the recall of the precision-recall curve is reported."""
_WORST_PAGES = 20

GroupedSummaries = dict[str, dict[str, dict[str, Summary]]]
"""Summaries by title of the grouping, group and system."""


class SegmentFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The quality of the decisions on segments."""

    pages: int
    f: FMeans
    adjusted_rand: BootstrapMeans
    """Agreement of the sections with the largest elements that are all content or all template."""
    recall_at_precision: float
    """Recall of content words at a precision of `CURVE_PRECISION`."""
    curve: list[CurvePoint]


class Timing(msgspec.Struct, frozen=True, kw_only=True):
    """The time that a system takes for a page."""

    pages: int
    mean_ms: float
    median_ms: float
    p95_ms: float
    parses: float
    """Sum of the system's times, as a multiple of the bare parses of the same pages."""


class WorstPage(msgspec.Struct, frozen=True, kw_only=True):
    """One of the pages with the lowest scores."""

    corpus: str
    offset: int
    url: str
    page_type: str = msgspec.field(name="kind")
    f1: float
    precision: float
    recall: float
    confidence: float | None
    others: dict[str, float]
    """F1 of each other system."""
    kept_wrongly: str
    missed: str
    kept_neutral: str = ""
    """Text that was kept and is neither content nor template; it does not count."""


class RepeatedFigures(msgspec.Struct, frozen=True, kw_only=True):
    """How much of the text of a corpus is sentences that a site repeats."""

    ratio: float
    """Share of all words, 0 to 1."""
    worst_ratio: float
    """Share of the words of the site where it is highest, 0 to 1."""
    worst_site: str


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """All figures of one evaluation."""

    systems: list[str]
    """The systems in order: TEMPL, further balances of it, the peers, WHOLE_PAGE."""
    versions: dict[str, str]
    groups: GroupedSummaries
    differences: dict[str, dict[str, BootstrapMeans]]
    """For each corpus and peer: templ's F1 minus the peer's F1 on the same pages."""
    segments: dict[str, SegmentFigures]
    """Figures of each corpus; empty if no decisions on segments are known."""
    repeated: dict[str, dict[str, RepeatedFigures]]
    """Repeated text of each corpus by system; corpora without a site of several pages are left out."""
    calibration: dict[str, Calibration]
    """Calibration of the confidence, for each corpus."""
    calibration_by_type: dict[str, Calibration]
    """Calibration of the confidence, for each page type that the corpora name."""
    found_types: dict[str, dict[str, int]]
    """Numbers of pages by what they are and by the page type that the model finds, which does not see what their
    markup states; what they are is stated by their markup, or is the name that the corpora have for them."""
    quantiles: dict[str, list[float]]
    """For each system the percentiles 0 to 100 of F1 over the pages, in ascending order."""
    timing: dict[str, Timing]
    """Times of each system; empty if the pages had been cleaned before."""
    failures: dict[str, dict[str, int]]
    """For each system the number of pages by error; these pages score as an empty text."""
    worst: list[WorstPage]
    notes: list[str]


def find_figures(
    judgements: Sequence[Judgement], versions: dict[str, str], notes: Sequence[str], seed: int
) -> Figures:
    """Return the figures of an evaluation."""
    systems = list(judgements[0].scores)
    scores = {name: [one.scores[name] for one in judgements] for name in systems}
    return Figures(
        systems=systems,
        versions=versions,
        groups=_groups(scores, seed),
        differences=_differences(scores, seed),
        segments=_by_corpus(judgements, lambda some: _segments(some, seed)),
        repeated=_by_corpus(judgements, _repeated),
        calibration=_by_corpus(judgements, _calibration),
        calibration_by_type=_grouped(judgements, lambda one: one.page.page_type, _calibration),
        found_types=_found_types(judgements),
        quantiles={name: _quantiles(some) for name, some in scores.items()},
        timing=_timing(judgements),
        failures=_failures(judgements),
        worst=_worst(judgements),
        notes=list(notes),
    )


def _groups(scores: dict[str, list[PageScore]], seed: int) -> GroupedSummaries:
    groupings: dict[str, Callable[[list[PageScore]], dict[str, list[PageScore]]]] = {
        "all": lambda some: {ALL: some},
        "corpus": lambda some: group(some, "corpus"),
        "page type": lambda some: group(some, "page_type"),
        "pages of the site seen": by_pages_seen,
        "site": lambda some: group(some, "site"),
    }
    groups: GroupedSummaries = {}
    for title, divide in groupings.items():
        rows: defaultdict[str, dict[str, Summary]] = defaultdict(dict)
        for system, some in scores.items():
            for name, members in divide(some).items():
                rows[name][system] = summarise(members, seed)
        groups[title] = dict(rows)
    return groups


def _differences(
    scores: dict[str, list[PageScore]], seed: int
) -> dict[str, dict[str, BootstrapMeans]]:
    ours = {ALL: scores[TEMPL], **group(scores[TEMPL], "corpus")}
    found: dict[str, dict[str, BootstrapMeans]] = {name: {} for name in ours}
    for system, some in scores.items():
        if system == TEMPL:
            continue
        theirs = {ALL: some, **group(some, "corpus")}
        for name, members in ours.items():
            found[name][system] = compare(members, theirs[name], seed)
    return found


def _by_corpus(
    judgements: Sequence[Judgement], figure: Callable[[Sequence[Judgement]], Any]
) -> dict[str, Any]:
    found = _grouped(judgements, lambda one: one.page.corpus, figure)
    several = len({one.page.corpus for one in judgements}) > 1
    of_all = figure(judgements) if several else None
    return found if of_all is None else {**found, ALL: of_all}


def _grouped(
    judgements: Sequence[Judgement],
    name: Callable[[Judgement], str],
    figure: Callable[[Sequence[Judgement]], Any],
) -> dict[str, Any]:
    """Return the figure of each group of pages that has one, by the names that `name` gives them."""
    groups: defaultdict[str, list[Judgement]] = defaultdict(list)
    for one in judgements:
        groups[name(one)].append(one)
    found = {group: figure(some) for group, some in groups.items()}
    return {group: value for group, value in found.items() if value is not None}


def _found_types(judgements: Sequence[Judgement]) -> dict[str, dict[str, int]]:
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for one in judgements:
        if one.found_type is not None:
            named = f"{one.page.corpus}: {one.page.page_type}" if one.page.page_type else None
            stated = one.stated_type and f"stated: {one.stated_type}"
            for what in filter(None, (stated, named)):
                counts[what][one.found_type] += 1
    return {what: dict(counts[what]) for what in sorted(counts, key=_stated_first)}


def _stated_first(what: str) -> tuple[bool, str]:
    return not what.startswith("stated: "), what


def _segments(judgements: Sequence[Judgement], seed: int) -> SegmentFigures | None:
    scored = [(one.page.site, one.segments) for one in judgements if one.segments is not None]
    if not scored:
        return None
    curve = curve_of_histograms([segments.histogram for _, segments in scored])
    return SegmentFigures(
        pages=len(scored),
        f=mean_f([(site, segments.f) for site, segments in scored], seed),
        adjusted_rand=bootstrap(
            [segments.adjusted_rand for _, segments in scored], [site for site, _ in scored], seed
        ),
        recall_at_precision=recall_at(curve, CURVE_PRECISION),
        curve=curve,
    )


def _repeated(judgements: Sequence[Judgement]) -> dict[str, RepeatedFigures] | None:
    sites: defaultdict[str, list[Judgement]] = defaultdict(list)
    for one in judgements:
        sites[one.page.site].append(one)
    several = {site: some for site, some in sites.items() if len(some) >= REPEATED_PAGES_MIN}
    if not several:
        return None
    return {system: _repeated_by(system, several) for system in judgements[0].texts}


def _repeated_by(system: str, sites: dict[str, list[Judgement]]) -> RepeatedFigures:
    of_sites = {
        site: repeated_text([one.texts[system] for one in some]) for site, some in sites.items()
    }
    worst = max(of_sites, key=lambda site: of_sites[site].ratio)
    total = sum(of_sites.values(), RepeatedText(words=0, repeated_words=0))
    return RepeatedFigures(ratio=total.ratio, worst_ratio=of_sites[worst].ratio, worst_site=worst)


def _calibration(judgements: Sequence[Judgement]) -> Calibration | None:
    known = [
        (one.confidence, one.scores[TEMPL].f1) for one in judgements if one.confidence is not None
    ]
    if not known:
        return None
    said, reached = zip(*known, strict=True)
    return calibrate(said, reached)


def _quantiles(scores: Sequence[PageScore]) -> list[float]:
    ordered = sorted(score.f1 for score in scores)
    return [round(ordered[(len(ordered) - 1) * at // 100], 4) for at in range(101)]


def _timing(judgements: Sequence[Judgement]) -> dict[str, Timing]:
    parsed = sum(one.seconds.get(PARSE, 0.0) for one in judgements)
    timing = {}
    for name in dict.fromkeys([TEMPL, *judgements[0].scores, PARSE]):
        times_ms = sorted(1e3 * one.seconds[name] for one in judgements if name in one.seconds)
        if times_ms:
            timing[name] = Timing(
                pages=len(times_ms),
                mean_ms=fmean(times_ms),
                median_ms=median(times_ms),
                p95_ms=times_ms[int(0.95 * (len(times_ms) - 1))],
                parses=sum(times_ms) / 1e3 / parsed,
            )
    return timing


def _failures(judgements: Iterable[Judgement]) -> dict[str, dict[str, int]]:
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for one in judgements:
        for system, reason in one.failures.items():
            counts[system][reason.partition(":")[0]] += 1
    return {system: dict(errors) for system, errors in counts.items() if system != PARSE}


def _worst(judgements: Sequence[Judgement]) -> list[WorstPage]:
    def badness(one: Judgement) -> tuple[float, str, int]:
        return one.scores[TEMPL].f1, one.page.corpus, one.page.offset

    return [
        WorstPage(
            corpus=one.page.corpus,
            offset=one.page.offset,
            url=one.page.url,
            page_type=one.page.page_type,
            f1=one.scores[TEMPL].f1,
            precision=one.scores[TEMPL].precision,
            recall=one.scores[TEMPL].recall,
            confidence=one.confidence,
            others={name: some.f1 for name, some in one.scores.items() if name != TEMPL},
            kept_wrongly=one.kept_wrongly,
            missed=one.missed,
            kept_neutral=one.kept_neutral,
        )
        for one in sorted(judgements, key=badness)[:_WORST_PAGES]
    ]


def figures_as_json(figures: Figures) -> dict[str, Any]:
    """Return plain values for JSON, with templ's groupings at the top level."""
    everything: dict[str, Any] = msgspec.to_builtins(figures)
    groups = everything.pop("groups")
    ours = {
        title: {name: row[TEMPL] for name, row in rows.items()} for title, rows in groups.items()
    }
    others = {
        system: {
            title: {name: row[system] for name, row in rows.items()}
            for title, rows in groups.items()
        }
        for system in figures.systems
        if system != TEMPL
    }
    return {**ours, "others": others, **everything}
