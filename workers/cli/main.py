"""The `templ` command with its subcommands, and the messages for errors that end a command."""

import logging
import os
import resource
import sys
import tempfile
import traceback
from contextlib import suppress
from typing import NoReturn

import click

from templ_core import __version__
from workers.cli.lazy import LazyGroup
from workers.errors import DISK_ERRORS, DiskProblem, Terminated, WorkerError, disk_remedy
from workers.log_forms import present_set_up
from workers.log_lines import one_line

_FAULT = 70
_INTERRUPTED = 130
_TERMINATED = 143
log = logging.getLogger("templ")

_SUMMARIES = {
    "run": "Clean pages from files, and learn their sites.",
    "clean": "Clean one page and print its text.",
    "worker": "Clean pages from Kafka as they arrive.",
    "watch": "Report what changes on pages and sites, and which pages are copies.",
    "console": "Show the sites of a worker in a browser, and correct them.",
    "index": "Keep a full-text index of cleaned pages.",
    "search": "Search an index of cleaned pages.",
    "crawl": "Crawl sites politely, into `pages`, WARC files or JSON Lines.",
    "feed": "Send pages from files, archives or a topic to the topic `pages`.",
    "seed": "Copy what a run on files, or other workers, have learned to the topics.",
    "topics": "Create the Kafka topics, or check them.",
    "inspect": "Report the decisions about a page, or what was learned of a site.",
    "site": "List sites; print, export, correct or take down one of them.",
    "shadow": "Report what another page model or setting would change, before it is used.",
    "diff": "Show how the text of a page differs between two states or outputs.",
    "schemas": "Write the JSON Schema files of the messages.",
    "settings": "List all settings with unit, default, bounds and meaning.",
    "doctor": "Find what keeps a worker from running, or would let it lose records.",
    "status": "Show who has which partitions, their lag, and the newest site models.",
    "dlq": "List dead letters, and send their pages again.",
}
"""The commands of the product, each of a module of its name, and their lines on the help page."""
_LAB_SUMMARIES = {
    "evaluate": "Score cleaned text, and other extractors, against gold text.",
    "phrases": "Learn, apply and export strings that recur word for word.",
    "train": "Train a page model on pages with gold text.",
    "train-idioms": "List strings that recur on many sites although they are content.",
    "simulate": "Write a feed of synthetic pages with exact gold text.",
    "tour": "Write an HTML page about a run on a synthetic feed.",
    "experiments": "Repeat the experiments of the papers that templ follows.",
}
_LAB_MODULES = {"train-idioms": "train", "simulate": "simulate_feed"}
"""Modules of the laboratory's commands that have another name."""
_COMMANDS = {name: f"workers.cli.{name}:{name}_command" for name in _SUMMARIES} | {
    name: f"workers.lab.{_LAB_MODULES.get(name, name)}" for name in _LAB_SUMMARIES
}
_EXTRAS = (
    dict.fromkeys(("worker", "feed", "seed", "topics", "doctor", "status", "dlq"), "kafka")
    | dict.fromkeys(("evaluate", "train", "train-idioms", "experiments"), "lab")
    | {"console": "console", "crawl": "crawl", "inspect": "inspect", "tour": "inspect"}
)


@click.group(
    cls=LazyGroup,
    modules=_COMMANDS,
    extras=_EXTRAS,
    summaries=_SUMMARIES | _LAB_SUMMARIES,
    epilog="Exit codes: 0 success; 1 failure; 2 wrong usage; 65 the page, or most of a "
    "feed, was refused; 66 an input cannot be read; 69 the broker or a search server cannot be reached or refuses; 70 a "
    "fault of templ itself; 73 the state directory cannot be used; 74 the disk is full or fails; 75 a worker's process ends to be restarted, as planned; 78 a "
    "setting cannot be used, or a topic is missing or has wrong settings; 130 interrupted; 143 ended "
    "by SIGTERM.",
)
@click.version_option(__version__)
def templ() -> None:
    """Learn the templates of web sites from their pages, and publish clean text."""


def main() -> None:
    """Run the command; every error becomes one line on standard error and an exit code."""
    _raise_file_limit()
    try:
        templ.main(standalone_mode=False)
    except click.exceptions.Exit as end:
        sys.exit(end.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("templ: interrupted", err=True)
        sys.exit(_INTERRUPTED)
    except Terminated:
        click.echo("templ: ended by SIGTERM", err=True)
        sys.exit(_TERMINATED)
    except WorkerError as error:
        for problem in str(error).split("\ntempl: "):  # topics may have several problems
            click.echo(f"templ: {one_line(problem)}", err=True)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:
        _end_by_system_error(error)
    except Exception as error:  # noqa: BLE001 - the last resort; the whole traceback is kept
        _report_fault(error)
        sys.exit(_FAULT)


def _end_by_system_error(error: OSError) -> NoReturn:
    """Report what the system refuses, and end."""
    where = f"{error.filename}: " if error.filename else ""
    reason = error.strerror or str(error)
    if error.errno not in DISK_ERRORS:
        click.echo(f"templ: {where}{reason}", err=True)
        sys.exit(1)
    click.echo(f"templ: {where or 'standard output: '}{reason}; {disk_remedy(reason)}", err=True)
    # Python would try to write what standard output has not taken, and end with another code.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(DiskProblem.exit_code)


def _raise_file_limit() -> None:
    """Raise the soft limit of open files to the hard one; the soft limit is for programs that use `select`."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _report_fault(error: Exception) -> None:
    """Keep the traceback of a fault of templ itself: a worker logs it, other commands write a file."""
    set_up = present_set_up()
    if set_up is not None and set_up.role != "run":
        log.critical("ended by a fault of templ itself", exc_info=error)
        return
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", prefix="templ-", suffix=".log", delete=False
    ) as file:
        traceback.print_exception(error, file=file)
    summary = " ".join(traceback.format_exception_only(error)).split()
    click.echo(
        f"templ: a fault of templ itself: {' '.join(summary)}; the traceback is in {file.name}, "
        "please report it",
        err=True,
    )
