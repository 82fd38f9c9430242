"""`templ clean`: clean one page."""

import sys
from pathlib import Path

import click

from schemas.codec import encode_json
from schemas.source import Source
from templ_core.site_key import site_key
from workers.cli.options import comments_option, page_model_option
from workers.errors import InputProblem
from workers.page import Page
from workers.pipeline.cleaner import Cleaned, Cleaner, Dead, NoModels
from workers.processes.pool import Pool
from workers.settings import load_settings

_REFUSED = 65


@click.command(name="clean")
@click.argument("file", metavar="FILE")
@click.option("--url", help="URL of the page, which tells links within the site from others.")
@click.option("--content-type", help="Content-Type header of the page.")
@page_model_option
@comments_option
@click.option("--json", "as_json", is_flag=True, help="Print the full record.")
@click.option(
    "--segments",
    is_flag=True,
    help="Print the full record with the text segments and their decisions.",
)
def clean_command(
    file: str,
    url: str | None,
    content_type: str | None,
    page_model: Path | None,
    comments: str | None,
    *,
    as_json: bool,
    segments: bool,
) -> None:
    """Clean one page and print its text.

    FILE is the page as it was fetched; - stands for standard input.

    Exit code 65 means that the page was refused; the reason is on standard error.
    """
    body, name = _read(file)
    settings = load_settings(page_model=page_model, comments=comments)
    page = Page(
        source=Source(name, 0, 0),
        url=url or f"file:///{name}",
        site=site_key(url or f"file:///{name}"),
        id=f"{name}:0",
        event_time_ms=0,
        fetched_at=None,
        content_type=content_type,
        body=body,
    )
    pool = Pool(settings, children=1)
    try:
        outcome = Cleaner(pool, NoModels(), settings, with_segments=segments).process(page)
    finally:
        pool.close()
    if isinstance(outcome, Dead):
        letter = outcome.letter
        click.echo(f"templ: {name} was refused: {letter.exception}: {letter.message}", err=True)
        sys.exit(_REFUSED)
    if isinstance(outcome, Cleaned):
        click.echo(encode_json(outcome.record) if as_json or segments else outcome.record.text)


def _read(file: str) -> tuple[bytes, str]:
    if file == "-":
        return sys.stdin.buffer.read(), "-"
    path = Path(file)
    try:
        return path.read_bytes(), path.name
    except OSError as error:
        raise InputProblem(
            f"{file}: {error.strerror}; give a readable file, or - for standard input"
        ) from None
