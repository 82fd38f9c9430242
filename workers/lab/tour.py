"""`templ tour`: what a run on a synthetic feed has done, as one HTML page to look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import click
import msgspec

from schemas.cleaned import CleanedRecord
from schemas.codec import decode_output
from templ_core.dom.document import parse_document
from templ_core.explain.page_explanation import PageExplanation, explain_page
from templ_core.lab.evaluation.words import page_words, score_text, word_counts
from templ_core.page_level.model.page_model import PageModel
from workers.cli.options import open_output
from workers.errors import InputProblem
from workers.inspect.frame import frame_document
from workers.inspect.frame_tree import events_of_markup, style_sheets
from workers.inspect.html_templates import render
from workers.inspect.page_report import page_marks
from workers.inspect.plots import Plot
from workers.inspect.site_report import site_figures, site_values
from workers.inspect.site_view import CleaningVariant, SiteView, view_site
from workers.lab import experiment as lab
from workers.lab.corpora import read_objects, record_markup
from workers.lab.plots import line_chart, svg_file
from workers.processes.options import config_of
from workers.processes.page_model import page_model_of, read_model_file
from workers.settings import Settings, load_settings

_PAGES_SHOWN = 3
_SHOWN_ROLE = "article"
_STEPS = (1, 2, 3, 5, 8, 12, 20, 35)
"""Numbers of the pages of a site with which a group of the learning curve begins."""


class CurveGroup(NamedTuple):
    """How good the texts are of a group of pages that came equally late at their sites."""

    first_page: int
    """Number of the first page of the group at its site, from 1."""
    pages: int
    word_f1: float
    """Mean word F1 against the gold text, 0 to 1."""


@click.command()
@click.argument("feed", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("cleaned", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--state", required=True, type=lab.DIRECTORY, help="State directory that the run has left."
)
@click.option("--out", required=True, type=lab.PATH, help="HTML file to write.")
@click.option("--curve", type=lab.FILE, help="SVG file to write the learning curve to.")
def tour(feed: Path, cleaned: Path, state: Path, out: Path, curve: Path | None) -> None:
    """Write one HTML page about a run: pages before and after, the learning curve, one site's model.

    FEED is what `templ simulate` has written, and CLEANED the output of `templ run` on it.
    """
    pages = [record for _, record in read_objects(feed)]
    if not all("page_role" in page for page in pages):
        raise InputProblem(f"{feed} is no feed of `templ simulate`")
    records = [decode_output(line) for line in cleaned.open("rb")]
    texts = {one.source.offset: one.text for one in records if isinstance(one, CleanedRecord)}
    settings = load_settings()
    model = page_model_of(read_model_file(settings.page_model))
    points = learning_curve(pages, texts)
    newest = {one["site"]: one for one in pages if one["page_role"] == _SHOWN_ROLE}
    if not newest or not points:
        raise InputProblem(f"{feed} has no articles with a clean text, which are what is shown")
    views = {site: view_site(state, site, settings) for site in sorted(newest)[:_PAGES_SHOWN]}
    first = next(iter(views.values()))
    report = render(
        "lab/templates/tour.html",
        title="what was done",
        page_count=len(pages),
        word_f1=fmean([one.word_f1 for one in points], [one.pages for one in points]),
        site_count=len({one["site"] for one in pages}),
        shown=[_shown(newest[site], view, settings, model) for site, view in views.items()],
        plot=_drawing(points),
        curve_rows=[(one.first_page, one.pages, f"{one.word_f1:.3f}") for one in points],
        key=first.site,
        site=site_values(site_figures(first, CleaningVariant.of(settings))),
    )
    with open_output(out) as file:
        file.write(report.encode())
    if curve is not None:
        with open_output(curve) as file:
            file.write(svg_file(_drawing(points)).encode())


def learning_curve(pages: Sequence[dict[str, Any]], texts: dict[int, str]) -> list[CurveGroup]:
    """Return how good texts are by how many pages of the site came before."""
    seen: Counter[str] = Counter()
    groups: dict[int, list[float]] = {}
    for number, page in enumerate(pages):
        seen[page["site"]] += 1
        if number in texts and page["gold_text"] is not None:
            first = max(step for step in _STEPS if step <= seen[page["site"]])
            gold = word_counts(page["gold_text"])
            _, neutral = page_words(record_markup(page), page.get("gold_neutral"))
            score = score_text(word_counts(texts[number]), gold, neutral)
            groups.setdefault(first, []).append(score.f1)
    return [
        CurveGroup(first_page=first, pages=len(scores), word_f1=fmean(scores))
        for first, scores in sorted(groups.items())
    ]


def _drawing(points: Sequence[CurveGroup]) -> Plot:
    line = [(one.first_page, one.word_f1) for one in points]
    return line_chart("", "pages of the site so far", "word F1", {"templ": line})


def _shown(
    page: dict[str, Any], view: SiteView, settings: Settings, model: PageModel
) -> tuple[str, PageExplanation, str]:
    """Return the address of a page, its explanation, and the document of its frame."""
    markup = record_markup(page)
    document = parse_document(markup, page["url"])
    explained = explain_page(document, view.used_model(), config_of(settings), model)
    cuts = {one.number: one.cuts for one in explained.segments if one.cuts}
    events = events_of_markup(markup, document, cuts) or []
    marks = [msgspec.structs.replace(one, groups=()) for one in page_marks(explained)]
    frame = frame_document(events, marks, [], style_sheets(markup))
    return page["url"], explained, frame
