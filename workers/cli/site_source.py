"""Where a command reads a site from: a state directory, or the topics of a broker."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click

from workers.cli.lazy import require_extra
from workers.errors import InputProblem, UsageProblem

if TYPE_CHECKING:
    from workers.cli.options import Command
    from workers.inspect.site_view import SiteView
    from workers.settings import Settings


def site_source_options(command: Command) -> Command:
    """Add the options --state, --broker and --prefix to a command, of which one of the first two counts."""
    prefix = click.option(
        "--prefix",
        envvar="TEMPL_PREFIX",
        default="",
        metavar="TEXT",
        help="Text before the name of each topic.",
    )
    broker = click.option(
        "--broker",
        metavar="HOST:PORT",
        help="Kafka broker whose topics `site-models` and `documents` are read.",
    )
    state = click.option(
        "--state",
        type=click.Path(file_okay=False, path_type=Path),
        help="State directory of `templ run` or `templ worker`. It is only read, also while a worker "
        "uses it.",
    )
    return state(broker(prefix(command)))


def read_site(
    key: str, state: Path | None, broker: str | None, prefix: str, settings: Settings
) -> SiteView:
    """Return what is known of a site.

    Raises:
        UsageProblem: Not exactly one of state and broker is given.
        InputProblem: There is no such site.
    """
    from workers.inspect.site_view import site_view, view_site  # noqa: PLC0415 - see lazy.py

    if (state is None) == (broker is None):
        raise UsageProblem("give either --state or --broker")
    if state is not None:
        return view_site(state, key, settings)
    require_extra("kafka", "--broker")
    from workers.kafka.logs.site_records import read_site_records  # noqa: PLC0415

    assert broker is not None  # noqa: S101 - one of both is given
    found = asyncio.run(read_site_records(broker, prefix, key))
    if found.model is None and not found.documents:
        raise InputProblem(f"the topics of {broker} hold no site {key}")
    return site_view(key, found.model, state=None, window=found.documents)
