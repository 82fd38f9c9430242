"""Sites replayed page by page through the worker's own code, with and without site evidence."""

import statistics
from collections.abc import Callable, Sequence
from itertools import repeat
from pathlib import Path

import click
import msgspec

from templ_core.page_level.model.page_model import PageModel
from workers.feeds.files import read_feed
from workers.lab.evaluation.evaluation_page import EvaluationPage, read_evaluation_pages
from workers.lab.evaluation.judge import page_markup
from workers.lab.evaluation.scoring import TextScorer
from workers.lab.experiments.corpora.fusion_pages import FoldModels
from workers.lab.job_processes import map_in_processes
from workers.lab.jsonl import corpus_name, read_objects
from workers.lab.options import jobs_option
from workers.local.local_state import LocalState
from workers.local.stream import Stream
from workers.page import Page
from workers.pipeline.cleaner import Cleaned, Cleaner, NoModels
from workers.processes.page_model import page_model_of, read_model_file
from workers.processes.tasks import InProcess
from workers.settings import Settings, load_settings


class ReplayedPage(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one page."""

    site: str
    number: int
    """Position of the page among the pages of its site, from 1, in order of arrival."""
    design: str
    """Name of the site's design at that time; empty if the corpus does not name it."""
    uses_site: bool
    """Whether the evidence of the site had any weight in the decision."""
    finds_redesign: bool
    """Whether a redesign of the site was detected with this page."""
    f1: float | None
    """Word F1; None for pages without gold."""
    alone_f1: float | None
    """Word F1 of the page level alone; None for pages without gold."""


def replay_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the argument and the options of the commands that replay sites."""
    for add in (
        jobs_option,
        click.option(
            "--folds",
            type=click.Path(path_type=Path, file_okay=False),
            help="Clean each site with a page model that was trained without it; a directory of "
            "`templ train --folds`.  [default: the shipped page model]",
        ),
        click.argument("corpus", type=click.Path(path_type=Path)),
    ):
        command = add(command)
    return command


def replay_row(name: str, pages: Sequence[ReplayedPage]) -> list[str]:
    """Return a table row: name, number of scored pages, mean F1 without and with the site, gain."""
    scored = [(page.alone_f1 or 0.0, page.f1) for page in pages if page.f1 is not None]
    if not scored:
        return [name, "0", "", "", ""]
    alone = statistics.fmean(one for one, _ in scored)
    fused = statistics.fmean(one for _, one in scored)
    return [name, str(len(scored)), f"{alone:.4f}", f"{fused:.4f}", f"{fused - alone:+.4f}"]


def replay_sites(
    corpus: Path,
    *,
    time_field: str,
    folds: Path | None,
    design_field: str | None = None,
    jobs: int = 1,
) -> list[list[ReplayedPage]]:
    """Clean the pages of each site in order; each page profits from the pages before it.

    Args:
        corpus: JSON Lines file.
        time_field: Field that orders the pages, in the sense of `templ run --time-field`.
        folds: Directory of `templ train --folds`; None uses the shipped page model.
        design_field: Field that names the design of a page.
        jobs: Number of sites to process at the same time, each in a process of its own.

    Returns:
        One list for each site, in the order of the corpus. With `folds`, sites are left out on
        which no page model was trained; they have no gold.
    """
    records = list(read_objects(corpus))
    gold = {page.offset: page for page in read_evaluation_pages(corpus.name, records)}
    designs = [str(fields.get(design_field) or "") if design_field else "" for _, fields in records]
    sites: dict[str, list[Page]] = {}
    for page in read_feed([corpus], time_field=time_field):
        if isinstance(page, Page):
            sites.setdefault(page.site, []).append(page)
    models = _page_models(corpus, list(sites.values()), folds)
    known = [(some, model) for some, model in zip(sites.values(), models, strict=True) if model]
    return list(
        map_in_processes(
            jobs,
            _replay,
            [pages for pages, _ in known],
            [model for _, model in known],
            [[gold.get(page.source.offset) for page in pages] for pages, _ in known],
            [[designs[page.source.offset] for page in pages] for pages, _ in known],
            repeat(load_settings()),
        )
    )


def _page_models(
    corpus: Path, sites: Sequence[Sequence[Page]], folds: Path | None
) -> list[PageModel | None]:
    if folds is None:
        model = page_model_of(read_model_file(load_settings().page_model))
        return [model for _ in sites]
    name = corpus_name(corpus)
    found = FoldModels(folds).folds([(name, pages[0].url, pages[0].site) for pages in sites])
    return [one and one[1] for one in found]


def _replay(
    pages: Sequence[Page],
    page_model: PageModel,
    gold: Sequence[EvaluationPage | None],
    designs: Sequence[str],
    settings: Settings,
) -> list[ReplayedPage]:
    runner = InProcess(page_model)
    state = LocalState(None, settings)
    stream = Stream(state, runner, settings)
    alone = Cleaner(runner, NoModels(), settings)
    replayed = []
    found_ms: int | None = None
    for number, (page, wanted, design) in enumerate(zip(pages, gold, designs, strict=True), 1):
        outcome, _ = stream.process(page)
        if not isinstance(outcome, Cleaned):
            continue
        changed_at_ms = state.windows.site_state(page.site).changed_at_ms
        finds_redesign = changed_at_ms is not None and changed_at_ms != found_ms
        found_ms = changed_at_ms
        by_page = alone.process(page)
        f1 = alone_f1 = None
        if wanted is not None:
            scorer = TextScorer(wanted, page_markup(wanted))
            f1 = scorer.score(outcome.record.text).f1
            alone_text = by_page.record.text if isinstance(by_page, Cleaned) else ""
            alone_f1 = scorer.score(alone_text).f1
        replayed.append(
            ReplayedPage(
                site=page.site,
                number=number,
                design=design,
                finds_redesign=finds_redesign,
                uses_site=outcome.record.method == "site",
                f1=f1,
                alone_f1=alone_f1,
            )
        )
    return replayed
