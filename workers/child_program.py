"""The program of a child process: how it is started, if need be before it is known what it will do.

It takes longest to import its modules. A command that needs one child starts its program before it reads
its own options, so this module imports little.
"""

import os
import socket
import subprocess
import sys
from contextlib import suppress
from typing import NamedTuple

CLEANING = "workers.processes.child"
"""Module of the program that cleans pages and fits site models."""
_PACKAGES = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - light
"""Directory in which our packages are."""
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
_ARENAS = {"MALLOC_ARENA_MAX": "2"}
"""glibc otherwise keeps freed memory for each of RocksDB's and Kafka's threads by itself, some 25 MB in a worker."""


class Program(NamedTuple):
    """A program that runs, and the connection to it."""

    process: "subprocess.Popen[bytes]"
    connection: socket.socket


_ahead: dict[str, Program] = {}
"""Programs by module that were started ahead, and that no one has taken yet."""


def start_ahead(module: str) -> None:
    """Start a program that `start_program` returns later; where that fails, the later call says why."""
    try:
        _ahead[module] = start_program(module)
    except OSError:
        return


def start_program(module: str) -> Program:
    """Return the running program of a module, which begins with `child_start.connect_to_parent`.

    Raises:
        OSError: The machine has no room for another process.
    """
    if module in _ahead:
        return _ahead.pop(module)
    ours, theirs = socket.socketpair()
    with theirs:
        try:
            process = subprocess.Popen(  # noqa: S603
                [sys.executable, "-P", "-m", module, str(theirs.fileno()), str(os.getpid())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                env=child_environment(),
            )
        except OSError:
            ours.close()
            raise
    _be_killed_first(process.pid)
    return Program(process, ours)


def _be_killed_first(pid: int) -> None:
    """Have the kernel kill a child before any other process when memory runs out: its task is tried again."""
    with suppress(OSError), open(f"/proc/{pid}/oom_score_adj", "w") as file:  # noqa: PTH123 - light
        file.write("1000")


def child_environment() -> dict[str, str]:
    """Return the environment of a child process: one thread for arithmetic, little freed memory, and our packages first.

    A child that is started with `-P` does not look for modules in the current directory, where a folder
    `workers` may have nothing to do with templ. Work is parallel over children; a library that starts a
    thread for each processor in each child would slow down the others.
    """
    others = os.environ.get("PYTHONPATH")  # noqa: TID251
    path = os.pathsep.join([_PACKAGES, others] if others else [_PACKAGES])
    return {**_ARENAS, **os.environ, **_ONE_THREAD, "PYTHONPATH": path}  # noqa: TID251


def use_one_arithmetic_thread() -> None:
    """Have this process and children that inherit its environment use one thread for arithmetic."""
    os.environ.update(_ONE_THREAD)  # noqa: TID251
