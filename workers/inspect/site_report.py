"""The report of a site, as text for a terminal and as one HTML page with plots."""

from collections.abc import Iterator, Mapping
from typing import Any

from markupsafe import Markup

from templ_core.site_level.trees.tree_model import TreeCluster
from workers.inspect.html_templates import render, shortened, time_text
from workers.inspect.plots import Dot, Plot, curves, timeline
from workers.inspect.site_figures import SiteFindings, SiteOverview
from workers.log_lines import counted

_TEXT_ROWS = 10
_LINE_CHARS = 88


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
        f"  container    {one.pages} of {counted(one.present_pages, 'page')}: {shortened(one.path, _LINE_CHARS)}"
        for one in figures.containers[:3]
    ]
    lines.append(f"  strings      {figures.string_count} on {counted(figures.documents, 'page')}")
    lines += [
        f"    {one.pages:5d}  {shortened(one.text, _LINE_CHARS)}"
        for one in figures.strings[:_TEXT_ROWS]
    ]
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
    places = [one for one in found.example.segments if one.place] if found.example else []
    return {
        "facts": {
            "Window": _window(figures),
            "Site model": f"{figures.site_model_version}, of {counted(figures.documents, 'distinct document')}",
            "Site settings": "; ".join(figures.settings) or "none",
            "Fit": _fit(figures),
            "Repeated text left": _repeated(figures),
        },
        "figures": figures,
        "fit_plot": _fit_plot(figures),
        "curve_plot": curves({"word F1": curve}, f"documents, of {most}", "word F1"),
        "example_url": found.example_url,
        "places": places,
        "best_rows": [
            row for row, one in enumerate(places) if one.place and one.place.in_best_container
        ],
        "kinds": [(one, _nodes(one, found.names.labels)) for one in found.model.trees.clusters],
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


def _fit_plot(figures: SiteOverview) -> Plot | None:
    points = figures.fit_over_time
    if not points:
        return None
    first, last = points[0].time_ms, points[-1].time_ms
    moments = [(one.time_ms - first) / max(1, last - first) for one in points]
    if first == last:  # a feed without times of its own
        moments = [number / len(points) for number in range(len(points))]
    dots: list[Dot] = []
    marks: dict[float, str] = {}
    for moment, one in zip(moments, points, strict=True):
        label = f"{one.url}, {time_text(one.time_ms)}: {one.likeness:.2f}"
        dots.append(Dot(x=moment, y=one.likeness, size_px=3, label=label))
        if figures.redesign_time_ms is not None and one.time_ms >= figures.redesign_time_ms:
            marks = marks or {moment: "The design changed."}
    return timeline(dots, marks, (time_text(first), time_text(last)), "likeness")


def _nodes(
    cluster: TreeCluster, names: Mapping[int, str]
) -> Iterator[tuple[str | None, bool, int, int, int, int]]:
    """Yield the nodes of a tree template in document order.

    Each is its tag or text, where that is known, whether it is text, the pages that have it and the text, its
    depth, and the number of elements that end behind it.
    """
    tree = cluster.reference.tree
    ends: list[int] = []
    for node, label in enumerate(tree.label.tolist()):
        depth, is_text = len(ends), bool(tree.is_text[node])
        if not is_text:
            ends.append(int(tree.end[node]))
        ended = sum(end <= node + 1 for end in ends)
        del ends[len(ends) - ended :]
        pages, text_pages = int(cluster.support[node]), int(cluster.text_pages[node])
        yield names.get(label), is_text, pages, text_pages, depth, ended
