"""`templ experiments rss`: the texts of pages, judged by what the site's own feed says of them."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import click
import feedparser
import msgspec
from lxml import etree, html

from templ_core import CleanedPage, clean_site
from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.dom.document import read_document
from templ_core.errors import PageError
from templ_core.lab.evaluation.words import WordCounts, score_text, text_distance, word_counts
from workers.crawl.addresses import absolute_address, address_key, is_askable
from workers.errors import InputProblem
from workers.feeds.files import read_feed
from workers.lab.experiments.results import Cell, Report, mean_text
from workers.lab.options import PATH, experiment_command
from workers.page import Page

SYSTEMS = ("raw", "page level", "site level")
"""What makes the texts: everything visible, the page model alone, and the site's pages together."""
_FEED_ROOTS = (b"<rss", b"<feed", b"<rdf:RDF")
_HEAD_BYTES = 2048
_PAGE_BYTES_MAX = 32 << 20


class FeedPair(msgspec.Struct, frozen=True, kw_only=True):
    """A page and what a feed says of it, as plain texts."""

    site: str
    url: str
    summary: str
    full_text: str
    """The whole text in the feed; empty where it has only a summary."""
    texts: dict[str, str]
    """The page's text by the name of each of `SYSTEMS`, without the line that is the entry's title."""


def read_pairs(paths: Sequence[Path]) -> Iterator[list[FeedPair]]:
    """Yield the pairs of each site that has a feed.

    An entry belongs to the page whose address is its link or its guid, or to the page that names one of
    them as its canonical address. Parameters of campaigns do not count.

    Raises:
        InputProblem: A file cannot be read.
    """
    pages: defaultdict[str, dict[str, Page]] = defaultdict(dict)
    entries: defaultdict[str, dict[str, FeedEntry]] = defaultdict(dict)
    for page in read_feed(paths):
        if not isinstance(page, Page) or page.body is None or page.status != 200:
            continue
        if is_feed(page.body):
            for entry in _entries(page.body):
                for address in (entry.guid, absolute_address(page.url, entry.link)):
                    if address is not None and is_askable(address):
                        entries[page.site][address_key(address)] = entry
        else:
            pages[page.site][page.url] = page
    for site in sorted(entries):
        yield list(pair_site(list(pages[site].values()), entries[site]))


class FeedEntry(NamedTuple):
    """One entry of a feed, with its HTML as it is; what it has not is empty."""

    link: str
    """Address of the page, perhaps relative."""
    guid: str
    """Identity of the entry, which is often the address of the page as well."""
    title: str
    summary: str
    full_text: str
    """The whole text of the page (`content:encoded`, Atom's `content`)."""


def _entries(body: bytes) -> Iterator[FeedEntry]:
    for entry in feedparser.parse(BytesIO(body)).entries:
        full_text = max(
            (one.get("value") or "" for one in entry.get("content", ())), key=len, default=""
        )
        link, guid, title, summary = (
            entry.get(name) or "" for name in ("link", "id", "title", "summary")
        )
        yield FeedEntry(link, guid, title, "" if summary == full_text else summary, full_text)


def is_feed(body: bytes) -> bool:
    """Return whether the bytes of a page are a feed."""
    return any(root in body[:_HEAD_BYTES] for root in _FEED_ROOTS)


def pair_site(pages: Sequence[Page], entries: dict[str, FeedEntry]) -> Iterator[FeedPair]:
    """Yield the pairs of one site; its pages are cleaned together, those without an entry as well."""
    bodies = [page.body or b"" for page in pages]
    cleaned = clean_site([(page.url, body) for page, body in zip(pages, bodies, strict=True)])
    for page, body, found in zip(pages, bodies, cleaned, strict=True):
        if not isinstance(found, CleanedPage):
            continue
        canonical = found.metadata.canonical_url if found.metadata is not None else None
        keys = [address_key(url) for url in (page.url, canonical) if url and is_askable(url)]
        entry = next((entries[key] for key in keys if key in entries), None)
        if entry is None:
            continue
        try:
            document = read_document(
                body,
                page.url,
                content_type=page.content_type,
                charset=page.charset,
                content_encoding=page.content_encoding,
                limit_bytes=_PAGE_BYTES_MAX,
            )
        except PageError:
            continue
        alone = clean(document, None, CoreConfig()).text
        made = ("\n".join(document.segments.texts), alone, found.text)
        title = plain_text(entry.title)
        yield FeedPair(
            site=page.site,
            url=page.url,
            summary=plain_text(entry.summary),
            full_text=plain_text(entry.full_text),
            texts={
                name: _without_line(text, title) for name, text in zip(SYSTEMS, made, strict=True)
            },
        )


