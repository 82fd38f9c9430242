"""How an experiment is declared, run in child processes, and reported: tables, figures and progress.

The processes are spawned, never forked: a fork of a process that has threads, such as those of numpy or of a
progress bar, may hang.
"""

import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial, wraps
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console
from rich.progress import track
from rich.table import Table

from templ_core.lab.evaluation.report import bootstrap
from workers.inspect.html_templates import render
from workers.inspect.plots import Plot
from workers.lab.plots import svg_file

_FILE_COLUMNS = 200
_Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
Item = TypeVar("Item")
Result = TypeVar("Result")
Cell = str | float | None
"""A number is written with the decimals of its table, a whole number as it is, None as an empty cell."""


class Report:
    """Prints tables. With a directory it also writes `report.html` and the figures."""

    def __init__(self, directory: Path | None) -> None:
        self._directory = directory
        self._console = Console()
        if not self._console.is_terminal:
            self._console = Console(width=_FILE_COLUMNS)
        self._parts: list[dict[str, object]] = []
        if directory is not None:
            directory.mkdir(parents=True, exist_ok=True)

    def say(self, line: str) -> None:
        """Print a line of text."""
        self._console.print(line, highlight=False)
        self._add(line=line)

    def table(
        self, title: str, header: Sequence[str], rows: Iterable[Sequence[Cell]], decimals: int = 3
    ) -> None:
        """Print a table; its first column names the rows."""
        table = Table(*header, title=title, title_justify="left")
        for column in table.columns[1:]:
            column.justify = "right"
        texts = [[_text(cell, decimals) for cell in row] for row in rows]
        for row in texts:
            table.add_row(*row)
        self._console.print(table)
        self._add(title=title, header=header, rows=texts)

    def figure(self, name: str, plot: Plot) -> None:
        """Write a figure, if there is a directory."""
        if self._directory is not None:
            (self._directory / f"{name}.svg").write_text(svg_file(plot), encoding="utf-8")
        self._add(plot=plot)

    def _add(self, **part: object) -> None:
        self._parts.append(part)
        if self._directory is not None:
            page = render("lab/templates/experiment.html", title="experiments", parts=self._parts)
            (self._directory / "report.html").write_text(page, encoding="utf-8")


def _text(cell: Cell, decimals: int) -> str:
    if isinstance(cell, float):
        return f"{cell:.{decimals}f}"
    return "" if cell is None else str(cell)


def mean_text(
    values: Sequence[float], sites: Sequence[str], *, form: str = ".3f", of_sites: bool = False
) -> str:
    """Return a mean with its 95 % interval, which is drawn by sites, as in `0.71 [0.65, 0.77]`.

    Args:
        values: One value for each page; where there is none the text is empty.
        sites: The site of each page.
        form: Format of the numbers.
        of_sites: Whether the mean is that of the sites' means, not that of the pages.
    """
    if not len(values):
        return ""
    means = bootstrap(values, sites, 0)
    mean = means.of_sites if of_sites else means.of_pages
    width = means.sites_interval if of_sites else means.pages_interval
    return f"{mean:{form}}" + (f" [{width.low:{form}}, {width.high:{form}}]" if width else "")


def tracked(items: Iterable[Item], doing: str, total: int | None = None) -> Iterable[Item]:
    """Return the items; a progress bar on standard error says how many were taken, on a terminal."""
    console = Console(stderr=True)
    return track(items, doing, total, console=console, disable=not console.is_terminal)


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


option = partial(click.option, show_default=True)
"""Declares an option whose help shows its default."""
PATH = click.Path(path_type=Path)
FILE = click.Path(path_type=Path, dir_okay=False)
DIRECTORY = click.Path(path_type=Path, file_okay=False)

corpora = click.argument("corpora", nargs=-1, required=True, type=PATH)
corpus = click.argument("corpus", type=PATH)
jobs = option(
    "--jobs",
    default=1,
    type=click.IntRange(min=1),
    help="Number of sites to process at the same time.",
)


def command(
    short_help: str, name: str | None = None
) -> Callable[[Callable[..., None]], click.Command]:
    """Declare an experiment: a command that is given a `Report`, for which it has the option `--out`."""

    def declare(run: Callable[..., None]) -> click.Command:
        @wraps(run)
        def with_report(*, out: Path | None, **given: Any) -> None:
            run(Report(out), **given)

        command = click.command(name, short_help=short_help)(with_report)
        help_text = "Directory to write the tables (HTML) and the figures (SVG) to."
        command.params.append(click.Option(("--out",), type=DIRECTORY, help=help_text))
        return command

    return declare


def several_corpora(name: str, help_text: str, *, required: bool = False) -> _Decorator:
    """Return an option that names a corpus, and may be repeated."""
    return click.option(name, multiple=True, required=required, type=PATH, help=help_text)


def time_field(default: str = "arrival") -> _Decorator:
    """Return the option `--time-field`."""
    return option(
        "--time-field", default=default, help="Field that orders the pages; see `templ run --help`."
    )


def seed(of_what: str) -> _Decorator:
    """Return the option `--seed`, with 0 for its default; the help says what it is the seed of."""
    return option("--seed", default=0, help=of_what)


def folds(help_text: str, *, required: bool = False) -> _Decorator:
    """Return the option `--folds`, which names a directory that `templ train --folds` wrote."""
    return click.option("--folds", type=DIRECTORY, required=required, help=help_text)
