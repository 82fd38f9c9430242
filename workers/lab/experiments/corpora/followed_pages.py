"""Pages of corpora on the worker's own path, in order, with their site's evidence and without."""

import statistics
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path

import click
import msgspec

from templ_core.page_level.model.page_model import PageModel
from workers.feeds.files import read_feed
from workers.lab.evaluation.gold_page import GoldPage, gold_pages
from workers.lab.evaluation.judge import markup_of
from workers.lab.evaluation.scoring import TextScorer
from workers.lab.experiments.corpora.fusion_pages import FoldModels
from workers.lab.jsonl import read_objects
from workers.local.local_state import LocalState
from workers.local.stream import Stream
from workers.page import Page
from workers.pipeline.cleaner import Cleaned, Cleaner, NoModels
from workers.processes.page_model import page_model_of, read_model_file
from workers.processes.tasks import InProcess
from workers.settings import Settings, load_settings


class FollowedPage(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one page."""

    site: str
    number: int
    """Which page of its site, from 1, in the order in which they came."""
    design: str
    """Name of its site's design; empty where the corpus does not say."""
    uses_site: bool
    """Whether the evidence of its site had weight."""
    finds_change: bool
    """Whether a change of its site's design was found with it."""
    f1: float | None
    """Word F1; None for pages without gold."""
    alone_f1: float | None
    """The same by the page level alone."""


def followed_options(command: Callable[..., None]) -> Callable[..., None]:
    """Argument and options of the commands that follow the sites of a corpus."""
    for add in (
        click.option("--jobs", default=1, show_default=True, type=click.IntRange(min=1)),
        click.option(
            "--folds",
            type=click.Path(path_type=Path, file_okay=False),
            help="Directory of page models that leave sites out; else the shipped page model.",
        ),
        click.argument("corpus", type=click.Path(path_type=Path)),
    ):
        command = add(command)
    return command


def figures_row(name: str, pages: Sequence[FollowedPage]) -> list[str]:
    """Name, number of pages with gold, mean word F1 of the page level and with the site, and the gain."""
    scored = [(page.alone_f1 or 0.0, page.f1) for page in pages if page.f1 is not None]
    if not scored:
        return [name, "0", "", "", ""]
    alone = statistics.fmean(one for one, _ in scored)
    fused = statistics.fmean(one for _, one in scored)
    return [name, str(len(scored)), f"{alone:.4f}", f"{fused:.4f}", f"{fused - alone:+.4f}"]


def follow_sites(
    corpus: Path,
    *,
    time_field: str,
    folds: Path | None,
    design_field: str | None = None,
    jobs: int = 1,
) -> list[list[FollowedPage]]:
    """The pages of each site of a corpus, each cleaned with what the pages before it have taught.

    Args:
        corpus: File of JSON Lines.
        time_field: As of `templ run`.
        folds: Directory of page models that leave sites out; None for the shipped page model.
        design_field: Field that names the design of a page.
        jobs: Sites that are followed at the same time, each in a process.

    Returns:
        A list for each site, in order of the corpus. Sites that no page model was trained on are
        left out where `folds` are given: they have no gold.
    """
    records = list(read_objects(corpus))
    gold = {page.offset: page for page in gold_pages(corpus.name, records)}
    designs = [str(fields.get(design_field) or "") for _, fields in records]
    sites: dict[str, list[Page]] = {}
    for page in read_feed([corpus], time_field=time_field):
        if isinstance(page, Page):
            sites.setdefault(page.site, []).append(page)
    models = _page_models(corpus, list(sites.values()), folds)
    known = [(some, model) for some, model in zip(sites.values(), models, strict=True) if model]
    with ProcessPoolExecutor(jobs) as pool:
        return list(
            pool.map(
                _follow,
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
    name = corpus.name.partition(".")[0]
    found = FoldModels(folds).folds([(name, pages[0].url, pages[0].site) for pages in sites])
    return [one and one[1] for one in found]


def _follow(
    pages: Sequence[Page],
    page_model: PageModel,
    gold: Sequence[GoldPage | None],
    designs: Sequence[str],
    settings: Settings,
) -> list[FollowedPage]:
    runner = InProcess(page_model)
    state = LocalState(None, settings)
    stream = Stream(state, runner, settings)
    alone = Cleaner(runner, NoModels(), settings)
    followed = []
    found_ms: int | None = None
    for number, (page, wanted, design) in enumerate(zip(pages, gold, designs, strict=True), 1):
        outcome, _ = stream.process(page)
        if not isinstance(outcome, Cleaned):
            continue
        changed_at_ms = state.windows.site_state(page.site).changed_at_ms
        finds_change = changed_at_ms is not None and changed_at_ms != found_ms
        found_ms = changed_at_ms
        by_page = alone.process(page)
        scorer = TextScorer(wanted, markup_of(wanted)) if wanted else None
        followed.append(
            FollowedPage(
                site=page.site,
                number=number,
                design=design,
                finds_change=finds_change,
                uses_site=outcome.record.method == "site",
                f1=scorer and scorer.score(outcome.record.text).f1,
                alone_f1=scorer
                and scorer.score(by_page.record.text if isinstance(by_page, Cleaned) else "").f1,
            )
        )
    return followed
