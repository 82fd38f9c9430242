"""The dead letters of a command that works on files, which are a JSON Lines file."""

import base64
from pathlib import Path
from typing import IO

from schemas.codec import encode_json
from schemas.dead_letter import DeadLetter, DeadLetterRecord
from workers.errors import UsageProblem
from workers.page import Page, Rejected


class DeadLetterFile:
    """A file of dead letters, which replaces that of an earlier run."""

    def __init__(self, path: Path) -> None:
        """Remove the file of an earlier run; the new one is made with its first dead letter.

        Raises:
            UsageProblem: The file of an earlier run cannot be removed.
        """
        self.path = path
        self.count = 0
        self._file: IO[bytes] | None = None
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise _cannot_write(path, error) from None

    def write(self, page: Page | Rejected, letter: DeadLetter) -> None:
        """Append one dead letter with the untouched bytes of its record.

        Raises:
            UsageProblem: The file cannot be written.
        """
        value = page.body if isinstance(page, Page) else page.value
        record = DeadLetterRecord(
            exception=letter.exception,
            message=letter.message,
            stage=letter.stage,
            attempts=letter.attempts,
            topic=page.source.topic,
            partition=page.source.partition,
            offset=page.source.offset,
            url=page.url,
            value_base64=base64.b64encode(value or b"").decode(),
        )
        try:
            if self._file is None:
                self._file = self.path.open("wb")
            self._file.write(encode_json(record) + b"\n")
        except OSError as error:
            raise _cannot_write(self.path, error) from None
        self.count += 1

    def close(self) -> None:
        """Write what is buffered."""
        if self._file is not None:
            self._file.close()


def _cannot_write(path: Path, error: OSError) -> UsageProblem:
    return UsageProblem(f"--dead-letters {path}: {error.strerror}; name a file to write")
