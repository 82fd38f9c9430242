"""`templ feed`: send pages from files, archives or a topic to the topic `pages`."""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from templ_core.times import rfc3339
from workers.cli.inputs import FeedReader, progress, raise_problems, refuse_overwriting
from workers.cli.lazy import require_extra
from workers.cli.options import (
    TimeType,
    access_to,
    optional_broker_option,
    prefix_option,
    rate_option,
    refuse,
    time_field_option,
    unsent_option,
    until_signal,
)
from workers.errors import InputProblem, Terminated, UsageProblem
from workers.feeds.archive_source import ArchiveSource
from workers.feeds.archives import archive_files
from workers.feeds.files import total_bytes
from workers.feeds.reading import Reading
from workers.feeds.streams import items_off_loop
from workers.local.dead_letters import DeadLetterFile
from workers.local.page_file import PageFile
from workers.log_lines import counted, one_line
from workers.pace import Pace
from workers.page import Page, Rejected
from workers.settings import Settings, load_settings

if TYPE_CHECKING:
    from workers.kafka.broker.feeder import Feeder
    from workers.kafka.logs.topic_source import TopicSource

_NOTE_RECORDS = 500
"""Records after which the position is stored; at most this many are sent twice after a kill."""
_SOME_REFUSED = 1


class _Options(msgspec.Struct, frozen=True, kw_only=True):
    inputs: tuple[Path, ...]
    by_time: bool
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
        is_topic = bool(self.from_topic)
        refuse(bool(self.inputs) == is_topic, "give either files or --from-topic")
        refuse(self.by_time and is_topic, "a topic is read by time anyway: drop --by-time")
        refuse(self.group and not is_topic, "--group is for --from-topic; files have --progress")
        has_times = self.since is not None or self.until is not None
        refuse(has_times and not self.is_replay, "--since and --until need --by-time")
        refuse(self.to is not None and not self.is_replay, "--to needs --by-time or --from-topic")
        refuse(self.to is None and self.broker is None, "give --broker, or --to with a file")
        refuse(
            is_topic and self.source_broker is None, "--from-topic needs --from-broker or --broker"
        )
        if self.to is None or self.from_topic is not None:
            require_extra("kafka", "--broker")
        files: dict[str, Path | None] = {"dead_letters": self.dead_letters}
        if self.is_replay:
            files |= {"to": self.to, "progress": self.progress_path}
        refuse_overwriting(self.inputs, **files)

    @property
    def is_replay(self) -> bool:
        """Whether records are sent in the order of their times, and sending resumes after a kill."""
        return self.by_time or self.from_topic is not None

    @property
    def source_broker(self) -> str | None:
        """The broker of --from-topic."""
        return self.from_broker or self.broker

    def takes(self, page: Page) -> bool:
        """Return whether the time of a page is between --since and --until; of a topic no other pages are read."""
        if self.from_topic is not None:
            return True
        time_ms = page.event_time_ms
        return (self.since is None or time_ms >= self.since) and (
            self.until is None or time_ms < self.until
        )


@click.command(name="feed")
@click.argument("inputs", metavar="[INPUT]...", nargs=-1, type=click.Path(path_type=Path))
@optional_broker_option("Kafka broker that pages are sent to.")
@prefix_option
@time_field_option
@rate_option
@click.option(
    "--by-time",
    is_flag=True,
    help="Merge the INPUTs, which are WARC or JSON Lines files or directories of them, by the times of their pages, "
    "and go on after a kill.",
)
@click.option(
    "--from-topic",
    metavar="TOPIC",
    help="Topic with page messages that is read, by time, instead of files.",
)
@click.option(
    "--from-broker",
    metavar="HOST:PORT",
    help="Kafka broker of --from-topic.  [default: that of --broker]",
)
@click.option(
    "--group",
    metavar="NAME",
    help="Consumer group that keeps the position in a topic.  [default: a group for these times, "
    "PREFIXtempl-replay-TOPIC-SINCE-UNTIL]",
)
@click.option("--since", type=TimeType(), help="Send pages from this time on (RFC 3339).")
@click.option("--until", type=TimeType(), help="Send pages before this time (RFC 3339).")
@click.option(
    "--to",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="JSON Lines file that pages are added to, compressed by its suffix.  [default: the topic "
    "`pages` of --broker]",
)
@click.option(
    "--progress",
    "progress_path",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("feed.progress"),
    show_default=True,
    help="File that keeps the position in each file of --by-time; delete it to start from the beginning.",
)
@unsent_option("feed.dead-letters")
def feed_command(**given: object) -> None:
    """Send the pages of INPUT..., or of a topic, to the topic `pages`, keyed by site.

    The inputs are those of `templ run`, and are sent as they are. With --by-time or --from-topic, give the same
    command again after any kill: it goes on where it was, misses nothing, and may send up to 500 pages twice. Exit
    code 1 means that some records could not be sent; they are in the file of dead letters.
    """
    options = msgspec.convert(given, _Options)
    options.check()
    if options.is_replay:
        if asyncio.run(until_signal(_replay(options, load_settings()), signal.SIGTERM)):
            raise Terminated
        return
    settings = load_settings()
    reader = FeedReader(options.inputs, time_field=options.time_field, settings=settings)
    with closing(DeadLetterFile(options.dead_letters)) as dead:
        sent = asyncio.run(_send(reader, options, dead, settings))
    _end(sent, dead.count, dead.path, reader.problems)


