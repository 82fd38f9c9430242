"""The worker on files: the cleaner and the refresher in one, without a broker.

Each page is cleaned with the site model that the pages before it have led to. The pages of a site are
processed one after the other, and sites share nothing, so the output depends on the input alone.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from pathlib import Path

import msgspec

from schemas.cleaned import CleanedRecord, DeletedRecord
from schemas.dead_letter import DeadLetter
from workers.errors import InputProblem
from workers.local.local_state import LocalState
from workers.local.stream import Stream
from workers.page import Page, Rejected
from workers.pipeline.cleaner import Cleaned, Dead, Deleted, Outcome
from workers.processes.pool import Pool
from workers.settings import Settings

_PAGES_AHEAD = 64
_BYTES_AHEAD = 128 << 20


class DeadPage(msgspec.Struct, frozen=True, kw_only=True):
    """A record that has no cleaned output, with the reason."""

    page: Page | Rejected
    letter: DeadLetter


Output = CleanedRecord | DeletedRecord | DeadPage
_Work = Future[tuple[Outcome, list[CleanedRecord]]]


class LocalWorker:
    """Cleans and learns from pages, and keeps windows and site models in a state directory."""

    def __init__(
        self,
        state: Path,
        settings: Settings,
        *,
        workers: int,
        page_only: bool = False,
        revises: bool = False,
        with_segments: bool = False,
    ) -> None:
        """Open the state and start the child processes.

        Args:
            state: State directory.
            settings: Limits and bounds.
            workers: Number of child processes, at least 1.
            page_only: Whether every page is cleaned as if its site were new.
            revises: Whether a text is yielded again when a better site model changes it.
            with_segments: Whether records carry their text segments.

        Raises:
            StateProblem: The state directory cannot be used.
        """
        self._state = LocalState(state, settings)
        self._pool = Pool(settings, workers)
        self._stream = Stream(
            self._state,
            self._pool,
            settings,
            learns=not page_only,
            revises=revises,
            with_segments=with_segments,
        )

    def close(self) -> None:
        """End the child processes and close the state."""
        self._pool.close()
        self._state.close()

    def run(self, records: Iterable[Page | Rejected]) -> Iterator[Output]:
        """Yield what becomes of each record, in order, each followed by the revisions that it brings.

        Args:
            records: Pages, and records that are not pages.

        Raises:
            InputProblem: Reading the records failed; the outputs of all records before that were
                yielded.
        """
        waiting: deque[tuple[Page | Rejected, _Work | None]] = deque()
        waiting_bytes = 0
        problem: InputProblem | None = None
        try:
            for record in records:
                waiting.append((record, self._submit(record)))
                waiting_bytes += _size_bytes(record)
                while len(waiting) > _PAGES_AHEAD or waiting_bytes > _BYTES_AHEAD:
                    done, future = waiting.popleft()
                    waiting_bytes -= _size_bytes(done)
                    yield from _outputs(done, future)
        except InputProblem as error:
            problem = error
        while waiting:
            yield from _outputs(*waiting.popleft())
        if problem is not None:
            raise problem

    def _submit(self, record: Page | Rejected) -> _Work | None:
        """Have a page processed on its site's lane; a rejected record needs no work."""
        if isinstance(record, Rejected):
            return None
        return self._pool.submit(record.site, self._stream.process, record)


def _size_bytes(record: Page | Rejected) -> int:
    value = record.body if isinstance(record, Page) else record.value
    return len(value or b"")


def _outputs(record: Page | Rejected, work: _Work | None) -> Iterator[Output]:
    if isinstance(record, Rejected) or work is None:
        assert isinstance(record, Rejected)  # noqa: S101 - every page was submitted
        letter = DeadLetter(exception=record.exception, message=record.message, stage="receive")
        yield DeadPage(page=record, letter=letter)
        return
    outcome, revisions = work.result()
    match outcome:
        case Dead(letter=letter):
            yield DeadPage(page=record, letter=letter)
        case Cleaned(record=cleaned):
            yield cleaned
        case Deleted(record=deleted):
            yield deleted
    yield from revisions
