"""The refresher: documents in, site models out. Knows no transport."""

import msgspec

from schemas.document import DocumentRecord
from schemas.site_model import SiteModelRecord
from workers.settings import Settings
from workers.state.window_store import Contribution, SiteState, WindowStore
from workers.tasks import (
    Failure,
    LearnResult,
    LearnTask,
    RefitResult,
    RefitTask,
    TaskRunner,
    WindowPage,
)

FIRST_FITS = (1, 2, 3, 5, 8, 12, 16, 24)
"""A new site's model is refitted when its window has learned this many documents, ..."""
GROWTH_RATIO = 0.10
"""... afterwards whenever this share of the window is new."""


class NotLearned(msgspec.Struct, frozen=True):
    """A document that could not be read; its window goes without it."""

    reason: str


class Refresher:
    """Keeps the windows of one partition, and fits site models on them."""

    def __init__(self, store: WindowStore, runner: TaskRunner, settings: Settings) -> None:
        self._store = store
        self._runner = runner
        self._settings = settings

    def process(self, record: DocumentRecord, offset: int | None) -> NotLearned | None:
        """Take a document or a deletion into its window.

        Args:
            record: What came on `documents`.
            offset: Where it came, a replay changes nothing; None on files.
        """
        if not self._store.is_new(offset):
            return None
        if record.kind == "deletion":
            self._store.delete_url(record, offset)
            return None
        # The page was read in time already: a busy machine must not cost the window a document.
        result, _ = self._runner.run(
            record.site, LearnTask(record.body), self._settings.refit_deadline_s
        )
        if isinstance(result, LearnResult):
            contribution = Contribution(record.id, record.content_digest, result.body)
            self._store.put(record, contribution, offset)
            return None
        self._store.skip(offset)
        reason = result.message if isinstance(result, Failure) else type(result).__name__
        return NotLearned(reason)

    def due_model(self, site: str) -> tuple[SiteModelRecord, int] | NotLearned | None:
        """A fresh site model where the schedule asks for one.

        Returns:
            The model, and the number to hand to `mark_published` once it is out; or why it could
            not be fitted; or None when nothing is due.
        """
        state = self._store.site_state(site)
        return self.fit(site) if is_due(state) else None

    def fit(self, site: str) -> tuple[SiteModelRecord, int] | NotLearned | None:
        """A site model fitted on the site's window as it is; None when that is empty."""
        state = self._store.site_state(site)
        window = [
            WindowPage(one.page_id, one.content_digest, one.body, document.body)
            for one, document in zip(
                self._store.contributions(site), self._store.window(site), strict=True
            )
        ]
        if not window:
            return None
        result, _ = self._runner.run(site, RefitTask(window), self._settings.refit_deadline_s)
        if not isinstance(result, RefitResult):
            reason = result.message if isinstance(result, Failure) else type(result).__name__
            return NotLearned(reason)
        model = SiteModelRecord(
            site=site,
            version=result.version,
            documents=result.documents,
            first_event_time_ms=state.oldest_ms,
            last_event_time_ms=state.newest_ms,
            body=result.body,
        )
        return model, state.learned

    def mark_published(self, model: SiteModelRecord, learned: int) -> None:
        """Note that a model is out, so that it is not due again."""
        self._store.mark_fitted(model.site, learned, model.version)

    def due_sites(self) -> list[str]:
        """Sites whose model is due: after a crash between learning and publishing."""
        return [site for site, state in self._store.sites() if is_due(state)]


def is_due(state: SiteState) -> bool:
    """Whether the schedule asks for a fresh site model."""
    new = state.learned - state.fitted_at
    if not new or not state.pages:
        return False
    if state.fitted_at < FIRST_FITS[-1]:
        return any(state.fitted_at < step <= state.learned for step in FIRST_FITS)
    return new >= GROWTH_RATIO * state.pages
