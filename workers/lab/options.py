"""What the commands of the laboratory share: arguments and options, and child processes.

The processes are spawned, never forked: a fork of a process that has threads, such as those of numpy or of a
progress bar, may hang.
"""

import multiprocessing
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial, wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from workers.lab.evaluation.peers import PEERS
from workers.lab.experiments.results import Report

Result = TypeVar("Result")


def process_pool(
    workers: int, begin: Callable[..., None] | None = None, arguments: tuple[Any, ...] = ()
) -> ProcessPoolExecutor:
    """Return a pool of spawned processes."""
    return ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), begin, arguments)


def map_in_processes(
    jobs: int, work: Callable[..., Result], *columns: Iterable[Any]
) -> Iterator[Result]:
    """Yield what `work` returns for each row of the columns, in order."""
    if jobs == 1:
        yield from map(work, *columns)
        return
    with process_pool(jobs) as pool:
        yield from pool.map(work, *columns)


_Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

option = partial(click.option, show_default=True)
"""Declares an option whose help shows its default."""
PATH = click.Path(path_type=Path)
FILE = click.Path(path_type=Path, dir_okay=False)
DIRECTORY = click.Path(path_type=Path, file_okay=False)

corpora_argument = click.argument("corpora", nargs=-1, required=True, type=PATH)
corpus_argument = click.argument("corpus", type=PATH)
peers_option = click.option(
    "--peer",
    "peers",
    multiple=True,
    type=click.Choice(PEERS),
    help="Also score another extractor; may be repeated. Needs the extra `peers`.",
)
jobs_option = option(
    "--jobs",
    default=1,
    type=click.IntRange(min=1),
    help="Number of sites to process at the same time.",
)


def experiment_command(
    short_help: str, name: str | None = None
) -> Callable[[Callable[..., None]], click.Command]:
    """Declare an experiment: a command that is given a `Report`, for which it has the option `--out`."""

    def declare(run: Callable[..., None]) -> click.Command:
        @wraps(run)
        def with_report(*, out: Path | None, **given: Any) -> None:
            run(Report(out), **given)

        command = click.command(name, short_help=short_help)(with_report)
        told = "Directory to write the tables (HTML) and the figures (SVG) to."
        command.params.append(click.Option(("--out",), type=DIRECTORY, help=told))
        return command

    return declare


def time_field_option(default: str = "arrival") -> _Decorator:
    """Return the option `--time-field`."""
    return option(
        "--time-field", default=default, help="Field that orders the pages; see `templ run --help`."
    )


def seed_option(of_what: str) -> _Decorator:
    """Return the option `--seed`, with 0 for its default; the help says what it is the seed of."""
    return option("--seed", default=0, help=of_what)


def folds_option(help_text: str, *, required: bool = False) -> _Decorator:
    """Return the option `--folds`, which names a directory that `templ train --folds` wrote."""
    return click.option("--folds", type=DIRECTORY, required=required, help=help_text)
