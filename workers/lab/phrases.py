"""`templ phrases`: learns, applies and exports the strings that recur on a site's pages."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
import msgspec

from templ_core.dom.decode.decode_page import decode_page
from templ_core.dom.document import read_document
from templ_core.errors import PageError
from templ_core.lab.near_duplicates import distinct_plain_texts
from templ_core.lab.papers.foschini import matching
from templ_core.lab.papers.foschini.page_tokens import MutablePattern, page_text
from templ_core.lab.papers.foschini.phrases import PhraseSet, learn_phrases
from workers.cli.inputs import FeedReader, progress, raise_problems, refuse_overwriting
from workers.cli.options import open_output
from workers.errors import InputProblem, UsageProblem
from workers.lab import experiment as lab
from workers.lab.corpora import read_nonblank_lines
from workers.page import Page, Rejected
from workers.settings import load_settings

_FORMAT = 1


class _SitePhrases(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a phrase file: the phrases of one site."""

    format: int
    site: str
    set: PhraseSet


_inputs = click.argument("inputs", metavar="INPUT...", nargs=-1, required=True, type=lab.PATH)
_phrase_file = click.argument("phrases", metavar="PHRASES", type=lab.PATH)
_out = partial(click.option, "--out", required=True, type=lab.PATH)


@click.group()
def phrases() -> None:
    """Learn, apply and export strings that recur word for word on the pages of a site."""


@phrases.command("learn")
@_inputs
@_out(help="File to write the phrases to, with one line for each site; - is standard output.")
@click.option(
    "--raw-html", is_flag=True, help="Learn phrases of the markup itself, without parsing it."
)
@click.option(
    "--patterns",
    type=lab.PATH,
    help="File with additional patterns of words that differ from page to page although they are "
    'template: a JSON list of {"name": ..., "words": [...]} or {"name": ..., "pattern": "..."}.',
)
def learn_site_phrases(
    inputs: tuple[Path, ...], *, out: Path, raw_html: bool, patterns: Path | None
) -> None:
    """Learn the recurring phrases of each site in INPUT.

    INPUT are files or directories in any format that `templ run` reads.
    """
    refuse_overwriting([*inputs, *([patterns] if patterns else [])], out=out)
    own = _read_patterns(patterns)
    sites: defaultdict[str, list[str]] = defaultdict(list)
    skipped: list[object] = []
    for page, text in _pages(inputs, skipped, markup=raw_html):
        sites[page.site].append(text)
    if not sites:
        raise InputProblem(f"{', '.join(map(str, inputs))}: no page can be read")
    phrase_count = 0
    with open_output(out) as writer, progress(len(sites)) as bar:
        for done, (site, pages) in enumerate(sorted(sites.items()), 1):
            distinct = [pages[index] for index in distinct_plain_texts(pages)]
            learned = learn_phrases(distinct, markup=raw_html, patterns=own)
            phrase_count += len(learned.phrases)
            line = _SitePhrases(format=_FORMAT, site=site, set=learned)
            writer.write(msgspec.json.encode(line) + b"\n")
            bar(done, site)
    click.echo(f"{phrase_count} phrases of {len(sites)} sites{_left_out(skipped)}: {out}", err=True)


@phrases.command("apply")
@_phrase_file
@_inputs
@_out(help="File to write the remaining text of each page to, as JSON Lines; - is standard output.")
def apply_site_phrases(phrases: Path, inputs: tuple[Path, ...], *, out: Path) -> None:
    """Remove the learned PHRASES from the pages of INPUT.

    PHRASES is a file of `templ phrases learn`. Pages of sites that are not in it keep their whole
    text.
    """
    refuse_overwriting([*inputs, phrases], out=out)
    sets = {one.site: one.set for one in _read_phrases(phrases)}
    markup = any(one.markup for one in sets.values())
    matchers = {site: matching.PhraseMatcher(one) for site, one in sets.items()}
    skipped: list[object] = []
    pages = unknown = 0
    with open_output(out) as writer:
        for page, text in _pages(inputs, skipped, markup=markup):
            matcher = matchers.get(page.site)
            spans = matching.settled_spans(text, matcher.spans(text)) if matcher else []
            record = {
                "source": page.source,
                "url": page.url,
                "site": page.site,
                "text": matching.text_outside(text, spans),
                "removed_chars": sum(end - start for start, end in spans),
            }
            writer.write(msgspec.json.encode(record) + b"\n")
            pages += 1
            unknown += matcher is None
    others = f", {unknown} of sites without phrases" if unknown else ""
    click.echo(f"{pages} pages{others}{_left_out(skipped)}: {out}", err=True)


