"""The HTML report of an evaluation; it has plots and needs no network."""

from html import escape

from templ_core.lab.evaluation.bootstrap import Interval
from templ_core.lab.evaluation.calibration import Calibration
from templ_core.lab.evaluation.template_places import FMean
from workers.inspect.plots import Dot, curves, reliability, rows, speed
from workers.inspect.report_parts import html_page, section, table
from workers.lab.evaluation.figures import ALL, TEMPLATE_F_COUNTS, Figures, WorstPage
from workers.lab.evaluation.judge import PARSE, TEMPL, WHOLE_PAGE

_MOST_ROWS = 80
_PAGES_A_ROW = 3
"""Smallest mean number of pages in a group for which a grouping is plotted."""
_GOOD_F1 = 0.95
"""F1 from which on a page is not among the worst ones."""
_DOT_MIN, _DOT_MAX = 3.0, 11.0


def render_report(figures: Figures) -> str:
    """Return the report as one HTML page."""
    total = figures.groups["all"][ALL][TEMPL]
    size = f"{_count(total.pages, 'page')} of {_count(total.sites, 'site')}"
    sections = [
        f"<h1>Word F1 {total.f1:.3f}</h1><p>on {size}{_brackets(total.f1_interval)}</p>",
        f'<p class="soft">{escape("; ".join(f"{a} {b}" for a, b in figures.versions.items()))}</p>',
        *(f"<p><strong>{escape(note)}</strong></p>" for note in figures.notes),
        section("Systems", _systems(figures)),
        _plots(figures),
        *(_grouping(title, figures) for title in figures.groups if title != "all"),
        section("Decisions on segments", _segments(figures)),
        section("Repeated text", _repeated(figures)),
        section("Worst pages", _worst_pages(figures)),
    ]
    return html_page(f"templ evaluate: {total.f1:.3f}", "".join(sections))


def _systems(figures: Figures) -> str:
    cells = []
    for system in figures.systems:
        one = figures.groups["all"][ALL][system]
        better = figures.differences[ALL].get(system)
        timing = figures.timing.get(system)
        nothing = sum(figures.failures.get(system, {}).values())
        cells.append(
            [
                escape(system),
                _number(one.f1) + _brackets(one.f1_interval),
                _number(one.precision),
                _number(one.recall),
                _number(one.character_f1),
                _number(one.template_f),
                _number(one.site_f1) + _brackets(one.site_f1_interval),
                f"{one.below_half:.1%}",
                f"{better.of_pages:+.3f}{_brackets(better.pages_interval)}" if better else "",
                f"{timing.mean_ms:.1f}" if timing else "",
                f"{timing.median_ms:.1f}" if timing else "",
                f"{timing.parses:.1f}" if timing else "",
                str(nothing) if nothing else "",
            ]
        )
    heads = [
        "", "F1", "precision", "recall", "character F1", "template F", "site mean F1", "below 0.5",
        "templ is better by", "ms a page", "median ms", "× lxml parse", "failed pages",
    ]  # fmt: skip
    used = [at for at, head in enumerate(heads) if not head or any(row[at] for row in cells)]
    return table(
        [heads[at] for at in used],
        [[row[at] for at in used] for row in cells],
        "Means over pages; in brackets the 95 % interval of 1000 bootstrap samples of sites. "
        "Character F1 is for pages in scripts without blanks between words.",
    )


def _plots(figures: Figures) -> str:
    plots = []
    if len(figures.timing) > 1:
        row = figures.groups["all"][ALL]
        timed = {
            name: (figures.timing[name].mean_ms, row[name].f1)
            for name in figures.systems
            if name in figures.timing
        }
        parse_ms = figures.timing[PARSE].mean_ms
        drawing = speed(timed, figures.systems, "ms a page", "word F1")
        note = f'<p class="soft">A bare lxml parse takes {parse_ms:.1f} ms.</p>'
        plots.append(section("Quality and speed", drawing + note))
    if figures.quantiles:
        lines = {
            name: [(value, at / (len(values) - 1)) for at, value in enumerate(values)]
            for name, values in figures.quantiles.items()
        }
        plots.append(
            section("Distribution of F1", curves(lines, "word F1", "share of pages below"))
        )
    if figures.segments:
        lines = {
            f"{name} (recall {one.recall_at_precision:.2f} at 0.9)": [
                (point.recall, point.precision) for point in one.curve
            ]
            for name, one in figures.segments.items()
        }
        plots.append(
            section("Precision and recall of content", curves(lines, "recall", "precision"))
        )
    if figures.calibration:
        dots = {
            f"{name} (mean error {one.mean_error:.3f})": _dots(one)
            for name, one in figures.calibration.items()
        }
        plots.append(
            section("Calibration of the confidence", reliability(dots, "confidence", "word F1"))
        )
    return f'<div class="side">{"".join(f"<div>{plot}</div>" for plot in plots)}</div>'


