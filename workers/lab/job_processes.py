"""Child processes of the laboratory's commands.

They are spawned, never forked: a fork of a process that has threads, such as those of numpy or of a
progress bar, may hang.
"""

import multiprocessing
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any, TypeVar

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
