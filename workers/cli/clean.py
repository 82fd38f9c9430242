"""`templ clean`: clean one page."""

from pathlib import Path
from typing import Any

import click
import msgspec

from schemas.cleaned import CleanedRecord
from schemas.source import Source
from templ_core.site_key import site_key
from workers.cli.options import (
    STATE_PATH,
    cleaning_options,
    format_option,
    page_site_option,
    read_page_file,
    records_option,
    text_forms,
)
from workers.errors import InputProblem, PageProblem
from workers.page import Page
from workers.pipeline.actions import Dead, Deleted
from workers.pipeline.page_cleaner import PageCleaner
from workers.processes.pool import Pool
from workers.settings import Settings, load_settings
from workers.site_settings import SettingsOfSites, site_settings_of_state

_RECORDS = (b'{"', b"WARC/")
"""Beginnings of files of JSON records and of archives, which would be cleaned as if they were text."""


@click.command(name="clean")
@click.argument("file", metavar="FILE")
@click.option("--url", help="URL of the page; it names the site and completes relative links.")
@click.option("--content-type", help="Content-Type header of the page.")
@click.option(
    "--state",
    type=STATE_PATH,
    help="State directory of `templ run` or `templ worker`: the page is cleaned with what is known about "
    "its site. It is only read, and a worker may be using it.",
)
@page_site_option
@format_option
@cleaning_options
@records_option
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
    body = read_page_file(
        file, "give a page in a file, or - for standard input; nothing is fetched"
    )
    name = "-" if file == "-" else Path(file).name
    if body.startswith(_RECORDS):
        raise InputProblem(f"{name} holds records, not one page: give it to `templ run`")
    records = bool(chosen.pop("records"))
    settings = load_settings(text_forms=text_forms(form), **chosen)
    settings = msgspec.structs.replace(
        settings,
        segments=segments or settings.segments,
        records=records or settings.records,
    )
    page = _cleaned(settings, state, name, body, url or f"file:///{name}", site, content_type)
    whole = as_json or segments or records
    click.echo(msgspec.json.encode(page) if whole else getattr(page, form or "text"))


def _cleaned(
    settings: Settings,
    state: Path | None,
    name: str,
    body: bytes,
    url: str,
    site: str | None,
    content_type: str | None,
) -> CleanedRecord:
    """Return the record of a page.

    Args:
        settings: The settings.
        state: State directory with what is known of the site; None = nothing is known.
        name: Name of the page, such as that of its file.
        body: The page as it was fetched.
        url: Its URL.
        site: Its site; None = that of its URL.
        content_type: Its Content-Type header, if it is known.

    Raises:
        PageProblem: The page was refused.
    """
    page = Page(
        source=Source(name, 0, 0),
        url=url,
        site=site or site_key(url),
        id=f"{name}:0",
        event_time_ms=0,
        fetched_at=None,
        content_type=content_type,
        body=body,
    )
    pool = Pool(settings, 1)
    try:
        models, site_settings = None, SettingsOfSites()
        if state is not None:
            # RocksDB takes a while to import, and only this option needs it.
            from workers.state.site_copy import copy_site  # noqa: PLC0415

            models, site_settings = (
                copy_site(state, page.site, settings).models,
                site_settings_of_state(state),
            )
        cleaner = PageCleaner(
            pool, settings, models=models, site_settings=site_settings, learns=False
        )
        outcome = cleaner.clean(page)
    finally:
        pool.close()
    if isinstance(outcome, Dead):
        letter = outcome.letter
        raise PageProblem(f"{name} was refused: {letter.exception}: {letter.message}")
    if isinstance(outcome, Deleted):
        raise PageProblem(f"{name} was refused: its site is taken down")
    return outcome.record
