"""`templ experiments rss`: the texts of pages, judged by what the site's own feed says of them."""

from collections.abc import Callable, Sequence
from pathlib import Path

import click
import msgspec

from templ_core.lab.evaluation.report import bootstrap
from templ_core.lab.evaluation.words import WordCounts, score_text, text_distance, word_counts
from workers.cli.lazy import require_extra
from workers.errors import InputProblem
from workers.lab.experiments.results import Report
from workers.lab.options import out_option

_SUMMARY_WORDS_MIN = 10
"""Shortest summary that judges a page; shorter ones are often a mere title."""
_DISTANCE_WORDS_MAX = 5000
"""Longest text whose edit distance is counted, which takes time with the square of its length."""
_SEED = 0


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


@click.command("rss", short_help="Judge cleaned pages by the feeds of their sites.")
@click.argument("crawl", nargs=-1, required=True, type=click.Path(path_type=Path))
@out_option
def rss(crawl: tuple[Path, ...], out: Path | None) -> None:
    """Compare the texts of the pages of CRAWL... with the entries of the feeds among them.

    CRAWL are files with pages and feeds, such as `pages.jsonl` and `feeds.jsonl` of `templ crawl`, or its
    WARC files. A good text has all words of an entry's summary, and is nearly the same as its whole text;
    Foschini's thesis, 6.1, proposes this measure. `raw`, all visible text, is the most that a summary can
    be found in. Intervals are of 95 %, by drawing sites.
    """
    require_extra("crawl", "experiments rss")
    from workers.lab.experiments.foschini.feed_pairs import (  # noqa: PLC0415 - needs feedparser
        SYSTEMS,
        read_pairs,
    )

    rows: list[list[str]] = []
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
            rows.append([pairs[0].site, str(len(pairs)), *_site_row(of_site, SYSTEMS)])
        for name, some in of_site.items():
            scores[name] += some
        sites += [one.site for one in pairs]
    if not sites:
        raise InputProblem("no entry of a feed belongs to a page of these files")
    report = Report(out)
    report.say(f"{len(sites)} pages of {len(rows)} sites have an entry in a feed")
    report.table(
        "All pages",
        [
            "text",
            "recall of the summary",
            "F1 with the whole text",
            "edit distance",
            "% of raw words",
        ],
        [[name, *_overall(some, sites)] for name, some in scores.items()],
    )
    header = [f"{figure}, {name}" for figure in ("recall", "F1") for name in SYSTEMS]
    report.table("By site", ["site", "pages", *header], rows)


def feed_score(text: str, raw: str, summary: str, full_text: str) -> FeedScore:
    """Return how well a text agrees with what a feed says of its page.

    >>> summary = "one two three four five six seven eight nine ten"
    >>> feed_score("One two three four five", "", summary, "").summary_recall
    0.5

    Args:
        text: The text to be judged.
        raw: All visible text of the page.
        summary: The entry's summary as plain text, or an empty text.
        full_text: The entry's whole text as plain text, or an empty text.
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


def _site_row(scores: dict[str, list[FeedScore]], systems: Sequence[str]) -> list[str]:
    figures: tuple[Callable[[FeedScore], float | None], ...] = (
        lambda one: one.summary_recall,
        lambda one: one.f1,
    )
    cells = []
    for figure in figures:
        for name in systems:
            values = [value for value in map(figure, scores[name]) if value is not None]
            cells.append(f"{sum(values) / len(values):.3f}" if values else "")
    return cells


def _overall(scores: Sequence[FeedScore], sites: Sequence[str]) -> list[str]:
    return [
        _interval([one.summary_recall for one in scores], sites),
        _interval([one.f1 for one in scores], sites),
        _interval([one.distance for one in scores], sites),
        f"{100 * sum(one.kept for one in scores) / len(scores):.0f}",
    ]


def _interval(values: Sequence[float | None], sites: Sequence[str]) -> str:
    """Return the mean of those values that there are, with its interval."""
    known = [(value, site) for value, site in zip(values, sites, strict=True) if value is not None]
    if not known:
        return ""
    means = bootstrap([value for value, _ in known], [site for _, site in known], _SEED)
    width = means.pages_interval
    return f"{means.of_pages:.3f}" + (f" ({width.low:.3f} to {width.high:.3f})" if width else "")
