"""`templ clean`: clean one page."""

import sys
from pathlib import Path
from typing import Any

import click
import msgspec

from schemas.codec import encode_json
from schemas.source import Source
from templ_core.site_key import site_key
from workers.cli.options import (
    STATE_PATH,
    balance_option,
    comments_option,
    format_option,
    page_model_option,
    read_page_file,
    text_forms,
)
from workers.errors import InputProblem
from workers.page import Page
from workers.pipeline.actions import Dead, Deleted
from workers.pipeline.site_engine import SiteEngine
from workers.pipeline.site_models import ModelSource
from workers.processes.messages import Cleaned
from workers.processes.pool import Pool
from workers.settings import Settings, load_settings
from workers.site_settings import SettingsBook, book_of_state

_RECORDS = (b'{"', b"WARC/")
"""Beginnings of files of JSON records and of archives, which would be cleaned as if they were text."""
_REFUSED = 65


@click.command(name="clean")
@click.argument("file", metavar="FILE")
@click.option("--url", help="URL of the page, which tells links within the site from others.")
@click.option("--content-type", help="Content-Type header of the page.")
@click.option(
    "--state",
    type=STATE_PATH,
    help="State directory of `templ run` or `templ worker`: the page is cleaned with what is known about "
    "its site. It is only read, and a worker may be using it.",
)
@click.option("--site", metavar="KEY", help="Site of the page.  [default: by its URL]")
@format_option
@page_model_option
@comments_option
@balance_option
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
    state: Path | None,
    site: str | None,
    form: str | None,
    *,
    as_json: bool,
    segments: bool,
    **chosen: Any,
) -> None:
    """Clean one page and print its text.

    FILE is the page as it was fetched; - is standard input. With --state, a site that the
    directory does not know is a new site.

    Exit code 65 means that the page was refused; the reason is on standard error.
    """
    body = read_page_file(file, "give a readable file, or - for standard input")
    name = "-" if file == "-" else Path(file).name
    if body.startswith(_RECORDS):
        raise InputProblem(f"{name} holds records, not one page: give it to `templ run`")
    settings = load_settings(text_forms=text_forms(form), **chosen)
    if segments:
        settings = msgspec.structs.replace(settings, segments=True)
    page = Page(
        source=Source(name, 0, 0),
        url=url or f"file:///{name}",
        site=site or site_key(url or f"file:///{name}"),
        id=f"{name}:0",
        event_time_ms=0,
        fetched_at=None,
        content_type=content_type,
        body=body,
    )
    pool = Pool(settings, children=1)
    try:
        models = None if state is None else _stored_models(state, page.site, settings)
        book = SettingsBook() if state is None else book_of_state(state)
        outcome = SiteEngine(pool, settings, models=models, book=book).clean(page)
    finally:
        pool.close()
    if isinstance(outcome, Dead):
        letter = outcome.letter
        click.echo(f"templ: {name} was refused: {letter.exception}: {letter.message}", err=True)
        sys.exit(_REFUSED)
    if isinstance(outcome, Deleted):
        click.echo(f"templ: {name} was refused: its site is taken down", err=True)
        sys.exit(_REFUSED)
    if isinstance(outcome, Cleaned):
        record = outcome.record
        click.echo(encode_json(record) if as_json or segments else getattr(record, form or "text"))


def _stored_models(state: Path, site: str, settings: Settings) -> ModelSource:
    # RocksDB takes a while to import, and only this option needs it.
    from workers.state.site_copy import copy_site  # noqa: PLC0415

    return copy_site(state, site, settings).models
