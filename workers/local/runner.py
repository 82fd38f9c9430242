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
from schemas.codec import encode_msgpack
from schemas.dead_letter import DeadLetter
from workers.cleaner import Cleaned, Cleaner, Dead, Deleted, NoModels, Outcome
from workers.page import Page, Rejected
from workers.pool import Pool
from workers.refresher import NotLearned, Refresher
from workers.settings import Settings
from workers.state.directory import StateDirectory
from workers.state.model_store import ModelStore
from workers.state.window_store import WindowStore

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
        self._directory = StateDirectory.open(state, partitions=1)
        self._windows = WindowStore(state / "windows-0", settings)
        self._models = ModelStore(state / "models")
        self._pool = Pool(settings, workers)
        self._learns = not page_only
        self._cleaner = Cleaner(
            self._pool,
            NoModels() if page_only else self._models,
            settings,
            with_segments=with_segments,
        )
        self._refresher = Refresher(self._windows, self._pool, settings)

    def close(self) -> None:
        """End the children and close the state."""
        self._pool.close()
        while tombstones := self._windows.outbox(1000):
            self._windows.take_from_outbox(tombstones)
        self._windows.close()
        self._models.close()
        self._directory.close()

    def run(self, records: Iterable[Page | Rejected]) -> Iterator[Output]:
        """What becomes of each record, in order."""
        waiting: deque[tuple[Page | Rejected, Future[Outcome] | None]] = deque()
        waiting_bytes = 0
        for record in records:
            future = (
                self._pool.submit(record.site, self._process, record)
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

    def _process(self, page: Page) -> Outcome:
        outcome = self._cleaner.process(page)
        if self._learns and isinstance(outcome, Cleaned | Deleted) and outcome.document:
            self._refresher.process(outcome.document, offset=None)
            self._refresh(page.site)
        return outcome

    def _refresh(self, site: str) -> None:
        fitted = self._refresher.due_model(site)
        if fitted is None or isinstance(fitted, NotLearned):
            return
        model, learned = fitted
        self._models.put(site, encode_msgpack(model), 0, 0)
        self._refresher.mark_published(model, learned)


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
