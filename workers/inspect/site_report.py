"""The report of a site, as text for a terminal and as one HTML page with plots."""

from collections.abc import Mapping
from typing import Any

import msgspec
from markupsafe import Markup

from templ_core.explain.page_explanation import PageExplanation
from templ_core.site_level.trees.tree_model import TreeCluster
from workers.inspect.html_templates import render, time_text
from workers.inspect.plots import Dot, Plot, curves, timeline
from workers.inspect.site_figures import SiteFindings, SiteOverview
from workers.log_lines import counted

_BAR_WIDTH_MAX_PX = 620
_TEXT_ROWS = 10
_LINE_CHARS = 88
_NODE_CHARS = 160
_MANY_RATIO = 0.8


class _Bar(msgspec.Struct, frozen=True, kw_only=True):
    """A segment whose place is known."""

    width_px: int
    hue_degrees: int
    """0 for template to 120 for content."""
    is_kept: bool
    is_in_best_container: bool
    title: str
    """Text that appears when the pointer is over the bar."""


class _Node(msgspec.Struct, frozen=True, kw_only=True):
    """A node of a tree template."""

    pages: int
    is_on_many: bool
    is_text: bool
    text: str
    """Text, or tag."""
    depth: int
    ended: int
    """Elements that end behind the node."""


class _Kind(msgspec.Struct, frozen=True, kw_only=True):
    """The tree template of a cluster of pages that are alike."""

    pages: int
    sizes: str
    nodes: list[_Node]
    """In document order."""


def site_text(figures: SiteOverview) -> str:
    """Return the figures of a site as lines of text."""
    lines = [
        figures.site,
        f"  window       {_window(figures)}",
        f"  site model   {figures.site_model_version}, of {counted(figures.documents, 'distinct document')}",
        f"  fit          {_fit(figures)}",
        f"  repeated     {_repeated(figures)}",
        *(f"  settings     {line}" for line in figures.settings),
    ]
    lines += [
        f"  kind {number:<7} {counted(one.pages, 'page')}; {counted(one.nodes, 'node')}, {one.texts} of them texts, "
        f"{one.constant_texts} with one text on nearly all pages"
        for number, one in enumerate(figures.kinds, 1)
    ]
    lines += [
        f"  container    {one.pages} of {counted(one.present_pages, 'page')}: {_short(one.path)}"
        for one in figures.containers[:3]
    ]
    lines.append(f"  strings      {figures.string_count} on {counted(figures.documents, 'page')}")
    lines += [f"    {one.pages:5d}  {_short(one.text)}" for one in figures.strings[:_TEXT_ROWS]]
    lines.append(
        "  published with models of so many documents, and agreement with the model of now"
    )
    lines += [
        f"    {one.documents:5d}  {counted(one.pages, 'page')}, word F1 {one.word_f1:.3f}"
        for one in figures.learning_curve
    ]
    return "\n".join(lines)


def site_report(found: SiteFindings, navigation: Markup | None = None) -> Markup:
    """Return the report of a site as one HTML page that runs nothing and fetches nothing.

    Args:
        found: What is known of the site.
        navigation: What comes before the report.
    """
    return render(
        "inspect/templates/site_report.html",
        title=found.figures.site,
        navigation=navigation,
        site=site_values(found),
    )


def site_values(found: SiteFindings) -> dict[str, Any]:
    """Return what the template `site_parts.html` shows of a site."""
    figures = found.figures
    most = max((one.documents for one in figures.learning_curve), default=0) or 1
    curve = [(one.documents / most, one.word_f1) for one in figures.learning_curve]
    bars = _bars(found.example) if found.example else []
    return {
        "facts": {
            "Window": _window(figures),
            "Site model": f"{figures.site_model_version}, of {counted(figures.documents, 'distinct document')}",
            "Site settings": "; ".join(figures.settings) or "none",
            "Fit": _fit(figures),
            "Repeated text left": _repeated(figures),
        },
        "fit_plot": _fit_plot(figures),
        "curve_plot": curves({"word F1": curve}, f"documents, of {most}", "word F1"),
        "curve_rows": [
            (one.documents, one.pages, f"{one.word_f1:.3f}") for one in figures.learning_curve
        ],
        "example_url": found.example_url,
        "bars": bars,
        "best_rows": [row for row, bar in enumerate(bars) if bar.is_in_best_container],
        "container_rows": [
            (f"{one.pages} of {one.present_pages}", one.path) for one in figures.containers
        ],
        "strings": [(one.pages, _short(one.text), one.expression) for one in figures.strings],
        "string_count": figures.string_count,
        "refresh_rows": [
            (
                time_text(one.first_time_ms),
                one.version or "page model alone",
                one.documents,
                one.pages,
            )
            for one in figures.refreshes
        ],
        "kinds": [_kind(one, found.names.labels) for one in found.model.trees.clusters],
    }


