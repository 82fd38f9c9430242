"""`templ run`: clean pages from files."""

import os
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click
import msgspec

from schemas.cleaned import CleanedRecord
from schemas.codec import encode_json
from workers.cli.inputs import STDOUT, FeedReader, refuse_overwriting
from workers.cli.options import comments_option, page_model_option
from workers.cli.output import open_output
from workers.cli.progress import progress
from workers.local.dead_letters import DeadLetterFile
from workers.local.runner import DeadPage, LocalWorker, Output
from workers.settings import load_settings
from workers.site_settings.book import read_book


@click.command(name="run")
@click.argument(
    "inputs", metavar="INPUT...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    help="JSON Lines file for the cleaned records; - stands for standard output.",
)
@click.option(
    "--dead-letters",
    type=click.Path(path_type=Path),
    help="JSON Lines file for records that could not be cleaned, with the reason and their bytes; "
    "it is created with the first of them. Default: OUT with .dead-letters added, or "
    "templ.dead-letters for standard output.",
)
@click.option(
    "--state",
    type=click.Path(file_okay=False, path_type=Path),
    help="Directory that keeps windows and site models for the next run. Default: nothing is kept.",
)
@click.option(
    "--site-settings",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="File of site settings, as `templ site override` writes it. Default: site-settings.jsonl in the "
    "state directory.",
)
@click.option(
    "--page-only",
    is_flag=True,
    help="Clean every page as if its site were new, without site models.",
)
@page_model_option
@comments_option
@click.option(
    "--revisions",
    is_flag=True,
    help="Write a page again when a better site model changes its text, after the page that led to "
    "the model.",
)
@click.option(
    "--segments", is_flag=True, help="Add the text segments and their decisions to each record."
)
@click.option(
    "--time-field",
    default="fetched_at",
    show_default=True,
    help="Field that holds the event time; `none` sets times one minute apart, from 2000-01-01 on.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 256),
    default=os.cpu_count() or 1,
    show_default="number of processors",
    help="Number of child processes; the output does not depend on it.",
)
def run_command(**given: Any) -> None:
    """Clean the pages of INPUT... in order, and learn each site's templates from them.

    An INPUT is a WARC file (.warc, .warc.gz, .warc.zst), a JSON Lines file of page records (.jsonl,
    .jsonl.gz, .jsonl.xz, .jsonl.zst), an HTML file, a directory of HTML files, or - for JSON Lines on
    standard input.
    """
    _run(RunOptions(**given))


class RunOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The arguments and options of `templ run`."""

    inputs: tuple[Path, ...]
    out: Path
    dead_letters: Path | None
    state: Path | None
    site_settings: Path | None
    page_model: Path | None
    comments: str | None
    time_field: str
    workers: int
    page_only: bool
    revisions: bool
    segments: bool


def _run(options: RunOptions) -> None:
    settings = load_settings(page_model=options.page_model, comments=options.comments)
    reader = FeedReader(options.inputs, time_field=options.time_field, settings=settings)
    out, dead_letters = options.out, options.dead_letters
    if dead_letters is None:
        name = "templ" if out == STDOUT else out.name
        dead_letters = out.with_name(name + ".dead-letters")
    refuse_overwriting(options.inputs, out=out, dead_letters=dead_letters)
    with ExitStack() as stack:
        local = LocalWorker(
            options.state or Path(stack.enter_context(tempfile.TemporaryDirectory("-templ"))),
            settings,
            workers=options.workers,
            page_only=options.page_only,
            revises=options.revisions,
            with_segments=options.segments,
            book=read_book(options.site_settings) if options.site_settings else None,
        )
        stack.callback(local.close)
        writer = stack.enter_context(open_output(out))
        dead = DeadLetterFile(dead_letters)
        stack.callback(dead.close)
        tally = Tally()
        bar = stack.enter_context(progress(reader.bytes_total))
        try:
            for output in local.run(reader):
                tally.add(output)
                if isinstance(output, DeadPage):
                    dead.write(output.page, output.letter)
                else:
                    writer.write(encode_json(output) + b"\n")
                bar.update(reader.bytes_read, tally.short())
        finally:
            click.echo(tally.summary(out, dead.path), err=True)


class Tally:
    """Counts of what a run has done."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._sites: set[str] = set()
        self._pages = self._with_site = self._not_learned = self._deleted = self._dead = 0
        self._revisions = 0
        self._chars_in = self._chars_out = 0

    def add(self, output: Output) -> None:
        """Count one output."""
        if isinstance(output, CleanedRecord) and output.revision:
            self._revisions += 1
            return
        self._pages += 1
        if isinstance(output, DeadPage):
            self._dead += 1
            return
        self._sites.add(output.site)
        if isinstance(output, CleanedRecord):
            self._with_site += output.method == "site"
            self._not_learned += "not-learned" in output.warnings
            self._chars_in += output.chars_in
            self._chars_out += output.chars_out
        else:
            self._deleted += 1

    def short(self) -> str:
        """Return a short note for the progress bar."""
        return f"{self._pages} pages of {len(self._sites)} sites"

    def summary(self, out: Path, dead_letters: Path) -> str:
        """Return a few lines about the whole run."""
        elapsed_s = max(time.monotonic() - self._started, 1e-9)
        cleaned = self._pages - self._dead - self._deleted
        share = self._with_site / cleaned if cleaned else 0.0
        lines = [
            f"{self.short()} in {elapsed_s:.1f} s, {self._pages / elapsed_s:.0f} pages/s",
            f"{share:.1%} cleaned with evidence from their site",
            f"{self._chars_in} characters in, {self._chars_out} out",
        ]
        if self._not_learned:
            lines.append(f"{self._not_learned} cleaned but too large to learn from")
        if self._revisions:
            lines.append(f"{self._revisions} revisions")
        if self._deleted:
            lines.append(f"{self._deleted} deletions")
        lines.append(f"{self._dead} dead letters" + (f": {dead_letters}" if self._dead else ""))
        lines.append(f"cleaned text: {'standard output' if out == STDOUT else out}")
        return "\n".join(lines)