def plain_text(markup: str) -> str:
    """Return the text of a summary, which may be HTML.

    >>> plain_text("<p>One</p><p>two &amp; three</p>")
    'One two & three'
    """
    if not markup.strip():
        return ""
    try:
        root = html.fragment_fromstring(markup, create_parent="div")
    except (etree.ParserError, ValueError):
        return markup
    return " ".join(" ".join(root.itertext()).split())


def _without_line(text: str, left_out: str) -> str:
    return "\n".join(line for line in text.split("\n") if line.strip() != left_out)


_SUMMARY_WORDS_MIN = 10
"""Shortest summary that judges a page; shorter ones are often a mere title."""
_DISTANCE_WORDS_MAX = 5000
"""Longest text whose edit distance is counted, which takes time with the square of its length."""


class FeedScore(msgspec.Struct, frozen=True, kw_only=True):
    """How well one text of a page agrees with what the feed says of it; each 0 to 1."""

    summary_recall: float | None
    """Share of the summary's words that are in the text; None without a summary of some length."""
    f1: float | None
    """Word F1 against the whole text in the feed; None where the feed has none."""
    distance: float | None
    """Edit distance to that text in words, divided by the words of the longer one."""
    kept: float
    """Share of the visible words of the page that are in the text."""


@experiment_command("Judge cleaned pages by the feeds of their sites.", name="rss")
@click.argument("crawl", nargs=-1, required=True, type=PATH)
def rss(report: Report, crawl: tuple[Path, ...]) -> None:
    """Compare the texts of the pages of CRAWL... with the entries of the feeds among them.

    CRAWL are files with pages and feeds, such as `pages.jsonl` and `feeds.jsonl` of `templ crawl`, or its
    WARC files. A good text has all words of an entry's summary, and is nearly the same as its whole text;
    Foschini's thesis, 6.1, proposes this measure. The line that is the entry's title does not count, because
    the whole text in a feed does not repeat it. `raw`, all visible text, is the most that a summary can
    be found in. Intervals are of 95 %, by drawing sites.
    """
    rows: list[list[Cell]] = []
    sites: list[str] = []
    scores: dict[str, list[FeedScore]] = {name: [] for name in SYSTEMS}
    for pairs in read_pairs(crawl):
        of_site = {
            name: [
                feed_score(one.texts[name], one.texts["raw"], one.summary, one.full_text)
                for one in pairs
            ]
            for name in SYSTEMS
        }
        if pairs:
            rows.append([pairs[0].site, len(pairs), *_site_row(of_site)])
        for name, some in of_site.items():
            scores[name] += some
        sites += [one.site for one in pairs]
    if not sites:
        raise InputProblem("no entry of a feed belongs to a page of these files")
    report.say(f"{len(sites)} pages of {len(rows)} sites have an entry in a feed")
    header = ["text", "recall of the summary", "F1 with the whole text", "edit distance"]
    header.append("% of raw words")
    overall = [[name, *_overall(some, sites)] for name, some in scores.items()]
    report.table("All pages", header, overall)
    header = [f"{figure}, {name}" for figure in ("recall", "F1") for name in SYSTEMS]
    report.table("By site", ["site", "pages", *header], rows)


def feed_score(text: str, raw: str, summary: str, full_text: str) -> FeedScore:
    """Return how well a text agrees with what a feed says of its page.

    >>> summary = "one two three four five six seven eight nine ten"
    >>> feed_score("One two three four five", "", summary, "").summary_recall
    0.5
    """
    words, wanted, whole = word_counts(text), word_counts(summary), word_counts(full_text)
    has_summary = wanted.total() >= _SUMMARY_WORDS_MIN
    is_short = max(words.total(), whole.total()) <= _DISTANCE_WORDS_MAX
    return FeedScore(
        summary_recall=(words & wanted).total() / wanted.total() if has_summary else None,
        f1=score_text(words, whole, WordCounts()).f1 if whole else None,
        distance=text_distance(text, full_text) if whole and is_short else None,
        kept=words.total() / max(word_counts(raw).total(), 1),
    )


def _site_row(scores: dict[str, list[FeedScore]]) -> list[float | None]:
    """Return the mean recall and the mean F1 of a site by each system."""
    figures = ("summary_recall", "f1")
    known = [
        [value for one in some if (value := getattr(one, figure)) is not None]
        for figure in figures
        for some in scores.values()
    ]
    return [fmean(values) if values else None for values in known]


def _overall(scores: Sequence[FeedScore], sites: Sequence[str]) -> list[str]:
    cells = []
    for figure in ("summary_recall", "f1", "distance"):
        columns = zip((getattr(one, figure) for one in scores), sites, strict=True)
        known = [(value, site) for value, site in columns if value is not None]
        cells.append(mean_text([value for value, _ in known], [site for _, site in known]))
    return [*cells, f"{100 * fmean(one.kept for one in scores):.0f}"]
