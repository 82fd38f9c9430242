"""`templ experiments foschini-copies`: feeds, mirrors and snapshots; Foschini (2007), 6.1."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from statistics import mean, median

from templ_core import clean_site
from templ_core.errors import PageError
from templ_core.lab.evaluation.report import group_by
from templ_core.lab.evaluation.words import text_distance
from templ_core.lab.papers.class_set import ClassPage, class_set
from workers.lab import experiment as lab
from workers.lab.corpora import record_markup, records_with
from workers.lab.evaluation.peers import Extract, load_peer, peer_option
from workers.lab.experiments.class_set import read_source_pages
from workers.lab.experiments.compared_cleaners import (
    SITE_CLEANERS,
    ComparedPage,
    clean_compared_pages,
    compared_pages,
)
from workers.lab.simulate.feed import FeedSettings, simulate_feed

_NEAR = 0.1
"""Two texts with at most this distance count as near-duplicates."""
_TEMPLATE_SITES = 12
"""Most sites that lend their templates to mirrors."""
_MIRRORED = 200
"""Most articles that are mirrored."""
_ALL = "templ"
_ALONE = "content alone"

_Pairs = list[tuple[int, int]]


@lab.command("Foschini (2007): distance between copies.")
@lab.corpora
@lab.option("--pairs", default=100, help="Largest number of pairs to compare in each set.")
@peer_option
@lab.seed("Seed of the selection; equal seeds and corpora give equal figures.")
def foschini_copies(
    report: lab.Report, corpora: Sequence[Path], pairs: int, peers: Sequence[str], seed: int
) -> None:
    """Measure the edit distance between copies of an article, before and after cleaning.

    There are three sets of copies. "feed": an article and its text in the site's feed; the sites
    are synthetic, since no corpus has feeds. "mirrors": one real article inside the templates of
    two other sites (records with `gold_selector`). "snapshots": one address at two dates, with a
    redesign in between (records with `gold_text` and `snapshot`). A set without copies is left out.

    Distances are in words, relative to the longer text. The row "content alone" is the distance of
    the gold texts.
    """
    extract = {name: load_peer(name) for name in peers}
    mirrors = read_mirrors(corpora, seed)
    sets: dict[str, Callable[[], list[ComparedPage]]] = {
        "feed": lambda: _feed(seed),
        "mirrors": lambda: mirrors,
        "snapshots": lambda: _snapshots(corpora),
    }
    for name, read in sets.items():
        pages = read()
        own = [(one, one) for one in range(len(pages))]
        copies = sorted(
            own if name == "feed" else _copies(pages),
            key=lambda pair: hashlib.blake2b(f"{seed} {pair}".encode()).digest(),
        )[:pairs]
        if not copies:
            report.say(f"{name}: these corpora have no copies")
            continue
        gold = [page.text for page in pages]
        total = len(SITE_CLEANERS) + len(peers) + 2
        rows = [
            [cleaner, *_figures(texts, gold if name == "feed" else texts, copies)]
            for cleaner, texts in lab.tracked(_texts(pages, extract), f"comparing: {name}", total)
        ]
        report.table(
            f"{name}: {len(pages)} pages of {len({page.site for page in pages})} sites, "
            f"{len(copies)} pairs",
            ["", "mean distance", "median", f"pairs within {_NEAR}", "of other articles"],
            rows,
        )


def _texts(
    pages: Sequence[ComparedPage], peers: Mapping[str, Extract]
) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield each cleaner with the text that it leaves of each page; the gold texts come last."""
    for cleaner in SITE_CLEANERS:
        yield cleaner, clean_compared_pages(pages, cleaner)
    yield _ALL, _cleaned_by_templ(pages)
    for name, extract in peers.items():
        yield name, [extract(page.markup) for page in pages]
    yield _ALONE, [page.text for page in pages]


def _cleaned_by_templ(pages: Sequence[ComparedPage]) -> list[str]:
    """Return the texts that the whole of templ leaves; each site is cleaned on its own."""
    texts = [""] * len(pages)
    for numbers in group_by(range(len(pages)), lambda number: pages[number].site).values():
        cleaned = clean_site(
            (pages[number].markup, f"http://site.example/{number}") for number in numbers
        )
        for number, page in zip(numbers, cleaned, strict=True):
            texts[number] = "" if isinstance(page, PageError) else page.text or ""
    return texts


def _figures(texts: Sequence[str], against: Sequence[str], copies: _Pairs) -> list[lab.Cell]:
    distances = [text_distance(texts[one], against[other]) for one, other in copies]
    # The distance of different articles: each page against the copy of the next article.
    shifted = [*copies[1:], *copies[:1]]
    others = [
        text_distance(texts[one], against[other])
        for (one, _), (_, other) in zip(copies, shifted, strict=True)
    ]
    near = mean(distance <= _NEAR for distance in distances)
    return [mean(distances), median(distances), f"{near:.0%}", mean(others)]


def _copies(pages: Sequence[ComparedPage]) -> _Pairs:
    by_name = group_by(range(len(pages)), lambda number: pages[number].name)
    return [pair for numbers in by_name.values() for pair in combinations(numbers, 2)]


def _feed(seed: int) -> list[ComparedPage]:
    """Return articles of synthetic news sites; the gold of each stands for its text in a feed."""
    pages = simulate_feed(FeedSettings(genre="news", sites=6, pages=360, seed=seed))
    return compared_pages(
        (one.site, one.url, one.html, one.gold_text, one.url)
        for one in pages
        if one.page_role == "article" and one.gold_text
    )


def read_mirrors(corpora: Sequence[Path], seed: int) -> list[ComparedPage]:
    """Return articles in two templates each: the sites with the most pages lend the templates."""
    pages = mirrored_articles(corpora, seed, _MIRRORED, templates_per_article=2)
    return compared_pages((one.site, one.url, one.markup, one.text, one.article) for one in pages)


def mirrored_articles(
    corpora: Sequence[Path], seed: int, count: int, templates_per_article: int
) -> list[ClassPage]:
    """Return about this number of articles of corpora, each in some templates of the sites with the most pages."""
    by_site = read_source_pages(corpora)
    sites = sorted(by_site, key=lambda site: (-len(by_site[site]), site))
    lenders = min(_TEMPLATE_SITES, len(sites) // 2)
    writers = sites[lenders:]
    return class_set(
        {site: by_site[site] for site in writers},
        {site: by_site[site] for site in sites[:lenders]},
        articles_per_topic=-(-count // max(1, len(writers))),
        templates_per_article=templates_per_article,
        seed=seed,
    )


def _snapshots(corpora: Sequence[Path]) -> list[ComparedPage]:
    """Return pages whose address exists at two dates; each date counts as a site of its own."""
    some = [one for one in records_with(corpora, "snapshot") if one.get("gold_text")]
    dates: defaultdict[str, set[str]] = defaultdict(set)
    for record in some:
        dates[record["url"]].add(record["snapshot"])
    sites = {one["site"] for one in some if len(dates[one["url"]]) > 1}
    return compared_pages(
        (
            f"{one['site']} {one['snapshot']}",
            one["url"],
            record_markup(one),
            one["gold_text"],
            one["url"],
        )
        for one in some
        if one["site"] in sites
    )
