"""`templ watch`: report what changes on pages and sites, and which pages are copies, from cleaned records."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from schemas.cleaned import CleanedRecord, DeletedRecord, Observed
from schemas.codec import encode_json
from schemas.page_change import PageChangeRecord
from schemas.page_copy import PageCopyRecord
from schemas.site_event import SiteEventRecord
from workers.cli.index import read_cleaned
from workers.cli.inputs import progress, refuse_filled, refuse_overwriting
from workers.cli.lazy import require_extra
from workers.cli.options import (
    NAMED_PATH,
    STATE_PATH,
    access_to,
    optional_broker_option,
    prefix_option,
    refuse,
)
from workers.errors import FeedProblem
from workers.feeds.files import total_bytes
from workers.local.record_file import RecordFile
from workers.log_forms import LogSetUp, set_up_logging
from workers.log_lines import counted, one_line
from workers.processes.child_start import end_with_parent
from workers.settings import Settings, load_settings, settings_line
from workers.watcher.file_watch import FileWatch

if TYPE_CHECKING:
    from workers.kafka.broker.access import BrokerAccess

_SOME_REFUSED = 1
log = logging.getLogger("templ")
_KINDS: dict[str, type[msgspec.Struct]] = {
    "changes": PageChangeRecord,
    "duplicates": PageCopyRecord,
    "events": SiteEventRecord,
}
"""What the files of options hold."""


class _Options(msgspec.Struct, frozen=True, kw_only=True):
    inputs: tuple[Path, ...]
    broker: str | None
    prefix: str
    state: Path | None
    changes: Path | None
    events: Path | None
    duplicates: Path | None
    force: bool
    supervisor: int | None

    @property
    def written(self) -> dict[str, Path]:
        """The files to write, by the names of their options."""
        return {name: path for name in _KINDS if (path := getattr(self, name)) is not None}

    def check(self) -> None:
        refuse(
            not self.inputs and self.broker is None,
            "give files that `templ run` wrote, or --broker",
        )
        if not self.inputs:
            refuse(self.state is None, "a watcher on Kafka needs --state")
            refuse(
                self.written,
                "--changes, --events and --duplicates need files of records; on Kafka the results go to topics",
            )
            require_extra("kafka", "--broker")
            return
        refuse(not self.written, "give at least one of --changes, --events and --duplicates")
        refuse_overwriting(self.inputs, **self.written)
        if not self.force:
            refuse_filled(**self.written)


@click.command(name="watch")
@click.argument("inputs", metavar="[CLEANED]...", nargs=-1, type=click.Path(path_type=Path))
@optional_broker_option("Kafka broker whose topic `cleaned` is watched where no file is given.")
@prefix_option
@click.option(
    "--state",
    type=STATE_PATH,
    help="Directory for what is remembered of pages and sites; each watcher on Kafka needs its own, for files it is "
    "kept for the next run.",
)
@click.option(
    "--changes",
    type=NAMED_PATH,
    help="JSON Lines file for what changes on pages that were fetched before.",
)
@click.option("--events", type=NAMED_PATH, help="JSON Lines file for changes of whole sites.")
@click.option(
    "--duplicates",
    type=NAMED_PATH,
    help="JSON Lines file for pages whose content another site published before.",
)
@click.option("--force", is_flag=True, help="Replace the files.")
@click.option(
    "--supervisor", type=int, hidden=True, help="Id of the process with which this one ends."
)
def watch_command(**given: object) -> None:
    """Report what changes on pages and sites, and which pages are copies of other sites.

    CLEANED is a JSON Lines file that `templ run --observed` wrote, compressed or not. Without files, the topic
    `cleaned` of a broker is watched until SIGTERM or Ctrl-C, and what is noticed goes to the topics `page-changes`,
    `page-copies` and `site-events`; its workers need TEMPL_OBSERVED=true. Exit code 1 means that lines of a file were
    left out.
    """
    options = msgspec.convert(given, _Options)
    if options.supervisor is not None:
        end_with_parent(options.supervisor)
    options.check()
    if options.inputs:
        _watch_files(options, load_settings())
        return
    access: BrokerAccess = access_to(options.broker or "", options.prefix)
    settings = load_settings(broker=access.address, prefix=access.prefix)
    if options.supervisor is not None:
        from workers.kafka.run_role import run_role  # noqa: PLC0415 - takes two seconds to import

        run_role("watcher", access, options.state or Path(), settings)
        return
    from workers.kafka.supervisor import child_command, supervise, wait_for_broker  # noqa: PLC0415

    set_up_logging(LogSetUp("watch", settings.log_format, settings.log_level))
    log.info("settings: %s", settings_line(settings))
    wait_for_broker(access.address, log.warning)
    arguments = (
        "--broker",
        access.address,
        "--prefix",
        access.prefix,
        "--state",
        str(options.state),
    )
    sys.exit(supervise({"watcher": child_command("watch", arguments)}))


def _watch_files(options: _Options, settings: Settings) -> None:
    reader = _RecordReader(options.inputs, settings)
    with ExitStack() as stack:
        watch = FileWatch(options.state, settings, finds_copies=options.duplicates is not None)
        stack.callback(watch.close)
        files = {name: RecordFile(f"--{name}", path) for name, path in options.written.items()}
        for file in files.values():
            stack.callback(file.close)
        for record in reader:
            noticed = watch.take(record)
            if isinstance(record, CleanedRecord):
                _write(files, noticed.records(record))
        _write(files, watch.silent_sites())
    if reader.pages and not reader.observed and {"changes", "events"} & files.keys():
        raise FeedProblem(
            "no record has the field `observed`, which --changes and --events need: clean the pages with `templ run "
            "--observed`"
        )
    if reader.refused:
        sys.exit(_SOME_REFUSED)


class _RecordReader:
    """The records of files; lines that are no records are reported and counted."""

    def __init__(self, inputs: Sequence[Path], settings: Settings) -> None:
        self._inputs = inputs
        self._limit_bytes = settings.record_limit_bytes
        self._read_bytes = 0
        self.refused = 0
        self.pages = 0
        self.observed = 0
        """Pages with the fields that changes and events need."""

    def __iter__(self) -> Iterator[CleanedRecord | DeletedRecord]:
        with progress(total_bytes(self._inputs)) as bar:

            def count(size_bytes: int) -> None:
                self._read_bytes += size_bytes
                bar(self._read_bytes, counted(self.pages, "page"))

            for path in self._inputs:
                for number, record in read_cleaned(path, self._limit_bytes, count):
                    if isinstance(record, str):
                        self.refused += 1
                        click.echo(f"templ: {one_line(f'{path}:{number}: {record}')}", err=True)
                        continue
                    if isinstance(record, CleanedRecord):
                        self.pages += 1
                        self.observed += isinstance(record.observed, Observed)
                    yield record


def _write(files: dict[str, RecordFile], records: Iterable[msgspec.Struct]) -> None:
    """Write each record to the file of its kind, if there is one."""
    for record in records:
        for name, file in files.items():
            if isinstance(record, _KINDS[name]):
                file.write(encode_json(record) + b"\n")
