"""`templ experiments search`: what clean text does to the size and the hits of a search engine."""

import random
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec

from templ_core import CleanedPage, clean_site
from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.dom.document import parse_document
from templ_core.errors import PageError
from templ_core.lab.evaluation.report import group_by
from templ_core.metadata.page_metadata import read_metadata
from templ_core.tokens import count_tokens, tokenise
from workers.indexes.search import TITLE_WEIGHT, match_expression, separated
from workers.lab.corpora import read_objects, record_markup, site_of
from workers.lab.evaluation.peers import load_peer
from workers.lab.experiments.results import Report, mean_text
from workers.lab.options import (
    corpora_argument,
    experiment_command,
    jobs_option,
    map_in_processes,
    option,
)

_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+|\n")
_SENTENCE_TOKENS_MIN = 8
_QUERY_TOKENS = 5
_TITLE_TOKENS_MIN = 3
_WORD_LETTERS_MIN = 4


class KnownItem(msgspec.Struct, frozen=True):
    """A query and the page that it looks for."""

    site: str
    kind: str
    """`title` or `sentence`."""
    words: tuple[str, ...]
    wanted: frozenset[int]
    """Numbers of the page and of its exact copies."""


def title_words(title: str) -> tuple[str, ...]:
    """Return the words of a query by title, or nothing for a title that is too short to tell a page."""
    words = tuple(dict.fromkeys(tokenise(title.lower())))
    return words if len(words) >= _TITLE_TOKENS_MIN else ()


def sentence_words(gold_text: str, seed: str) -> tuple[str, ...]:
    """Return five words of a sentence of a text in their order, or nothing where no sentence has as many.

    Words of fewer than four letters are left out, but for scripts without spaces between words.

    >>> sentence_words("The council opened the new bridge after seven years of work.", "a")
    ('council', 'opened', 'bridge', 'seven', 'work')
    """
    chosen = random.Random(seed)  # noqa: S311 - a sample, not security
    long = [
        one for one in _SENTENCE_END.split(gold_text) if count_tokens(one) >= _SENTENCE_TOKENS_MIN
    ]
    if not long:
        return ()
    words = list(dict.fromkeys(filter(_is_telling, tokenise(chosen.choice(long).lower()))))
    if len(words) < _QUERY_TOKENS:
        return ()
    numbers = sorted(chosen.sample(range(len(words)), _QUERY_TOKENS))
    return tuple(words[number] for number in numbers)


def _is_telling(word: str) -> bool:
    return len(word) >= _WORD_LETTERS_MIN or not word.isascii()


def reciprocal_rank(found: Sequence[int], wanted: frozenset[int]) -> float:
    """Return 1 over the rank of the first wanted page; 0 where none was found.

    >>> reciprocal_rank([7, 3, 9], frozenset([3]))
    0.5
    """
    return next((1 / rank for rank, page in enumerate(found, 1) if page in wanted), 0.0)


SYSTEMS = ("raw", "page level", "site level", "trafilatura", "gold")
"""What makes the texts; gold is the text that a person would keep, and the site level's where none is known."""


class PageTexts(msgspec.Struct, frozen=True):
    """The texts of a page."""

    site: str
    page_title: str
    """Title as it stands in the page."""
    headline: str
    """Headline that the page states, without the name of the site."""
    gold: str | None
    texts: dict[str, str]
    """The text by the name of each of `SYSTEMS`."""


def read_sites(corpora: Sequence[Path], pages: int) -> Iterator[list[dict[str, Any]]]:
    """Yield the records of each site with at least two pages, pages with gold text first."""
    for path in corpora:
        for records in group_by((one for _, one in read_objects(path)), site_of).values():
            gold = [one for one in records if one.get("gold_text")]
            others = [one for one in records if not one.get("gold_text")]
            chosen = [*_spread(gold, pages), *_spread(others, pages // 2)]
            if len(gold) > 1:
                yield chosen


def site_texts(records: Sequence[dict[str, Any]]) -> list[PageTexts]:
    """Return the texts of the pages of one site; a page that cannot be cleaned is left out."""
    peer = load_peer("trafilatura")
    config = CoreConfig()
    markups = [record_markup(one).encode("utf-8", "replace").decode() for one in records]
    urls = [str(one["url"]) for one in records]
    by_site = clean_site(list(zip(urls, markups, strict=True)))
    found = []
    for record, url, markup, cleaned in zip(records, urls, markups, by_site, strict=True):
        if not isinstance(cleaned, CleanedPage):
            continue
        try:
            document = parse_document(markup, url)
        except PageError:
            continue
        alone = clean(document, None, config).text
        gold = record.get("gold_text")
        raw = "\n".join(document.segments.texts)
        texts = (raw, alone, cleaned.text, peer(markup), gold or cleaned.text)
        found.append(
            PageTexts(
                site=site_of(record),
                page_title=document.title,
                headline=read_metadata(document, url, alone).title or "",
                gold=gold,
                texts=dict(zip(SYSTEMS, texts, strict=True)),
            )
        )
    return found


def _spread(records: list[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    """Return at most `count` records, spread evenly over the list."""
    return records[:: max(1, -(-len(records) // max(count, 1)))]


_FOUND_MAX = 100
_SUCCESS_AT = 5
_BASE = "raw"


class SearchScores(msgspec.Struct, frozen=True):
    """What an index of one system's texts costs and finds."""

    index_bytes: int
    """Size of the index without the texts themselves."""
    ranks: list[float]
    """Reciprocal rank of each query."""


@experiment_command("Measure search in raw and in clean text.", name="search")
@corpora_argument
@option("--pages", default=40, help="Most pages with gold text of each site.")
@jobs_option
def search(report: Report, corpora: tuple[Path, ...], pages: int, jobs: int) -> None:
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
    report.say(f"{len(texts)} pages of {len(sites)} sites, {len(items)} queries")
    raw = scores[_BASE].index_bytes
    report.table(
        "Size",
        ["text", "words, % of raw", "index, % of raw", "index, kB"],
        [
            [
                name,
                round(100 * _words(texts, name) / _words(texts, _BASE)),
                round(100 * one.index_bytes / raw),
                round(one.index_bytes / 1000),
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
    """Return what an index of titles and texts costs, and how well it finds the wanted pages."""
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
        difference = "" if name == "site level" else mean_text(gain, sites, form="+.3f")
        rows.append([name, mean_text(values, sites), mean_text(hits, sites), difference])
    report.table(
        f"Queries by {kind}: {len(chosen)}",
        ["text", "MRR", f"success at {_SUCCESS_AT}", "gain of the site level in MRR"],
        rows,
    )
