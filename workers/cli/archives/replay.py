"""`templ replay`: send the pages of archives, or of a topic, again in the order of their times."""

import asyncio
import signal
import sys
import time
from contextlib import AsyncExitStack
from pathlib import Path

import click
import msgspec

from templ_core.site_cleaner.fetch_times import parse_time_ms, rfc3339
from workers.cli.archives.replaying import (
    FromArchives,
    ReplaySource,
    ReplayTarget,
    ToFile,
    replay,
)
from workers.cli.inputs import refuse_overwriting
from workers.cli.lazy import require_extra
from workers.cli.options import prefix_option, rate_option, unsent_option
from workers.cli.progress import progress
from workers.errors import InputProblem, Terminated, UsageProblem
from workers.feeds.archives import ArchiveReading, archive_files
from workers.feeds.files import total_bytes
from workers.local.archive_source import ArchiveSource
from workers.local.dead_letters import DeadLetterFile
from workers.local.page_file import PageFile
from workers.log_lines import counted
from workers.page import Page
from workers.settings import Settings, load_settings

_SOME_REFUSED = 1


class _Time(click.ParamType):
    """A time in RFC 3339, as Unix milliseconds."""

    name = "time"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        time_ms = parse_time_ms(value)
        if time_ms is None:
            self.fail(f"{value} is no time; write one as 2026-01-31T00:00:00Z", param, ctx)
        return time_ms


class _Options(msgspec.Struct, frozen=True, kw_only=True):
    """The options of the command."""

    inputs: tuple[Path, ...]
    from_topic: str | None
    since: int | None
    until: int | None
    group: str | None
    to: Path | None
    broker: str | None
    from_broker: str | None
    prefix: str
    time_field: str
    rate: float | None
    progress_path: Path
    dead_letters: Path

    def check(self) -> None:
        """Check that the options fit each other.

        Raises:
            UsageProblem: They do not.
        """
        if bool(self.inputs) == bool(self.from_topic):
            raise UsageProblem("give either archives or --from-topic")
        if self.from_topic is None and self.group is not None:
            raise UsageProblem("--group is for --from-topic; archives have --progress")
        if self.to is None and self.broker is None:
            raise UsageProblem("give --broker, or --to with a file")
        if self.from_topic is not None and self.source_broker is None:
            raise UsageProblem("--from-topic needs --from-broker or --broker")
        if self.to is None or self.from_topic is not None:
            require_extra("kafka", "--broker")
        refuse_overwriting(
            self.inputs, to=self.to, progress=self.progress_path, dead_letters=self.dead_letters
        )

    @property
    def source_broker(self) -> str | None:
        """The broker of --from-topic."""
        return self.from_broker or self.broker

    def takes(self, page: Page) -> bool:
        """Return whether a page is of the times that are replayed; a topic is read at these times only."""
        if self.from_topic is not None:
            return True
        time_ms = page.event_time_ms
        return (self.since is None or time_ms >= self.since) and (
            self.until is None or time_ms < self.until
        )


@click.command(name="replay")
@click.argument("inputs", metavar="[ARCHIVE]...", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--from-topic",
    metavar="TOPIC",
    help="Topic with page messages that is read instead of archives.",
)
@click.option("--since", type=_Time(), help="Replay what is not older than this time (RFC 3339).")
@click.option("--until", type=_Time(), help="Replay what is older than this time (RFC 3339).")
@click.option(
    "--group",
    metavar="NAME",
    help="Consumer group that keeps how far a topic was replayed.  [default: a group for these times, "
    "PREFIXtempl-replay-TOPIC-SINCE-UNTIL]",
)
@click.option(
    "--to",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="JSON Lines file that pages are added to, compressed by its suffix.  [default: the topic "
    "`pages` of --broker]",
)
@click.option(
    "--broker",
    envvar="TEMPL_BROKER",
    default=lambda: load_settings().broker,
    metavar="HOST:PORT",
    show_envvar=True,
    help="Kafka broker that pages are sent to.",
)
@click.option(
    "--from-broker",
    metavar="HOST:PORT",
    help="Kafka broker of --from-topic.  [default: that of --broker]",
)
@prefix_option
@click.option(
    "--time-field",
    default="fetched_at",
    show_default=True,
    help="Field of archives that holds the event time; `fetched_at` also means WARC-Date.",
)
@rate_option
@click.option(
    "--progress",
    "progress_path",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("replay.progress"),
    show_default=True,
    help="File that keeps how far each archive was sent; delete it to start from the beginning.",
)
@unsent_option("replay.dead-letters")
def replay_command(**given: object) -> None:
    """Send the pages of ARCHIVE..., or of a topic, to `pages` in the order of their times.

    An ARCHIVE is a WARC or JSON Lines file, or a directory of them. Files are merged by time, and the order
    within a file stays. Give the same command again after any kill: it goes on where it was, misses
    nothing, and may send up to 500 pages twice. Exit code 1 means that some records could not be sent;
    they are in the file of dead letters.
    """
    options = msgspec.convert(given, _Options)
    options.check()
    asyncio.run(_replay(options, load_settings()))


