"""The figures of an evaluation, computed from the judgements of its pages, as tables, plots and JSON."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from statistics import fmean, median
from typing import Any

import msgspec
from markupsafe import Markup
from rich.console import Console
from rich.table import Table

from templ_core.lab.evaluation import report
from templ_core.lab.evaluation.curves import (
    Calibration,
    CurvePoint,
    calibrate,
    curve_of_histograms,
    recall_at,
)
from templ_core.lab.evaluation.report import group
from templ_core.lab.evaluation.segments import AMOUNTS, FMean, FMeans, mean_f
from templ_core.lab.evaluation.words import REPEATED_PAGES_MIN, RepeatedText, repeated_text
from templ_core.page_level.model.page_type import PAGE_TYPES
from workers.inspect.html_templates import render
from workers.inspect.plots import Dot, Plot, curves
from workers.lab.evaluation.judge import PARSE, TEMPL, WHOLE_PAGE, Judgement
from workers.lab.plots import reliability, speed
from workers.lab.plots import rows as rows_plot
from workers.log_lines import counted

ALL = "all pages"
CURVE_PRECISION = 0.9
"""Precision at which the recall of the precision-recall curve is reported."""
_WORST_PAGES = 20

GroupedSummaries = dict[str, dict[str, dict[str, report.Summary]]]
"""Summaries by title of the grouping, group and system."""


class SegmentFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The quality of the decisions on segments."""

    pages: int
    f: FMeans
    adjusted_rand: report.BootstrapMeans
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
    differences: dict[str, dict[str, report.BootstrapMeans]]
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
        groups=_summaries_of_groups(scores, seed),
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


def _summaries_of_groups(scores: dict[str, list[report.PageScore]], seed: int) -> GroupedSummaries:
    groupings: dict[str, Callable[[list[report.PageScore]], dict[str, list[report.PageScore]]]] = {
        "all": lambda some: {ALL: some},
        "corpus": lambda some: group(some, "corpus"),
        "page type": lambda some: group(some, "page_type"),
        "pages of the site seen": report.by_pages_seen,
        "site": lambda some: group(some, "site"),
    }
    groups: GroupedSummaries = {}
    for title, divide in groupings.items():
        rows: defaultdict[str, dict[str, report.Summary]] = defaultdict(dict)
        for system, some in scores.items():
            for name, members in divide(some).items():
                rows[name][system] = report.summarise(members, seed)
        groups[title] = dict(rows)
    return groups


def _differences(
    scores: dict[str, list[report.PageScore]], seed: int
) -> dict[str, dict[str, report.BootstrapMeans]]:
    ours = {ALL: scores[TEMPL], **group(scores[TEMPL], "corpus")}
    differences: dict[str, dict[str, report.BootstrapMeans]] = {name: {} for name in ours}
    for system, some in scores.items():
        if system == TEMPL:
            continue
        theirs = {ALL: some, **group(some, "corpus")}
        for name, members in ours.items():
            differences[name][system] = report.compare(members, theirs[name], seed)
    return differences


def _by_corpus(
    judgements: Sequence[Judgement], figure: Callable[[Sequence[Judgement]], Any]
) -> dict[str, Any]:
    figures = _grouped(judgements, lambda one: one.page.corpus, figure)
    several = len({one.page.corpus for one in judgements}) > 1
    of_all = figure(judgements) if several else None
    return figures if of_all is None else {**figures, ALL: of_all}


def _grouped(
    judgements: Sequence[Judgement],
    name: Callable[[Judgement], str],
    figure: Callable[[Sequence[Judgement]], Any],
) -> dict[str, Any]:
    """Return the figure of each group of pages that has one, by the names that `name` gives them."""
    figures = {group: figure(some) for group, some in report.group_by(judgements, name).items()}
    return {group: value for group, value in figures.items() if value is not None}


def _found_types(judgements: Sequence[Judgement]) -> dict[str, dict[str, int]]:
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for judged in judgements:
        if judged.found_type is not None:
            page = judged.page
            named = f"{page.corpus}: {page.page_type}" if page.page_type else None
            stated = judged.stated_type and f"stated: {judged.stated_type}"
            for what in filter(None, (stated, named)):
                counts[what][judged.found_type] += 1
    stated_first = sorted(counts, key=lambda what: (not what.startswith("stated: "), what))
    return {what: dict(counts[what]) for what in stated_first}


