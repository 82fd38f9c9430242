"""The HTML report of an evaluation; it has plots and needs no network."""

from collections.abc import Iterator

from markupsafe import Markup

from templ_core.lab.evaluation.calibration import Calibration
from workers.inspect.html_templates import render
from workers.inspect.plots import Dot, Plot, curves, reliability, rows, speed
from workers.lab.evaluation.figures import ALL, Figures
from workers.lab.evaluation.judge import PARSE, TEMPL, WHOLE_PAGE
from workers.lab.evaluation.tables import brackets, repeated_rows, segment_rows, system_rows
from workers.log_lines import counted

_MOST_ROWS = 80
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
        shown = worst_first[:_MOST_ROWS] if title == "site" else list(groups.items())[:_MOST_ROWS]
        note = f" ({_MOST_ROWS} of {len(groups)})" if len(shown) < len(groups) else ""
        values = {
            f"{name or '-'} ({row[TEMPL].pages})": {
                system: one.f1 for system, one in row.items() if system != WHOLE_PAGE
            }
            for name, row in shown
        }
        yield f"By {title}{note}", rows(values, "word F1")
