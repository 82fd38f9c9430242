"""`templ tour`: what a run on a synthetic feed has done, as one HTML page to look at."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from statistics import fmean

import click
import msgspec

from schemas.cleaned import CleanedRecord
from schemas.codec import decode_output
from templ_core.dom.document import parse_document
from templ_core.explain.page_explanation import PageExplanation, explain_page
from templ_core.lab.evaluation.words import score_text, word_counts
from templ_core.page_level.model.page_model import PageModel
from workers.cli.output import open_output
from workers.errors import InputProblem
from workers.inspect.frame import frame_document
from workers.inspect.frame_tree import events_of_markup, style_sheets
from workers.inspect.page_report import page_marks
from workers.inspect.plots import curves, standalone
from workers.inspect.report_parts import REPORT_STYLE, html_page, section, table
from workers.inspect.site_figures import site_figures
from workers.inspect.site_report import SITE_STYLE, site_parts
from workers.inspect.site_view import SiteView, view_site
from workers.processes.core_config import config_of
from workers.processes.page_model import page_model_of, read_model_file
from workers.settings import Settings, load_settings

_PAGES_SHOWN = 3
_SHOWN_ROLE = "article"
_STEPS = (1, 2, 3, 5, 8, 12, 20, 35)
"""Numbers of the pages of a site with which a group of the learning curve begins."""
_STYLE = """
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; align-items: start; }
.pair > * { min-width: 0; } .side > div { min-width: 0; max-width: 100%; }
.crawled { height: 30rem; overflow: hidden; border: 1px solid var(--edge); }
.crawled iframe { width: 200%; height: 60rem; border: 0; background: #fff; transform: scale(.5);
  transform-origin: 0 0; }
.pair pre { max-height: 29.6rem; margin: 0; } h3 { font-size: 1rem; overflow-wrap: anywhere; }
.k { background: #cdeccf; color: #10151a; } .r { background: #f7d3cc; color: #10151a; }
@media (max-width: 800px) { .pair { grid-template-columns: 1fr; } }
"""


class _FeedPage(msgspec.Struct, frozen=True):
    """What is read of a page of the feed."""

    url: str
    site: str
    html: str
    page_role: str = ""
    gold_text: str | None = None
    """The truth; None for a page without an article."""


class CurveGroup(msgspec.Struct, frozen=True, kw_only=True):
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
    "--state",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="State directory that the run has left.",
)
@click.option("--out", required=True, type=click.Path(path_type=Path), help="HTML file to write.")
@click.option(
    "--curve",
    type=click.Path(dir_okay=False, path_type=Path),
    help="SVG file to write the learning curve to.",
)
def tour(feed: Path, cleaned: Path, state: Path, out: Path, curve: Path | None) -> None:
    """Write one HTML page about a run: pages before and after, the learning curve, one site's model.

    FEED is what `templ simulate` has written, and CLEANED the output of `templ run` on it.
    """
    try:
        pages = [msgspec.json.decode(line, type=_FeedPage) for line in feed.open("rb")]
    except msgspec.DecodeError as error:
        raise InputProblem(f"{feed} is no feed of `templ simulate`: {error}") from None
    records = [decode_output(line) for line in cleaned.open("rb")]
    texts = {one.source.offset: one.text for one in records if isinstance(one, CleanedRecord)}
    settings = load_settings()
    model = page_model_of(read_model_file(settings.page_model))
    points = learning_curve(pages, texts)
    newest = {one.site: one for one in pages if one.page_role == _SHOWN_ROLE}
    if not newest:
        raise InputProblem(f"{feed} has no articles, which are what is shown")
    views = {site: view_site(state, site, settings) for site in sorted(newest)[:_PAGES_SHOWN]}
    shown = "".join(
        _before_and_after(newest[site], view, settings, model) for site, view in views.items()
    )
    first = next(iter(views.values()))
    parts = site_parts(site_figures(first, model, config_of(settings)))
    body = (
        "<h1>What templ has done</h1>"
        f"<p>{len(pages)} synthetic pages of {len({one.site for one in pages})} sites were cleaned one after the other. Each site "
        "was learned from its pages on the way.</p>"
        + section("Pages before and after", _EXPLAINED + shown)
        + section("Learning curve against the truth", _curve(points))
        + section(f"What is known of {first.site}", parts)
    )
    with open_output(out) as file:
        file.write(html_page("templ: what was done", body, SITE_STYLE + _STYLE).encode())
    if curve is not None:
        with open_output(curve) as file:
            file.write(standalone(_drawing(points), REPORT_STYLE).encode())


_EXPLAINED = (
    '<p>Left: the page as it was crawled, <span class="k">kept</span> and <span class="r">removed</span> text '
    "coloured. Right: the clean text.</p>"
)


def learning_curve(pages: Sequence[_FeedPage], texts: dict[int, str]) -> list[CurveGroup]:
    """Return how good texts are by how many pages of the site came before.

    Args:
        pages: The pages of the feed in order.
        texts: The clean text of each page by its number in the feed; pages without one are left out.
    """
    seen: dict[str, int] = {}
    groups: dict[int, list[float]] = {}
    for number, page in enumerate(pages):
        seen[page.site] = seen.get(page.site, 0) + 1
        if number in texts and page.gold_text is not None:
            first = max(step for step in _STEPS if step <= seen[page.site])
            gold = word_counts(page.gold_text)
            score = score_text(word_counts(texts[number]), gold, word_counts(""))
            groups.setdefault(first, []).append(score.f1)
    return [
        CurveGroup(first_page=first, pages=len(scores), word_f1=fmean(scores))
        for first, scores in sorted(groups.items())
    ]


def _drawing(points: Sequence[CurveGroup]) -> str:
    most = max(len(points) - 1, 1)
    line = [(number / most, one.word_f1) for number, one in enumerate(points)]
    return curves({"word F1": line}, "pages of the site so far, in groups", "word F1")


def _curve(points: Sequence[CurveGroup]) -> str:
    rows = [[str(one.first_page), str(one.pages), f"{one.word_f1:.3f}"] for one in points]
    return (
        "<p>Word F1 of the clean text against the truth, by how many pages of the site were known.</p>"
        f'<div class="side"><div>{_drawing(points)}</div>'
        f"<div>{table(['from page', 'pages', 'mean word F1'], rows)}</div></div>"
    )


def _before_and_after(page: _FeedPage, view: SiteView, settings: Settings, model: PageModel) -> str:
    document = parse_document(page.html, page.url)
    config = config_of(settings)
    explained: PageExplanation = explain_page(document, view.used_model(), config, model)
    cuts = {one.number: one.cuts for one in explained.segments if one.cuts}
    events = events_of_markup(page.html, document, cuts) or []
    marks = [msgspec.structs.replace(one, groups=()) for one in page_marks(explained)]
    frame = frame_document(events, marks, [], style_sheets(page.html))
    return (
        f"<h3>{escape(explained.title)}</h3>"
        f'<p class="soft">{escape(page.url)}, with a site model of {explained.site_documents} pages</p>'
        f'<div class="pair"><div class="crawled"><iframe sandbox="" referrerpolicy="no-referrer" '
        f'title="The page as crawled" srcdoc="{escape(frame)}"></iframe></div><pre>{escape(explained.text)}</pre></div>'
    )
