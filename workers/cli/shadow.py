"""`templ shadow`: what another page model or setting would change on the pages of a state directory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from workers.cli.options import (
    balance_option,
    comments_option,
    html_option,
    open_output,
    state_option,
)
from workers.errors import InputProblem, UsageProblem
from workers.settings import load_settings
from workers.site_settings import read_site_settings


@click.command(name="shadow")
@state_option
@click.option(
    "--site", "sites", multiple=True, metavar="KEY", help="Site to compare.  [default: all]"
)
@click.option(
    "--sites-max",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="Most sites to compare; those with the most pages are chosen.",
)
@click.option(
    "--pages-max",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="Most pages of each site to clean, the newest ones.",
)
@click.option(
    "--page-model",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="MODEL",
    help="Page model to try, a file that `templ train` wrote. Site models are fitted again with it.",
)
@comments_option
@balance_option
@click.option(
    "--site-settings",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Site settings to try, in place of those of the state.",
)
@html_option
def shadow_command(
    state: Path,
    sites: tuple[str, ...],
    *,
    sites_max: int,
    pages_max: int,
    site_settings: Path | None,
    out: Path | None,
    **chosen: Any,
) -> None:
    """Clean the pages of windows as they are cleaned now and in another way, and report what differs.

    Nothing is changed. The table shows for each site which share of its pages and of their words change;
    the HTML file has the pages that change most side by side.
    """
    from workers.inspect.shadow import shadow_html, shadow_site, shadow_text  # noqa: PLC0415
    from workers.inspect.site_view import CleaningVariant, view_site  # noqa: PLC0415
    from workers.state.site_copy import copied_sites  # noqa: PLC0415

    if not any(chosen.values()) and site_settings is None:
        raise UsageProblem(
            "give what is to be tried: --page-model, --comments, --balance or --site-settings"
        )
    now = load_settings()
    live = CleaningVariant.of(now)
    decided = read_site_settings(site_settings) if site_settings else None
    other = CleaningVariant.of(load_settings(**chosen), decided)
    known = copied_sites(state)
    keys = sites or sorted(known, key=lambda site: (-known[site].pages, site))[:sites_max]
    comparisons = [
        shadow_site(view_site(state, site, now), live, other, pages_max) for site in keys
    ]
    if not any(comparison.pages for comparison in comparisons):
        raise InputProblem(f"{state} has no pages in its windows")
    if out is not None:
        trying = [
            *([f"page model {other.page_model.version}"] if chosen["page_model"] else []),
            *(f"{name} {chosen[name]}" for name in ("comments", "balance") if chosen[name]),
            *([f"site settings of {site_settings}"] if site_settings else []),
        ]
        with open_output(out) as file:
            file.write(shadow_html(comparisons, "as now", ", ".join(trying)).encode())
    if out != Path("-"):
        click.echo(shadow_text(comparisons))
