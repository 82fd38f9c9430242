"""Templates and mining: figures 7 to 9, tables 2 to 6 of Vieira et al. (CIKM 2006)."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import mean

import click
import numpy as np

from templ_core.array_types import Bools
from templ_core.lab.papers.class_set import hash_of
from templ_core.lab.papers.rtdm import CONFIGURATIONS, ClassifierScores, classify, cluster_f
from templ_core.tokens import tokenise
from workers.errors import InputProblem
from workers.lab import experiment as lab
from workers.lab.evaluation.peers import load_peer, peer_option
from workers.lab.experiments.class_set import TOPIC_SITES, read_class_set
from workers.lab.experiments.compared_cleaners import (
    SITE_CLEANERS,
    TEMPLATE_FINDERS,
    ComparedPage,
    clean_compared_pages,
    compared_pages,
)
from workers.lab.experiments.phrases_alone import TextPage, read_text_pages
from workers.lab.plots import line_chart

_SAMPLE_SIZES = (2, 3, 5, 10, 15, 25, 50, 100)
_SHARE_MIN = 0.5
"""Share of the pages on which a term must be template to belong to the site's template."""
_TEXT_SHARE_MIN = 0.1
"""Share of the pages that must have a text for its terms to belong to the reference."""
_QUOTED = 25

_Terms = frozenset[str]


@lab.command("Vieira et al. (2006): terms of templates.")
@lab.corpora
@lab.option(
    "--pages-min",
    type=click.IntRange(2),
    default=25,
    help="Leave out sites that have fewer pages with gold.",
)
@lab.seed("Seed of the samples; equal seeds and corpora give equal samples.")
def rtdm_templates(report: lab.Report, corpora: Sequence[Path], pages_min: int, seed: int) -> None:
    """Measure the F of the terms in the templates found, against the number of sample pages.

    The reference are the terms that half of a site's pages with gold have outside the gold, in
    texts that a tenth of these pages have there. The terms of a template found are those that half
    of the sample pages have in it. By votes, a text is template if half of the pages of its cluster
    have it at its place. By the paper's FindTemplate, it is template if all pages share its node.
    By the style tree of Yi, Liu and Li (2003), it is noise where pages have the same words.
    A last table has a page of another site among the sample pages.

    Neutral text (`gold_neutral`) and words with digits are left out. CORPORA need `gold_selector`.
    """
    sites = {
        site: sorted(with_gold, key=lambda page: hash_of(seed, page.text))
        for site, pages in read_text_pages(corpora).items()
        if len(with_gold := [one for one in pages if one.labels is not None]) >= pages_min
    }
    report.say(f"{len(sites)} sites, {sum(map(len, sites.values()))} pages with gold")
    fs: dict[str, dict[str, dict[int, float]]] = {name: {} for name in TEMPLATE_FINDERS}
    with_odd: dict[str, list[float]] = {name: [] for name in TEMPLATE_FINDERS}
    odd = {site: sites[other][0] for site, other in pairwise([*sorted(sites), *sorted(sites)[:1]])}
    for site in lab.tracked(sorted(sites), "learning"):
        reference = _reference(sites[site])
        if not reference:
            report.say(f"{site}: no template")
            continue
        for name in TEMPLATE_FINDERS:
            fs[name][site] = {
                size: _f(_found(name, sites[site][:size]), reference)
                for size in _SAMPLE_SIZES
                if size <= len(sites[site])
            }
            if len(sites[site]) >= _QUOTED and len(sites) > 1:
                pages = [*sites[site][: _QUOTED - 1], odd[site]]
                with_odd[name].append(_f(_found(name, pages), reference))
    _report(report, fs)
    _report_odd(report, fs, with_odd)


def _reference(pages: Sequence[TextPage]) -> _Terms:
    """Return the reference: recurring terms outside the gold, in recurring texts."""
    pages_with = Counter(
        text
        for page in pages
        for text in {page.document.segments.texts[segment] for segment in _outside(page)}
    )
    often = {text for text, some in pages_with.items() if some >= _TEXT_SHARE_MIN * len(pages)}
    texts = [page.document.segments.texts for page in pages]
    return _shared(
        [
            [some[segment] for segment in _outside(page) if some[segment] in often]
            for page, some in zip(pages, texts, strict=True)
        ]
    )


def _outside(page: TextPage) -> list[int]:
    """Return the segments that are neither content nor neutral."""
    return _counted(page, page.labels.content < _SHARE_MIN) if page.labels is not None else []


def _counted(page: TextPage, chosen: Bools) -> list[int]:
    return np.flatnonzero(chosen & page.labels.counts).tolist() if page.labels is not None else []