async def _replay(options: _Options, settings: Settings) -> None:
    task = asyncio.current_task()
    was_ended = False

    def end() -> None:
        nonlocal was_ended
        was_ended = True
        if task is not None:
            task.cancel()

    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, end)
    try:
        await _run(options, settings)
    except asyncio.CancelledError:
        if was_ended:
            raise Terminated from None
        raise


async def _run(options: _Options, settings: Settings) -> None:
    """Send everything, and tell what became of it."""
    problems: list[InputProblem] = []
    async with AsyncExitStack() as stack:
        source = await _open_source(options, settings, problems, stack)
        dead = DeadLetterFile(options.dead_letters, resumes=source.is_resumed)
        stack.callback(dead.close)
        refused_before = sum(1 for _ in dead.sources_before())
        target = await _open_target(options, settings, stack, resumes=source.is_resumed)
        if source.is_resumed:
            click.echo(f"templ: going on behind {counted(source.sent_before, 'record')}", err=True)
        sent = await replay(source, target, dead, rate=options.rate, takes=options.takes)
    refused = refused_before + dead.count
    click.echo(f"{counted(sent, 'page')} sent, {refused} refused", err=True)
    if refused:
        click.echo(f"refused records: {dead.path}", err=True)
    if problems:
        raise InputProblem("\ntempl: ".join(map(str, problems)))
    if refused:
        sys.exit(_SOME_REFUSED)


async def _open_source(
    options: _Options, settings: Settings, problems: list[InputProblem], stack: AsyncExitStack
) -> ReplaySource:
    if options.from_topic is None:
        files = archive_files(options.inputs)
        bar = stack.enter_context(progress(total_bytes(files)))
        read_bytes = 0

        def count(size_bytes: int) -> None:
            nonlocal read_bytes
            read_bytes += size_bytes
            bar.update(read_bytes, "")

        how = ArchiveReading(
            time_field=options.time_field,
            latest_ms=round(time.time() * 1000) + settings.clock_skew_ms,
            limit_bytes=settings.page_limit_bytes,
            on_progress=count,
            on_problem=problems.append,
        )
        return FromArchives(ArchiveSource(files, options.progress_path, how))
    from workers.kafka.broker.access import BrokerAccess  # noqa: PLC0415 - needs aiokafka
    from workers.kafka.logs.topic_source import TopicSource, TopicSpan  # noqa: PLC0415

    times = "-".join("" if one is None else rfc3339(one) for one in (options.since, options.until))
    group = f"{options.prefix}templ-replay-{options.from_topic}-{times}".replace(":", "")
    span = TopicSpan(
        topic=options.from_topic,
        group=options.group or group,
        since_ms=options.since,
        until_ms=options.until,
    )
    access = BrokerAccess.of(options.source_broker or "", settings)
    source: ReplaySource = await stack.enter_async_context(TopicSource(access, span))
    return source


async def _open_target(
    options: _Options, settings: Settings, stack: AsyncExitStack, *, resumes: bool
) -> ReplayTarget:
    if options.to is None:
        from workers.kafka.broker.access import BrokerAccess  # noqa: PLC0415
        from workers.kafka.broker.feeder import Feeder  # noqa: PLC0415

        access = BrokerAccess.of(options.broker or "", settings)
        feeder = Feeder(access, options.prefix, settings.message_limit_bytes)
        connected: ReplayTarget = await stack.enter_async_context(feeder)
        return connected
    if not resumes and options.to.exists() and options.to.stat().st_size:
        raise UsageProblem(f"--to {options.to} is there already; name a new file")
    file = PageFile("--to", options.to, settings.page_limit_bytes, resumes=resumes)
    stack.callback(file.close)
    return ToFile(file)
