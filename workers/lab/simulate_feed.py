"""`templ simulate`: writes pages of synthetic sites with their truth, as JSON Lines."""

import gzip
import lzma
import math
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

import click
import msgspec

from workers.errors import UsageProblem
from workers.lab import experiment as lab
from workers.lab.corpora import read_nonblank_lines
from workers.lab.simulate.feed import FeedSettings, simulate_feed
from workers.lab.simulate.readable import READABLE_GENRES
from workers.lab.simulate.site import FIELD_GENRES, SITE_GENRES
from workers.local.record_file import cannot_write

_DEFAULTS = FeedSettings()
_PAGES_PER_SITE, _PAGES_PER_SITE_MAX = 10, 25
"""Pages of a readable site; its sentences are few, and on more pages they would recur as those of a template do."""
_BOUNDS = (
    (("sites", "pages"), 1, math.inf, "at least 1"),
    (("days", "redesign_day", "mixed_days"), 0, math.inf, "at least 0"),
    (("missing_share",), 0, 1, "from 0 to 1"),
)
"""Options, the least and the largest value of each, and both in words."""


@click.command()
@lab.option(
    "--kind",
    "genre",
    type=click.Choice(["mixed", *SITE_GENRES, *FIELD_GENRES]),
    default=_DEFAULTS.genre,
    help="What sort of sites the feed has; `variants` is a shop of attributes and variants. Mixed "
    "feeds have the first four sorts.",
)
@click.option(
    "--readable",
    is_flag=True,
    help="Newspapers, shops and manuals in English that look like those of people, in sentences that a person could "
    "have written, to look at; the kind is one of news, shop and manual, or mixed for all three.",
)
@click.option(
    "--sites",
    type=int,
    help=f"Number of sites.  [default: {_DEFAULTS.sites}; with --readable one for each {_PAGES_PER_SITE} pages]",
)
@lab.option("--pages", default=_DEFAULTS.pages, help="Number of pages.")
@lab.option(
    "--seed",
    default=_DEFAULTS.seed,
    help="Seed of the random generator; equal seeds give equal pages.",
)
@lab.option("--days", default=_DEFAULTS.days, help="Number of days the feed spans.")
@click.option(
    "--redesign-day",
    type=float,
    help="Redesign sites this many days after the start.  [default: never]",
)
@lab.option(
    "--mixed-days",
    default=_DEFAULTS.mixed_days,
    help="Number of days after a redesign in which half of the pages have the old design.",
)
@lab.option(
    "--missing-share",
    default=_DEFAULTS.missing_share,
    help="Share of the pages that are error pages, from 0 to 1.",
)
@click.option(
    "--start", help="When the first page arrives, as an ISO 8601 date.  [default: 2026-01-05]"
)
@click.option(
    "--out",
    type=lab.FILE,
    required=True,
    help="File to write; its ending chooses the compression: .jsonl, .jsonl.gz or .jsonl.xz.",
)
def simulate(*, out: Path, start: str | None, **options: object) -> None:
    """Write pages of synthetic sites, each with its gold text and gold selectors.

    Use it to try templ without a crawl, or to test a deployment: sites differ in language, layout
    and markup, and can be redesigned while the feed runs.
    """
    if start is not None:
        options["start"] = _moment(start)
    settings = _settings(options)
    if settings.readable and settings.genre not in ("mixed", *READABLE_GENRES):
        raise UsageProblem(
            f"--readable writes {', '.join(READABLE_GENRES)} or mixed sites, and --kind is {settings.genre}"
        )
    if settings.readable and settings.pages > _PAGES_PER_SITE_MAX * settings.sites:
        raise UsageProblem(
            f"--readable has sentences for {_PAGES_PER_SITE_MAX} pages a site: write --sites "
            f"{math.ceil(settings.pages / _PAGES_PER_SITE_MAX)} or more, or leave --sites out"
        )
    _refuse_other_file(out)
    began = time.monotonic()
    encode = msgspec.json.Encoder().encode
    with _opened(out) as file:
        for page in lab.tracked(simulate_feed(settings), "Simulating", settings.pages):
            file.write(encode(page.record()) + b"\n")
    seconds = time.monotonic() - began
    click.echo(
        f"{out}: {settings.pages} pages of {settings.sites} sites, seed {settings.seed}, "
        f"in {seconds:.1f} s",
        file=sys.stderr,
    )


def _moment(written: str) -> datetime:
    try:
        moment = datetime.fromisoformat(written)
    except ValueError:
        raise UsageProblem(
            f"--start {written}: write an ISO 8601 date such as 2026-01-05"
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _settings(options: dict[str, object]) -> FeedSettings:
    if options["sites"] is None:
        few = max(1, math.ceil(options["pages"] / _PAGES_PER_SITE))  # type: ignore[operator]
        options["sites"] = few if options["readable"] else _DEFAULTS.sites
    settings = msgspec.convert(options, FeedSettings)
    for names, least, most, wanted in _BOUNDS:
        for name in names:
            value = getattr(settings, name)
            if value is not None and not least <= value <= most:
                raise UsageProblem(f"--{name.replace('_', '-')} {value}: it must be {wanted}")
    return settings


def _refuse_other_file(out: Path) -> None:
    """Refuse to replace a file that this command has not written, such as pages of a crawl."""
    first = next(read_nonblank_lines(out), b"") if out.is_file() else b""
    if first and b'"gold_selector"' not in first:
        raise UsageProblem(f"--out {out} has pages that were not simulated; name another file")


def _opened(out: Path) -> IO[bytes] | gzip.GzipFile | lzma.LZMAFile:
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        if out.suffix == ".gz":
            return gzip.GzipFile(out, "wb", compresslevel=6, mtime=0)
        if out.suffix == ".xz":
            return lzma.open(out, "wb", preset=1)
        return out.open("wb")
    except OSError as error:
        raise cannot_write("--out", out, error) from None
