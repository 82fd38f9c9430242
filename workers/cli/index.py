"""`templ index`: keep a full-text index of cleaned pages."""

import asyncio
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

import click
import msgspec

from schemas.cleaned import CleanedRecord, DeletedRecord
from schemas.codec import SchemaError, decode_output
from workers.cli.inputs import progress, refuse_overwriting
from workers.cli.lazy import require_extra
from workers.cli.options import (
    access_to,
    optional_broker_option,
    prefix_option,
    refuse,
    until_signal,
)
from workers.errors import InputProblem
from workers.feeds.files import total_bytes
from workers.feeds.streams import OnProgress, as_input_problem, open_decompressed
from workers.indexes.open_index import CleanedIndex, open_index
from workers.log_forms import LogSetUp, set_up_logging
from workers.log_lines import counted, one_line
from workers.settings import load_settings


def read_cleaned(
    path: Path, limit_bytes: int, on_progress: OnProgress
) -> Iterator[tuple[int, CleanedRecord | DeletedRecord | str]]:
    """Yield the lines of a JSON Lines file that `templ run` wrote, compressed or not; `-` is standard input.

    Each comes with its number, from 1, as a record or as the reason why it is not one, such as more than `limit_bytes`.
    The number of bytes of each read of the file goes to `on_progress`.

    Raises:
        InputProblem: The file cannot be read, holds pages that are not cleaned yet, or is damaged; records before the
            damage were yielded.
    """
    number = 0
    with (
        as_input_problem(path, lambda: f"after its first {number} lines"),
        open_decompressed(path, on_progress) as stream,
    ):
        while line := stream.readline(limit_bytes + 1):
            number += 1
            if len(line) > limit_bytes:
                yield number, f"it has more than {limit_bytes} bytes"
                while line and not line.endswith(b"\n"):
                    line = stream.readline(limit_bytes)
            elif line.strip():
                try:
                    yield number, decode_output(line)
                except SchemaError as error:
                    if number == 1 and _is_page(line):
                        raise InputProblem(
                            f"{path} holds pages that are not cleaned yet: "
                            f"`templ run {path} --out cleaned.jsonl` cleans them"
                        ) from None
                    yield number, str(error)


def _is_page(line: bytes) -> bool:
    """Return whether a line is a record of the input of `templ run`."""
    with suppress(msgspec.DecodeError):
        record = msgspec.json.decode(line)
        return isinstance(record, dict) and "html" in record and "schema" not in record
    return False


_AT_ONCE = 200
"""Records of a file that are written in one transaction."""
_SOME_REFUSED = 1
_REPORTED_MAX = 5
"""Skipped lines that are reported with a reason; the others are counted."""


@click.command(name="index")
@click.argument("inputs", metavar="[CLEANED]...", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--index",
    "path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="SQLite file of the index.",
)
@click.option(
    "--to",
    nargs=2,
    type=(click.Choice(["opensearch"]), str),
    metavar="opensearch URL",
    help="Index on an OpenSearch or Elasticsearch server instead, as https://HOST:9200/NAME; it is created "
    "if it does not exist.",
)
@optional_broker_option("Kafka broker whose topic `cleaned` is read where no file is given.")
@prefix_option
@click.option(
    "--follow",
    is_flag=True,
    help="Wait for further records of the topic until SIGTERM or Ctrl-C; otherwise stop where it ends now.",
)
def index_command(
    inputs: tuple[Path, ...],
    path: Path | None,
    to: tuple[str, str] | None,
    broker: str | None,
    prefix: str,
    *,
    follow: bool,
) -> None:
    """Bring an index up to date with CLEANED..., or with the topic `cleaned` of a broker.

    CLEANED is a JSON Lines file that `templ run` wrote, compressed or not; - is standard input. The
    index holds the newest text of each URL. A record that it knows changes nothing, a higher revision
    replaces the text, and a deletion removes it. Exit code 1 means that lines of a file were left out, or
    that a server refused records.
    """
    refuse(not inputs and broker is None, "give files that `templ run` wrote, or --broker")
    refuse(inputs and follow, "--follow reads a topic; leave the files out")
    refuse(
        (path is None) == (to is None),
        "give either --index or --to: an SQLite file such as index.db, or a server",
    )
    refuse_overwriting(inputs, index=path)
    if broker is not None and not inputs:
        require_extra("kafka", "--broker")
    if to is not None or not inputs:
        settings = load_settings()
        set_up_logging(LogSetUp("index", settings.log_format, settings.log_level))
    refused, size_bytes = 0, total_bytes(inputs)
    with _open(path, to) as index:
        try:
            if inputs:
                refused = _index_files(index, inputs, size_bytes)
            elif broker is not None:
                _index_topic(index, broker, prefix, follow=follow)
        finally:
            click.echo(
                f"{index.counts}; {index.name} holds {counted(index.text_count(), 'text')}",
                err=True,
            )
    if refused or index.counts.refused:
        sys.exit(_SOME_REFUSED)


def _open(path: Path | None, to: tuple[str, str] | None) -> CleanedIndex:
    if to is not None:
        require_extra("opensearch", "--to opensearch")
    return open_index(path, to[1] if to else "")


def _index_files(index: CleanedIndex, inputs: Sequence[Path], size_bytes: int) -> int:
    """Apply the records of files; return how many lines were left out."""
    limit_bytes = load_settings().record_limit_bytes
    refused = done = 0

    def count(size_bytes: int) -> None:
        nonlocal done
        done += size_bytes

    with progress(size_bytes) as bar:
        for path in inputs:
            records = read_cleaned(path, limit_bytes, count)
            while some := list(islice(records, _AT_ONCE)):
                with index.transaction():
                    for number, record in some:
                        if not isinstance(record, str):
                            index.apply(record)
                            continue
                        refused += 1
                        if refused <= _REPORTED_MAX:
                            reason = f"{path}, line {number} is left out: {record}"
                            click.echo(f"templ: {one_line(reason)}", err=True)
                bar(done, str(index.counts))
    if refused > _REPORTED_MAX:
        click.echo(
            f"templ: {refused} lines are left out; the first {_REPORTED_MAX} are shown", err=True
        )
    return refused


def _index_topic(index: CleanedIndex, broker: str, prefix: str, *, follow: bool) -> None:
    from workers.kafka.logs.cleaned_follower import CleanedFollower  # noqa: PLC0415 - needs aiokafka

    reading = CleanedFollower(access_to(broker, prefix), index).run(stays=follow)
    asyncio.run(until_signal(reading, signal.SIGTERM, signal.SIGINT))
