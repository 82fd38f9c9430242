"""Pages in, outcomes out, each site learned on the way: the cleaner and the refresher in one."""

from schemas.codec import encode_msgpack
from schemas.site_model import SiteModelRecord
from workers.cleaner import Cleaned, Cleaner, Deleted, NoModels, Outcome
from workers.local.local_state import LocalState
from workers.page import Page
from workers.refresher import NotLearned, Refresher
from workers.settings import Settings
from workers.tasks import TaskRunner


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
        with_segments: bool = False,
    ) -> None:
        """Put the parts together.

        Args:
            state: Where windows and site models lie.
            runner: Where pages are cleaned and models fitted.
            settings: Limits and bounds.
            learns: False = learn nothing and use no site model.
            with_segments: Whether records carry their text segments.
        """
        self._models = state.models
        self._learns = learns
        self._cleaner = Cleaner(
            runner, state.models if learns else NoModels(), settings, with_segments=with_segments
        )
        self._refresher = Refresher(state.windows, runner, settings)

    def process(self, page: Page) -> Outcome:
        """What becomes of a page; its site's model is refitted where the schedule asks for it."""
        outcome = self.clean(page)
        if self._learns and self._learn(outcome):
            self._publish(self._refresher.due_model(page.site))
        return outcome

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

    def _publish(self, fitted: tuple[SiteModelRecord, int] | NotLearned | None) -> None:
        if fitted is None or isinstance(fitted, NotLearned):
            return
        model, learned = fitted
        self._models.put(model.site, encode_msgpack(model), 0, 0)
        self._refresher.mark_published(model, learned)
