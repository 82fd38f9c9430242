"""The worker on files: the cleaner and the refresher of Kafka, without a broker.

Each page is cleaned with the site model that the pages before it have led to, so the output depends
on the input alone: pages of one site run in order on one lane, and sites share nothing.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from pathlib import Path

import msgspec

from schemas.cleaned import CleanedRecord, DeletedRecord
from schemas.dead_letter import DeadLetter
from workers.cleaner import Cleaned, Dead, Deleted, Outcome
from workers.local.local_state import LocalState
from workers.local.stream import Stream
from workers.page import Page, Rejected
from workers.pool import Pool
from workers.settings import Settings

_PAGES_AHEAD = 64
_BYTES_AHEAD = 128 << 20


class DeadPage(msgspec.Struct, frozen=True, kw_only=True):
    """A record that has no cleaned output, and why."""

    page: Page | Rejected
    letter: DeadLetter


Output = CleanedRecord | DeletedRecord | DeadPage


class LocalWorker:
    """Pages in, outputs out, in the same order; windows and models in a state directory."""

    def __init__(
        self,
        state: Path,
        settings: Settings,
        *,
        workers: int,
        page_only: bool = False,
        with_segments: bool = False,
    ) -> None:
        """Open the state and start the children.

        Args:
            state: State directory.
            settings: Limits and bounds.
            workers: Child processes.
            page_only: Learn nothing and use no site model.
            with_segments: Whether records carry their text segments.

        Raises:
            StateProblem: the state directory cannot be used.
        """
        self._state = LocalState(state, settings)
        self._pool = Pool(settings, workers)
        self._stream = Stream(
            self._state,
            self._pool,
            settings,
            learns=not page_only,
            with_segments=with_segments,
        )

    def close(self) -> None:
        """End the children and close the state."""
        self._pool.close()
        self._state.close()

    def run(self, records: Iterable[Page | Rejected]) -> Iterator[Output]:
        """What becomes of each record, in order."""
        waiting: deque[tuple[Page | Rejected, Future[Outcome] | None]] = deque()
        waiting_bytes = 0
        for record in records:
            future = (
                self._pool.submit(record.site, self._stream.process, record)
                if isinstance(record, Page)
                else None
            )
            waiting.append((record, future))
            waiting_bytes += _size_bytes(record)
            while len(waiting) > _PAGES_AHEAD or waiting_bytes > _BYTES_AHEAD:
                done, future = waiting.popleft()
                waiting_bytes -= _size_bytes(done)
                yield _output(done, future)
        while waiting:
            yield _output(*waiting.popleft())


def _size_bytes(record: Page | Rejected) -> int:
    value = record.body if isinstance(record, Page) else record.value
    return len(value or b"")


def _output(record: Page | Rejected, future: Future[Outcome] | None) -> Output:
    if isinstance(record, Rejected):
        letter = DeadLetter(exception=record.exception, message=record.message, stage="receive")
        return DeadPage(page=record, letter=letter)
    assert future is not None  # noqa: S101 - every page was submitted
    match future.result():
        case Dead(letter=letter):
            return DeadPage(page=record, letter=letter)
        case Cleaned(record=cleaned):
            return cleaned
        case Deleted(record=deleted):
            return deleted
