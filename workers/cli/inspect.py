"""`templ inspect`: report the decisions about a page, and what was learned of a site."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from workers.cli.options import (
    SiteSource,
    cleaning_options,
    html_option,
    open_output,
    page_site_option,
    read_page_file,
    read_site,
    site_of_url,
    site_source_options,
)
from workers.settings import load_settings

_ADVICE = "give a readable file, - for standard input, or the URL of a page of the window"


@click.group(name="inspect")
def inspect_command() -> None:
    """Report the decisions about a page, or what was learned of a site."""


@inspect_command.command(short_help="Write a report of a page, with every decision.")
@click.argument("page", metavar="FILE|URL")
@site_source_options
@page_site_option
@click.option("--url", help="URL of the page in FILE.")
@click.option("--content-type", help="Content-Type header of the page in FILE.")
@html_option
@cleaning_options
def page(
    page: str,
    source: SiteSource,
    site: str | None,
    url: str | None,
    content_type: str | None,
    out: Path | None,
    **chosen: Any,
) -> None:
    """Write an HTML report of a page with what was decided about each of its segments, and why.

    FILE is a page as it was fetched; - is standard input. URL is a page of the window of its
    site; nothing is fetched. Where neither --state nor --broker is given, FILE is cleaned as a page of a new site.
    """
    from workers.inspect.page_report import PageRequest, page_report  # noqa: PLC0415 - see lazy.py

    settings = load_settings(**chosen)
    is_url = page.startswith(("http://", "https://"))
    request = PageRequest(
        url=page if is_url else url or f"file:///{page.lstrip('/')}",
        site=site,
        body=None if is_url else read_page_file(page, _ADVICE),
        content_type=content_type,
    )
    view = None
    if source.is_given or (is_url and settings.broker is not None):
        with site_of_url(is_given=site is not None):
            view = read_site(request.site_key, source, settings)
    report = page_report(request, view, settings)
    with open_output(out or Path("page.html")) as file:
        file.write(report.encode())


@inspect_command.command(short_help="Print what was learned of a site.")
@click.argument("key", metavar="KEY")
@site_source_options
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
@html_option
@cleaning_options
def site(key: str, source: SiteSource, out: Path | None, *, as_json: bool, **chosen: Any) -> None:
    """Print what was learned of the site KEY, and with --out write an HTML report with plots."""
    from workers.inspect.site_report import encode_figures, site_figures, site_report, site_text  # noqa: PLC0415
    from workers.inspect.site_view import CleaningVariant  # noqa: PLC0415

    settings = load_settings(**chosen)
    figures = site_figures(read_site(key, source, settings), CleaningVariant.of(settings))
    if out is not None:
        with open_output(out) as file:
            file.write(site_report(figures).encode())
    if as_json:
        click.echo(encode_figures(figures))
    elif out != Path("-"):
        click.echo(site_text(figures))