def _segments(judgements: Sequence[Judgement], seed: int) -> SegmentFigures | None:
    scored = [(one.page.site, one.segments) for one in judgements if one.segments is not None]
    if not scored:
        return None
    curve = curve_of_histograms([segments.histogram for _, segments in scored])
    return SegmentFigures(
        pages=len(scored),
        f=mean_f([(site, segments.f) for site, segments in scored], seed),
        adjusted_rand=report.bootstrap(
            [segments.adjusted_rand for _, segments in scored], [site for site, _ in scored], seed
        ),
        recall_at_precision=recall_at(curve, CURVE_PRECISION),
        curve=curve,
    )


def _repeated(judgements: Sequence[Judgement]) -> dict[str, RepeatedFigures] | None:
    sites = report.group_by(judgements, lambda one: one.page.site)
    several = {site: some for site, some in sites.items() if len(some) >= REPEATED_PAGES_MIN}
    if not several:
        return None
    figures = {}
    for system in judgements[0].texts:
        of_sites = {
            site: repeated_text([one.texts[system] for one in some])
            for site, some in several.items()
        }
        worst = max(of_sites, key=lambda site: of_sites[site].ratio)
        total = sum(of_sites.values(), RepeatedText(words=0, repeated_words=0))
        figures[system] = RepeatedFigures(
            ratio=total.ratio, worst_ratio=of_sites[worst].ratio, worst_site=worst
        )
    return figures


def _calibration(judgements: Sequence[Judgement]) -> Calibration | None:
    known = [
        (one.confidence, one.scores[TEMPL].f1) for one in judgements if one.confidence is not None
    ]
    if not known:
        return None
    said, reached = zip(*known, strict=True)
    return calibrate(said, reached)


def _quantiles(scores: Sequence[report.PageScore]) -> list[float]:
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
    for judgement in judgements:
        for system, reason in judgement.failures.items():
            counts[system][reason.partition(":")[0]] += 1
    return {system: dict(errors) for system, errors in counts.items() if system != PARSE}


def _worst(judgements: Sequence[Judgement]) -> list[WorstPage]:
    worst_first = sorted(
        judgements, key=lambda one: (one.scores[TEMPL].f1, one.page.corpus, one.page.offset)
    )
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
        for one in worst_first[:_WORST_PAGES]
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


_MOST_ROWS = 60
_FILE_COLUMNS = 160
_BOUNDLESS = 10_000
Cell = str | tuple[str, str]
"""Text of a cell, with or without a smaller text below it."""
_Cells = Sequence[Sequence[Cell]]
_Shown = tuple[Sequence[str], _Cells, str]
"""Heads, rows and caption of a table."""
_SEGMENT_HEADS = (
    "segments", "pages", "f templates: text", "anchors", "links", "f content: text", "anchors",
    "links", "adj. RAND", "R at P 0.9",
)  # fmt: skip
_CONFIDENCE_HEADS = ("confidence", "pages", "mean error", "minus F1", "lowest tenth")
_REPEATED_HEADS = ("repeated text", "system", "share of words", "worst site", "share")