def _dots(calibration: Calibration) -> list[Dot]:
    most = max(one.pages for one in calibration.bins)
    return [
        Dot(
            x=one.confidence,
            y=one.f1,
            size=_DOT_MIN + (_DOT_MAX - _DOT_MIN) * (one.pages / most) ** 0.5,
            label=f"{_count(one.pages, 'page')}: confidence {one.confidence:.3f}, F1 {one.f1:.3f}",
        )
        for one in calibration.bins
    ]


def _grouping(title: str, figures: Figures) -> str:
    groups = figures.groups[title]
    pages = sum(row[TEMPL].pages for row in groups.values())
    if len(groups) < 2 or pages < _PAGES_A_ROW * len(groups):
        return ""
    worst_first = sorted(groups.items(), key=lambda item: (item[1][TEMPL].f1, item[0]))
    shown = worst_first[:_MOST_ROWS] if title == "site" else list(groups.items())[:_MOST_ROWS]
    note = f" ({_MOST_ROWS} of {len(groups)})" if len(shown) < len(groups) else ""
    drawing = rows(
        {
            f"{name or '-'} ({row[TEMPL].pages})": {
                system: one.f1 for system, one in row.items() if system != WHOLE_PAGE
            }
            for name, row in shown
        },
        "word F1",
    )
    return section(f"By {title}{note}", drawing)


def _segments(figures: Figures) -> str:
    cells = [
        [
            escape(name),
            *(_f(one.f.in_templates.get(counted)) for counted in TEMPLATE_F_COUNTS),
            *(_f(one.f.in_content.get(counted)) for counted in TEMPLATE_F_COUNTS),
            _number(one.adjusted_rand.of_pages) + _brackets(one.adjusted_rand.pages_interval),
            _number(one.recall_at_precision),
        ]
        for name, one in figures.segments.items()
    ]
    heads = [
        "", "template: text", "anchor text", "links", "content: text", "anchor text", "links",
        "adjusted RAND", "recall at P 0.9",
    ]  # fmt: skip
    return table(
        heads,
        cells,
        "f-measures, means over sites; after the slash the f of calling all text template, or content.",
    )


def _repeated(figures: Figures) -> str:
    cells = [
        [escape(corpus), escape(system), f"{one.ratio:.4f}", escape(one.worst_site),
         f"{one.worst_ratio:.4f}"]
        for corpus, systems in figures.repeated.items()
        for system, one in systems.items()
    ]  # fmt: skip
    return table(
        ["corpus", "system", "share of words", "worst site", "its share"],
        cells,
        "Published words in sentences of at least 8 words that at least 4 and 10 % of a site's "
        "pages have.",
    )


def _worst_pages(figures: Figures) -> str:
    worst = [one for one in figures.worst if one.f1 < _GOOD_F1]
    return "".join(map(_worst, worst)) or f"<p>No page has an F1 below {_GOOD_F1}.</p>"


def _worst(one: WorstPage) -> str:
    facts = [f"P {one.precision:.2f}", f"R {one.recall:.2f}"]
    if one.confidence is not None:
        facts.append(f"confidence {one.confidence:.2f}")
    facts += [f"{name} {f1:.2f}" for name, f1 in one.others.items()]
    where = f"{one.corpus} record {one.offset}" + (f", {one.page_type}" if one.page_type else "")
    return (
        f"<details><summary><strong>{one.f1:.2f}</strong> <code>{escape(one.url)}</code> "
        f'<span class="soft">{escape(where)}; {escape(", ".join(facts))}</span></summary>'
        f"{_excerpt('Kept, but not in the gold', one.kept_wrongly)}"
        f"{_excerpt('In the gold, but not kept', one.missed)}"
        f"{_neutral(one.kept_neutral)}</details>"
    )


def _excerpt(title: str, text: str) -> str:
    return f"<p>{title}</p><pre>{escape(text)}</pre>" if text else f"<p>{title}: nothing</p>"


def _neutral(text: str) -> str:
    if not text:
        return ""
    title = "Kept, and neutral: neither content nor template, so it does not count"
    return f'<div class="soft"><p>{title}</p><pre>{escape(text)}</pre></div>'


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _brackets(interval: Interval | None) -> str:
    if interval is None:
        return ""
    return f' <span class="soft">[{interval.low:.3f}, {interval.high:.3f}]</span>'


def _f(mean: FMean | None) -> str:
    return "" if mean is None else f"{mean.f:.3f} / {mean.all_f:.3f}"
