"""What `templ run` writes: cleaned records and dead letters, each once, even when a run is resumed."""

import sys
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TypeAlias

import msgspec

from schemas.cleaned import CleanedRecord
from schemas.codec import encode_json
from schemas.site_event import SiteEventRecord
from schemas.source import Source
from workers.errors import UsageProblem
from workers.local.dead_letters import DeadLetterFile
from workers.local.parquet_file import SUFFIX, ParquetFile
from workers.local.record_file import STDOUT, RecordFile
from workers.local.runner import Output
from workers.log_lines import one_line
from workers.pipeline.actions import Dead

_Written: TypeAlias = tuple[Source, int]
"""The source and the revision of an output."""


class _Line(msgspec.Struct):
    source: Source
    revision: int = 0


class RunOutputs:
    """The files of a run, which know what an interrupted run has written to them."""

    def __init__(
        self,
        out: Path,
        letters: Path,
        events: Path | None = None,
        *,
        resumes: Collection[str] = (),
        wanted: Callable[[CleanedRecord], bool] | None = None,
    ) -> None:
        """Open the files of cleaned records, dead letters and site events.

        The file of dead letters is made with the first of them. `resumes` names the inputs of a run that is resumed,
        all of whose events are written again. Of cleaned records only those that are `wanted` are written.

        Raises:
            UsageProblem: A file cannot be written, or does not hold the outputs of a run of these inputs.
            DiskProblem: The disk is full.
        """
        self.name = "standard output" if out == STDOUT else str(out)
        self.letters_path = letters
        self._before: set[_Written] = set()
        self._wanted = wanted
        self.unwanted_count = 0
        """Number of cleaned records that were not wanted."""
        self._out: RecordFile | ParquetFile | None = None
        if out.suffix == SUFFIX:
            self._out = ParquetFile(out)
        elif out != STDOUT:
            self._out = RecordFile("--out", out, resumes=bool(resumes))
        self._letters = DeadLetterFile(letters, resumes=bool(resumes))
        self.letters_before = 0
        """Number of dead letters that were written before."""
        if resumes:
            self._read_before(out, letters, resumes)
        self._events = None if events is None else RecordFile("--events", events)
        self.count_before = len(self._before)
        """Number of outputs that were written before."""
        self.pages_before = sum(not revision for _, revision in self._before)
        """Number of records whose first output, or dead letter, was written before."""

    def _read_before(self, out: Path, letters: Path, inputs: Collection[str]) -> None:
        path = out
        try:
            for line in self._out.lines_before() if isinstance(self._out, RecordFile) else ():
                record = msgspec.json.decode(line, type=_Line)
                self._before.add((record.source, record.revision))
            path = letters
            dead = {(source, 0) for source in self._letters.sources_before()}
            self.letters_before = len(dead)
            self._before |= dead
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise UsageProblem(
                f"--resume: {path} was not written by `templ run`; give --force to replace it"
            ) from None
        others = sorted({source.topic for source, _ in self._before}.difference(inputs))
        if others:
            raise UsageProblem(
                f"--resume: {out} has records of {one_line(others[0])}, which is no input: give the inputs of "
                "that run, or another --out"
            )

    def has(self, source: Source) -> bool:
        """Return whether the first output of a record was written before."""
        return (source, 0) in self._before

    def write(self, output: Output | SiteEventRecord) -> bool:
        """Write an output unless it was written before, and return whether it is new.

        Raises:
            DiskProblem: The disk is full or fails.
        """
        if isinstance(output, Dead):
            if self.has(output.page.source):
                return False
            self._letters.write(output.page, output.letter)
            return True
        if isinstance(output, SiteEventRecord):
            if self._events is not None:
                self._events.write(encode_json(output) + b"\n")
            return self._events is not None
        if (output.source, getattr(output, "revision", 0)) in self._before:
            return False
        if isinstance(output, CleanedRecord) and self._wanted and not self._wanted(output):
            self.unwanted_count += 1
            return False
        if not isinstance(self._out, ParquetFile):
            (self._out or sys.stdout.buffer).write(encode_json(output) + b"\n")
        elif isinstance(output, CleanedRecord):
            self._out.add(output)
        return True

    def flush(self) -> None:
        """Write what is in memory."""
        for file in (self._out or sys.stdout.buffer, self._events):
            if file is not None:
                file.flush()

    def close(self) -> None:
        """Write what is in memory, and close the files."""
        try:
            if self._out is None:
                sys.stdout.buffer.flush()
            for file in (self._out, self._events):
                if file is not None:
                    file.close()
        finally:
            self._letters.close()
