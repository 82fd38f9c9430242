"""SVG plots for a page that needs no network; the page's style sheet gives the colours."""

from collections.abc import Mapping, Sequence
from html import escape
from math import log10

import msgspec

_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 16, 12, 44
_PLOT = 300
"""Width and height of a square plot area, in pixels."""
_ROW = 22
_LABEL_CHARS = 34
_DIGIT_WIDTH = 7
COLOURS = 6
"""Number of colours; the series after the sixth begin again with the first colour."""

Curve = Sequence[tuple[float, float]]


class Dot(msgspec.Struct, frozen=True, kw_only=True):
    """A dot with a label that appears when the pointer is over it."""

    x: float
    y: float
    size: float
    label: str


def curves(series: Mapping[str, Curve], x_label: str, y_label: str) -> str:
    """Return a plot of lines in the unit square.

    Args:
        series: Points of each line by its name; x and y are from 0 to 1.
        x_label: Label of the x axis.
        y_label: Label of the y axis.
    """
    lines = []
    for number, (name, points) in enumerate(series.items()):
        path = " ".join(f"{_x(x):.1f},{_y(y):.1f}" for x, y in points)
        lines.append(
            f'<polyline class="line c{number % COLOURS}" points="{path}">'
            f"<title>{escape(name)}</title></polyline>"
        )
    return _square(lines, x_label, y_label, series)


def reliability(series: Mapping[str, Sequence[Dot]], x_label: str, y_label: str) -> str:
    """Return a reliability diagram; dots above the diagonal reached more than was predicted."""
    marks = [f'<line class="guide" x1="{_x(0)}" y1="{_y(0)}" x2="{_x(1)}" y2="{_y(1)}"/>']
    for number, dots in enumerate(series.values()):
        path = " ".join(f"{_x(dot.x):.1f},{_y(dot.y):.1f}" for dot in dots)
        marks.append(f'<polyline class="line thin c{number % COLOURS}" points="{path}"/>')
        marks += [
            f'<circle class="dot c{number % COLOURS}" cx="{_x(dot.x):.1f}" cy="{_y(dot.y):.1f}" '
            f'r="{dot.size:.1f}"><title>{escape(dot.label)}</title></circle>'
            for dot in dots
        ]
    return _square(marks, x_label, y_label, series)


def histogram(counts: Sequence[int], cutoff: float, x_label: str, y_label: str) -> str:
    """Return a histogram of the unit interval, on a logarithmic scale, with a line at a cut-off.

    Args:
        counts: Number in each bin; the bins share the interval evenly.
        cutoff: Where the line stands, 0 to 1.
        x_label: Label of the x axis.
        y_label: Label of the y axis.
    """
    powers = len(str(max(counts, default=0))) + 1
    marks = [
        _y_tick(power / powers, f"{10 ** (power - 1):g}" if power else "0")
        for power in range(powers + 1)
    ]
    marks += [_x_tick(fifth / 5) for fifth in range(6)]
    for number, count in enumerate(counts):
        if count:
            height = (1 + log10(count)) / powers
            left, width = _x(number / len(counts)), _PLOT / len(counts)
            colour = 1 if number / len(counts) >= cutoff else 5
            marks.append(
                f'<rect class="dot c{colour}" x="{left:.1f}" y="{_y(height):.1f}" '
                f'width="{max(width - 0.5, 1):.1f}" height="{_PLOT * height:.1f}">'
                f"<title>{count} on {number / len(counts):.0%} or more</title></rect>"
            )
    marks.append(
        f'<line class="guide" x1="{_x(cutoff):.1f}" y1="{_y(0)}" x2="{_x(cutoff):.1f}" y2="{_y(1)}">'
        f"<title>cut-off: {cutoff:.0%}</title></line>"
    )
    marks.append(_axes(x_label, y_label))
    return _svg(_LEFT + _PLOT + _RIGHT, _TOP + _PLOT + _BOTTOM, marks)


