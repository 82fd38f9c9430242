"""Pages in, outcomes out, each site learned on the way: the cleaner and the refresher in one."""

from schemas.cleaned import CleanedRecord
from schemas.codec import encode_msgpack
from schemas.site_model import SiteModelRecord
from workers.local.local_state import LocalState
from workers.page import Page
from workers.pipeline.cleaner import Cleaned, Cleaner, Deleted, NoModels, Outcome
from workers.pipeline.refresher import NotLearned, Refresher
from workers.processes.tasks import TaskRunner
from workers.settings import Settings


class Stream:
    """Cleans each page with what the pages before it have taught; sites share nothing.

    Calls for one site must follow each other; those for different sites may run in parallel.
    """

    def __init__(
        self,
        state: LocalState,
        runner: TaskRunner,
        settings: Settings,
        *,
        learns: bool = True,
        revises: bool = False,
        with_segments: bool = False,
    ) -> None:
        """Put the parts together.

        Args:
            state: Where windows and site models lie.
            runner: Where pages are cleaned and models fitted.
            settings: Limits and bounds.
            learns: False = learn nothing and use no site model.
            revises: Whether texts are given out again that a better site model has changed.
            with_segments: Whether records carry their text segments.
        """
        self._models = state.models
        self._learns = learns
        self._revises = revises
        self._cleaner = Cleaner(
            runner, state.models if learns else NoModels(), settings, with_segments=with_segments
        )
        self._refresher = Refresher(state.windows, runner, settings)

    def process(self, page: Page) -> tuple[Outcome, list[CleanedRecord]]:
        """What becomes of a page, and the revised texts of pages before it.

        Its site's model is refitted where the schedule asks for it.
        """
        outcome = self.clean(page)
        if not self._learns or not self._learn(outcome):
            return outcome, []
        model = self._publish(self._refresher.due_model(page.site))
        return outcome, self._revised(model) if model and self._revises else []

    def _revised(self, model: SiteModelRecord) -> list[CleanedRecord]:
        records = []
        for revision in self._refresher.revisions(model):
            self._refresher.mark_revised(revision)
            records.append(revision.record)
        return records

    def learn(self, page: Page) -> None:
        """Take a page into its site's window; the site's model stays as it is."""
        self._learn(self.clean(page))

    def clean(self, page: Page) -> Outcome:
        """What becomes of a page; nothing is learned from it."""
        return self._cleaner.process(page)

    def refit(self, site: str) -> None:
        """Fit the site's model on its window as it is now."""
        self._publish(self._refresher.fit(site))

    def _learn(self, outcome: Outcome) -> bool:
        """Whether there was something to learn from."""
        if not isinstance(outcome, Cleaned | Deleted) or outcome.document is None:
            return False
        self._refresher.process(outcome.document, offset=None)
        return True

    def _publish(
        self, fitted: tuple[SiteModelRecord, int] | NotLearned | None
    ) -> SiteModelRecord | None:
        if fitted is None or isinstance(fitted, NotLearned):
            return None
        model, learned = fitted
        self._models.put(model.site, encode_msgpack(model), 0, 0)
        self._refresher.mark_published(model, learned)
        return model
