"""Plots: points on two axes, which the template `plot.svg` draws in the colours of the style sheet."""

from collections.abc import Mapping, Sequence
from math import log10

import msgspec

from workers.inspect.html_templates import render

UNIT = tuple(fifth / 5 for fifth in range(6))
"""Values that are marked on an axis from 0 to 1."""

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


def curves(lines: Mapping[str, Curve], x_label: str, y_label: str) -> Plot:
    """Return a plot of lines in the unit square, each given by its points."""
    series = lines_of(lines, 0.0)
    x, y = axis(x_label, UNIT), axis(y_label, UNIT)
    return Plot(x=x, y=y, series=series, has_legend=len(lines) > 1)


def timeline(
    dots: Sequence[Dot], moments: Mapping[float, str], ends: tuple[str, str], y_label: str
) -> Plot:
    """Return a plot of values over time, nearly five times as wide as high.

    Dots have times and values from 0 to 1, in order. Moments from 0 to 1 have vertical lines with their labels, and
    the beginning and the end of the time have texts.
    """
    return Plot(
        x=Axis(label="", ticks=dict(enumerate(ends))),
        y=axis(y_label, (0, 1)),
        series=[Series(y_label, dots)],
        guides=[Series(name, [Dot(x=x, y=0), Dot(x=x, y=1)]) for x, name in moments.items()],
        width_px=720,
        height_px=150,
    )


def axis(label: str, marked: Sequence[float], form: str = "g", *, is_log: bool = False) -> Axis:
    """Return an axis with marked values, each with its text in a form of Python's formats."""
    return Axis(label=label, ticks={mark: f"{mark:{form}}" for mark in marked}, is_log=is_log)


def lines_of(lines: Mapping[str, Curve], size_px: float) -> list[Series]:
    """Return lines through points, which are marked by dots of a radius; 0 marks none."""
    return [
        Series(name, [Dot(x=x, y=y, size_px=size_px) for x, y in points], "line")
        for name, points in lines.items()
    ]
