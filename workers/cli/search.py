"""`templ search`: search an index of cleaned pages."""

import re
import sys
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from schemas.codec import encode_json
from workers.indexes.search import Hit, Query, search
from workers.indexes.sqlite_index import open_for_reading
from workers.log_lines import one_line

_MARKS = ("\x02", "\x03")
"""Characters around matching words in a snippet, which no text of a page has."""


def _day(_context: click.Context, _option: click.Parameter, value: str | None) -> str | None:
    if value is None:
        return None
    try:
        return datetime.strptime(value, "%Y-%m-%d").date().isoformat()  # noqa: DTZ007 - a day has no zone
    except ValueError:
        raise click.BadParameter(f"{value!r} is no day such as 2026-01-31") from None


@click.command(name="search")
@click.argument("words", metavar="WORD...", nargs=-1, required=True)
@click.option(
    "--index",
    "path",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="SQLite file of the index.",
)
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    default=10,
    show_default=True,
    help="Most hits to show.",
)
@click.option(
    "--any", "any_word", is_flag=True, help="Find pages that have at least one of the words."
)
@click.option("--site", metavar="KEY", help="Find pages of this site only.")
@click.option(
    "--since",
    metavar="DAY",
    callback=_day,
    help="Find pages published, or else fetched, from this day on.",
)
@click.option(
    "--until",
    metavar="DAY",
    callback=_day,
    help="Find pages published, or else fetched, up to this day.",
)
@click.option("--language", metavar="TAG", help="Find pages in this language, such as en.")
@click.option("--author", metavar="NAME", help="Find pages by authors whose names have this part.")
@click.option(
    "--copies", "with_copies", is_flag=True, help="Show near-duplicates as hits of their own."
)
@click.option("--json", "as_json", is_flag=True, help="Print each hit as a JSON object on a line.")
def search_command(words: tuple[str, ...], path: Path, *, as_json: bool, **chosen: Any) -> None:
    """Find the pages of an index that have every WORD, the best ones first.

    A WORD with spaces is a phrase. Words are compared without case and accents. Near-duplicates of a page
    are shown as one hit, with their number.
    """
    highlight = ("", "") if as_json else _MARKS
    query = Query(words=" ".join(map(_quoted, words)), highlight=highlight, **chosen)
    with closing(open_for_reading(path)) as index:
        hits = search(index, query)
    for hit in hits:
        click.echo(encode_json(hit) if as_json else _lines(hit))
    if not hits:
        filters = any(chosen[name] for name in ("site", "since", "until", "language", "author"))
        click.echo(f"templ: {_no_hit(words, is_filtered=filters)}", err=True)
        sys.exit(1)


def _no_hit(words: tuple[str, ...], *, is_filtered: bool) -> str:
    phrases = [word.strip('"') for word in words if " " in word]
    said = f"no page {'that fits the filters ' if is_filtered else ''}has these words"
    if not phrases:
        return said
    taken = ", ".join(f'"{phrase}"' for phrase in phrases)
    return f"{said}; {taken} was taken as a phrase: give its words as arguments of their own"


def _quoted(word: str) -> str:
    return f'"{word}"' if " " in word and '"' not in word else word


def _lines(hit: Hit) -> str:
    copies = len(hit.near_duplicates)
    notes = [one_line(hit.url), hit.published_at or hit.fetched_at]
    notes.append(f"{copies} near-duplicate{'s' * (copies > 1)}" if copies else None)
    title = click.style(one_line(hit.title or "(no title)"), bold=True)
    return f"{title}\n  {'  '.join(filter(None, notes))}\n  {_styled(hit.snippet)}"


def _styled(snippet: str) -> str:
    """Return a snippet on one line, with bold matches where the terminal can show them."""
    parts = re.split("[\x02\x03]", " ".join(snippet.split()))
    return "".join(
        click.style(one_line(part), bold=True) if number % 2 else one_line(part)
        for number, part in enumerate(parts)
    )
