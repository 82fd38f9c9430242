"""`templ clean`: clean one page."""

import sys
from pathlib import Path
from typing import Any

import click
import msgspec

from workers.cli.options import (
    STATE_PATH,
    cleaning_options,
    format_option,
    page_site_option,
    read_page_file,
    text_forms,
)
from workers.errors import InputProblem
from workers.processes.child_process import start_early
from workers.settings import load_settings

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
@page_site_option
@format_option
@cleaning_options
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
    child = start_early(settings)
    from workers.cli.one_page import clean_one_page  # noqa: PLC0415 - imported while the child starts

    url = url or f"file:///{name}"
    found = clean_one_page(child, settings, state, name, body, url, site, content_type)
    if isinstance(found, str):
        click.echo(f"templ: {name} was refused: {found}", err=True)
        sys.exit(_REFUSED)
    whole = as_json or segments
    click.echo(msgspec.json.encode(found) if whole else getattr(found, form or "text"))
