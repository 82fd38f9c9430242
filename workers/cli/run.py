"""`templ run`: clean pages from files."""

import signal
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import click
import msgspec

from schemas.cleaned import CleanedRecord
from schemas.site_event import SiteEventRecord
from workers.cli.inputs import (
    Bar,
    FeedReader,
    progress,
    raise_problems,
    refuse_filled,
    refuse_overwriting,
)
from workers.cli.options import (
    NAMED_PATH,
    STATE_PATH,
    cleaning_options,
    format_option,
    records_option,
    refuse,
    text_forms,
    time_field_option,
)
from workers.errors import DamagedStore, FeedProblem, StateProblem, Terminated
from workers.feeds.files import input_names
from workers.feeds.streams import STDIN
from workers.local.local_state import temporary_state
from workers.local.parquet_file import SUFFIX as PARQUET
from workers.local.record_file import STDOUT
from workers.local.run_outputs import RunOutputs
from workers.local.runner import LocalWorker, Output
from workers.log_forms import LogSetUp, set_up_logging
from workers.log_lines import counted
from workers.pipeline.actions import Dead
from workers.processors import processor_count
from workers.settings import Settings, load_settings
from workers.site_settings import read_site_settings
from workers.watcher.file_watch import FileWatch


def _language_codes(
    _context: click.Context, _option: click.Parameter, given: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the primary subtags of BCP 47 of the languages, without regions."""
    codes = tuple(code.partition("-")[0].lower() for code in given)
    for code, tag in zip(codes, given, strict=True):
        if not (code.isalpha() and code.isascii() and 2 <= len(code) <= 3):
            raise click.BadParameter(f"{tag!r} is no code of a language, such as en")
    return codes


@click.command(name="run")
@click.argument(
    "inputs", metavar="INPUT...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@click.option(
    "--out",
    "-o",
    required=True,
    type=NAMED_PATH,
    help="JSON Lines file for the cleaned records, compressed if it ends in .gz, .xz or .zst; a file that ends in "
    ".parquet has a row for each page; - is standard output.",
)
@click.option("--force", is_flag=True, help="Replace the files of --out and --dead-letters.")
@click.option(
    "--resume",
    is_flag=True,
    help="Continue --out after its last whole record, when a run of the same inputs and options was "
    "interrupted: nothing is written twice, and nothing is missing. Without --state the pages before "
    "are learned again, so the output is that of a run that was not interrupted.",
)
@click.option(
    "--dead-letters",
    type=NAMED_PATH,
    help="JSON Lines file for records that could not be cleaned, with the reason and their bytes; "
    "it is created with the first of them. Default: OUT with .dead-letters added, or "
    "templ.dead-letters for standard output.",
)
@click.option(
    "--state",
    type=STATE_PATH,
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
@format_option
@click.option(
    "--two-pass",
    is_flag=True,
    help="Read the inputs twice: learn all sites first, then clean every page with what all pages of its "
    "site share. It is for whole crawls.",
)
@cleaning_options
@click.option(
    "--revisions",
    is_flag=True,
    help="Write a page again when a better site model changes its text, after the page that led to "
    "the model.",
)
@click.option(
    "--segments", is_flag=True, help="Add the text segments and their decisions to each record."
)
@records_option
@click.option(
    "--chunks",
    is_flag=True,
    help="Add the Markdown to each record in sections by headings, with ids that depend on the section's text alone.",
)
@click.option(
    "--quality",
    is_flag=True,
    help="Add to each record how likely its page is an error page, a wall, an empty shell or a mere template; "
    "nothing is learned from such pages.",
)
@click.option(
    "--observed",
    is_flag=True,
    help="Add to each record what `templ watch` needs of its page: charset, language, repeated text, the texts that "
    "were left out, and the last redesign of its site.",
)
@click.option(
    "--language",
    "languages",
    multiple=True,
    metavar="CODE",
    callback=_language_codes,
    help="Write only pages in this language, such as en; may be repeated.",
)
@click.option(
    "--with-content",
    is_flag=True,
    help="Write only pages that have content by their quality, which is added as with --quality.",
)
@click.option(
    "--duplicates",
    is_flag=True,
    help="Add the URL of the page of another site that came first, in the order of the inputs, with the same content.",
)
@click.option(
    "--changes",
    is_flag=True,
    help="Add what has changed since the URL was last fetched: sentences added, removed and moved, title, authors, "
    "dates, price and availability.",
)
@click.option(
    "--events",
    type=NAMED_PATH,
    help="JSON Lines file for changes of whole sites: their design, content, language, charset, repeated "
    "text, and whether its pages stop coming; with --duplicates, that a site copies another.",
)
@time_field_option
@click.option(
    "--workers",
    type=click.IntRange(1, 256),
    default=processor_count(),
    show_default="number of processors",
    help="Number of child processes; the output does not depend on it.",
)
def run_command(**given: Any) -> None:
    """Clean the pages of INPUT... in order, and learn each site's templates from them.

    An INPUT is a WARC file (.warc, .warc.gz, .warc.zst), a JSON Lines file (.jsonl, .jsonl.gz, .jsonl.xz,
    .jsonl.zst) whose records have `url`, `html` and, if known, `fetched_at`, an HTML file, a directory of HTML
    files, or - for JSON Lines on standard input.
    """
    _run(RunOptions(**given))


_OTHER_FORMATS = frozenset((".arrow", ".avro", ".csv", ".db", ".sqlite", ".tsv", ".xlsx"))
"""Endings of files that could not be read if they held JSON Lines."""
_SWITCHES = ("records", "chunks", "quality", "segments")
"""Options that switch a setting on."""


class RunOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The arguments and options of `templ run`."""

    inputs: tuple[Path, ...]
    out: Path
    dead_letters: Path | None
    state: Path | None
    site_settings: Path | None
    page_model: Path | None
    comments: str | None
    balance: str | None
    form: str | None
    time_field: str
    workers: int
    page_only: bool
    two_pass: bool
    revisions: bool
    segments: bool
    records: bool
    chunks: bool
    quality: bool
    observed: bool
    languages: tuple[str, ...]
    with_content: bool
    duplicates: bool
    changes: bool
    events: Path | None
    force: bool
    resume: bool

    def asks_for(self, name: str) -> bool:
        """Return whether a setting is switched on."""
        return bool(getattr(self, name)) or (name == "quality" and self.with_content)

    def wants(self, record: CleanedRecord) -> bool:
        """Return whether a record passes the filters."""
        language = (record.metadata.language if record.metadata else None) or ""
        return (
            not self.languages or language.partition("-")[0].lower() in self.languages
        ) and not (self.with_content and not (record.quality and record.quality.has_content))

    @property
    def watches(self) -> bool:
        """Whether records are handed to a watch."""
        return self.changes or self.duplicates or self.events is not None

    @property
    def letters(self) -> Path:
        """The file of dead letters."""
        name = "templ" if self.out == STDOUT else self.out.name
        return self.dead_letters or self.out.with_name(name + ".dead-letters")


def _run(options: RunOptions) -> None:
    _check(options)
    settings = load_settings(
        page_model=options.page_model,
        comments=options.comments,
        balance=options.balance,
        text_forms=text_forms(options.form),
        observed="true" if options.observed or options.changes or options.events else None,
        **{name: "true" for name in _SWITCHES if options.asks_for(name)},
    )
    set_up_logging(LogSetUp("run", settings.log_format, settings.log_level))
    reader = FeedReader(options.inputs, time_field=options.time_field, settings=settings)
    signal.signal(signal.SIGTERM, _end)
    with ExitStack() as stack, _advice_for_runs(options.state):
        state = options.state or stack.enter_context(temporary_state())
        local = LocalWorker(
            state,
            settings,
            workers=options.workers,
            page_only=options.page_only,
            revises=options.revisions,
            site_settings=read_site_settings(options.site_settings)
            if options.site_settings
            else None,
        )
        stack.callback(local.close)
        resumes = input_names(options.inputs) if options.resume else ()
        outputs = RunOutputs(
            options.out,
            options.letters,
            options.events,
            resumes=resumes,
            wanted=options.wants if options.languages or options.with_content else None,
        )
        stack.callback(outputs.close)
        tally = Tally()
        passes = 1 + options.two_pass
        bar = stack.enter_context(progress(reader.bytes_total and passes * reader.bytes_total))
        if options.two_pass:
            _learn_first(local, options, settings, bar)
        read_before = (passes - 1) * (reader.bytes_total or 0)
        # Without a saved state, pages written before are read again, to learn from them.
        remembers = options.watches or not (options.page_only or options.two_pass)
        must_learn = options.state is None and remembers
        records = (
            reader if must_learn else (page for page in reader if not outputs.has(page.source))
        )
        try:
            for output in _watched(local.run(records), options, settings, state):
                if outputs.write(output):
                    tally.add(output)
                bar(read_before + reader.bytes_read, tally.short())
            if not reader.problems:  # otherwise an output without records stays as it was
                outputs.flush()
        except (KeyboardInterrupt, Terminated):
            _say_how_to_go_on(options)
            raise
        finally:
            if (
                tally.has_records
                or reader.left_out
                or outputs.count_before
                or outputs.unwanted_count
            ):
                click.echo(tally.summary(outputs, reader), err=True)
            elif not reader.problems and sys.exception() is None:
                click.echo("there are no records in the inputs", err=True)
    raise_problems(reader.problems)
    tally.refuse_wrong_feed(outputs)


def _say_how_to_go_on(options: RunOptions) -> None:
    """Report what an interrupted run has left in its output, and how to resume it."""
    has_more = options.revisions or options.changes or options.events is not None
    if options.out.suffix == PARQUET:
        click.echo(f"{options.out} has the pages so far; --force begins again", err=True)
    elif options.out != STDOUT and not (options.state and has_more):
        click.echo(f"{options.out} has whole records: --resume goes on behind them", err=True)


def _watched(
    outputs: Iterable[Output], options: RunOptions, settings: Settings, state: Path
) -> Iterator[Output | SiteEventRecord]:
    """Yield outputs with what a watch has noticed, each followed by the events of its site."""
    if not options.watches:
        yield from outputs
        return
    keeps_observed = options.observed or load_settings().observed
    with closing(FileWatch(state, settings, finds_copies=options.duplicates)) as watch:
        for output in outputs:
            if isinstance(output, Dead):
                yield output
                continue
            noticed = watch.take(output)
            if isinstance(output, CleanedRecord):
                original = noticed.original
                yield msgspec.structs.replace(
                    output,
                    changes=(options.changes and noticed.changes) or msgspec.UNSET,
                    duplicate_of=original.url if original else msgspec.UNSET,
                    observed=output.observed if keeps_observed else msgspec.UNSET,
                )
            else:
                yield output
            yield from noticed.events
        yield from watch.silent_sites()


def _learn_first(
    local: LocalWorker,
    options: RunOptions,
    settings: Settings,
    bar: Bar,
) -> None:
    """Learn the sites of all pages; what is wrong with inputs is reported when they are read again."""
    reader = FeedReader(options.inputs, time_field=options.time_field, settings=settings)
    for learned, _ in enumerate(local.run(reader), 1):
        bar(reader.bytes_read, f"{counted(learned, 'page')} learned")
    local.finish_learning()


@contextmanager
def _advice_for_runs(state: Path | None) -> Iterator[None]:
    """Add to the message of a damaged state what to do, because there is nothing to rebuild it from."""
    try:
        yield
    except DamagedStore as problem:
        raise StateProblem(
            f"{state} is damaged ({problem.reason}): put a copy of it in its place, or delete it to learn "
            "its sites again"
        ) from None


def _check(options: RunOptions) -> None:
    given = [
        name
        for name in ("page_only", "revisions", "changes", "events", "state")
        if getattr(options, name)
    ]
    resumes_state = options.resume and options.state is not None
    for name in given:
        option = f"--{name.replace('_', '-')}"
        if name in ("state", "events", "changes"):
            refuse(
                options.page_only,
                f"--page-only learns nothing, so {option} has no effect: drop one of them",
            )
        if name in ("page_only", "revisions", "changes"):
            refuse(
                options.two_pass,
                f"--two-pass learns everything first, so {option} has no effect: drop it",
            )
        if name in ("revisions", "changes", "events"):
            refuse(
                resumes_state,
                f"--resume does not know which {option} of a kept --state were written: give --force to "
                "clean everything again",
            )
    refuse(
        options.two_pass and STDIN in options.inputs,
        "--two-pass reads the inputs twice, and standard input only once: give files",
    )
    for path in options.inputs if options.two_pass else ():
        refuse(
            path.exists() and not (path.is_file() or path.is_dir()),
            f"--two-pass reads the inputs twice, and {path} is a pipe or device that is read only once: give files",
        )
    refuse(
        options.resume and options.force,
        "--resume goes on with --out and --force replaces it: give one of them",
    )
    refuse(options.resume and options.out == STDOUT, "--resume needs a file as --out")
    for name in ("resume", "revisions"):
        refuse(
            options.out.suffix == PARQUET and getattr(options, name),
            f"a Parquet file has one row a page and is written once: give a .jsonl file with --{name}",
        )
    refuse(
        options.out.suffix in _OTHER_FORMATS,
        f"--out {options.out}: records are written as JSON Lines (.jsonl) or Parquet (.parquet); give such a name",
    )
    written = {"out": options.out, "dead_letters": options.letters}
    if options.events is not None:
        written["events"] = options.events
    refuse_overwriting(options.inputs, **written)
    if not options.resume and not options.force:
        refuse_filled(**written)


def _end(_signal: int, _frame: FrameType | None) -> None:
    raise Terminated


class Tally:
    """Counts of the outputs of a run."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._sites: set[str] = set()
        self._counts: Counter[str] = Counter()
        self._first_reason = ""
        self._chars_in = self._chars_out = 0

    def add(self, output: Output | SiteEventRecord) -> None:
        """Count one output."""
        if isinstance(output, SiteEventRecord):
            self._counts["event"] += 1
            return
        if isinstance(output, CleanedRecord) and output.revision:
            self._counts["revision"] += 1
            return
        self._counts["page"] += 1
        if isinstance(output, Dead):
            self._counts["dead letter"] += 1
            self._first_reason = self._first_reason or output.letter.message
            return
        self._sites.add(output.site)
        if isinstance(output, CleanedRecord):
            self._counts["with its site"] += output.method == "site"
            self._counts["not learned"] += "not-learned" in output.warnings
            self._chars_in += output.chars_in
            self._chars_out += output.chars_out
        else:
            self._counts["deletion"] += 1

    @property
    def has_records(self) -> bool:
        """Whether there was anything to count."""
        return self._counts["page"] + self._counts["revision"] > 0

    def short(self) -> str:
        """Return a short note for the progress bar."""
        return f"{counted(self._counts['page'], 'page')} of {counted(len(self._sites), 'site')}"

    def refuse_wrong_feed(self, outputs: "RunOutputs") -> None:
        """Check that at least half of the records of the whole output were cleaned.

        Raises:
            FeedProblem: They were not.
        """
        dead = self._counts["dead letter"] + outputs.letters_before
        pages = self._counts["page"] + outputs.pages_before
        if 2 * dead > pages:
            first = f", the first because: {self._first_reason}" if self._first_reason else ""
            became = "a dead letter" if dead == 1 else "dead letters"
            raise FeedProblem(
                f"{dead} of {counted(pages, 'record')} became {became}{first}; see {outputs.letters_path}"
            )

    def summary(self, outputs: "RunOutputs", reader: FeedReader) -> str:
        """Return a few lines about the whole run."""
        elapsed_s = max(time.monotonic() - self._started, 1e-9)
        counts = self._counts
        cleaned = counts["page"] - counts["dead letter"] - counts["deletion"]
        lines = [f"{self.short()} in {elapsed_s:.1f} s, {counts['page'] / elapsed_s:.0f} pages/s"]
        if cleaned:
            lines += [
                f"{counts['with its site'] / cleaned:.1%} cleaned with evidence from their site",
                f"{counted(self._chars_in, 'character')} of visible text, {self._chars_out} kept",
            ]
        if outputs.unwanted_count:
            lines.append(f"{counted(outputs.unwanted_count, 'page')} left out by the filters")
        if counts["not learned"]:
            lines.append(f"{counts['not learned']} cleaned but too large to learn from")
        lines += [
            counted(counts[noun], noun)
            for noun in ("revision", "event", "deletion")
            if counts[noun]
        ]
        if outputs.count_before:
            lines.append(f"{counted(outputs.count_before, 'record')} written before")
        if reader.left_out:
            kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(reader.left_out.items()))
            lines.append(f"left out of WARC files: {kinds}")
        lines += [f"{counted(count, 'page')} {what}" for what, count in reader.guessed.items()]
        letters = f": {outputs.letters_path}" if counts["dead letter"] else ""
        lines.append(counted(counts["dead letter"], "dead letter") + letters)
        lines.append(f"cleaned text: {outputs.name}")
        return "\n".join(lines)
