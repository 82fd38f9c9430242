"""`templ schemas`: write the JSON Schema files of the messages."""

from pathlib import Path

import click

import schemas as package
from schemas.json_schema import generate_schemas


@click.command(name="schemas")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(package.__file__).parent / "json_schema",
    help="Directory to write to. Default: the directory json_schema of the package.",
)
def schemas_command(out: Path) -> None:
    """Write the JSON Schema files of the messages."""
    out.mkdir(parents=True, exist_ok=True)
    for name, content in generate_schemas().items():
        (out / name).write_bytes(content)
        click.echo(out / name)
