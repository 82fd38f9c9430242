"""Plots that only the laboratory draws; `workers.inspect.plots` has what all plots are made of."""

from collections.abc import Mapping, Sequence
from math import ceil, floor, log10

from workers.inspect.html_templates import render
from workers.inspect.plots import UNIT, Axis, Curve, Dot, Plot, Series, axis, lines_of

_STEPS = 5
_ROW_PX = 22


def svg_file(plot: Plot) -> str:
    """Return a plot as the content of an SVG file, with its style and its legend."""
    return render("inspect/templates/plot.svg", plot=plot, is_file=True)


def line_chart(
    title: str,
    x_label: str,
    y_label: str,
    lines: Mapping[str, Curve],
    *,
    ticks: Sequence[float] | None = None,
) -> Plot:
    """Return a plot of lines through marked points.

    >>> line_chart("F1 by window", "pages", "F1", {"templ": [(1, 0.82), (50, 0.9)]}).y.ticks
    {0.8: '0.80', 0.82: '0.82', 0.84: '0.84', 0.86: '0.86', 0.88: '0.88', 0.9: '0.90'}

    Args:
        title: Text above the plot.
        x_label: Label of the x axis.
        y_label: Label of the y axis.
        lines: The points of each line, by the name of the line; at least one point in all.
        ticks: Values marked on the x axis, ascending; all points must lie between the first and the
            last. None means a logarithmic axis that marks the x of every point, which must be
            positive.
    """
    xs = ticks or sorted({x for points in lines.values() for x, _ in points})
    ys = [y for points in lines.values() for _, y in points]
    spread = max(ys) - min(ys)
    unit = 0.1 if spread > 0.2 else 0.02 if spread > 0.04 else 0.01
    high = ceil(round(max(ys) / unit, 6))
    low = min(floor(min(ys) / unit), max(high - _STEPS, 0))
    marked = [round(unit * (low + (high - low) * step / _STEPS), 10) for step in range(_STEPS + 1)]
    return Plot(
        x=axis(x_label, xs, is_log=ticks is None),
        y=axis(y_label, marked, ".2f"),
        series=lines_of(lines, 3.0),
        has_legend=True,
        title=title,
        top_px=40 if title else 12,
        width_px=390,
        height_px=310,
    )


def reliability(series: Mapping[str, Sequence[Dot]], x_label: str, y_label: str) -> Plot:
    """Return a reliability diagram; dots above the diagonal reached more than was predicted."""
    return Plot(
        x=axis(x_label, UNIT),
        y=axis(y_label, UNIT),
        series=[Series(name, dots, "line thin") for name, dots in series.items()],
        guides=[Series("", [Dot(x=0, y=0), Dot(x=1, y=1)])],
        has_legend=len(series) > 1,
    )


def rows(groups: Mapping[str, Mapping[str, float]], x_label: str) -> Plot:
    """Return a plot with a line for each group and a dot for each of its values, which are from 0 to 1."""
    series = {name: list[Dot]() for values in groups.values() for name in values}
    for row, values in enumerate(groups.values()):
        for name, value in values.items():
            label = f"{name}: {value:.3f}"
            series[name].append(Dot(x=value, y=-row, size_px=5, label=label))
    labels = {float(-row): group for row, group in enumerate(groups)}
    return Plot(
        x=axis(x_label, UNIT),
        y=Axis(label="", ticks=labels, margin=0.5),
        series=[Series(name, dots) for name, dots in series.items()],
        has_legend=True,
        left_px=240,
        width_px=420,
        height_px=len(groups) * _ROW_PX,
    )


def speed(
    systems: Mapping[str, tuple[float, float]], names: Sequence[str], x_label: str, y_label: str
) -> Plot:
    """Return a plot of systems by time, on a logarithmic scale, and by quality.

    Args:
        systems: Milliseconds a page and F1 of each system.
        names: Names of all systems of the report, by whose order each has its colour everywhere.
        x_label: Label of the x axis.
        y_label: Label of the y axis.
    """
    powers = [floor(log10(ms)) for ms, _ in systems.values()]
    lowest = max(0.0, int((min(f1 for _, f1 in systems.values()) - 0.05) * 10) / 10)
    dots = {
        name: Dot(x=ms, y=f1, size_px=6, label=f"{name}: {ms:.1f} ms, F1 {f1:.3f}", text=name)
        for name, (ms, f1) in systems.items()
    }
    xs = [10.0**power for power in range(min(powers), max(powers) + 2)]
    ys = [lowest + (1 - lowest) * step / 4 for step in range(5)]
    return Plot(
        x=axis(x_label, xs, is_log=True),
        y=axis(y_label, ys, ".2f"),
        series=[Series(name, [dots[name]] if name in dots else []) for name in names],
    )
