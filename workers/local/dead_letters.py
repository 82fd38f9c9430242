"""The dead letters of a command that works on files, which are a JSON Lines file."""

import base64
from collections.abc import Iterator
from pathlib import Path

import msgspec

from schemas.codec import encode_json
from schemas.dead_letter import DeadLetter, DeadLetterRecord
from schemas.source import Source
from workers.local.record_file import RecordFile, cannot_write
from workers.page import Page, Rejected

_OPTION = "--dead-letters"


class DeadLetterFile:
    """A file of dead letters, which replaces that of an earlier run or goes on with it."""

    def __init__(self, path: Path, *, resumes: bool = False) -> None:
        """Remove the file of an earlier run unless it is resumed; a new one is made with its first letter.

        Raises:
            UsageProblem: The file of an earlier run cannot be removed or opened, or its folder does not exist.
        """
        self.path = path
        self.count = 0
        self._file = RecordFile(_OPTION, path, resumes=True) if resumes and path.exists() else None
        if self._file is None:
            try:
                path.parent.stat()  # the file itself is made with the first letter
                path.unlink(missing_ok=True)
            except OSError as error:
                raise cannot_write(_OPTION, path, error) from None

    def sources_before(self) -> Iterator[Source]:
        """Yield the sources of the letters of a run that is resumed."""
        for line in self._file.lines_before() if self._file else ():
            record = msgspec.json.decode(line, type=DeadLetterRecord)
            yield Source(record.topic, record.partition, record.offset)

    def write(self, page: Page | Rejected, letter: DeadLetter) -> None:
        """Append one dead letter with the untouched bytes of its record.

        Raises:
            UsageProblem: The file cannot be written.
            DiskProblem: The disk is full or fails.
        """
        value = page.body if isinstance(page, Page) else page.value
        record = DeadLetterRecord(
            **msgspec.structs.asdict(letter),
            **msgspec.structs.asdict(page.source),
            url=page.url,
            value_base64=base64.b64encode(value or b"").decode(),
        )
        if self._file is None:
            self._file = RecordFile(_OPTION, self.path)
        self._file.write(encode_json(record) + b"\n")
        self.count += 1

    def flush(self) -> None:
        """Write what is buffered."""
        if self._file is not None:
            self._file.flush()

    def close(self) -> None:
        """Write what is buffered, and close the file."""
        if self._file is not None:
            self._file.close()
