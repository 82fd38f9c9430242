"""`templ experiments search`: what clean text does to the size and the hits of a search engine."""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path

import click
import msgspec

from templ_core.lab.evaluation.report import Interval, bootstrap
from workers.indexes.search import TITLE_WEIGHT
from workers.indexes.words import match_expression, separated
from workers.lab.experiments.results import Report
from workers.lab.experiments.retrieval.known_items import (
    KnownItem,
    reciprocal_rank,
    sentence_words,
    title_words,
)
from workers.lab.experiments.retrieval.site_texts import SYSTEMS, PageTexts, read_sites, site_texts
from workers.lab.job_processes import map_in_processes
from workers.lab.options import corpora_argument, jobs_option, out_option

_FOUND_MAX = 100
_SUCCESS_AT = 5
_SEED = 0
_BASE = "raw"


class SearchScores(msgspec.Struct, frozen=True):
    """What an index of one system's texts costs and finds."""

    index_bytes: int
    """Size of the index without the texts themselves."""
    ranks: list[float]
    """Reciprocal rank of each query."""


@click.command("search", short_help="Measure search in raw and in clean text.")
@corpora_argument
@click.option(
    "--pages", default=40, show_default=True, help="Most pages with gold text of each site."
)
@jobs_option
@out_option
def search(corpora: tuple[Path, ...], pages: int, jobs: int, out: Path | None) -> None:
    """Index the texts that several cleaners make of CORPORA, and look for known pages in them.

    CORPORA are JSON Lines files with gold text and several pages a site. All pages are in one index for each
    cleaner; the queries are the words of a page's title, and five words of a sentence of its gold text.
    Every index has the titles of the pages as a further field, as that of `templ index` has. Hits are ranked by
    BM25. Intervals are of 95 %, by drawing sites.
    """
    sites = list(read_sites(corpora, pages))
    texts = [page for some in map_in_processes(jobs, site_texts, sites) for page in some]
    items = known_items(texts)
    scores = {name: search_scores(texts, name, items) for name in SYSTEMS}
    report = Report(out)
    report.say(f"{len(texts)} pages of {len(sites)} sites, {len(items)} queries")
    raw = scores[_BASE].index_bytes
    report.table(
        "Size",
        ["text", "words, % of raw", "index, % of raw", "index, kB"],
        [
            [
                name,
                f"{100 * _words(texts, name) / _words(texts, _BASE):.0f}",
                f"{100 * one.index_bytes / raw:.0f}",
                f"{one.index_bytes / 1000:.0f}",
            ]
            for name, one in scores.items()
        ],
    )
    for kind in ("title", "sentence"):
        _report_kind(report, kind, items, scores)


def known_items(texts: Sequence[PageTexts]) -> list[KnownItem]:
    """Return two queries for each page with gold text, where title and text have words enough."""
    copies: defaultdict[str, set[int]] = defaultdict(set)
    for number, one in enumerate(texts):
        if one.gold:
            copies[one.gold].add(number)
    items = []
    for number, one in enumerate(texts):
        if not one.gold:
            continue
        wanted = frozenset(copies[one.gold])
        words = {
            "title": title_words(one.headline),
            "sentence": sentence_words(one.gold, f"{one.site} {number}"),
        }
        items += [KnownItem(one.site, kind, some, wanted) for kind, some in words.items() if some]
    return items


def search_scores(
    pages: Sequence[PageTexts], name: str, items: Iterable[KnownItem]
) -> SearchScores:
    """Return what an index of titles and texts costs, and how well it finds the wanted pages.

    Args:
        pages: The pages; a page's number is its position.
        name: The system whose texts are indexed.
        items: The queries; one of a query's words is enough for a hit.
    """
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute(
            "CREATE VIRTUAL TABLE words USING fts5 (title, text, content = '', "
            'tokenize = "unicode61 remove_diacritics 2")'
        )
        db.executemany(
            "INSERT INTO words (rowid, title, text) VALUES (?, ?, ?)",
            (
                (number, separated(page.page_title), separated(page.texts[name]))
                for number, page in enumerate(pages)
            ),
        )
        db.execute("INSERT INTO words (words) VALUES ('optimize')")
        db.commit()
        db.execute("VACUUM")
        (index_bytes,) = db.execute(
            "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
        ).fetchone()
        ranks = [reciprocal_rank(_found(db, one.words), one.wanted) for one in items]
    return SearchScores(index_bytes, ranks)


def _found(db: sqlite3.Connection, words: Sequence[str]) -> list[int]:
    query = match_expression(" ".join(words), any_word=True)
    rows = db.execute(
        "SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words, ?, 1.0), rowid LIMIT ?",
        (query, TITLE_WEIGHT, _FOUND_MAX),
    )
    return [number for (number,) in rows]


def _words(texts: Sequence[PageTexts], name: str) -> int:
    return sum(len(one.texts[name].split()) for one in texts)


def _report_kind(
    report: Report, kind: str, items: Sequence[KnownItem], scores: dict[str, SearchScores]
) -> None:
    chosen = [number for number, one in enumerate(items) if one.kind == kind]
    sites = [items[number].site for number in chosen]
    ranks = {name: [one.ranks[number] for number in chosen] for name, one in scores.items()}
    rows = []
    for name, values in ranks.items():
        hits = [float(value >= 1 / _SUCCESS_AT) for value in values]
        gain = [one - base for one, base in zip(ranks["site level"], values, strict=True)]
        difference = "" if name == "site level" else _interval(gain, sites, signed=True)
        rows.append([name, _interval(values, sites), _interval(hits, sites), difference])
    report.table(
        f"Queries by {kind}: {len(chosen)}",
        ["text", "MRR", f"success at {_SUCCESS_AT}", "gain of the site level in MRR"],
        rows,
    )


def _interval(values: Sequence[float], sites: Sequence[str], *, signed: bool = False) -> str:
    """Return a mean over pages and its interval."""
    means = bootstrap(values, sites, _SEED)
    width: Interval | None = means.pages_interval
    sign = "+" if signed else ""
    interval = f" ({width.low:{sign}.3f} to {width.high:{sign}.3f})" if width else ""
    return f"{means.of_pages:{sign}.3f}{interval}"
