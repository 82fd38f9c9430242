"""The figures of an evaluation as rows of tables, and these tables on a terminal."""

from collections.abc import Iterator, Mapping, Sequence

from markupsafe import Markup
from rich.console import Console
from rich.table import Table

from templ_core.lab.evaluation.curves import Calibration
from templ_core.lab.evaluation.report import Interval, Summary
from templ_core.lab.evaluation.segments import AMOUNTS, FMean
from templ_core.page_level.model.page_type import PAGE_TYPES
from workers.inspect.html_templates import render
from workers.inspect.plots import Dot, Plot, curves, reliability, speed
from workers.inspect.plots import rows as rows_plot
from workers.lab.evaluation.figures import ALL, Figures
from workers.lab.evaluation.judge import PARSE, TEMPL, WHOLE_PAGE
from workers.log_lines import counted

_MOST_ROWS = 60
_FILE_COLUMNS = 160
_BOUNDLESS = 10_000
Cell = str | tuple[str, str]
"""Text of a cell, with or without a smaller text below it."""
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
    _print(console, _table(*system_rows(figures)))
    corpora = figures.groups["corpus"]
    if len(corpora) > 1:
        _print(console, _corpora(corpora, figures.systems))
    for title, rows in figures.groups.items():
        if title != "all" and 1 < len(rows) <= _MOST_ROWS:
            _print(console, _groups(title, rows, figures))
    for table in _captioned_tables(figures):
        _print(console, table)
    for system, errors in figures.failures.items():
        reasons = ", ".join(f"{count} {error}" for error, count in errors.items())
        console.print(f"{system} failed on {sum(errors.values())} pages: {reasons}")
    for note in figures.notes:
        console.print(note)
    console.print("; ".join(f"{name} {one}" for name, one in figures.versions.items()))


def _captioned_tables(figures: Figures) -> Iterator[Table]:
    """Yield the tables of segments, repeated text, page types and confidence that have rows."""
    for heads, rows, caption in (
        (
            _SEGMENT_HEADS,
            segment_rows(figures),
            "f: means over sites; after the slash the f of calling all text template, or content",
        ),
        (
            _REPEATED_HEADS,
            repeated_rows(figures),
            "words in sentences of at least 8 words that at least 4 and 10 % of a site's pages have",
        ),
        (
            ("page type found", *PAGE_TYPES),
            found_type_rows(figures),
            "numbers of pages; the page model did not see what the markup states",
        ),
        (
            _CONFIDENCE_HEADS,
            confidence_rows(figures),
            "lowest tenth: how many of the pages with F1 below 0.5 are in the tenth with the lowest confidence",
        ),
    ):
        if rows:
            table = _table(heads, rows)
            table.caption = caption
            yield table