def timeline(
    points: Sequence[Dot], marks: Mapping[float, str], x_labels: tuple[str, str], y_label: str
) -> str:
    """Return a plot of values over time, three times as wide as high.

    Args:
        points: Values from 0 to 1 at times from 0 to 1, in order.
        marks: Labels of moments from 0 to 1, each with a vertical line.
        x_labels: Labels of the beginning and the end of the time.
        y_label: Label of the y axis.
    """
    width, height = 2.4 * _PLOT, _PLOT / 2
    drawn = []
    for fifth in range(0, 6, 5):
        y = _TOP + height * (1 - fifth / 5)
        drawn.append(
            f'<line class="grid" x1="{_LEFT}" y1="{y}" x2="{_LEFT + width}" y2="{y}"/>'
            f'<text class="tick" x="{_LEFT - 8}" y="{y + 4}" text-anchor="end">{fifth / 5:g}</text>'
        )
    for x, label in marks.items():
        place = _LEFT + width * x
        drawn.append(
            f'<line class="guide" x1="{place:.1f}" y1="{_TOP}" x2="{place:.1f}" y2="{_TOP + height}">'
            f"<title>{escape(label)}</title></line>"
        )
    drawn += [
        f'<circle class="dot c0" cx="{_LEFT + width * dot.x:.1f}" '
        f'cy="{_TOP + height * (1 - dot.y):.1f}" r="{dot.size:.1f}">'
        f"<title>{escape(dot.label)}</title></circle>"
        for dot in points
    ]
    below, middle = _TOP + height + 20, _TOP + height / 2
    drawn.append(
        f'<text class="tick" x="{_LEFT}" y="{below}">{escape(x_labels[0])}</text>'
        f'<text class="tick" x="{_LEFT + width}" y="{below}" text-anchor="end">'
        f"{escape(x_labels[1])}</text>"
        f'<text x="14" y="{middle}" text-anchor="middle" transform="rotate(-90 14 {middle})">'
        f"{escape(y_label)}</text>"
    )
    return _svg(_LEFT + width + _RIGHT, below + 10, drawn)


def standalone(svg: str, style: str) -> str:
    """Return a plot as a file of its own.

    Args:
        svg: What a function of this module returned for one plot, without a legend.
        style: The style sheet of the plot.
    """
    head, _, rest = svg.partition(">")
    return (
        f'{head} xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size="12">'
        f"<style>{style}</style>{rest}\n"
    )


def rows(groups: Mapping[str, Mapping[str, float]], x_label: str) -> str:
    """Return a plot with a line for each group and a dot for each of its values.

    Args:
        groups: Values from 0 to 1, by group and series.
        x_label: Label of the x axis.
    """
    names = list(dict.fromkeys(name for values in groups.values() for name in values))
    left, width = 240, 420
    height = len(groups) * _ROW
    marks = [
        f'<line class="grid" x1="{left + width * tenth / 10}" y1="{_TOP}" '
        f'x2="{left + width * tenth / 10}" y2="{_TOP + height}"/>'
        f'<text class="tick" x="{left + width * tenth / 10}" y="{_TOP + height + 16}" '
        f'text-anchor="middle">{tenth / 10:g}</text>'
        for tenth in range(0, 11, 2)
    ]
    for row, (group, values) in enumerate(groups.items()):
        y = _TOP + row * _ROW + _ROW / 2
        label = group if len(group) <= _LABEL_CHARS else group[: _LABEL_CHARS - 1] + "…"
        marks.append(f'<line class="grid" x1="{left}" y1="{y}" x2="{left + width}" y2="{y}"/>')
        marks.append(f'<text x="{left - 8}" y="{y + 4}" text-anchor="end">{escape(label)}</text>')
        marks += [
            f'<circle class="dot c{names.index(name) % COLOURS}" '
            f'cx="{left + width * values[name]:.1f}" cy="{y}" r="5">'
            f"<title>{escape(name)}: {values[name]:.3f}</title></circle>"
            for name in reversed(names)
            if name in values
        ]
    marks.append(
        f'<text x="{left + width / 2}" y="{_TOP + height + 34}" text-anchor="middle">'
        f"{escape(x_label)}</text>"
    )
    drawing = _svg(left + width + 24, _TOP + height + _BOTTOM, marks)
    return f'<div class="wide">{drawing}</div>{legend(names)}'


