"""`templ dlq`: list the dead letters, and send their pages again."""

from __future__ import annotations

import asyncio
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click
import msgspec

from workers.cli.options import TimeType, awaited, broker_options
from workers.log_lines import counted, one_line

if TYPE_CHECKING:
    from workers.kafka.broker.access import BrokerAccess

_TIME = TimeType(takes_ago=True)


@click.group(name="dlq")
def dlq_command() -> None:
    """List the dead letters of a broker, and send their pages again."""


def _filter_options(command: Callable[..., Any]) -> Callable[..., Any]:
    options = [
        click.option("--reason", metavar="CLASS", help="Only those with this reason."),
        click.option("--site", metavar="KEY", help="Only those of this site."),
        click.option(
            "--since",
            "since_ms",
            type=_TIME,
            help="Only those from this time on, such as 2026-11-22T08:00Z, or 2h for two hours ago.",
        ),
        click.option("--until", "until_ms", type=_TIME, help="Only those before this time."),
        click.option("--limit", type=click.IntRange(1), metavar="N", help="At most this many."),
    ]
    for option in reversed(options):
        command = option(command)
    return broker_options(command)


@dlq_command.command(name="list", short_help="List dead letters and their reasons.")
@_filter_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each letter.")
@awaited
async def list_letters(
    access: BrokerAccess, limit: int | None, *, as_json: bool, **which: Any
) -> None:
    """List dead letters: id, time, reason, site, URL and message; then how many have which reason."""
    from workers.kafka.operate.dead_letters import LetterFilter, read_letters  # noqa: PLC0415 - not for --help

    reasons: Counter[str] = Counter()
    async for letter in read_letters(access, LetterFilter(**which)):
        if limit is not None and reasons.total() >= limit:
            break
        reasons[letter.reason] += 1
        if as_json:
            shown = msgspec.structs.replace(letter, headers=(), key=None, value=None)
            click.echo(msgspec.json.encode(shown))
        else:
            place = letter.site or "?", letter.url or letter.source
            click.echo(
                one_line("  ".join((letter.id, letter.at, letter.reason, *place, letter.message)))
            )
    if not as_json:
        summary = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
        click.echo(
            one_line(f"{counted(reasons.total(), 'dead letter')}{': ' * bool(summary)}{summary}"),
            err=True,
        )


@dlq_command.command(short_help="Show one dead letter with its headers.")
@click.argument("letter_id", metavar="ID")
@broker_options
@click.option("--value", "value_only", is_flag=True, help="Write the bytes of the page only.")
def show(letter_id: str, access: BrokerAccess, *, value_only: bool) -> None:
    """Show the dead letter ID, as `templ dlq list` names it, with all headers and its size."""
    from workers.kafka.operate.dead_letters import read_letter  # noqa: PLC0415

    letter = asyncio.run(read_letter(access, letter_id))
    if value_only:
        sys.stdout.buffer.write(letter.value or b"")
        return
    for name, value in letter.headers:
        click.echo(f"{one_line(name)}: {one_line((value or b'').decode('utf-8', 'replace'))}")
    click.echo(f"key: {one_line((letter.key or b'').decode('utf-8', 'replace'))}")
    click.echo(f"value: {'none' if letter.value is None else f'{len(letter.value)} bytes'}")


@dlq_command.command(short_help="Send the pages of dead letters again.")
@_filter_options
@click.option("--dry-run", is_flag=True, help="Send nothing; say how many would be sent.")
@click.option("--rate", type=click.FloatRange(0, min_open=True), help="Most pages sent per second.")
@click.option(
    "--redrives-max",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="Leave out pages that were sent again this many times already.",
)
@awaited
async def redrive(
    access: BrokerAccess, limit: int | None, redrives_max: int, **options: Any
) -> None:
    """Send the pages of dead letters to the topic `pages` again, with the key and headers that they had.

    The letters stay where they are until they expire, so give --since to send each page once. Letters
    whose value was cut are left out.
    """
    from workers.kafka.operate.dead_letters import LetterFilter, read_letters  # noqa: PLC0415 - not for --help
    from workers.kafka.operate.dead_letters import redrive as send_again  # noqa: PLC0415

    is_dry, rate = options.pop("dry_run"), options.pop("rate")
    if options["until_ms"] is None:  # what dies again while this goes on is left alone
        options["until_ms"] = round(time.time() * 1000)
    letters = read_letters(access, LetterFilter(**options))
    done = await send_again(
        access, letters, pages_per_s=rate, redrives_max=redrives_max, limit=limit, is_dry=is_dry
    )
    verb = "would be sent" if is_dry else "sent"
    left_out = f"{done.cut} are cut, {done.tired} were sent again {redrives_max} times already"
    click.echo(f"{counted(done.sent, 'page')} {verb} again; left out: {left_out}", err=True)
