"""The shell of an engine on files: it cleans pages, and learns each site from them."""

import logging
from collections.abc import Iterator, Sequence

import msgspec

from schemas.cleaned import CleanedRecord, DeletedRecord
from schemas.codec import encode_msgpack
from schemas.site_model import SiteModelRecord
from workers.local.local_state import LocalState
from workers.page import Page
from workers.pipeline.actions import (
    Action,
    Compare,
    Dead,
    NotFitted,
    Outcome,
    Publish,
    Together,
)
from workers.pipeline.site_engine import SiteEngine
from workers.processes.messages import TaskRunner
from workers.settings import Settings

log = logging.getLogger("templ")


class Stream:
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
        with_segments: bool = False,
    ) -> None:
        self._models = state.models
        self._windows = state.windows
        self._learns = learns
        self._engine = SiteEngine(
            runner,
            msgspec.structs.replace(
                settings, revisions=revises, segments=settings.segments or with_segments
            ),
            models=state.models if learns else None,
            windows=state.windows,
            book=state.book,
            learns=learns,
        )

    def process(
        self, page: Page, together: Together | None = None
    ) -> tuple[Outcome, list[CleanedRecord | DeletedRecord]]:
        """Clean a page and learn from it.

        The model of its site is fitted again when the schedule asks for it.

        Args:
            page: The page.
            together: What `clean_together` has answered about this page and others; None = nothing.

        Returns:
            What became of the page, and what is published again: revised texts of pages before it, and the
            newest text or the deletion of its URL where the page is an older fetch.
        """
        outcome = self._engine.clean(page, together)
        if not self._learns or not self._learn(outcome):
            return outcome, []
        texts = list(self._texts(self._engine.refresh(page.site)))
        while actions := self._engine.next_superseded(page.site):
            texts += self._texts(actions)
        return outcome, texts

    def clean_together(self, pages: Sequence[Page]) -> Together:
        """Clean the first pages of a new site with what they share, without learning from them.

        Hand the answer to `process` with each of them.
        """
        return self._engine.clean_together(pages)

    def knows(self, site: str) -> bool:
        """Return whether there is a model of a site, or will never be one."""
        return not self._learns or self._models.get(site) is not None

    def refit(self, site: str) -> None:
        """Fit the model of a site on its present window."""
        for _ in self._texts(self._engine.publish_model(site)):
            pass

    def unfitted(self) -> list[str]:
        """Return the sites whose windows have changed since their models were fitted."""
        windows = self._windows.sites()
        return [site for site, state in windows if state.pages and state.learned != state.fitted_at]

    def stop_learning(self) -> None:
        """Clean all further pages with the models as they are."""
        self._learns = False

    def _learn(self, outcome: Outcome) -> bool:
        """Learn from an outcome, and return whether there was something to learn from."""
        if isinstance(outcome, Dead) or outcome.document is None:
            return False
        self._engine.learn(outcome.document, offset=None)
        return True

    def _texts(self, actions: Sequence[Action]) -> Iterator[CleanedRecord | DeletedRecord]:
        """Carry out actions in this process, and yield the texts and deletions among them."""
        for action in actions:
            match action:
                case Publish(records):
                    for record in records:
                        if isinstance(record, SiteModelRecord):
                            self._models.put(record.site, encode_msgpack(record), 0, 0)
                        elif isinstance(record, CleanedRecord | DeletedRecord):
                            yield record
                    action.done()
                case Compare() if revision := self._engine.revision(action):
                    yield from self._texts([revision])
                case NotFitted(site, reason):
                    log.warning(
                        "the model of %s could not be fitted: %s",
                        site,
                        reason,
                        extra={"site": site},
                    )
