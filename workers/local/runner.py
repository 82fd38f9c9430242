"""The worker on files: the cleaner and the refresher in one, without a broker.

Each page is cleaned with the site model that the pages before it have led to. The pages of a site are
processed one after the other, and sites share nothing, so the output depends on the input alone.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path

import msgspec

from schemas.cleaned import CleanedRecord, DeletedRecord
from schemas.codec import encode_msgpack
from schemas.site_model import SiteModelRecord
from workers.errors import InputProblem
from workers.local.local_state import LocalState
from workers.page import Page, Rejected
from workers.pipeline.actions import (
    Dead,
    Outcome,
    OutputRecord,
    PassedOn,
    Transport,
    carry_out_now,
)
from workers.pipeline.page_cleaner import PageCleaner
from workers.pipeline.site_engine import SiteEngine
from workers.processes.messages import PAGES_AT_ONCE, TaskRunner
from workers.processes.pool import Pool
from workers.settings import Settings
from workers.site_settings import SettingsOfSites
from workers.state.model_store import ModelStore


class LearningCleaner:
    """Cleans each page with what was learned from the pages of its site before it.

    Calls for one site must follow each other. Sites share nothing, so calls for different sites may run in
    parallel.
    """

    def __init__(
        self,
        state: LocalState,
        runner: TaskRunner,
        settings: Settings,
        *,
        learns: bool = True,
        revises: bool = False,
    ) -> None:
        self._models = state.models
        self.learns = learns
        settings = msgspec.structs.replace(settings, revisions=revises)
        self._cleaner = PageCleaner(
            runner,
            settings,
            models=state.models if learns else None,
            site_settings=state.site_settings,
            learns=learns,
            learns_here=learns,
        )
        self.engine = SiteEngine(
            runner,
            settings,
            windows=state.windows,
            models=state.models if learns else None,
            site_settings=state.site_settings,
        )

    def process(self, page: Page) -> "_Done":
        """Clean and learn a page, see `process_pages`."""
        return self.process_pages([page])[0]

    def process_pages(self, pages: Sequence[Page]) -> list["_Done"]:
        """Clean pages and learn from them in order, and fit the model of a site when the schedule asks for it.

        Pages are cleaned at once as long as no fit is due between them. If a model is fitted earlier than foreseen,
        the later pages of its site are cleaned again with it.

        Returns:
            What became of each page, and what follows: revised texts of pages before it, and the newest text or the
            deletion of its URL where the page is an older fetch.
        """
        done: dict[int, _Done] = {}
        remaining = dict(enumerate(pages))
        while remaining:
            numbers = self._before_fits(remaining)
            outcomes = self._cleaner.clean_pages([remaining[number] for number in numbers])
            refitted: set[str] = set()
            for number, outcome in zip(numbers, outcomes, strict=True):
                site = remaining[number].site
                if site not in refitted:
                    del remaining[number]
                    texts, is_refitted = self._learn(site, outcome)
                    done[number] = outcome, texts
                    if is_refitted:
                        refitted.add(site)
        return [done[number] for number in range(len(pages))]

    def _before_fits(self, pages: Mapping[int, Page]) -> list[int]:
        """Return the numbers of the pages that can be cleaned before any of them is learned.

        The pages of a site stop before the first that a new model may be due for.
        """
        if not self.learns:
            return list(pages)
        numbers, room = [], dict[str, int]()
        for number, page in pages.items():
            if page.site not in room:
                room[page.site] = self.engine.documents_until_fit(page.site)
            if room[page.site]:
                room[page.site] -= 1
                numbers.append(number)
        return numbers

    def _learn(self, site: str, outcome: Outcome) -> tuple[list["_Following"], bool]:
        """Learn from a page that was cleaned; return what follows, and whether the site's model was fitted."""
        if not self.learns or isinstance(outcome, Dead) or outcome.document is None:
            return [], False
        engine, outputs = self.engine, _Outputs(self.engine, self._models)
        engine.learn(outcome.document, offset=None)
        fit = engine.refresh(site)
        carry_out_now(fit, outputs)
        while actions := engine.next_superseded(site):
            carry_out_now(actions, outputs)
        return outputs.following, bool(fit)

    def refit(self, site: str) -> None:
        """Fit the model of a site on its present window."""
        carry_out_now(self.engine.publish_model(site), _Outputs(self.engine, self._models))


