"""`templ replay`: send the pages of archives, or of a topic, again in the order of their times."""

from __future__ import annotations

import asyncio
import signal
import sys
import time
import zlib
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from schemas.codec import encode_json
from schemas.dead_letter import DeadLetter
from templ_core.dom.decode.decode_page import decompress
from templ_core.errors import PageError
from templ_core.site_cleaner.fetch_times import rfc3339
from workers.cli.inputs import progress, raise_problems, refuse_overwriting
from workers.cli.lazy import require_extra
from workers.cli.options import (
    TimeType,
    access_to,
    optional_broker_option,
    prefix_option,
    rate_option,
    refuse,
    unsent_option,
    until_signal,
)
from workers.errors import DiskProblem, InputProblem, StateProblem, Terminated, UsageProblem
from workers.feeds.archives import archive_files, read_archives
from workers.feeds.files import total_bytes
from workers.feeds.reading import BEGINNING, Place, Reading
from workers.feeds.records import page_record
from workers.feeds.streams import damage_told
from workers.local.dead_letters import DeadLetterFile
from workers.local.record_file import RecordFile
from workers.log_lines import counted, one_line
from workers.pace import Pace
from workers.page import Page, Rejected
from workers.settings import Settings, load_settings
from workers.whole_file import write_whole

if TYPE_CHECKING:
    from workers.kafka.broker.feeder import Feeder
    from workers.kafka.logs.topic_source import TopicSource

_PROGRESS_FORMAT = 1
_HEAD_BYTES = 4096
"""Bytes at the beginning of a file by which it is known again."""


class _FileProgress(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    place: Place
    head_crc: int
    """CRC-32 of the first bytes of the file."""
    head_bytes: int
    """Number of these bytes."""


class _Progress(msgspec.Struct, forbid_unknown_fields=True):
    format: int
    files: dict[str, _FileProgress]
    """How far files were sent, by their address (`file:`)."""


class ArchiveSource:
    """The records of archives in the order of time, from the place on up to which they were sent.

    A file of progress holds the place of each archive behind its last record that was sent. It is replaced
    as a whole, so a kill at any moment leaves the old or the new one.
    """

    def __init__(self, files: Sequence[Path], progress: Path, how: Reading) -> None:
        """Read how far the archives were sent.

        Raises:
            StateProblem: The file of progress cannot be used, or an archive is another one than before.
            InputProblem: An archive cannot be read.
        """
        self._files = files
        self._path = progress
        self._how = how
        self._known = _read_progress(progress)
        self.is_resumed = progress.exists()
        """Whether an earlier replay was begun."""
        places = {file: self._start(file) for file in files}
        self._places = places
        self.sent_before = sum(one.number for one in places.values())
        """Number of records before the places at which reading begins."""

    def records(self) -> AsyncIterator[Page | Rejected]:
        """Yield the records, which are read in a thread."""
        from workers.kafka.broker.feeder import items_off_loop  # noqa: PLC0415 - not for --help

        return items_off_loop(self)

    def __iter__(self) -> Iterator[Page | Rejected]:
        for file, record, behind in read_archives(self._files, dict(self._places), self._how):
            self._places[file] = behind
            yield record

    def _start(self, file: Path) -> Place:
        known = self._known.files.get(file.resolve().as_uri())
        if known is None:
            return BEGINNING
        if _head_crc(file, known.head_bytes) != known.head_crc:
            raise StateProblem(
                f"{file} has changed since {self._path} noted how far it was sent: delete "
                f"{self._path} to send everything again"
            )
        return known.place

    async def note(self) -> None:
        """Store that all records that were yielded are sent.

        Raises:
            DiskProblem: The file of progress cannot be written.
        """
        for file, place in self._places.items():
            if place != BEGINNING:
                self._note_file(file, place)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._path, encode_json(self._known) + b"\n")
        except OSError as error:
            raise DiskProblem(f"--progress {self._path}: {error.strerror}") from None

    def _note_file(self, file: Path, place: Place) -> None:
        name = file.resolve().as_uri()
        known = self._known.files.get(name)
        if known is None:
            size = min(_HEAD_BYTES, file.stat().st_size)
            known = _FileProgress(place, _head_crc(file, size), size)
        self._known.files[name] = msgspec.structs.replace(known, place=place)


def _read_progress(path: Path) -> _Progress:
    try:
        found = msgspec.json.decode(path.read_bytes(), type=_Progress)
    except FileNotFoundError:
        return _Progress(_PROGRESS_FORMAT, {})
    except OSError as error:
        raise StateProblem(f"--progress {path}: {error.strerror}") from None
    except msgspec.DecodeError:
        raise StateProblem(f"{path} is no file of progress; name another one") from None
    if found.format != _PROGRESS_FORMAT:
        raise StateProblem(f"{path} was written by another version; delete it and replay again")
    return found


