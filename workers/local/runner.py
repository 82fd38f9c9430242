"""The worker on files: the cleaner and the refresher in one, without a broker.

Each page is cleaned with the site model that the pages before it have led to. The pages of a site are
processed one after the other, and sites share nothing, so the output depends on the input alone.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import cast

import msgspec

from schemas.cleaned import CleanedRecord, DeletedRecord
from schemas.codec import encode_msgpack
from schemas.site_model import SiteModelRecord
from workers.errors import InputProblem
from workers.local.local_state import LocalState
from workers.page import Page, Rejected
from workers.pipeline.actions import Dead, Outcome, OutputRecord, PassedOn
from workers.pipeline.carry_out import Transport, carry_out_now
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
        self._windows = state.windows
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
        rest = dict(enumerate(pages))
        while rest:
            some = self._before_fits(rest)
            outcomes = self._cleaner.clean_pages([rest[number] for number in some])
            refitted: set[str] = set()
            for number, outcome in zip(some, outcomes, strict=True):
                site = rest[number].site
                if site not in refitted:
                    del rest[number]
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

    def unfitted(self) -> list[str]:
        """Return the sites whose windows have changed since their models were fitted."""
        windows = self._windows.sites()
        return [site for site, state in windows if state.pages and state.learned != state.fitted_at]

    def stop_learning(self) -> None:
        """Clean all further pages with the models as they are."""
        self.learns = False


class _Outputs(Transport):
    """Stores models, and collects what follows from a page; the windows have its document already."""

    def __init__(self, engine: SiteEngine, models: ModelStore) -> None:
        super().__init__(engine)
        self._models = models
        self.following: list[_Following] = []

    async def send(self, record: OutputRecord, _headers: PassedOn) -> None:
        if isinstance(record, SiteModelRecord):
            self._models.put(record.site, encode_msgpack(record), 0, 0)
        elif isinstance(record, _Following):
            self.following.append(record)


_PAGES_AHEAD = 64
_PAGES_TOGETHER = 16
"""Pages whose outputs are awaited together, because every wait costs two changes of threads."""
_BYTES_AHEAD = 128 << 20


_Following = CleanedRecord | DeletedRecord
"""What follows from a page besides its own record."""
Output = _Following | Dead
_Done = tuple[Outcome, list[_Following]]
_Work = Future[list[_Done]]


class LocalWorker:
    """Cleans and learns from pages, and keeps windows and site models in a state directory.

    Pages of a lane are held until there are some that can be cleaned at once, which takes less time and changes
    nothing else.
    """

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
        # A lane never waits while pages for it are held.
        self._at_once = max(1, min(PAGES_AT_ONCE, _PAGES_AHEAD // (2 * workers)))
        self._held: dict[int, list[_Waiting]] = {}

    def close(self) -> None:
        """End the child processes and close the state."""
        self._pool.close()
        self._state.close()

    def finish_learning(self) -> None:
        """Fit the models of all sites to what was learned, and clean all further pages with these models."""
        fits = [
            self._pool.submit(site, self._cleaner.refit, site) for site in self._cleaner.unfitted()
        ]
        for fit in fits:
            fit.result()
        self._cleaner.stop_learning()

    def run(self, records: Iterable[Page | Rejected]) -> Iterator[Output]:
        """Yield what becomes of each record, in order, each followed by the revisions that it brings.

        Raises:
            InputProblem: Reading the records failed; the outputs of all records before that were
                yielded.
        """
        waiting: deque[_Waiting] = deque()
        waiting_bytes = 0
        problem: InputProblem | None = None
        try:
            for record in records:
                waiting.append(_Waiting(record))
                self._submit(waiting[-1])
                waiting_bytes += _size_bytes(record)
                if len(waiting) > _PAGES_AHEAD:
                    self._release(waiting[-1 - _PAGES_AHEAD])
                is_full = len(waiting) >= _PAGES_AHEAD + _PAGES_TOGETHER
                if is_full and (work := waiting[_PAGES_TOGETHER - 1].work) is not None:
                    work.exception()  # returns when the work has ended
                while (is_full and len(waiting) > _PAGES_AHEAD) or waiting_bytes > _BYTES_AHEAD:
                    waiting_bytes -= _size_bytes(waiting[0].record)
                    yield from self._outputs(waiting.popleft())
        except InputProblem as error:
            problem = error
        for held in waiting:
            self._release(held)
        while waiting:
            yield from self._outputs(waiting.popleft())
        if problem is not None:
            raise problem

    def _submit(self, page: "_Waiting") -> None:
        """Have a page processed on its site's lane, with others that come next."""
        if isinstance(page.record, Rejected):
            return
        page.lane = self._pool.lane_number(page.record.site)
        held = self._held.setdefault(page.lane, [])
        held.append(page)
        if len(held) >= self._at_once:
            self._release(page)

    def _release(self, page: "_Waiting") -> None:
        """Submit a held page together with all pages that are held with it."""
        if isinstance(page.record, Rejected) or page.work is not None:
            return
        held = self._held.pop(page.lane)
        pages = [waiting.record for waiting in held if isinstance(waiting.record, Page)]
        work = self._pool.submit(page.record.site, self._cleaner.process_pages, pages)
        for number, waiting in enumerate(held):
            waiting.work, waiting.number = work, number

    def _outputs(self, page: "_Waiting") -> Iterator[Output]:
        """Yield what becomes of a record, followed by the revisions that it brings."""
        record = page.record
        if isinstance(record, Rejected):
            yield Dead(page=record, letter=record.letter)
            return
        self._release(page)
        outcome, following = cast("_Work", page.work).result()[page.number]
        yield outcome if isinstance(outcome, Dead) else outcome.record
        yield from following


class _Waiting(msgspec.Struct):
    """A record whose outputs are not yielded yet."""

    record: Page | Rejected
    lane: int = 0
    """Number of the lane whose pages it is held with."""
    work: _Work | None = None
    """None for a record that needs no work, and for a page that is held."""
    number: int = 0
    """Index of the page among those of the work."""


def _size_bytes(record: Page | Rejected) -> int:
    value = record.body if isinstance(record, Page) else record.value
    return len(value or b"")
