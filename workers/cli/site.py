"""`templ site`: what was learned of one site, to be used outside templ."""

from pathlib import Path

import click

from workers.cli.options import SiteSource, page_model_option, read_site, site_source_options
from workers.settings import load_settings


@click.group(name="site")
def site_command() -> None:
    """Export what was learned of a site."""


@site_command.command()
@click.argument("key", metavar="KEY")
@site_source_options
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder to write the files to.  [default: KEY-export]",
)
@page_model_option
def export(
    key: str,
    source: SiteSource,
    out: Path | None,
    page_model: Path | None,
) -> None:
    """Write the tree templates, phrases and repeated sentences of the site KEY to a folder.

    The tree templates are HTML with the number of pages of each node. Phrases and sentences are regular
    expressions for Python's `re`, and a Python script beside them removes what they match from a text.
    The histogram shows on how many pages strings recur, and which number parts content from template.
    """
    from workers.inspect.export_files import export_site  # noqa: PLC0415 - not needed for --help
    from workers.processes.core_config import config_with  # noqa: PLC0415
    from workers.processes.page_model import page_model_of, read_model_file  # noqa: PLC0415

    settings = load_settings(page_model=page_model)
    view = read_site(key, source, settings)
    folder = out or Path(f"{key.replace('/', '_')}-export")
    model = page_model_of(read_model_file(settings.page_model))
    click.echo(export_site(view, folder, model, config_with(settings.comments)), err=True)