def _head_crc(file: Path, size_bytes: int) -> int:
    with damage_told(file, lambda: ""), file.open("rb") as opened:
        return zlib.crc32(opened.read(size_bytes))


_NOTE_RECORDS = 500
"""Records after which it is noted how far a replay got; so many may be sent twice after a kill."""


class PageFile:
    """A JSON Lines file that pages are appended to, as `templ run` and `templ feed` read it."""

    def __init__(self, path: Path, limit_bytes: int, *, resumes: bool) -> None:
        """Open the file, which is compressed by its suffix.

        If it `resumes`, pages are added behind those that are there; a torn line is cut off. No page has more than
        `limit_bytes` after decompression.

        Raises:
            UsageProblem: The file cannot be opened.
            DiskProblem: The disk is full.
        """
        self._limit_bytes = limit_bytes
        self._file = RecordFile("--to", path, resumes=resumes)
        for _ in self._file.lines_before() if resumes else ():
            pass
        self.close = self._file.close

    async def send(self, page: Page) -> DeadLetter | None:
        """Append a page; return a dead letter when it cannot be decompressed."""
        body, encoding = page.body, page.content_encoding or ""
        try:
            body = None if body is None else decompress(body, encoding, self._limit_bytes)
        except PageError as error:
            return DeadLetter(exception=type(error).__name__, message=str(error), stage="publish")
        whole = msgspec.structs.replace(page, body=body)
        self._file.write(encode_json(page_record(whole)) + b"\n")
        return None

    async def settle(self) -> None:
        """Write the pages that are in memory."""
        self._file.flush()


async def replay(
    source: ArchiveSource | TopicSource,
    target: PageFile | Feeder,
    dead: DeadLetterFile,
    *,
    rate: float | None,
    takes: Callable[[Page], bool],
) -> int:
    """Send the records of a source, note again and again how far they are sent, and return the number of pages."""
    sent = seen = 0
    pace = Pace(rate) if rate else None
    await source.note()  # from now on, what a target holds is of a replay that was begun
    async for record in source.records():
        if isinstance(record, Rejected) or takes(record):
            if pace is not None:
                await pace.wait()
            sent += await send_record(record, target, dead)
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


async def send_record(
    record: Page | Rejected, target: PageFile | Feeder, dead: DeadLetterFile
) -> bool:
    """Send a record, or make it a dead letter; return whether it was sent."""
    letter = await target.send(record) if isinstance(record, Page) else record.letter
    if letter is not None:
        click.echo(f"templ: refused: {one_line(letter.message)}", err=True)
        dead.write(record, letter)
    return letter is None


_SOME_REFUSED = 1


class _Options(msgspec.Struct, frozen=True, kw_only=True):
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
        is_topic = bool(self.from_topic)
        refuse(bool(self.inputs) == is_topic, "give either archives or --from-topic")
        refuse(self.group and not is_topic, "--group is for --from-topic; archives have --progress")
        refuse(self.to is None and self.broker is None, "give --broker, or --to with a file")
        refuse(
            is_topic and self.source_broker is None, "--from-topic needs --from-broker or --broker"
        )
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
@click.option("--since", type=TimeType(), help="Replay pages from this time on (RFC 3339).")
@click.option("--until", type=TimeType(), help="Replay pages before this time (RFC 3339).")
@click.option(
    "--group",
    metavar="NAME",
    help="Consumer group that keeps the position in a topic.  [default: a group for these times, "
    "PREFIXtempl-replay-TOPIC-SINCE-UNTIL]",
)
@click.option(
    "--to",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="JSON Lines file that pages are added to, compressed by its suffix.  [default: the topic "
    "`pages` of --broker]",
)
@optional_broker_option("Kafka broker that pages are sent to.")
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
    help="File that keeps the position in each archive; delete it to start from the beginning.",
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
    if asyncio.run(until_signal(_replay(options, load_settings()), signal.SIGTERM)):
        raise Terminated


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
        sent = await replay(source, target, dead, rate=options.rate, takes=options.takes)
    refused = refused_before + dead.count
    end_sending(sent, refused, dead.path, problems)


def end_sending(sent: int, refused: int, dead: Path, problems: Sequence[InputProblem]) -> None:
    """Say how many pages were sent, and end the command where something is wrong.

    Raises:
        InputProblem: An input could not be read, or not to its end.
    """
    click.echo(f"{counted(sent, 'page')} sent, {refused} refused", err=True)
    if refused:
        click.echo(f"refused records: {dead}", err=True)
    raise_problems(problems)
    if refused:
        sys.exit(_SOME_REFUSED)


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

    times = "-".join("" if one is None else rfc3339(one) for one in (options.since, options.until))
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
