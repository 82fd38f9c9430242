"""`templ experiments windows`: measures what a window's age and size are worth and cost."""

import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click
import msgspec

from templ_core.lab.evaluation.report import PageScore
from workers.feeds.files import read_feed
from workers.inspect.plots import line_chart
from workers.lab.corpora import corpus_name, read_objects
from workers.lab.evaluation.corpus_files import EvaluationPage, read_evaluation_pages
from workers.lab.evaluation.judge import page_markup
from workers.lab.evaluation.scoring import TextScorer
from workers.lab.experiments.results import Report
from workers.lab.options import corpora_argument, option, out_option, time_field_option
from workers.local.local_state import LocalState
from workers.local.runner import Stream
from workers.page import Page
from workers.processes.messages import Cleaned, RefitTask, Result, Task
from workers.processes.page_model import page_model_of, read_model_file
from workers.processes.tasks import InProcess
from workers.settings import DAY_MS, Settings, load_settings

_NO_BOUND = 1 << 40
_STATE_FAMILIES = ("entries", "pages", "dictionaries")


class WindowFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of one setting, as means over sites."""

    f1: float
    template_f: float
    bytes_a_page: float
    """Size of the windows on disk, divided by the number of documents in them at the end."""
    bytes_a_site: float
    refit_ms: float
    """Processor time of all refits, divided by the number of pages."""


class TimedRunner:
    """Runs tasks in this process, and sums up the processor time of refits."""

    def __init__(self, runner: InProcess) -> None:
        self._runner = runner
        self.refit_s = 0.0

    def run(self, site: str, task: Task, deadline_s: float) -> tuple[Result, int]:
        """Return the result of a task and the number of attempts, which is 1."""
        started_s = time.process_time()
        result = self._runner.run(site, task, deadline_s)
        if isinstance(task, RefitTask):
            self.refit_s += time.process_time() - started_s
        return result


@click.command(short_help="Compare windows of several ages and sizes.")
@corpora_argument
@time_field_option()
@option(
    "--days",
    default="1,3,7,14,28",
    help="Ages of windows to compare, in days, separated by commas; empty for none.",
)
@option(
    "--pages",
    default="10,20,40,80,140",
    help="Sizes of windows to compare, in pages, separated by commas; empty for none.",
)
@click.option(
    "--sites",
    type=click.IntRange(min=1),
    help="Use only this many sites of each corpus, the first ones.  [default: all]",
)
@out_option
def windows(
    corpora: Sequence[Path],
    time_field: str,
    days: str,
    pages: str,
    sites: int | None,
    out: Path | None,
) -> None:
    """Clean CORPORA as `templ run` does, with windows of several ages and sizes.

    CORPORA are JSON Lines with gold text. Windows that are compared by age have no smallest number
    of pages.
    """
    report = Report(out)
    by_age = {
        float(one): load_settings(
            window_age_ms=round(float(one) * DAY_MS),
            window_floor_pages=1,
            window_floor_age_ms=_NO_BOUND,
            window_pages_max=1 << 20,
        )
        for one in days.split(",")
        if one
    }
    by_size = {
        float(one): load_settings(
            window_age_ms=_NO_BOUND, window_floor_age_ms=_NO_BOUND, window_pages_max=int(one)
        )
        for one in pages.split(",")
        if one
    }
    for corpus in corpora:
        name = corpus_name(corpus)
        stream, gold = _read(corpus, time_field, sites)
        for what, settings in (("days", by_age), ("pages", by_size)):
            if settings:
                found = {one: _run(stream, gold, some) for one, some in settings.items()}
                _show(report, name, what, found)


def _read(
    corpus: Path, time_field: str, sites: int | None
) -> tuple[list[Page], dict[int, EvaluationPage]]:
    pages = [one for one in read_feed([corpus], time_field=time_field) if isinstance(one, Page)]
    wanted = set(list(dict.fromkeys(page.site for page in pages))[:sites])
    gold = {page.offset: page for page in read_evaluation_pages(corpus.name, read_objects(corpus))}
    return [page for page in pages if page.site in wanted], gold


def _run(
    pages: Sequence[Page], gold: Mapping[int, EvaluationPage], settings: Settings
) -> WindowFigures:
    runner = TimedRunner(InProcess(page_model_of(read_model_file(settings.page_model))))
    state = LocalState(None, settings)
    stream = Stream(state, runner, settings)
    scores: dict[str, list[PageScore]] = {}
    for page in pages:
        outcome, _ = stream.process(page)
        wanted = gold.get(page.source.offset)
        if isinstance(outcome, Cleaned) and wanted is not None:
            score = TextScorer(wanted, page_markup(wanted)).score(outcome.record.text)
            scores.setdefault(page.site, []).append(score)
    kept = max(sum(one.pages for _, one in state.windows.sites()), 1)
    size = sum(
        len(key) + len(value)
        for family, key, value in state.windows.entries()
        if family in _STATE_FAMILIES
    )
    sites = len({page.site for page in pages})
    return WindowFigures(
        f1=_mean([one.f1 for one in some] for some in scores.values()),
        template_f=_mean(
            [one.template_f for one in some if one.template_f is not None]
            for some in scores.values()
        ),
        bytes_a_page=size / kept,
        bytes_a_site=size / sites,
        refit_ms=1000 * runner.refit_s / max(len(pages), 1),
    )


def _mean(sites: Iterator[list[float]]) -> float:
    return statistics.fmean(statistics.fmean(some) for some in sites if some)


def _show(report: Report, corpus: str, what: str, found: Mapping[float, WindowFigures]) -> None:
    report.table(
        f"{corpus}: windows by {what}",
        [what, "word F1", "template F", "bytes a page", "KiB a site", "refit, CPU ms a page"],
        [
            [
                f"{one:g}",
                some.f1,
                some.template_f,
                round(some.bytes_a_page),
                round(some.bytes_a_site / 1024),
                f"{some.refit_ms:.1f}",
            ]
            for one, some in found.items()
        ],
        4,
    )
    for measure, title in (
        ("f1", "word F1"),
        ("template_f", "template F"),
        ("bytes_a_site", "bytes a site"),
        ("refit_ms", "refit, CPU ms a page"),
    ):
        points = [(one, getattr(some, measure)) for one, some in found.items()]
        chart = line_chart(f"{corpus}: windows by {what}", what, title, {title: points})
        report.figure(f"{corpus}-{what}-{measure}", chart)
