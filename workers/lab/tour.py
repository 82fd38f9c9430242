"""`templ tour`: what a run on a synthetic feed has done, as one HTML page to look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import click
from markupsafe import Markup

from schemas.cleaned import CleanedRecord
from schemas.codec import decode_output
from templ_core.dom.document import parse_document
from templ_core.explain.page_explanation import explain_page
from templ_core.page_level.model.page_model import PageModel
from templ_core.records.records import PageRecords
from workers.cli.options import open_output
from workers.errors import InputProblem
from workers.inspect.faded_page import Marking, faded_page, plain_page
from workers.inspect.frame_tree import events_of_markup, style_sheets
from workers.inspect.html_templates import render
from workers.inspect.plots import Plot
from workers.inspect.site_view import SiteView, view_site
from workers.lab import experiment as lab
from workers.lab.corpora import read_objects, record_markup
from workers.lab.evaluation.corpus_files import EvaluationFiles
from workers.lab.evaluation.judge import TEMPL, judge_all
from workers.lab.evaluation.page_models import one_model
from workers.lab.plots import line_chart, svg_file
from workers.processes.options import config_of
from workers.processes.page_model import page_model_of, read_model_file
from workers.settings import Settings, load_settings

_SHOWN = (
    ("news", "article", "A news story"),
    ("shop", "article", "A product of a shop"),
    ("shop", "listing", "A list of products"),
    ("manual", "article", "A page of a manual"),
)
"""Sort of site and role of the pages that are shown, and their headings."""
_STEPS = (1, 2, 3, 5, 8, 12, 20, 35)
"""Numbers of the pages of a site with which a group of the learning curve begins."""


class CurveGroup(NamedTuple):
    """How good the texts are of a group of pages that came equally late at their sites."""

    first_page: int
    """Number of the first page of the group at its site, from 1."""
    pages: int
    word_f1: float
    """Mean word F1 against the gold text, 0 to 1."""


class PageBeforeAfter(NamedTuple):
    """A page before and after."""

    heading: str
    url: str
    documents: int
    """Pages that its site model rests on."""
    before: Markup
    after: Markup


@click.command()
@click.argument("feed", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("cleaned", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--state", required=True, type=lab.DIRECTORY, help="State directory that the run has left."
)
@click.option("--out", required=True, type=lab.PATH, help="HTML file to write.")
@click.option("--curve", type=lab.FILE, help="SVG file to write the learning curve to.")
@click.option(
    "--page-only",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Output of `templ run --page-only` on FEED, for a second line of the learning curve.",
)
def tour(
    feed: Path, cleaned: Path, state: Path, out: Path, curve: Path | None, page_only: Path | None
) -> None:
    """Write one HTML page about a run: pages before and after, and the learning curve.

    FEED is what `templ simulate` has written, and CLEANED the output of `templ run` on it. Fields and records are
    marked where the run had --records.
    """
    pages = [record for _, record in read_objects(feed)]
    if not all("page_role" in page for page in pages):
        raise InputProblem(f"{feed} is no feed of `templ simulate`")
    outputs = [decode_output(line) for line in cleaned.open("rb")]
    records = {
        one.source.offset: one.records or PageRecords()
        for one in outputs
        if isinstance(one, CleanedRecord)
    }
    newest = {
        (page["kind"], page["page_role"]): number
        for number, page in enumerate(pages)
        if number in records
    }
    wanted = [(newest[kind, role], text) for kind, role, text in _SHOWN if (kind, role) in newest]
    if not wanted:
        raise InputProblem(f"{feed} has no articles with a clean text, which are what is shown")
    settings = load_settings()
    model = page_model_of(read_model_file(settings.page_model))
    scores = _scores(feed, cleaned, settings)
    points = learning_curve(scores)
    lines = {"with what was learned": points}
    if page_only is not None:
        lines["each page by itself"] = learning_curve(_scores(feed, page_only, settings))
    report = render(
        "lab/templates/tour.html",
        title="what was done",
        page_count=len(pages),
        site_count=len({one["site"] for one in pages}),
        word_f1=fmean(f1 for _, f1 in scores),
        shown=[
            _shown(
                heading,
                pages[number],
                records[number],
                view_site(state, pages[number]["site"], settings),
                settings,
                model,
            )
            for number, heading in wanted
        ],
        plot=_drawing(lines),
        curve_rows=[(one.first_page, one.pages, f"{one.word_f1:.3f}") for one in points],
    )
    with open_output(out) as file:
        file.write(report.encode())
    if curve is not None:
        with open_output(curve) as file:
            file.write(svg_file(_drawing(lines)).encode())


def _scores(feed: Path, cleaned: Path, settings: Settings) -> list[tuple[int, float]]:
    """Return the number of each page at its site, from 1, and its word F1 as `templ evaluate` finds it."""
    sources = EvaluationFiles([feed, cleaned], None)
    judgements = judge_all(
        sources.pages(lambda _bytes, _text: None),
        one_model(settings.page_model),
        (),
        1,
        with_segments=False,
        balances=["even"],
    )
    return [(one.scores[TEMPL].seen, one.scores[TEMPL].f1) for one in judgements]


def learning_curve(scores: Sequence[tuple[int, float]]) -> list[CurveGroup]:
    """Return how good texts are by how many pages of the site came before.

    Args:
        scores: Of each page its number at its site, from 1, and its word F1.
    """
    groups: dict[int, list[float]] = {}
    for seen, f1 in scores:
        groups.setdefault(max(step for step in _STEPS if step <= seen), []).append(f1)
    return [
        CurveGroup(first_page=first, pages=len(some), word_f1=fmean(some))
        for first, some in sorted(groups.items())
    ]


def _drawing(lines: Mapping[str, Sequence[CurveGroup]]) -> Plot:
    drawn = {
        name: [(one.first_page, one.word_f1) for one in points] for name, points in lines.items()
    }
    return line_chart("", "pages of the site so far", "word F1", drawn)


def _shown(
    heading: str,
    page: dict[str, Any],
    records: PageRecords,
    view: SiteView,
    settings: Settings,
    model: PageModel,
) -> PageBeforeAfter:
    markup = record_markup(page)
    document = parse_document(markup, page["url"])
    explained = explain_page(document, view.used_model(), config_of(settings), model)
    cuts = {one.number: one.cuts for one in explained.segments if one.cuts}
    events, sheets = events_of_markup(markup, document, cuts) or [], style_sheets(markup)
    fields = {text for one in records.fields for text in (one.name, one.value)}
    names = {one.name for one in records.items}
    markings: list[Marking] = [
        "gone"
        if not one.kept
        else "record"
        if one.text in names
        else "field"
        if one.text in fields
        else "kept"
        for one in explained.segments
    ]
    return PageBeforeAfter(
        heading,
        page["url"],
        explained.site_documents,
        plain_page(events, sheets),
        faded_page(events, markings, sheets),
    )