@phrases.command("export", short_help="Export phrases as regular expressions.")
@_phrase_file
@_out(help="File to write the expressions to, as JSON Lines; - is standard output.")
@click.option("--site", help="Export only the phrases of this site.  [default: all sites]")
def export_site_phrases(phrases: Path, *, out: Path, site: str | None) -> None:
    """Export the learned PHRASES as regular expressions for Python's `re` module, without flags.

    The expressions match text that has one block a line. If the phrases were learned with
    --raw-html, the expressions match markup.
    """
    refuse_overwriting([phrases], out=out)
    sets = [one for one in _read_phrases(phrases) if site is None or one.site == site]
    if not sets:
        raise UsageProblem(f"--site {site}: {phrases} has no phrases of this site")
    with open_output(out) as writer:
        for site_phrases in sets:
            learned = site_phrases.set
            patterns = matching.expressions(learned)
            for phrase, pattern in zip(learned.phrases, patterns, strict=True):
                record = {
                    "site": site_phrases.site,
                    "pages": phrase.pages,
                    "of_pages": learned.pages,
                    "expression": pattern,
                }
                writer.write(msgspec.json.encode(record) + b"\n")


def _pages(
    inputs: Sequence[Path], skipped: list[object], *, markup: bool
) -> Iterator[tuple[Page, str]]:
    """Yield the readable pages with their texts; other records are added to those that are skipped."""
    settings = load_settings()
    reader = FeedReader(inputs, time_field="none", settings=settings)
    with progress(reader.bytes_total) as bar:
        for number, record in enumerate(reader, 1):
            bar(reader.bytes_read, f"{number} pages")
            try:
                if isinstance(record, Rejected) or record.body is None:
                    skipped.append(record)
                else:
                    yield record, _text(record, record.body, settings.page_limit_bytes, markup)
            except PageError:
                skipped.append(record)
    raise_problems(reader.problems)


def _left_out(skipped: Sequence[object]) -> str:
    return f", {len(skipped)} records without a readable page skipped" if skipped else ""


def _text(page: Page, body: bytes, limit_bytes: int, markup: bool) -> str:  # noqa: FBT001
    how: dict[str, Any] = {
        "content_type": page.content_type,
        "charset": page.charset,
        "content_encoding": page.content_encoding,
    }
    if markup:
        return decode_page(body, limit_bytes=limit_bytes, **how).text
    return page_text(read_document(body, page.url, limit_bytes=limit_bytes, **how))


def _read_patterns(path: Path | None) -> list[MutablePattern]:
    """Return the user's own patterns, or none.

    Raises:
        UsageProblem: The file cannot be read, or a pattern in it cannot be used.
    """
    if path is None:
        return []
    try:
        patterns = msgspec.json.decode(path.read_bytes(), type=list[MutablePattern])
    except (OSError, msgspec.DecodeError) as error:
        raise UsageProblem(
            f"--patterns {path}: {error}; write a JSON list of objects with `name`, and `words` "
            "or `pattern`"
        ) from None
    for pattern in patterns:
        problem = pattern.problem()
        if problem:
            raise UsageProblem(f"--patterns {path}: pattern {pattern.name!r} {problem}")
    return patterns


def _read_phrases(path: Path) -> Iterator[_SitePhrases]:
    """Yield the phrases of each site from a phrase file.

    Raises:
        InputProblem: The file cannot be read, or is not a phrase file.
    """
    for number, line in enumerate(read_nonblank_lines(path), 1):
        try:
            phrases = msgspec.json.decode(line, type=_SitePhrases)
        except msgspec.DecodeError as error:
            raise InputProblem(
                f"{path}, line {number}: not a line of a phrase file ({error}); name a file that "
                "`templ phrases learn` wrote"
            ) from None
        if phrases.format != _FORMAT:
            raise InputProblem(
                f"{path}, line {number}: has format {phrases.format}, but this version reads format "
                f"{_FORMAT}; learn the phrases again"
            )
        yield phrases