def _shared(texts: Sequence[Sequence[str]]) -> _Terms:
    """Return the terms that occur in the texts of at least half of the pages."""
    count = Counter(
        term for some in texts for term in {word for text in some for word in _words(text)}
    )
    return frozenset(term for term, some in count.items() if some >= _SHARE_MIN * len(texts))


def _words(text: str) -> Iterator[str]:
    """Yield the words without digits; counts and dates are not terms of a template."""
    return (term for term in tokenise(text.lower()) if not any(map(str.isdigit, term)))


def _found(method: str, pages: Sequence[TextPage]) -> _Terms:
    """Return the terms that half of the pages have in the template found, without neutral text."""
    find = TEMPLATE_FINDERS[method]([page.document for page in pages])
    return _shared(
        [
            [page.document.segments.texts[one] for one in _counted(page, find(page.document))]
            for page in pages
        ]
    )


def _f(found: _Terms, reference: _Terms) -> float:
    return 2 * len(found & reference) / max(1, len(found) + len(reference))


def _report(report: lab.Report, found: Mapping[str, Mapping[str, Mapping[int, float]]]) -> None:
    lines: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    rows: list[list[lab.Cell]] = []
    for name, sites in found.items():
        for size in _SAMPLE_SIZES:
            fs = sorted(some[size] for some in sites.values() if size in some)
            if fs:
                above = f"{mean(f >= 0.95 for f in fs):.0%}"
                floor = fs[len(fs) // 10]
                lines[f"{name}, mean"].append((size, mean(fs)))
                lines[f"{name}, nine of ten"].append((size, floor))
                rows.append([name, size, len(fs), mean(fs), floor, above])
    header = ["", "sample pages", "sites", "mean F", "nine of ten above", "sites with F >= 0.95"]
    report.table("figure 7: terms of templates", header, rows)
    report.figure("figure-7", line_chart("terms of templates", "sample pages", "F", lines))
    by_site: list[list[lab.Cell]] = [
        [site, *(some[site].get(_QUOTED) for some in found.values())]
        for site in sorted(found["votes"])
    ]
    report.table(f"F of each site, {_QUOTED} sample pages", ["", *found], by_site)


def _report_odd(
    report: lab.Report,
    found: Mapping[str, Mapping[str, Mapping[int, float]]],
    with_odd: Mapping[str, Sequence[float]],
) -> None:
    rows: list[list[lab.Cell]] = [
        [
            name,
            len(odd),
            mean(fs[_QUOTED] for fs in found[name].values() if _QUOTED in fs),
            mean(odd),
        ]
        for name, odd in with_odd.items()
        if odd
    ]
    header = ["", "sites", f"{_QUOTED} pages of the site", "one of them of another site"]
    report.table("mean F with one odd page", header, rows)


MINING_TEMPLATES = (
    "freepressokc.com",
    "helijet.com",
    "lexinsider",
    "storiesovercoffee",
    "blog.biicode.com",
)
"""Sites whose templates are used; there are as many as in the paper."""
_MINING_SAMPLES = (10, 20, 30, 40, 50, 100)

_PAPER_CLUSTERING = {
    "original": "0.306",
    "FindTemplate": "0.482",
    "style tree": "0.751, without it 0.506",
}
_PAPER_CLASSES = {
    "original": {"f": (0.844, 0.525, 0.387), "accuracy": (0.857, 0.585, 0.431)},
    "FindTemplate": {"f": (0.939, 0.765, 0.589), "accuracy": (0.943, 0.778, 0.608)},
}
_ALONE = "article alone"
_BINS = 10

_PairScores = Mapping[tuple[int, str, str], ClassifierScores]


@lab.command("Vieira et al. (2006): clustering, classes.")
@lab.corpora
@lab.option("--runs", type=click.IntRange(1), default=800, help="Number of K-means runs.")
@lab.option("--articles", default=100, help="Largest number of articles of each topic.")
@peer_option
@lab.seed("Seed of all choices; equal seeds and corpora give equal figures.")
def rtdm_mining(
    report: lab.Report,
    corpora: Sequence[Path],
    *,
    runs: int,
    articles: int,
    peers: Sequence[str],
    seed: int,
) -> None:
    """Measure clustering and classification of pages by topic, before and after removing templates.

    The pages are real articles on five topics, each inside the template of one of five other
    sites. CORPORA need `gold_selector` and the sites of the class set. The row "article alone" is
    the gold text.
    """
    extract = {name: load_peer(name) for name in peers}
    made = read_class_set(
        corpora,
        articles_per_topic=articles,
        templates_per_article=1,
        seed=seed,
        template_sites=MINING_TEMPLATES,
    )
    pages = compared_pages((one.site, one.url, one.markup, one.text, one.topic) for one in made)
    topics = [one.name for one in pages]
    sites = [one.site for one in pages]
    known = classify([one.text for one in pages], topics, sites)
    if len(known) < len(CONFIGURATIONS) * math.comb(len(TOPIC_SITES), 2):
        raise InputProblem(
            "too few articles or templates: pages on each two topics are needed in at least three "
            f"templates of {', '.join(MINING_TEMPLATES)}"
        )
    count = Counter((one.name, one.site) for one in pages)
    rows: list[list[lab.Cell]] = [
        [topic, *(count[topic, site] for site in MINING_TEMPLATES)]
        for topic in sorted({topic for topic, _ in count})
    ]
    report.table(f"table 1: {len(pages)} pages", ["", *MINING_TEMPLATES], rows)
    texts = {name: clean_compared_pages(pages, name) for name in SITE_CLEANERS}
    for name, peer in extract.items():
        texts[name] = [peer(one.markup) for one in pages]
    texts[_ALONE] = [one.text for one in pages]
    seeds = range(seed, seed + runs)
    fs = {name: cluster_f(texts[name], topics, seeds) for name in lab.tracked(texts, "clustering")}
    _report_clustering(report, fs)
    scores = {name: classify(some, topics, sites) for name, some in texts.items()}
    _report_classes(report, scores)
    _report_samples(report, pages, topics, sites)


def _report_clustering(report: lab.Report, fs: Mapping[str, np.ndarray]) -> None:
    before = fs["original"]
    rows: list[list[lab.Cell]] = []
    lines = {}
    starts = [number / _BINS for number in range(_BINS)]
    for name, some in fs.items():
        counts = np.histogram(some, _BINS, (0, 1))[0].tolist()
        lines[name] = list(zip(starts, counts, strict=True))
        gain = f"{some.mean() / before.mean() - 1:+.1%}"
        above = f"{(some > before.max()).mean():.0%}"
        paper = _PAPER_CLUSTERING.get(name)
        rows.append([name, float(some.mean()), gain, above, paper, *counts])
    header = ["", "F", "gain", "above any original", "the paper's F"]
    header += [f"{start:.1f}" for start in starts]
    report.table("table 2 and figure 8: runs of K-means by F", header, rows)
    shown = dict(list(lines.items())[:7])
    chart = line_chart("runs of K-means by F", "F, from", "runs", shown, ticks=starts)
    report.figure("figure-8", chart)


def _report_classes(report: lab.Report, scores: Mapping[str, _PairScores]) -> None:
    columns = [
        (number, name)
        for number in CONFIGURATIONS
        for name in ("original", "FindTemplate", "votes")
    ]
    header = ["", *(f"{number} {name}" for number, name in columns)]
    pairs = [(one, other) for number, one, other in scores["original"] if number == 1]
    for table, what in (("table 4", "f"), ("table 5", "accuracy")):
        rows: list[list[lab.Cell]] = [
            [
                f"{one}, {other}",
                *(getattr(scores[name][number, one, other], what) for number, name in columns),
            ]
            for one, other in pairs
        ]
        report.table(f"{table}: {what} by configuration", header, rows)
    measures = [(what, number) for what in ("f", "accuracy") for number in CONFIGURATIONS]
    means = []
    for name, some in scores.items():
        row = [name]
        for what, number in measures:
            value, before = _mean(some, number, what), _mean(scores["original"], number, what)
            paper = _PAPER_CLASSES.get(name, {}).get(what)
            shown = f" (paper {paper[number - 1]:.3f})" if paper else ""
            row.append(f"{value:.3f} {value / before - 1:+.1%}{shown}")
        means.append(row)
    header = ["", *(f"{what[0].upper()} {number}" for what, number in measures)]
    report.table("table 6: means and gains by configuration", header, means)


def _report_samples(
    report: lab.Report, pages: Sequence[ComparedPage], topics: Sequence[str], sites: Sequence[str]
) -> None:
    lines: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    for name in ("FindTemplate", "votes", "style tree", "phrases"):
        for sample in _MINING_SAMPLES:
            scores = classify(clean_compared_pages(pages, name, sample), topics, sites)
            for number in CONFIGURATIONS:
                lines[f"{name} {number}"].append((sample, _mean(scores, number, "f")))
    rows: list[list[lab.Cell]] = [
        [label.replace(" ", ", configuration "), *(f for _, f in fs)] for label, fs in lines.items()
    ]
    shown = {label: fs for label, fs in lines.items() if not label.startswith("phrases")}
    header = ["", *map(str, _MINING_SAMPLES)]
    report.table("figure 9: F by pages that the template is learned from", header, rows)
    report.figure("figure-9", line_chart("naive Bayes after cleaning", "pages", "F", shown))


def _mean(scores: _PairScores, configuration: int, what: str) -> float:
    some = [getattr(one, what) for key, one in scores.items() if key[0] == configuration]
    return float(mean(some))
