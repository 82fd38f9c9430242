"""Plots: points on two axes, which the template `plot.svg` draws in the colours of the style sheet."""

from collections.abc import Mapping, Sequence
from math import floor, log10

import msgspec

from workers.inspect.html_templates import render

_UNIT = tuple(fifth / 5 for fifth in range(6))
_STEPS = 5
_ROW_PX = 22

Curve = Sequence[tuple[float, float]]
"""Pairs of x and y."""


class Axis(msgspec.Struct, frozen=True, kw_only=True):
    """An axis of a plot, from its first to its last tick."""

    label: str
    """What is on the axis; empty where the texts of the ticks say it."""
    ticks: Mapping[float, str]
    """Text of each marked value."""
    margin: float = 0.0
    """How much further than the ticks the axis reaches at both ends."""
    is_log: bool = False

    def ratio(self, value: float) -> float:
        """Return where a value is, 0 at the low end of the axis to 1 at the high end."""
        low, high = min(self.ticks) - self.margin, max(self.ticks) + self.margin
        if self.is_log:
            low, high, value = log10(low), log10(high), log10(value)
        return (value - low) / ((high - low) or 1.0)


class Dot(msgspec.Struct, frozen=True, kw_only=True):
    """A point of a series."""

    x: float
    y: float
    size_px: float = 0.0
    """Radius; 0 for a point of a line that is not marked."""
    label: str = ""
    """Text that appears when the pointer is over the dot."""
    text: str = ""
    """Text beside the dot."""


class Series(msgspec.Struct, frozen=True):
    """Points of one colour, which is the one of its number in the plot."""

    name: str
    dots: Sequence[Dot]
    line: str = ""
    """Class of the line through the points; empty for no line."""


class Plot(msgspec.Struct, frozen=True, kw_only=True):
    """A plot, which a template shows where it names it."""

    x: Axis
    y: Axis
    series: Sequence[Series]
    guides: Sequence[Series] = ()
    """Dashed lines, whose names appear when the pointer is over them."""
    has_legend: bool = False
    title: str = ""
    left_px: float = 56
    top_px: float = 12
    width_px: float = 300
    """Width of the plot's area, without the axes' texts."""
    height_px: float = 300

    def x_px(self, value: float) -> float:
        """Return where a value of the x axis is, in pixels from the left."""
        return round(self.left_px + self.width_px * self.x.ratio(value), 1)

    def y_px(self, value: float) -> float:
        """Return where a value of the y axis is, in pixels from above."""
        return round(self.top_px + self.height_px * (1 - self.y.ratio(value)), 1)

    def __html__(self) -> str:
        return render("inspect/templates/plot.svg", plot=self, is_file=False)


def svg_file(plot: Plot) -> str:
    """Return a plot as the content of an SVG file, with its style and its legend."""
    return render("inspect/templates/plot.svg", plot=plot, is_file=True)


def curves(lines: Mapping[str, Curve], x_label: str, y_label: str) -> Plot:
    """Return a plot of lines in the unit square, each given by its points."""
    series = _lines(lines, 0.0)
    x, y = _axis(x_label, _UNIT), _axis(y_label, _UNIT)
    return Plot(x=x, y=y, series=series, has_legend=len(lines) > 1)


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
    {0.82: '0.82', 0.84: '0.84', 0.86: '0.86', 0.88: '0.88', 0.9: '0.90', 0.92: '0.92'}

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
    unit = 0.1 if max(ys) - min(ys) > 0.2 else 0.02
    high = floor(max(ys) / unit) + 1
    low = min(floor(min(ys) / unit), max(high - _STEPS, 0))
    marked = [round(unit * (low + (high - low) * step / _STEPS), 10) for step in range(_STEPS + 1)]
    return Plot(
        x=_axis(x_label, xs, is_log=ticks is None),
        y=_axis(y_label, marked, ".2f"),
        series=_lines(lines, 3.0),
        has_legend=True,
        title=title,
        top_px=40,
        width_px=390,
        height_px=310,
    )


def reliability(series: Mapping[str, Sequence[Dot]], x_label: str, y_label: str) -> Plot:
    """Return a reliability diagram; dots above the diagonal reached more than was predicted."""
    return Plot(
        x=_axis(x_label, _UNIT),
        y=_axis(y_label, _UNIT),
        series=[Series(name, dots, "line thin") for name, dots in series.items()],
        guides=[Series("", [Dot(x=0, y=0), Dot(x=1, y=1)])],
        has_legend=len(series) > 1,
    )


def timeline(
    dots: Sequence[Dot], moments: Mapping[float, str], ends: tuple[str, str], y_label: str
) -> Plot:
    """Return a plot of values over time, nearly five times as wide as high.

    Args:
        dots: Values from 0 to 1 at times from 0 to 1, in order.
        moments: Labels of moments from 0 to 1, each with a vertical line.
        ends: Texts for the beginning and the end of the time.
        y_label: Label of the y axis.
    """
    return Plot(
        x=Axis(label="", ticks=dict(enumerate(ends))),
        y=_axis(y_label, (0, 1)),
        series=[Series(y_label, dots)],
        guides=[Series(name, [Dot(x=x, y=0), Dot(x=x, y=1)]) for x, name in moments.items()],
        width_px=720,
        height_px=150,
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
        x=_axis(x_label, _UNIT),
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
        x=_axis(x_label, xs, is_log=True),
        y=_axis(y_label, ys, ".2f"),
        series=[Series(name, [dots[name]] if name in dots else []) for name in names],
    )


def _axis(label: str, marked: Sequence[float], form: str = "g", *, is_log: bool = False) -> Axis:
    return Axis(label=label, ticks={one: f"{one:{form}}" for one in marked}, is_log=is_log)


def _lines(lines: Mapping[str, Curve], size_px: float) -> list[Series]:
    return [
        Series(name, [Dot(x=x, y=y, size_px=size_px) for x, y in points], "line")
        for name, points in lines.items()
    ]
