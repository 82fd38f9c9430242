"""Line charts as self-contained SVG documents."""

from collections.abc import Mapping, Sequence
from html import escape
from math import log10

_WIDTH, _HEIGHT = 640, 400
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 190, 40, 50
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
_STEPS = 5
_HEAD = (
    f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
    'font-family="sans-serif" font-size="12">'
    f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>'
)

ChartPoints = Sequence[tuple[float, float]]
"""Pairs of x and y."""


def line_chart(
    title: str,
    x_name: str,
    y_name: str,
    lines: Mapping[str, ChartPoints],
    *,
    ticks: Sequence[float] | None = None,
) -> str:
    """Return an SVG document with at most seven lines.

    >>> line_chart("F1 by window", "pages", "F1", {"templ": [(1, 0.8), (50, 0.9)]})[:5]
    '<svg '

    Args:
        title: Text above the chart.
        x_name: Text below the x axis.
        y_name: Text beside the y axis.
        lines: The points of each line, by the name of the line; at least one point in all.
        ticks: Values marked on the x axis, ascending; all points must lie between the first and the
            last. None means a logarithmic axis that marks the x of every point, which must be
            positive.
    """
    scaled = log10 if ticks is None else float
    marks = ticks or sorted({x for points in lines.values() for x, _ in points})
    first, last = scaled(marks[0]), scaled(marks[-1])
    ys = [y for points in lines.values() for _, y in points]
    low, high = _rounded(min(ys), max(ys))

    def place(x: float, y: float) -> tuple[float, float]:
        across = (scaled(x) - first) / ((last - first) or 1.0)
        down = (high - y) / (high - low)
        return (
            _LEFT + across * (_WIDTH - _LEFT - _RIGHT),
            _TOP + down * (_HEIGHT - _TOP - _BOTTOM),
        )

    y_title = _text(0, 0, y_name, "middle")
    parts = [
        _HEAD,
        _text(_WIDTH / 2, 22, title, "middle", "15"),
        _text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 12, x_name, "middle"),
        f'<g transform="translate(16 {(_TOP + _HEIGHT - _BOTTOM) / 2}) rotate(-90)">{y_title}</g>',
    ]
    for step in range(_STEPS + 1):
        y = low + (high - low) * step / _STEPS
        _, down = place(marks[0], y)
        parts.append(
            f'<path d="M{_LEFT} {down:.1f}H{_WIDTH - _RIGHT}" stroke="#ddd"/>'
            + _text(_LEFT - 6, down + 4, f"{y:.2f}", "end")
        )
    for x in marks:
        across, _ = place(x, low)
        parts.append(_text(across, _HEIGHT - _BOTTOM + 18, f"{x:g}", "middle"))
    for number, (name, points) in enumerate(lines.items()):
        colour = _COLOURS[number]
        spots = [place(x, y) for x, y in points]
        path = " ".join(f"{across:.1f},{down:.1f}" for across, down in spots)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.extend(
            f'<circle cx="{across:.1f}" cy="{down:.1f}" r="3" fill="{colour}"/>'
            for across, down in spots
        )
        legend = _TOP + 10 + 20 * number
        parts.append(
            f'<path d="M{_WIDTH - _RIGHT + 12} {legend}h18" stroke="{colour}" stroke-width="2"/>'
            + _text(_WIDTH - _RIGHT + 36, legend + 4, name, "start")
        )
    return "\n".join([*parts, "</svg>", ""])


def _rounded(low: float, high: float) -> tuple[float, float]:
    """Return the smallest range around both values whose ends are multiples of 0.1 or 0.02."""
    step = 0.1 if high - low > 0.2 else 0.02
    below = step * int(low / step - (low < 0))
    above = step * (int(high / step) + 1)
    return below, above


def _text(x: float, y: float, text: str, anchor: str, size: str = "12") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">'
        f"{escape(text)}</text>"
    )