def speed(
    systems: Mapping[str, tuple[float, float]], names: Sequence[str], x_label: str, y_label: str
) -> str:
    """Return a plot of systems by time, on a logarithmic scale, and by quality.

    Args:
        systems: Milliseconds a page and F1 of each system.
        names: Names of all systems of the report, by whose order each has its colour everywhere.
        x_label: Label of the x axis.
        y_label: Label of the y axis.
    """
    logs = [log10(one[0]) for one in systems.values()]
    low, high = int(min(logs) // 1), int(max(logs) // 1) + 1
    lowest = min(one[1] for one in systems.values())
    floor = max(0.0, int((lowest - 0.05) * 10) / 10)
    marks = [_axes(x_label, y_label)]
    for power in range(low, high + 1):
        x = _x((power - low) / (high - low))
        marks.append(
            f'<line class="grid" x1="{x}" y1="{_y(0)}" x2="{x}" y2="{_y(1)}"/>'
            f'<text class="tick" x="{x}" y="{_y(0) + 16}" text-anchor="middle">{10.0**power:g}</text>'
        )
    for step in range(5):
        value = floor + (1 - floor) * step / 4
        marks.append(_y_tick(step / 4, f"{value:.2f}"))
    for name, (milliseconds, f1) in systems.items():
        x = _x((log10(milliseconds) - low) / (high - low))
        y = _y((f1 - floor) / (1 - floor))
        ends = x + _DIGIT_WIDTH * len(name) > _LEFT + _PLOT
        marks.append(
            f'<circle class="dot c{names.index(name) % COLOURS}" cx="{x:.1f}" cy="{y:.1f}" r="6">'
            f"<title>{escape(name)}: {milliseconds:.1f} ms, F1 {f1:.3f}</title></circle>"
            f'<text x="{x + (-10 if ends else 10):.1f}" y="{y + 4:.1f}" '
            f'text-anchor="{"end" if ends else "start"}">{escape(name)}</text>'
        )
    return _svg(_LEFT + _PLOT + _RIGHT, _TOP + _PLOT + _BOTTOM, marks)


def legend(names: Sequence[str]) -> str:
    """Return a legend of names with their colours."""
    items = "".join(
        f'<span><i class="swatch c{number % COLOURS}"></i>{escape(name)}</span>'
        for number, name in enumerate(names)
    )
    return f'<p class="legend">{items}</p>'


def _square(marks: Sequence[str], x_label: str, y_label: str, names: Mapping[str, object]) -> str:
    ticks = []
    for fifth in range(6):
        share = fifth / 5
        ticks.append(_x_tick(share))
        ticks.append(_y_tick(share, f"{share:g}"))
    all_marks = [*ticks, _axes(x_label, y_label), *marks]
    drawing = _svg(_LEFT + _PLOT + _RIGHT, _TOP + _PLOT + _BOTTOM, all_marks)
    return drawing + (legend(list(names)) if len(names) > 1 else "")


def _x_tick(share: float) -> str:
    return (
        f'<line class="grid" x1="{_x(share)}" y1="{_y(0)}" x2="{_x(share)}" y2="{_y(1)}"/>'
        f'<text class="tick" x="{_x(share)}" y="{_y(0) + 16}" text-anchor="middle">{share:g}</text>'
    )


def _y_tick(share: float, text: str) -> str:
    return (
        f'<line class="grid" x1="{_x(0)}" y1="{_y(share)}" x2="{_x(1)}" y2="{_y(share)}"/>'
        f'<text class="tick" x="{_LEFT - 8}" y="{_y(share) + 4}" text-anchor="end">{text}</text>'
    )


def _axes(x_label: str, y_label: str) -> str:
    middle = _TOP + _PLOT / 2
    return (
        f'<text x="{_LEFT + _PLOT / 2}" y="{_TOP + _PLOT + 36}" text-anchor="middle">'
        f"{escape(x_label)}</text>"
        f'<text x="14" y="{middle}" text-anchor="middle" transform="rotate(-90 14 {middle})">'
        f"{escape(y_label)}</text>"
    )


def _x(share: float) -> float:
    return _LEFT + _PLOT * share


def _y(share: float) -> float:
    return _TOP + _PLOT * (1 - share)


def _svg(width: float, height: float, marks: Sequence[str]) -> str:
    return f'<svg viewBox="0 0 {width:g} {height:g}" width="{width:g}" role="img">{"".join(marks)}</svg>'
