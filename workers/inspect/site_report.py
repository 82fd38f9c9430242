"""The report of a site, as text for a terminal and as one HTML page with plots."""

from html import escape

from templ_core.explain.page_explanation import PageExplanation, SegmentExplanation
from workers.inspect.plots import Dot, curves, timeline
from workers.inspect.report_parts import html_page, plain_table, section, table, time_text
from workers.inspect.site_figures import CountedText, SiteFindings, SiteOverview
from workers.inspect.tree_page import TREE_STYLE, tree_templates
from workers.log_lines import counted

SITE_STYLE = (
    TREE_STYLE
    + """
.schema rect.place { stroke: var(--back); } .schema .best { fill: none; stroke: var(--c0); }
"""
)
"""Style of the sections of a site."""
_ROW_PX, _DEPTH_PX, _SCHEMA_PX = 9, 7, 620
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


def site_report(found: SiteFindings, navigation: str = "") -> str:
    """Return the report of a site as one HTML page that runs nothing and fetches nothing.

    Args:
        found: What is known of the site.
        navigation: HTML before the report.
    """
    top = f"{navigation}<h1>{escape(found.figures.site)}</h1>"
    return html_page(f"templ: {found.figures.site}", top + site_parts(found), SITE_STYLE)


def site_parts(found: SiteFindings) -> str:
    """Return the sections of the report of a site as HTML."""
    figures = found.figures
    facts = {
        "Window": _window(figures),
        "Site model": f"{figures.site_model_version}, of {counted(figures.documents, 'distinct document')}",
        "Site settings": "; ".join(figures.settings) or "none",
        "Fit": _fit(figures),
        "Repeated text left": _repeated(figures),
    }
    return (
        plain_table(["", ""], facts.items())
        + section("Fit over time", _fit_plot(figures))
        + section("Learning curve", _curve_plot(figures))
        + section("Places and containers", _places(found))
        + section("Repeated strings", _strings(figures))
        + section("History of refreshes", _refreshes(figures))
        + tree_templates(found.model.trees, found.names.labels)
    )


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


def _short(text: str) -> str:
    return text if len(text) <= _LINE_CHARS else text[: _LINE_CHARS - 1] + "…"


def _fit_plot(figures: SiteOverview) -> str:
    points = figures.fit_over_time
    if not points:
        return ""
    first, last = points[0].time_ms, points[-1].time_ms
    moments = [(one.time_ms - first) / max(1, last - first) for one in points]
    if first == last:  # a feed without times of its own
        moments = [number / len(points) for number in range(len(points))]
    dots = [
        Dot(
            x=moment,
            y=one.likeness,
            size=3,
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
    drawing = timeline(dots, marks, (time_text(first), time_text(last)), "likeness")
    return f"<p>How like each page is to the kind of page nearest to it.</p>{drawing}"


def _curve_plot(figures: SiteOverview) -> str:
    points = figures.learning_curve
    if not points:
        return ""
    most = max(one.documents for one in points) or 1
    line = [(one.documents / most, one.word_f1) for one in points]
    rows = [[str(one.documents), str(one.pages), f"{one.word_f1:.3f}"] for one in points]
    return (
        "<p>Texts of the window as they were last published, by the documents of their site model, "
        "against what the present model keeps.</p>"
        f'<div class="side"><div>{curves({"word F1": line}, f"documents, of {most}", "word F1")}</div>'
        f"<div>{table(['documents, from', 'pages', 'mean word F1'], rows)}</div></div>"
    )


def _places(found: SiteFindings) -> str:
    containers = plain_table(
        ["pages", "best container, such as"],
        [[f"{one.pages} of {one.present_pages}", one.path] for one in found.figures.containers],
    )
    if found.example is None:
        return containers
    return (
        f"<p>The newest page, {escape(found.example_url)}, as its places are known: one bar for each "
        "segment, as long as its words are many, green where the site has content and red where it has "
        "template; a frame around what is in the page's best container.</p>"
        f'<div class="side"><div class="schema">{_schema(found.example)}</div><div>{containers}</div></div>'
    )


def _schema(page: PageExplanation) -> str:
    bars, y = [], 0
    inside: list[int] = []
    for one in page.segments:
        place = one.place
        if place is None:
            continue
        width = min(_SCHEMA_PX, 8 + 60 * len(str(one.words)) + one.words * 2)
        if place.in_best_container:
            inside.append(y)
        bars.append(
            f'<rect class="place" x="4" y="{y}" width="{width}" height="{_ROW_PX}" '
            f'fill="hsl({120 * place.content:.0f} 55% 55%)" '
            f'fill-opacity="{1 if one.kept else 0.45}"><title>{escape(_bar_title(one))}</title></rect>'
        )
        y += _ROW_PX
    frame = ""
    if inside:
        frame = (
            f'<rect class="best" x="1" y="{inside[0] - 1}" width="{_SCHEMA_PX + 6}" '
            f'height="{inside[-1] - inside[0] + _ROW_PX + 2}" stroke-width="2"/>'
        )
    height = max(y, 1)
    return (
        f'<svg viewBox="0 -4 {_SCHEMA_PX + 10} {height + 8}" width="{_SCHEMA_PX + 10}" role="img">'
        f"{''.join(bars)}{frame}</svg>"
    )


def _bar_title(one: SegmentExplanation) -> str:
    place = one.place
    known = f"{counted(place.path_pages, 'page')}, content {place.content:.0%}" if place else ""
    return f"#{one.number} {'kept' if one.kept else 'removed'}; {known}: {one.text[:100]}"


def _strings(figures: SiteOverview) -> str:
    rows = [[str(one.pages), _with_expression(one)] for one in figures.strings]
    note = f"The {len(rows)} of {figures.string_count} strings on most pages; numbers may differ."
    return f'<div class="plain">{table(["pages", "string"], rows, note)}</div>'


def _with_expression(string: CountedText) -> str:
    return (
        f"{escape(_short(string.text))}<details><summary>expression</summary>"
        f"<pre>{escape(string.expression)}</pre></details>"
    )


def _refreshes(figures: SiteOverview) -> str:
    rows = [
        [
            time_text(one.first_time_ms),
            one.version or "page model alone",
            str(one.documents),
            str(one.pages),
        ]
        for one in figures.refreshes
    ]
    return plain_table(
        ["first page", "site model", "documents", "pages"],
        rows,
        "Site models as the pages of the window were last published with them.",
    )