def system_rows(figures: Figures) -> tuple[list[str], list[list[Cell]]]:
    """Return the heads and rows of the table of systems, without columns that are empty."""
    rows: list[list[Cell]] = []
    for system in figures.systems:
        one = figures.groups["all"][ALL][system]
        better = figures.differences[ALL].get(system)
        timing = figures.timing.get(system)
        failed = sum(figures.failures.get(system, {}).values())
        rows.append(
            [
                system,
                str(one.pages),
                (number(one.f1), brackets(one.f1_interval)),
                *map(number, (one.precision, one.recall, one.character_f1, one.template_f)),
                (number(one.site_f1), brackets(one.site_f1_interval)),
                f"{one.below_half:.1%}",
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
    used = [at for at in range(len(heads)) if any(row[at] for row in rows)]
    return [heads[at] for at in used], [[row[at] for at in used] for row in rows]


def segment_rows(figures: Figures) -> list[list[Cell]]:
    """Return the quality of the decisions on segments, a row for each corpus."""
    return [
        [
            name,
            str(one.pages),
            *(_f(place.get(what)) for place in one.f.values() for what in AMOUNTS),
            (number(one.adjusted_rand.of_pages), brackets(one.adjusted_rand.pages_interval)),
            number(one.recall_at_precision),
        ]
        for name, one in figures.segments.items()
    ]


def repeated_rows(figures: Figures) -> list[list[Cell]]:
    """Return how much text a site repeats, a row for each corpus and system."""
    return [
        [corpus, system, f"{one.ratio:.4f}", one.worst_site, f"{one.worst_ratio:.4f}"]
        for corpus, systems in figures.repeated.items()
        for system, one in systems.items()
    ]


def found_type_rows(figures: Figures) -> list[list[Cell]]:
    """Return how many pages the model takes for each page type, a row for each of what they are."""
    return [
        [what, *(str(found.get(one, "")) for one in PAGE_TYPES)]
        for what, found in figures.found_types.items()
    ]


def confidence_rows(figures: Figures) -> list[list[Cell]]:
    """Return how well the confidence is calibrated, a row for each corpus and for each page type."""
    return [
        [
            name or "-",
            str(sum(some.pages for some in one.bins)),
            number(one.mean_error),
            f"{one.bias:+.3f}",
            "" if one.low_found is None else f"{one.low_found:.0%}",
        ]
        for name, one in (*figures.calibration_by_type.items(), *figures.calibration.items())
    ]


def _corpora(corpora: Mapping[str, Mapping[str, Summary]], systems: Sequence[str]) -> Table:
    """Return the table of all systems on each corpus."""
    rows: list[list[Cell]] = [
        [system, *(f"{one.f1:.3f} {one.precision:.3f} {one.recall:.3f}" for one in found)]
        for system in systems
        if (found := [row[system] for row in corpora.values()])
    ]
    return _table(["F1, P, R", *(name or "-" for name in corpora)], rows)


def _groups(title: str, rows: Mapping[str, Mapping[str, Summary]], figures: Figures) -> Table:
    others = [name for name in figures.systems if name != TEMPL]
    heads = [title, "pages", "sites", "F1", "P", "R", "chars", "templ. F", "site F1", "<0.5"]
    cells: list[list[Cell]] = []
    for name, row in rows.items():
        one = row[TEMPL]
        means = (one.f1, one.precision, one.recall, one.character_f1, one.template_f, one.site_f1)
        cells.append(
            [
                name or "-",
                str(one.pages),
                str(one.sites),
                *map(number, means),
                f"{one.below_half:.1%}",
                *(number(row[other].f1) for other in others),
            ]
        )
    return _table([*heads, *(f"F1 {name}" for name in others)], cells)


def _table(heads: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Table:
    table = Table()
    for at, head in enumerate(heads):
        table.add_column(head, justify="right" if at else "left", no_wrap=at > 0)
    for row in rows:
        table.add_row(*(cell if isinstance(cell, str) else " ".join(cell) for cell in row))
    return table


def _print(console: Console, table: Table) -> None:
    """Print a table, as several below each other where it is wider than the terminal."""
    shown, boundless = [0], console.options.update(max_width=_BOUNDLESS)
    for column in range(1, len(table.columns)):
        wider = _some_columns(table, [*shown, column])
        if len(shown) > 1 and console.measure(wider, options=boundless).maximum > console.width:
            console.print(_some_columns(table, shown))
            shown = [0]
        shown.append(column)
    last = _some_columns(table, shown)
    last.caption = table.caption
    console.print(last)


def _some_columns(table: Table, numbers: Sequence[int]) -> Table:
    columns = [table.columns[number] for number in numbers]
    some = Table()
    for one in columns:
        some.add_column(one.header, justify=one.justify, no_wrap=one.no_wrap)
    for row in zip(*(one.cells for one in columns), strict=True):
        some.add_row(*row)
    return some


def number(value: float | None) -> str:
    """Return a figure with three decimals; an empty text where there is none."""
    return "" if value is None else f"{value:.3f}"


def brackets(interval: Interval | None) -> str:
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
        segments=segment_rows(figures),
        repeated=repeated_rows(figures),
        worst=[one for one in figures.worst if one.f1 < _GOOD_F1],
        good_f1=_GOOD_F1,
        brackets=brackets,
    )


def _plots(figures: Figures) -> Iterator[tuple[str, Plot]]:
    """Yield the plots beside each other, with their titles."""
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
