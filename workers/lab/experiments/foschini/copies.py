"""`templ experiments foschini-copies`: feeds, mirrors and snapshots of Foschini's thesis, section 6.1."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from statistics import mean, median

import click
from rich.console import Console
from rich.progress import Progress

from templ_core.lab.evaluation.edit_distance import text_distance
from workers.lab.evaluation.peers import load_peer
from workers.lab.experiments.corpora.class_pages import read_class_set
from workers.lab.experiments.corpora.gold_pages import record_markup, records
from workers.lab.experiments.corpora.site_cleaners import CLEANERS, SitePage, cleaned, site_page
from workers.lab.experiments.results import Report, out_option
from workers.lab.simulate.feed import FeedSettings, simulate_feed
from workers.library import NotCleaned, clean_site

NEAR = 0.1
"""Texts at most so far apart say the same."""
_ALL = "templ"
_ALONE = "content alone"

Pairs = list[tuple[int, int]]
Texts = Mapping[str, Sequence[str]]


@click.command()
@click.argument("corpora", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--pairs", default=100, show_default=True, help="Pairs of pages that are compared.")
@click.option(
    "--peer", "peers", multiple=True, help="Another cleaner beside ours: trafilatura, ..."
)
@click.option("--seed", default=0, show_default=True, help="Same seed and corpora, same figures.")
@out_option
def foschini_copies(
    corpora: Sequence[Path], pairs: int, peers: Sequence[str], seed: int, out: Path | None
) -> None:
    """Edit distance, in words, between copies of an article before and after cleaning.

    An article and its text in the site's feed: synthetic news sites, since no corpus has feeds. Two
    mirrors: one real article in the templates of two other sites (the class set). Two snapshots: one
    address at two dates, with redesigns between (records with `snapshot`). CORPORA are those with
    `gold_selector` that hold the sites of the class set, and those with snapshots. "content alone"
    is the distance of the gold texts: what no cleaning can go below.
    """
    extract = {name: load_peer(name) for name in peers}
    report = Report(out)
    console = Console(stderr=True)
    mirrors = _mirrors(corpora, seed)
    sets = {
        "feed": lambda: _feed(seed),
        "mirrors": lambda: mirrors,
        "snapshots": lambda: _snapshots(corpora),
    }
    with Progress(console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("comparing", total=len(sets) * (len(CLEANERS) + len(peers) + 2))
        for name, read in sets.items():
            pages = read()
            copies = _drawn(_copies(pages), pairs, seed)
            if name == "feed":
                copies = _drawn([(one, one) for one in range(len(pages))], pairs, seed)
            if not copies:
                report.say(f"{name}: no copies in these corpora")
                continue
            rows = []
            for cleaner, texts in _texts(pages, extract):
                against = [page.text for page in pages] if name == "feed" else texts
                rows.append([cleaner, *_figures(texts, against, copies)])
                bar.advance(task)
            sites = len({page.site for page in pages})
            report.table(
                f"{name}: {len(pages)} pages of {sites} sites, {len(copies)} pairs",
                ["", "mean distance", "median", f"pairs within {NEAR}", "of other articles"],
                rows,
            )


def _texts(pages: Sequence[SitePage], peers: Mapping[str, Callable[[str], str]]):
    """What each cleaner leaves of each page; the gold last."""
    for cleaner in CLEANERS:
        yield cleaner, cleaned(pages, cleaner)
    yield _ALL, _cleaned_by_templ(pages)
    for name, extract in peers.items():
        yield name, [extract(page.markup) for page in pages]
    yield _ALONE, [page.text for page in pages]


def _cleaned_by_templ(pages: Sequence[SitePage]) -> list[str]:
    """With all that the package does, each site on its own."""
    by_site: defaultdict[str, list[int]] = defaultdict(list)
    for number, page in enumerate(pages):
        by_site[page.site].append(number)
    texts = [""] * len(pages)
    for numbers in by_site.values():
        found = clean_site(
            (f"http://site.example/{number}", pages[number].markup) for number in numbers
        )
        for number, one in zip(numbers, found, strict=True):
            texts[number] = "" if isinstance(one, NotCleaned) else one.text or ""
    return texts


def _figures(texts: Sequence[str], against: Sequence[str], copies: Pairs) -> list[str]:
    distances = [text_distance(texts[one], against[other]) for one, other in copies]
    # Each page against the copy of the next article.
    shifted = [*copies[1:], *copies[:1]]
    others = [
        text_distance(texts[one], against[other])
        for (one, _), (_, other) in zip(copies, shifted, strict=True)
    ]
    near = mean(distance <= NEAR for distance in distances)
    return [
        f"{mean(distances):.3f}",
        f"{median(distances):.3f}",
        f"{near:.0%}",
        f"{mean(others):.3f}",
    ]


def _copies(pages: Sequence[SitePage]) -> Pairs:
    """Pairs of pages of different sites with the same article."""
    by_name: defaultdict[str, list[int]] = defaultdict(list)
    for number, page in enumerate(pages):
        by_name[page.name].append(number)
    return [pair for numbers in by_name.values() for pair in combinations(numbers, 2)]


def _drawn(pairs: Pairs, count: int, seed: int) -> Pairs:
    def by_hash(pair: tuple[int, int]) -> bytes:
        return hashlib.blake2b(f"{seed} {pair}".encode()).digest()

    return sorted(pairs, key=by_hash)[:count]


def _feed(seed: int) -> list[SitePage]:
    """Articles of synthetic news sites; the text that a full feed has of each is its gold."""
    pages = simulate_feed(FeedSettings(genre="news", sites=6, pages=360, seed=seed))
    return _parsed(
        (one.site, one.url, one.html, one.gold_text, one.url)
        for one in pages
        if one.page_role == "article" and one.gold_text
    )


def _mirrors(corpora: Sequence[Path], seed: int) -> list[SitePage]:
    pages = read_class_set(corpora, articles_per_topic=40, templates_per_article=2, seed=seed)
    return _parsed((one.site, one.url, one.markup, one.text, one.article) for one in pages)


def _snapshots(corpora: Sequence[Path]) -> list[SitePage]:
    """Pages of sites that have an address at two dates; each date is a site of its own."""
    some = [one for one in records(corpora, "snapshot") if one.get("gold_text")]
    dates: defaultdict[str, set[str]] = defaultdict(set)
    for one in some:
        dates[one["url"]].add(one["snapshot"])
    sites = {one["site"] for one in some if len(dates[one["url"]]) > 1}
    return _parsed(
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


def _parsed(pages) -> list[SitePage]:
    return [
        page
        for site, url, markup, text, name in pages
        if (page := site_page(site=site, url=url, markup=markup, text=text, name=name))
    ]
