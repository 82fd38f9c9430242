"""`templ experiments rtdm-mining`: figures 8 and 9, tables 2 to 6 of Vieira et al. (CIKM 2006)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
import numpy as np
from rich.console import Console
from rich.progress import Progress

from templ_core.lab.papers.class_set import ClassPage
from templ_core.lab.papers.rtdm import CONFIGURATIONS, ClassifierScores, classify, cluster_f
from workers.inspect.plots import line_chart
from workers.lab.evaluation.peers import load_peer
from workers.lab.experiments.corpora.class_pages import read_class_set
from workers.lab.experiments.corpora.compared_cleaners import (
    SITE_CLEANERS,
    ComparedPage,
    clean_compared_pages,
    parse_compared_page,
)
from workers.lab.experiments.results import Report
from workers.lab.options import corpora_argument, out_option, peers_option

MINING_TEMPLATES = (
    "freepressokc.com",
    "helijet.com",
    "lexinsider",
    "storiesovercoffee",
    "blog.biicode.com",
)
"""Sites whose templates are used; there are as many as in the paper."""
_SAMPLE_SIZES = (10, 20, 30, 40, 50, 100)

_PAPER_CLUSTERING = {"original": "0.306", "FindTemplate": "0.482"}
_PAPER_CLASSES = {
    "original": {"f": (0.844, 0.525, 0.387), "accuracy": (0.857, 0.585, 0.431)},
    "FindTemplate": {"f": (0.939, 0.765, 0.589), "accuracy": (0.943, 0.778, 0.608)},
}
_ALONE = "article alone"
_BINS = 10

_PairScores = Mapping[tuple[int, str, str], ClassifierScores]


@click.command(short_help="Vieira et al. (2006): clustering, classes.")
@corpora_argument
@click.option(
    "--runs", type=click.IntRange(1), default=800, show_default=True, help="Number of K-means runs."
)
@click.option(
    "--articles", default=100, show_default=True, help="Largest number of articles of each topic."
)
@peers_option
@click.option(
    "--seed",
    default=0,
    show_default=True,
    help="Seed of all choices; equal seeds and corpora give equal figures.",
)
@out_option
def rtdm_mining(
    corpora: Sequence[Path],
    *,
    runs: int,
    articles: int,
    peers: Sequence[str],
    seed: int,
    out: Path | None,
) -> None:
    """Measure clustering and classification of pages by topic, before and after removing templates.

    The pages are real articles on five topics, each inside the template of one of five other
    sites. CORPORA need `gold_selector` and the sites of the class set. The row "article alone" is
    the gold text.
    """
    extract = {name: load_peer(name) for name in peers}
    report = Report(out)
    pages = [
        page
        for one in read_class_set(
            corpora,
            articles_per_topic=articles,
            templates_per_article=1,
            seed=seed,
            template_sites=MINING_TEMPLATES,
        )
        if (page := _page(one))
    ]
    _describe(report, pages)
    texts = {name: clean_compared_pages(pages, name) for name in SITE_CLEANERS}
    for name, peer in extract.items():
        texts[name] = [peer(one.markup) for one in pages]
    texts[_ALONE] = [one.text for one in pages]
    topics = [one.name for one in pages]
    sites = [one.site for one in pages]
    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("clustering", total=len(texts))
        fs = {}
        for name, some in texts.items():
            fs[name] = cluster_f(some, topics, range(seed, seed + runs))
            bar.advance(task)
    _report_clustering(report, fs)
    scores = {name: classify(some, topics, sites) for name, some in texts.items()}
    _report_classes(report, scores)
    _report_samples(report, pages, topics, sites)


def _page(one: ClassPage) -> ComparedPage | None:
    return parse_compared_page(
        site=one.site, url=one.url, markup=one.markup, text=one.text, name=one.topic
    )


def _describe(report: Report, pages: Sequence[ComparedPage]) -> None:
    count = Counter((one.name, one.site) for one in pages)
    topics = sorted({topic for topic, _ in count})
    rows = [[topic, *(str(count[topic, site]) for site in MINING_TEMPLATES)] for topic in topics]
    report.table(f"table 1: {len(pages)} pages", ["", *MINING_TEMPLATES], rows)


def _report_clustering(report: Report, fs: Mapping[str, np.ndarray]) -> None:
    before = fs["original"].mean()
    rows, lines = [], {}
    for name, some in fs.items():
        counts = np.histogram(some, _BINS, (0, 1))[0]
        lines[name] = [(number / _BINS, int(one)) for number, one in enumerate(counts)]
        gain = some.mean() / before - 1
        above = (some > fs["original"].max()).mean()
        rows.append(
            [
                name,
                f"{some.mean():.3f}",
                f"{gain:+.1%}",
                f"{above:.0%}",
                _PAPER_CLUSTERING.get(name, ""),
                *map(str, counts),
            ]
        )
    header = ["", "F", "gain", "above any original", "the paper's F"]
    header += [f"{number / _BINS:.1f}" for number in range(_BINS)]
    report.table("table 2 and figure 8: runs of K-means by F", header, rows)
    shown = dict(list(lines.items())[:7])
    ticks = [number / _BINS for number in range(_BINS)]
    report.figure(
        "figure-8", line_chart("runs of K-means by F", "F, from", "runs", shown, ticks=ticks)
    )


def _report_classes(report: Report, scores: Mapping[str, _PairScores]) -> None:
    columns = [
        (number, name)
        for number in CONFIGURATIONS
        for name in ("original", "FindTemplate", "votes")
    ]
    header = ["", *(f"{number} {name}" for number, name in columns)]
    for table, what in (("table 4", "f"), ("table 5", "accuracy")):
        pairs = [(one, other) for number, one, other in scores["original"] if number == 1]
        rows = [
            [
                f"{one}, {other}",
                *(
                    f"{getattr(scores[name][number, one, other], what):.3f}"
                    for number, name in columns
                ),
            ]
            for one, other in pairs
        ]
        report.table(f"{table}: {what} by configuration", header, rows)
    rows = []
    for name, some in scores.items():
        row = [name]
        for what in ("f", "accuracy"):
            for number in CONFIGURATIONS:
                mean, before = _mean(some, number, what), _mean(scores["original"], number, what)
                paper = _PAPER_CLASSES.get(name, {}).get(what)
                shown = f" (paper {paper[number - 1]:.3f})" if paper else ""
                row.append(f"{mean:.3f} {mean / before - 1:+.1%}{shown}")
        rows.append(row)
    header = ["", *(f"{what} {number}" for what in ("F", "A") for number in CONFIGURATIONS)]
    report.table("table 6: means and gains by configuration", header, rows)


def _report_samples(
    report: Report, pages: Sequence[ComparedPage], topics: Sequence[str], sites: Sequence[str]
) -> None:
    rows, lines = [], {}
    for name in ("FindTemplate", "votes", "phrases"):
        by_sample = {
            sample: classify(clean_compared_pages(pages, name, sample), topics, sites)
            for sample in _SAMPLE_SIZES
        }
        for number in CONFIGURATIONS:
            fs = [(sample, _mean(some, number, "f")) for sample, some in by_sample.items()]
            rows.append([f"{name}, configuration {number}", *(f"{f:.3f}" for _, f in fs)])
            if name != "phrases":
                lines[f"{name} {number}"] = fs
    header = ["", *map(str, _SAMPLE_SIZES)]
    report.table("figure 9: F by pages that the template is learned from", header, rows)
    report.figure("figure-9", line_chart("naive Bayes after cleaning", "pages", "F", lines))


def _mean(scores: _PairScores, configuration: int, what: str) -> float:
    return float(
        np.mean([getattr(one, what) for key, one in scores.items() if key[0] == configuration])
    )
