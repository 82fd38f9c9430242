"""Where a command writes its records."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from workers.cli.inputs import STDOUT
from workers.errors import UsageProblem


@contextmanager
def open_output(path: Path) -> Iterator[IO[bytes]]:
    """`path`, opened for writing; standard output for `-`.

    Raises:
        UsageProblem: it cannot be written.
    """
    if path == STDOUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("wb")
    except OSError as error:
        raise UsageProblem(f"--out {path}: {error.strerror}; name a file to write") from None
    with file:
        yield file
