"""The figures of an evaluation as tables for a terminal."""

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table

from templ_core.lab.evaluation.report import Interval, Summary
from templ_core.lab.evaluation.template_f import FMean
from workers.lab.evaluation.figures import ALL, TEMPLATE_F_COUNTS, Figures
from workers.lab.evaluation.judge import TEMPL

_MOST_ROWS = 60
_FILE_COLUMNS = 160
_BOUNDLESS = 10_000


def print_tables(figures: Figures) -> None:
    """Print the tables; groupings of one group or of more than 60 groups are left out."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=_FILE_COLUMNS)
    _print(console, _systems(figures))
    if len(figures.groups["corpus"]) > 1:
        _print(console, _corpora(figures))
    for title, rows in figures.groups.items():
        if title != "all" and 1 < len(rows) <= _MOST_ROWS:
            _print(console, _groups(title, rows, figures))
    if figures.segments:
        _print(console, _segments(figures))
    if figures.repeated:
        _print(console, _repeated(figures))
    for name, one in figures.calibration.items():
        console.print(
            f"confidence, {name}: mean calibration error {one.mean_error:.3f}, "
            f"mean confidence minus mean F1 {one.bias:+.3f}"
        )
    for system, errors in figures.failures.items():
        reasons = ", ".join(f"{count} {error}" for error, count in errors.items())
        console.print(f"{system} failed on {sum(errors.values())} pages: {reasons}")
    for note in figures.notes:
        console.print(note)
    console.print("; ".join(f"{name} {one}" for name, one in figures.versions.items()))


def _systems(figures: Figures) -> Table:
    table = _table(
        "system", "pages", "F1", "95 %", "P", "R", "chars", "templ. F", "site F1", "95 %"
    )
    for heading in ("<0.5", "templ is better by", "ms", "x parse"):
        table.add_column(heading, justify="right", no_wrap=True)
    row = figures.groups["all"][ALL]
    for system in figures.systems:
        one = row[system]
        better = figures.differences[ALL].get(system)
        timing = figures.timing.get(system)
        table.add_row(
            system,
            str(one.pages),
            _number(one.f1),
            _interval(one.f1_interval),
            _number(one.precision),
            _number(one.recall),
            _number(one.character_f1),
            _number(one.template_f),
            _number(one.site_f1),
            _interval(one.site_f1_interval),
            f"{one.below_half:.1%}",
            f"{better.of_pages:+.3f} {_interval(better.pages_interval)}" if better else "",
            f"{timing.mean_ms:.1f}" if timing else "",
            f"{timing.parses:.1f}" if timing else "",
        )
    return table


def _corpora(figures: Figures) -> Table:
    """Return the table of all systems on each corpus."""
    corpora = figures.groups["corpus"]
    table = _table("F1, P, R", *(name or "-" for name in corpora))
    for system in figures.systems:
        found = [row[system] for row in corpora.values()]
        table.add_row(
            system, *(f"{one.f1:.3f} {one.precision:.3f} {one.recall:.3f}" for one in found)
        )
    return table


def _groups(title: str, rows: Mapping[str, Mapping[str, Summary]], figures: Figures) -> Table:
    others = [name for name in figures.systems if name != TEMPL]
    table = _table(title, "pages", "sites", "F1", "P", "R", "chars", "templ. F", "site F1", "<0.5")
    for name in others:
        table.add_column(f"F1 {name}", justify="right", no_wrap=True)
    for name, row in rows.items():
        one = row[TEMPL]
        figures_of_row = (one.f1, one.precision, one.recall, one.character_f1, one.template_f)
        table.add_row(
            name or "-",
            str(one.pages),
            str(one.sites),
            *map(_number, (*figures_of_row, one.site_f1)),
            f"{one.below_half:.1%}",
            *(_number(row[other].f1) for other in others),
        )
    return table


def _segments(figures: Figures) -> Table:
    table = _table(
        "segments", "pages", "f templates: text", "anchors", "links", "f content: text", "anchors",
        "links", "adj. RAND", "R at P 0.9",
    )  # fmt: skip
    for name, one in figures.segments.items():
        places = (one.f.in_templates, one.f.in_content)
        table.add_row(
            name,
            str(one.pages),
            *(_f(place.get(counted)) for place in places for counted in TEMPLATE_F_COUNTS),
            _number(one.adjusted_rand.of_pages),
            _number(one.recall_at_precision),
        )
    table.caption = (
        "f: means over sites; in brackets the f of calling all text template, or content"
    )
    return table


def _repeated(figures: Figures) -> Table:
    table = _table("repeated text", "system", "share of words", "worst site", "share")
    for corpus, systems in figures.repeated.items():
        for system, one in systems.items():
            table.add_row(
                corpus, system, f"{one.ratio:.4f}", one.worst_site, f"{one.worst_ratio:.4f}"
            )
    table.caption = (
        "words in sentences of at least 8 words that at least 4 and 10 % of a site's pages have"
    )
    return table


def _table(*columns: str) -> Table:
    table = Table()
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number else "left", no_wrap=number > 0)
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
    some = _table()
    for one in columns:
        some.add_column(one.header, justify=one.justify, no_wrap=one.no_wrap)
    for row in zip(*(one.cells for one in columns), strict=True):
        some.add_row(*row)
    return some


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _interval(interval: Interval | None) -> str:
    return "" if interval is None else f"{interval.low:.3f}-{interval.high:.3f}"


def _f(mean: FMean | None) -> str:
    return "" if mean is None else f"{mean.f:.3f} ({mean.all_f:.3f})"
