"""`templ experiments rtdm-mining`: figures 8 and 9, tables 2 to 6 of Vieira et al. (CIKM 2006)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
import numpy as np
from rich.console import Console
from rich.progress import Progress

from templ_core.lab.evaluation.line_chart import line_chart
from templ_core.lab.papers.class_set import ClassPage
from templ_core.lab.papers.page_mining import CONFIGURATIONS, ClassifierScores, classify, cluster_f
from workers.lab.evaluation.peers import load_peer
from workers.lab.experiments.corpora.class_pages import read_class_set
from workers.lab.experiments.corpora.site_cleaners import CLEANERS, SitePage, cleaned, site_page
from workers.lab.experiments.results import Report, out_option

TEMPLATE_SITES = (
    "freepressokc.com",
    "helijet.com",
    "lexinsider",
    "storiesovercoffee",
    "blog.biicode.com",
)
"""As many sites as in the paper."""
SAMPLES = (10, 20, 30, 40, 50, 100)
ARTICLES = 100
PAPER_CLUSTERING = {"original": "0.306", "FindTemplate": "0.482"}
PAPER_CLASSES = {
    "original": {"f": (0.844, 0.525, 0.387), "accuracy": (0.857, 0.585, 0.431)},
    "FindTemplate": {"f": (0.939, 0.765, 0.589), "accuracy": (0.943, 0.778, 0.608)},
}
_ALONE = "article alone"
_BINS = 10

PairScores = Mapping[tuple[int, str, str], ClassifierScores]


@click.command()
@click.argument("corpora", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--runs", type=click.IntRange(1), default=800, show_default=True, help="Of K-means.")
@click.option(
    "--articles", default=ARTICLES, show_default=True, help="Articles of each topic at most."
)
@click.option(
    "--peer", "peers", multiple=True, help="Another cleaner beside ours: trafilatura, ..."
)
@click.option("--seed", default=0, show_default=True, help="Same seed and corpora, same figures.")
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
    """Clustering and classifying pages by topic, before and after taking the templates out.

    The pages are real articles on five topics, each in the template of one of five other sites;
    CORPORA are those with `gold_selector` that hold the sites of the class set. Peers clean the
    markup; "article alone" is the gold.
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
            template_sites=TEMPLATE_SITES,
        )
        if (page := _page(one))
    ]
    _describe(report, pages)
    texts = {name: cleaned(pages, name) for name in CLEANERS}
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


def _page(one: ClassPage) -> SitePage | None:
    return site_page(site=one.site, url=one.url, markup=one.markup, text=one.text, name=one.topic)


def _describe(report: Report, pages: Sequence[SitePage]) -> None:
    count = Counter((one.name, one.site) for one in pages)
    topics = sorted({topic for topic, _ in count})
    rows = [[topic, *(str(count[topic, site]) for site in TEMPLATE_SITES)] for topic in topics]
    report.table(f"table 1: {len(pages)} pages", ["", *TEMPLATE_SITES], rows)


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
                PAPER_CLUSTERING.get(name, ""),
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


def _report_classes(report: Report, scores: Mapping[str, PairScores]) -> None:
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
                paper = PAPER_CLASSES.get(name, {}).get(what)
                shown = f" (paper {paper[number - 1]:.3f})" if paper else ""
                row.append(f"{mean:.3f} {mean / before - 1:+.1%}{shown}")
        rows.append(row)
    header = ["", *(f"{what} {number}" for what in ("F", "A") for number in CONFIGURATIONS)]
    report.table("table 6: means and gains by configuration", header, rows)


def _report_samples(
    report: Report, pages: Sequence[SitePage], topics: Sequence[str], sites: Sequence[str]
) -> None:
    rows, lines = [], {}
    for name in ("FindTemplate", "votes", "phrases"):
        by_sample = {
            sample: classify(cleaned(pages, name, sample), topics, sites) for sample in SAMPLES
        }
        for number in CONFIGURATIONS:
            fs = [(sample, _mean(some, number, "f")) for sample, some in by_sample.items()]
            rows.append([f"{name}, configuration {number}", *(f"{f:.3f}" for _, f in fs)])
            if name != "phrases":
                lines[f"{name} {number}"] = fs
    header = ["", *map(str, SAMPLES)]
    report.table("figure 9: F by pages that the template is learned from", header, rows)
    report.figure("figure-9", line_chart("naive Bayes after cleaning", "pages", "F", lines))


def _mean(scores: PairScores, configuration: int, what: str) -> float:
    return float(
        np.mean([getattr(one, what) for key, one in scores.items() if key[0] == configuration])
    )
