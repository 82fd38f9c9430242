"""The output file of a command."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import click

from workers.local.record_file import STDOUT, cannot_write


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
        file = path.open("wb")
    except OSError as error:
        raise cannot_write("--out", path, error) from None
    with file:
        yield file
    click.echo(f"written to {path}", err=True)