class _Outputs(Transport):
    """Stores models, and collects what follows from a page; the windows have its document already."""

    def __init__(self, engine: SiteEngine, models: ModelStore) -> None:
        super().__init__(engine.revision)
        self._models = models
        self.following: list[_Following] = []

    async def send(self, record: OutputRecord, _headers: PassedOn) -> None:
        if isinstance(record, SiteModelRecord):
            self._models.put(record.site, encode_msgpack(record), 0, 0)
        elif isinstance(record, _Following):
            self.following.append(record)


_BATCH_PAGES = 32
"""Pages that are read, and given to the lanes, before the outputs of those before them are awaited."""
_BATCH_BYTES = 64 << 20
"""Bytes of pages after which no more are read, because the outputs of those before them are awaited."""


_Following = CleanedRecord | DeletedRecord
"""What follows from a page besides its own record."""
Output = _Following | Dead
_Done = tuple[Outcome, list[_Following]]
_Record = Page | Rejected
_Work = dict[int, tuple[Future[list[_Done]], int]]
"""For the numbers of pages that were read together: the work that each is part of, and its index in it."""


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
        site_settings: SettingsOfSites | None = None,
    ) -> None:
        """Open the state, see `LocalState`, and start the child processes, at least one.

        With `page_only` every page is cleaned as if its site were new. With `revises` a text is yielded again when a
        better site model changes it. Without site settings, a file in the directory says what operators have decided about sites.
        """
        self._state = LocalState(state, settings, site_settings)
        self._pool = Pool(settings, workers)
        self._cleaner = LearningCleaner(
            self._state, self._pool, settings, learns=not page_only, revises=revises
        )

    def close(self) -> None:
        """End the child processes and close the state."""
        self._pool.close()
        self._state.close()

    def finish_learning(self) -> None:
        """Fit the models of all sites to what was learned, and clean all further pages with these models."""
        fits = [
            self._pool.submit(site, self._cleaner.refit, site)
            for site, state in self._state.windows.sites()
            if state.pages and state.learned != state.fitted_at
        ]
        for fit in fits:
            fit.result()
        self._cleaner.learns = False

    def run(self, records: Iterable[_Record]) -> Iterator[Output]:
        """Yield what becomes of each record, in order, each followed by the revisions that it brings.

        Raises:
            InputProblem: Reading the records failed; the outputs of all records before that were
                yielded.
        """
        before: tuple[list[_Record], _Work] = [], {}
        for batch in _batches(records):
            now = batch, self._submit(batch)
            yield from _outputs(*before)
            before = now

    def _submit(self, records: Sequence[_Record]) -> _Work:
        """Have pages processed on the lanes of their sites, some at once, which takes less time and changes nothing else."""
        by_lane: defaultdict[int, list[tuple[int, Page]]] = defaultdict(list)
        for number, record in enumerate(records):
            if isinstance(record, Page):
                by_lane[self._pool.lane_number(record.site)].append((number, record))
        work: _Work = {}
        for pages in by_lane.values():
            for first in range(0, len(pages), PAGES_AT_ONCE):
                numbers, task_pages = zip(*pages[first : first + PAGES_AT_ONCE], strict=True)
                done = self._pool.submit(
                    task_pages[0].site, self._cleaner.process_pages, task_pages
                )
                work |= {number: (done, index) for index, number in enumerate(numbers)}
        return work


def _batches(records: Iterable[_Record]) -> Iterator[list[_Record]]:
    """Yield records in batches, the last of them empty, and then raise the `InputProblem` of reading them."""
    batch: list[_Record] = []
    size_bytes, problem = 0, None
    try:
        for record in records:
            batch.append(record)
            size_bytes += len((record.body if isinstance(record, Page) else record.value) or b"")
            if len(batch) >= _BATCH_PAGES or size_bytes > _BATCH_BYTES:
                yield batch
                batch, size_bytes = [], 0
    except InputProblem as error:
        problem = error
    yield batch
    yield []
    if problem is not None:
        raise problem


def _outputs(records: Sequence[_Record], work: _Work) -> Iterator[Output]:
    """Yield what becomes of records, each followed by the revisions that it brings."""
    for number, record in enumerate(records):
        if isinstance(record, Rejected):
            yield Dead(page=record, letter=record.letter)
            continue
        done, index = work[number]
        outcome, following = done.result()[index]
        yield outcome if isinstance(outcome, Dead) else outcome.record
        yield from following
