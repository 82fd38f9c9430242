"""The output file of a command."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import click

from workers.errors import UsageProblem
from workers.local.record_file import STDOUT


@contextmanager
def open_output(path: Path) -> Iterator[IO[bytes]]:
    """Open `path` for writing, and name it on standard error when it is written.

    The path `-` stands for standard output.

    Raises:
        UsageProblem: The file cannot be written.
    """
    if path == STDOUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("wb")
    except OSError as error:
        raise UsageProblem(
            f"--out {path}: {error.strerror}; give a file that can be written"
        ) from None
    with file:
        yield file
    click.echo(f"written to {path}", err=True)