async def _send(
    reader: FeedReader, options: _Options, dead: DeadLetterFile, settings: Settings
) -> int:
    from workers.kafka.broker.feeder import Feeder  # noqa: PLC0415 - not for --help

    pace = Pace(options.rate) if options.rate else None
    access = access_to(options.broker or "", options.prefix)
    sent = 0
    with progress(reader.bytes_total) as bar:
        async with Feeder(access, settings.message_limit_bytes) as feeder:
            async for record in items_off_loop(reader):
                if pace is not None:
                    await pace.wait()
                sent += await _send_record(record, feeder, dead)
                bar(reader.bytes_read, counted(sent, "page"))
    return sent


async def _replay(options: _Options, settings: Settings) -> None:
    problems: list[InputProblem] = []
    async with AsyncExitStack() as stack:
        source = await _open_source(options, settings, problems, stack)
        dead = DeadLetterFile(options.dead_letters, resumes=source.is_resumed)
        stack.callback(dead.close)
        refused_before = sum(1 for _ in dead.sources_before())
        target = await _open_target(options, settings, stack, resumes=source.is_resumed)
        if source.is_resumed:
            note = f"templ: going on behind {counted(source.sent_before, 'record')}"
            if options.inputs:
                note += f"; delete {options.progress_path} to send everything, as to another target"
            click.echo(one_line(note), err=True)
        sent = await _send_by_time(source, target, dead, options)
    refused = refused_before + dead.count
    _end(sent, refused, dead.path, problems)


async def _send_by_time(
    source: ArchiveSource | TopicSource,
    target: PageFile | Feeder,
    dead: DeadLetterFile,
    options: _Options,
) -> int:
    """Send the records of a source, note again and again how far they are sent, and return the number of pages."""
    sent = seen = 0
    pace = Pace(options.rate) if options.rate else None
    await source.note()  # from now on, what a target holds is of a replay that was begun
    async for record in source.records():
        if isinstance(record, Rejected) or options.takes(record):
            if pace is not None:
                await pace.wait()
            sent += await _send_record(record, target, dead)
        seen += 1
        if seen % _NOTE_RECORDS == 0:
            await _note(source, target, dead)
    await _note(source, target, dead)
    return sent


async def _note(
    source: ArchiveSource | TopicSource, target: PageFile | Feeder, dead: DeadLetterFile
) -> None:
    await target.settle()
    dead.flush()
    await source.note()


async def _send_record(
    record: Page | Rejected, target: PageFile | Feeder, dead: DeadLetterFile
) -> bool:
    """Send a record, or make it a dead letter; return whether it was sent."""
    letter = await target.send(record) if isinstance(record, Page) else record.letter
    if letter is not None:
        click.echo(f"templ: refused: {one_line(letter.message)}", err=True)
        dead.write(record, letter)
    return letter is None


async def _open_source(
    options: _Options, settings: Settings, problems: list[InputProblem], stack: AsyncExitStack
) -> ArchiveSource | TopicSource:
    if options.from_topic is None:
        files = archive_files(options.inputs)
        bar = stack.enter_context(progress(total_bytes(files)))
        read_bytes = 0

        def count(size_bytes: int) -> None:
            nonlocal read_bytes
            read_bytes += size_bytes
            bar(read_bytes, "")

        how = Reading(
            time_field=options.time_field,
            latest_ms=round(time.time() * 1000) + settings.clock_skew_ms,
            limit_bytes=settings.page_limit_bytes,
            on_progress=count,
            on_problem=problems.append,
        )
        return ArchiveSource(files, options.progress_path, how)
    from workers.kafka.logs.topic_source import TopicSource, TopicSpan  # noqa: PLC0415 - needs aiokafka

    times = "-".join("" if at is None else rfc3339(at) for at in (options.since, options.until))
    group = f"{options.prefix}templ-replay-{options.from_topic}-{times}".replace(":", "")
    span = TopicSpan(
        topic=options.from_topic,
        group=options.group or group,
        since_ms=options.since,
        until_ms=options.until,
    )
    source = TopicSource(access_to(options.source_broker or ""), span)
    return await stack.enter_async_context(source)


async def _open_target(
    options: _Options, settings: Settings, stack: AsyncExitStack, *, resumes: bool
) -> PageFile | Feeder:
    if options.to is None:
        from workers.kafka.broker.feeder import Feeder  # noqa: PLC0415

        access = access_to(options.broker or "", options.prefix)
        feeder = Feeder(access, settings.message_limit_bytes)
        return await stack.enter_async_context(feeder)
    if not resumes and options.to.exists() and options.to.stat().st_size:
        raise UsageProblem(f"--to {options.to} is there already; name a new file")
    file = PageFile(options.to, settings.page_limit_bytes, resumes=resumes)
    stack.callback(file.close)
    return file


def _end(sent: int, refused: int, dead: Path, problems: Sequence[InputProblem]) -> None:
    """Report how many pages were sent, and end the command if something is wrong.

    Raises:
        InputProblem: An input could not be read, or not to its end.
    """
    click.echo(f"{counted(sent, 'page')} sent, {refused} refused", err=True)
    if refused:
        click.echo(f"refused records: {dead}", err=True)
    raise_problems(problems)
    if refused:
        sys.exit(_SOME_REFUSED)