def _window(figures: SiteOverview) -> str:
    if figures.first_time_ms is None or figures.last_time_ms is None:
        return "no documents"
    days = (figures.last_time_ms - figures.first_time_ms) / 86_400_000
    return (
        f"{counted(figures.window_pages, 'page')}, {figures.window_bytes / 1024:.0f} KiB, over {days:.1f} days from "
        f"{time_text(figures.first_time_ms)} to {time_text(figures.last_time_ms)}"
    )


def _fit(figures: SiteOverview) -> str:
    known = "not known from topics" if figures.fit is None else f"{figures.fit:.2f}"
    if figures.redesign_time_ms is None:
        return f"{known}; no change of design in the window"
    return f"{known}; the design changed at {time_text(figures.redesign_time_ms)}"


def _repeated(figures: SiteOverview) -> str:
    if figures.repeated_ratio is None:
        return "no words are kept"
    return (
        f"{figures.repeated_ratio:.2%} of the words that are kept are in sentences on many pages, of "
        f"{counted(figures.cleaned_pages, 'page')} looked at"
    )


def _short(text: str, chars: int = _LINE_CHARS) -> str:
    return text if len(text) <= chars else text[: chars - 1] + "…"


def _fit_plot(figures: SiteOverview) -> Plot | None:
    points = figures.fit_over_time
    if not points:
        return None
    first, last = points[0].time_ms, points[-1].time_ms
    moments = [(one.time_ms - first) / max(1, last - first) for one in points]
    if first == last:  # a feed without times of its own
        moments = [number / len(points) for number in range(len(points))]
    dots = [
        Dot(
            x=moment,
            y=one.likeness,
            size_px=3,
            label=f"{one.url}, {time_text(one.time_ms)}: {one.likeness:.2f}",
        )
        for moment, one in zip(moments, points, strict=True)
    ]
    later = [
        moment
        for moment, one in zip(moments, points, strict=True)
        if figures.redesign_time_ms is not None and one.time_ms >= figures.redesign_time_ms
    ]
    marks = {later[0]: "The design changed."} if later else {}
    return timeline(dots, marks, (time_text(first), time_text(last)), "likeness")


def _bars(page: PageExplanation) -> list[_Bar]:
    return [
        _Bar(
            width_px=min(_BAR_WIDTH_MAX_PX, 8 + 60 * len(str(one.words)) + one.words * 2),
            hue_degrees=round(120 * one.place.content),
            is_kept=one.kept,
            is_in_best_container=one.place.in_best_container,
            title=f"#{one.number} {'kept' if one.kept else 'removed'}; {counted(one.place.path_pages, 'page')}, "
            f"content {one.place.content:.0%}: {one.text[:100]}",
        )
        for one in page.segments
        if one.place is not None
    ]


def _kind(cluster: TreeCluster, names: Mapping[int, str]) -> _Kind:
    tree = cluster.reference.tree
    nodes: list[_Node] = []
    ends: list[int] = []
    for label, end, is_text in zip(
        tree.label.tolist(), tree.end.tolist(), tree.is_text.tolist(), strict=True
    ):
        node, depth = len(nodes), len(ends)
        if not is_text:
            ends.append(end)
        ended = sum(one <= node + 1 for one in ends)
        del ends[len(ends) - ended :]
        pages, text_pages = int(cluster.support[node]), int(cluster.text_pages[node])
        nodes.append(
            _Node(
                pages=pages,
                is_on_many=pages >= _MANY_RATIO * cluster.pages,
                is_text=is_text,
                text=_text(names.get(label), text_pages)
                if is_text
                else names.get(label, "an element of unknown tag"),
                depth=depth,
                ended=ended,
            )
        )
    sizes = (
        counted(cluster.pages, "page"),
        counted(len(nodes), "node"),
        counted(tree.is_text.sum(), "text"),
    )
    return _Kind(pages=cluster.pages, sizes=", ".join(sizes), nodes=nodes)


def _text(text: str | None, pages: int) -> str:
    """Return the reference's text at a place with its pages, or that it changes."""
    if pages < 2:
        return "a text that changes"
    known = _short(
        " ".join((text or "a text that is not in the window any more").split()), _NODE_CHARS
    )
    return f"“{known}” on {pages}"
