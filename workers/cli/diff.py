"""`templ diff`: the text of one page made in two ways."""

from __future__ import annotations

import difflib
from pathlib import Path

import click

from schemas.cleaned import CleanedRecord
from templ_core.page_changes import FetchedText, page_changes
from workers.cli.index import read_cleaned
from workers.cli.options import (
    format_option,
    html_option,
    open_output,
    page_site_option,
    site_of_url,
)
from workers.errors import InputProblem
from workers.settings import load_settings

_source = click.Path(exists=True, path_type=Path)


@click.command(name="diff")
@click.argument("page", metavar="URL")
@click.option(
    "--before", required=True, type=_source, help="State directory, or output of `templ run`."
)
@click.option(
    "--after", required=True, type=_source, help="State directory, or output of `templ run`."
)
@page_site_option
@format_option
@html_option
def diff_command(
    page: str, before: Path, after: Path, site: str | None, form: str | None, out: Path | None
) -> None:
    """Show how the text of the page URL differs between two state directories or two outputs.

    With a state directory, the newest document of the page in the window of its site is cleaned with what the
    directory knows; with an output, its last record of the page counts.
    """
    from workers.inspect.shadow import diff_html, page_change  # noqa: PLC0415 - not for --help

    old, new = (
        _text_of_state(page, place, site, form or "text")
        if place.is_dir()
        else _text_of_output(page, place, form or "text")
        for place in (before, after)
    )
    change = page_change(page, old, new)
    if out is not None:
        with open_output(out) as file:
            file.write(diff_html(change).encode())
    if out != Path("-"):
        lines = difflib.unified_diff(
            old.split("\n"), new.split("\n"), str(before), str(after), lineterm=""
        )
        click.echo("\n".join(lines) or "the texts are equal")
        if form is None:
            click.echo(_sentences(old, new), err=True)


def _sentences(old: str, new: str) -> str:
    changes = page_changes(
        FetchedText(kept=old, shown=old.split("\n")), FetchedText(kept=new, shown=new.split("\n"))
    )
    if changes is None:
        return "the texts are too long to compare their sentences"
    counts = (
        f"{len(changes.added)} added, {len(changes.removed)} removed, {len(changes.moved)} moved"
    )
    return f"sentences: {counts}; {changes.new_ratio:.1%} of the words are new; the change is {changes.degree}"


def _text_of_state(url: str, state: Path, site: str | None, form: str) -> str:
    from templ_core.site_key import site_key  # noqa: PLC0415 - see above
    from workers.inspect.shadow import window_text  # noqa: PLC0415
    from workers.inspect.site_view import CleaningVariant, view_site  # noqa: PLC0415

    settings = load_settings()
    with site_of_url(is_given=site is not None):
        view = view_site(state, site or site_key(url), settings)
    text = window_text(view, CleaningVariant.of(settings), url, form)
    if text is None:
        raise InputProblem(f"the window of {view.site} in {state} has no page {url}")
    return text


def _text_of_output(url: str, file: Path, form: str) -> str:
    newest = None
    for number, record in read_cleaned(file, load_settings().record_limit_bytes, lambda _: None):
        if isinstance(record, str):
            raise InputProblem(f"{file}, line {number}: {record}")
        if isinstance(record, CleanedRecord) and record.url == url:
            newest = record
    if newest is None:
        raise InputProblem(f"{file} has no record of {url}")
    text: str | None = getattr(newest, form)
    if text is None:
        raise InputProblem(f"{file} has no {form}: write it with `templ run --format {form}`")
    return text