def print_tables(figures: Figures) -> None:
    """Print the tables; groupings of one group or of more than 60 groups are left out."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=_FILE_COLUMNS)
    for heads, rows, caption in _tables(figures):
        _print(console, heads, rows, caption)
    for system, errors in figures.failures.items():
        reasons = ", ".join(f"{count} {error}" for error, count in errors.items())
        console.print(f"{system} failed on {sum(errors.values())} pages: {reasons}")
    for note in figures.notes:
        console.print(note)
    console.print("; ".join(f"{name} {one}" for name, one in figures.versions.items()))


def _tables(figures: Figures) -> Iterator[_Shown]:
    yield (*system_rows(figures), "")
    corpora = figures.groups["corpus"]
    if len(corpora) > 1:
        yield (*_corpora(corpora, figures.systems), "")
    for title, rows in figures.groups.items():
        if title != "all" and 1 < len(rows) <= _MOST_ROWS:
            yield (*_groups(title, rows, figures), "")
    yield from _details(figures)


def system_rows(figures: Figures) -> tuple[list[str], list[list[Cell]]]:
    """Return the heads and rows of the table of systems, without columns that are empty."""
    rows: list[list[Cell]] = []
    for system in figures.systems:
        own = figures.groups["all"][ALL][system]
        better = figures.differences[ALL].get(system)
        timing = figures.timing.get(system)
        failed = sum(figures.failures.get(system, {}).values())
        rows.append(
            [
                system,
                str(own.pages),
                (number(own.f1), brackets(own.f1_interval)),
                *map(number, (own.precision, own.recall, own.character_f1, own.template_f)),
                (number(own.site_f1), brackets(own.site_f1_interval)),
                f"{own.below_half:.1%}",
                (f"{better.of_pages:+.3f}", brackets(better.pages_interval)) if better else "",
                f"{timing.mean_ms:.1f}" if timing else "",
                f"{timing.parses:.1f}" if timing else "",
                str(failed or ""),
            ]
        )
    heads = [
        "system", "pages", "F1", "P", "R", "chars F1", "template F", "site F1", "<0.5",
        "templ is better by", "ms", "× parse", "failed",
    ]  # fmt: skip
    return without_empty_columns(heads, rows)


def without_empty_columns(
    heads: Sequence[str], rows: Sequence[Sequence[Cell]]
) -> tuple[list[str], list[list[Cell]]]:
    """Return heads and rows without the columns that no row has a cell in.

    >>> without_empty_columns(["site", "chars", "F1"], [["a", "", "0.9"], ["b", "", "0.8"]])
    (['site', 'F1'], [['a', '0.9'], ['b', '0.8']])
    """
    used = [at for at in range(len(heads)) if any(row[at] for row in rows)]
    return [heads[at] for at in used], [[row[at] for at in used] for row in rows]


def _details(figures: Figures) -> list[_Shown]:
    """Return the tables of segments, repeated text, page types and confidence that have rows."""
    tables: list[_Shown] = [
        (
            _SEGMENT_HEADS,
            [
                [
                    name,
                    str(one.pages),
                    *(_f(place.get(what)) for place in one.f.values() for what in AMOUNTS),
                    (
                        number(one.adjusted_rand.of_pages),
                        brackets(one.adjusted_rand.pages_interval),
                    ),
                    number(one.recall_at_precision),
                ]
                for name, one in figures.segments.items()
            ],
            "f: means over sites; after the slash the f of calling all text template, or content",
        ),
        (
            _REPEATED_HEADS,
            [
                [corpus, system, f"{one.ratio:.4f}", one.worst_site, f"{one.worst_ratio:.4f}"]
                for corpus, systems in figures.repeated.items()
                for system, one in systems.items()
            ],
            "words in sentences of at least 8 words that at least 4 and 10 % of a site's pages have",
        ),
        (
            ("page type found", *PAGE_TYPES),
            [
                [what, *(str(found.get(one, "")) for one in PAGE_TYPES)]
                for what, found in figures.found_types.items()
            ],
            "numbers of pages; the page model did not see what the markup states",
        ),
        (
            _CONFIDENCE_HEADS,
            [
                [
                    name or "-",
                    str(sum(some.pages for some in one.bins)),
                    number(one.mean_error),
                    f"{one.bias:+.3f}",
                    "" if one.low_found is None else f"{one.low_found:.0%}",
                ]
                for name, one in (
                    *figures.calibration_by_type.items(),
                    *figures.calibration.items(),
                )
            ],
            "lowest tenth: how many of the pages with F1 below 0.5 are in the tenth with the lowest confidence",
        ),
    ]
    return [(*without_empty_columns(heads, rows), note) for heads, rows, note in tables if rows]


def _corpora(
    corpora: Mapping[str, Mapping[str, report.Summary]], systems: Sequence[str]
) -> tuple[list[str], list[list[Cell]]]:
    """Return heads and rows of all systems on each corpus."""
    return ["F1, P, R", *(name or "-" for name in corpora)], [
        [system, *(f"{one.f1:.3f} {one.precision:.3f} {one.recall:.3f}" for one in summaries)]
        for system in systems
        if (summaries := [row[system] for row in corpora.values()])
    ]


def _groups(
    title: str, rows: Mapping[str, Mapping[str, report.Summary]], figures: Figures
) -> tuple[list[str], list[list[Cell]]]:
    others = [name for name in figures.systems if name != TEMPL]
    heads = [title, "pages", "sites", "F1", "P", "R", "chars", "templ. F", "site F1", "<0.5"]
    cells: list[list[Cell]] = []
    for name, row in rows.items():
        own = row[TEMPL]
        means = (own.f1, own.precision, own.recall, own.character_f1, own.template_f, own.site_f1)
        counts = (name or "-", str(own.pages), str(own.sites))
        theirs = (number(row[other].f1) for other in others)
        cells.append([*counts, *map(number, means), f"{own.below_half:.1%}", *theirs])
    return without_empty_columns([*heads, *(f"F1 {name}" for name in others)], cells)


def _print(console: Console, heads: Sequence[str], rows: _Cells, caption: str) -> None:
    """Print a table, as several below each other where it is wider than the terminal."""
    shown, boundless = [0], console.options.update(max_width=_BOUNDLESS)
    for column in range(1, len(heads)):
        wider = _some_columns(heads, rows, [*shown, column])
        if len(shown) > 1 and console.measure(wider, options=boundless).maximum > console.width:
            console.print(_some_columns(heads, rows, shown))
            shown = [0]
        shown.append(column)
    last = _some_columns(heads, rows, shown)
    last.caption = caption
    console.print(last)


def _some_columns(heads: Sequence[str], rows: _Cells, numbers: Sequence[int]) -> Table:
    some = Table()
    for at in numbers:
        some.add_column(heads[at], justify="right" if at else "left", no_wrap=at > 0)
    for row in rows:
        cells = (row[at] for at in numbers)
        some.add_row(*(cell if isinstance(cell, str) else " ".join(cell) for cell in cells))
    return some


def number(value: float | None) -> str:
    """Return a figure with three decimals; an empty text where there is none."""
    return "" if value is None else f"{value:.3f}"


def brackets(interval: report.Interval | None) -> str:
    """Return an interval in brackets; an empty text where there is none."""
    return "" if interval is None else f"[{interval.low:.3f}, {interval.high:.3f}]"


def _f(mean: FMean | None) -> str:
    return "" if mean is None else f"{mean.f:.3f} / {mean.all_f:.3f}"


_GROUP_ROWS_MAX = 80
_PAGES_A_ROW = 3
"""Smallest mean number of pages in a group for which a grouping is plotted."""
_GOOD_F1 = 0.95
"""F1 from which on a page is not among the worst ones."""
_DOT_MIN, _DOT_MAX = 3.0, 11.0


def render_report(figures: Figures) -> Markup:
    """Return the report as one HTML page."""
    heads, systems = system_rows(figures)
    return render(
        "lab/templates/evaluation.html",
        figures=figures,
        total=figures.groups["all"][ALL][TEMPL],
        heads=heads,
        systems=systems,
        plots=_plots(figures),
        parse=figures.timing.get(PARSE),
        groupings=_groupings(figures),
        details=_details(figures),
        worst=[one for one in figures.worst if one.f1 < _GOOD_F1],
        good_f1=_GOOD_F1,
        brackets=brackets,
    )


def _plots(figures: Figures) -> Iterator[tuple[str, Plot]]:
    if len(figures.timing) > 1:
        row = figures.groups["all"][ALL]
        timed = {
            name: (figures.timing[name].mean_ms, row[name].f1)
            for name in figures.systems
            if name in figures.timing
        }
        yield "Quality and speed", speed(timed, figures.systems, "ms a page", "word F1")
    if figures.quantiles:
        lines = {
            name: [(value, at / (len(values) - 1)) for at, value in enumerate(values)]
            for name, values in figures.quantiles.items()
        }
        yield "Distribution of F1", curves(lines, "word F1", "share of pages below")
    if figures.segments:
        lines = {
            f"{name} (recall {one.recall_at_precision:.2f} at 0.9)": [
                (point.recall, point.precision) for point in one.curve
            ]
            for name, one in figures.segments.items()
        }
        yield "Precision and recall of content", curves(lines, "recall", "precision")
    if figures.calibration:
        dots = {
            f"{name} (mean error {one.mean_error:.3f})": _dots(one)
            for name, one in figures.calibration.items()
        }
        yield "Calibration of the confidence", reliability(dots, "confidence", "word F1")


def _dots(calibration: Calibration) -> list[Dot]:
    most = max(one.pages for one in calibration.bins)
    return [
        Dot(
            x=one.confidence,
            y=one.f1,
            size_px=_DOT_MIN + (_DOT_MAX - _DOT_MIN) * (one.pages / most) ** 0.5,
            label=f"{counted(one.pages, 'page')}: confidence {one.confidence:.3f}, F1 {one.f1:.3f}",
        )
        for one in calibration.bins
    ]


def _groupings(figures: Figures) -> Iterator[tuple[str, Plot]]:
    """Yield a plot for each grouping of several groups with enough pages."""
    for title, groups in figures.groups.items():
        pages = sum(row[TEMPL].pages for row in groups.values())
        if title == "all" or len(groups) < 2 or pages < _PAGES_A_ROW * len(groups):
            continue
        worst_first = sorted(groups.items(), key=lambda item: (item[1][TEMPL].f1, item[0]))
        shown = (
            worst_first[:_GROUP_ROWS_MAX]
            if title == "site"
            else list(groups.items())[:_GROUP_ROWS_MAX]
        )
        note = f" ({_GROUP_ROWS_MAX} of {len(groups)})" if len(shown) < len(groups) else ""
        values = {
            f"{name or '-'} ({row[TEMPL].pages})": {
                system: one.f1 for system, one in row.items() if system != WHOLE_PAGE
            }
            for name, row in shown
        }
        yield f"By {title}{note}", rows_plot(values, "word F1")
