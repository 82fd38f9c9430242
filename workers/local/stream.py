"""The cleaner and the refresher in one: pages in, outcomes out, each site learned on the way."""

import logging
from collections.abc import Iterator

from schemas.cleaned import CleanedRecord
from schemas.codec import encode_msgpack
from schemas.site_model import SiteModelRecord
from workers.local.local_state import LocalState
from workers.page import Page
from workers.pipeline.actions import Action, Fit, NotFitted, Revise, Send
from workers.pipeline.cleaner import Cleaner, Dead, NoModels, Outcome
from workers.pipeline.publisher import Publisher
from workers.pipeline.refresher import Refresher
from workers.processes.tasks import TaskRunner
from workers.settings import Settings

log = logging.getLogger("templ")


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
            learns: Whether sites are learned and their models used.
            revises: Whether texts are given out again that a better site model has changed.
            with_segments: Whether records carry their text segments.
        """
        self._models = state.models
        self._learns = learns
        self._cleaner = Cleaner(
            runner, state.models if learns else NoModels(), settings, with_segments=with_segments
        )
        self._refresher = Refresher(state.windows, runner, settings)
        self._publisher = Publisher(self._refresher, state.windows, revises=revises)

    def process(self, page: Page) -> tuple[Outcome, list[CleanedRecord]]:
        """Clean a page and learn from it.

        The model of its site is fitted anew where the schedule asks for it.

        Returns:
            What became of the page, and the revised texts of pages before it.
        """
        outcome = self.clean(page)
        if not self._learns or not self._learn(outcome):
            return outcome, []
        return outcome, list(self._carry_out(self._publisher.publish_due(page.site)))

    def learn(self, page: Page) -> None:
        """Take a page into its site's window; the site's model stays as it is."""
        self._learn(self.clean(page))

    def clean(self, page: Page) -> Outcome:
        """Clean a page without learning from it."""
        return self._cleaner.process(page)

    def refit(self, site: str) -> None:
        """Fit the model of a site on its window as it is now, trees and phrases included."""
        for _ in self._carry_out(self._publisher.publish_anew(site)):
            pass

    def _learn(self, outcome: Outcome) -> bool:
        """Answer whether there was something to learn from."""
        if isinstance(outcome, Dead) or outcome.document is None:
            return False
        self._refresher.process(outcome.document, offset=None)
        return True

    def _carry_out(self, actions: Iterator[Action]) -> Iterator[CleanedRecord]:
        """Carry actions out in this process, and give the revised texts among them."""
        for action in actions:
            match action:
                case Send(SiteModelRecord() as model):
                    self._models.put(model.site, encode_msgpack(model), 0, 0)
                case Send(CleanedRecord() as record):
                    yield record
                case Fit(site=site):
                    self._refresher.refit_templates(site)
                case Revise(model):
                    yield from self._carry_out(self._publisher.revise(model))
                case NotFitted(site, reason):
                    log.warning("the model of %s could not be fitted: %s", site, reason)
