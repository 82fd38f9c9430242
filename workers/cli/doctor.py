"""`templ doctor`: find what keeps a worker from running, or would let it lose records."""

import asyncio
import sys
from pathlib import Path

import click
import msgspec

from workers.cli.options import STATE_PATH, broker_options, page_model_option
from workers.kafka.broker.access import BrokerAccess
from workers.kafka.operate.doctor import examine
from workers.kafka.operate.findings import exit_code_of, verdict
from workers.log_lines import one_line
from workers.settings import load_settings


@click.command(name="doctor")
@broker_options
@click.option("--state", type=STATE_PATH, help="Also examine this state directory of a worker.")
@page_model_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each finding.")
def doctor_command(
    access: BrokerAccess, state: Path | None, page_model: Path | None, *, as_json: bool
) -> None:
    """Find what keeps a worker from running, or would let it lose records; nothing is changed.

    One line for each finding says what is wrong and what to do, and the last line says "ready", or what to do
    first. The exit code is 0 when nothing is wrong, 1 when there are warnings only, and 78 when there is an error.
    Run it where the worker runs, as the worker's user and with its settings.
    """
    settings = load_settings(page_model=page_model)
    findings = asyncio.run(examine(access, state, settings))
    for finding in findings:
        click.echo(msgspec.json.encode(finding) if as_json else one_line(finding.line))
    if not as_json:
        click.echo(one_line(verdict(findings)))
    sys.exit(exit_code_of(findings))
