"""`templ status`: show how far the workers on a broker are."""

import asyncio
from collections.abc import Iterator

import click
import msgspec

from workers.cli.options import broker_options
from workers.kafka.broker.access import BrokerAccess
from workers.kafka.operate.status import RoleStatus, Status, read_status
from workers.log_lines import counted, one_line


@click.command(name="status")
@broker_options
@click.option(
    "--models",
    type=click.IntRange(0),
    default=5,
    show_default=True,
    metavar="N",
    help="Number of the newest site models to show.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def status_command(access: BrokerAccess, models: int, *, as_json: bool) -> None:
    """Show which process has which partitions, the lag of each role, and the newest site models.

    Only the broker is asked, and nothing is changed there. A worker that rebuilds lost windows commits
    nothing meanwhile: its `/ready` says which windows are missing.
    """
    status = asyncio.run(read_status(access, models_max=models))
    if as_json:
        click.echo(msgspec.json.encode(status))
        return
    for line in _lines(status):
        click.echo(one_line(line))


def _lines(status: Status) -> Iterator[str]:
    for role in status.roles:
        yield from _role_lines(role)
    if status.models:
        yield "newest site models"
    for model in status.models:
        yield f"  {model.at}  {model.site}  {model.version}  {counted(model.documents, 'document')}, {model.size_bytes} bytes"


def _role_lines(role: RoleStatus) -> Iterator[str]:
    yield (
        f"{role.role}: group {role.group} is {role.state}, {counted(len(role.members), 'member')}; "
        f"{role.lag} behind in {role.topic}, {role.read_ratio:.1%} read"
    )
    for member in role.members:
        yield f"  {member.id} at {member.host}: {_numbers(member.partitions)}"
    if role.unassigned:
        yield f"  nobody: {_numbers(role.unassigned)}"
    for partition in role.partitions:
        if partition.lag:
            at = (
                "has committed nothing"
                if partition.committed is None
                else f"is at {partition.committed}"
            )
            yield f"  partition {partition.partition}: {at}, the log ends at {partition.end}, {partition.lag} behind"


def _numbers(partitions: tuple[int, ...]) -> str:
    return f"partitions {', '.join(map(str, partitions))}" if partitions else "no partition"
