"""`templ worker`: the worker on Kafka."""

import sys
from pathlib import Path

import click

from workers.cli.options import broker_options, page_model_option
from workers.processes.parent_watch import end_with_parent
from workers.settings import load_settings


@click.command(short_help="Clean the pages of Kafka as they come.")
@broker_options
@click.option(
    "--state",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Directory of windows and site models, one for each worker.",
)
@click.option(
    "--role",
    type=click.Choice(["cleaner", "refresher", "both"]),
    default="both",
    show_default=True,
    help="both: one process of each, started again when it ends.",
)
@page_model_option
@click.option("--supervisor", type=int, hidden=True, help="Process to end with.")
def worker(
    broker: str,
    prefix: str,
    state: Path,
    role: str,
    page_model: Path | None,
    supervisor: int | None,
) -> None:
    """Clean the pages of Kafka as they come, and learn each site's templates.

    Stops on SIGTERM or Ctrl-C. Settings are environment variables, see the README.
    """
    if supervisor is not None:
        end_with_parent(supervisor)
    settings = load_settings(page_model=page_model)
    if role != "both":
        from workers.kafka.roles import run_role  # noqa: PLC0415 - takes two seconds to import

        run_role(role, broker, prefix, state, settings)
        return
    from workers.kafka.supervisor import role_command, supervise  # noqa: PLC0415

    if settings.page_model is not None:
        from workers.processes.page_model import read_model_file  # noqa: PLC0415 - takes half a second

        read_model_file(settings.page_model)
    arguments = ["--broker", broker, "--prefix", prefix, "--state", str(state)]
    if page_model is not None:
        arguments += ["--page-model", str(page_model)]
    sys.exit(supervise({name: role_command(name, arguments) for name in ("cleaner", "refresher")}))
