"""What follows when documents have been learned: models, revisions and tombstones, as actions.

The publisher decides and knows no transport. Its methods are generators of actions. Whoever carries
them out finishes one action before asking for the next, because the generator then notes in the
window that the action is done: what was not sent is asked for again after a crash.
"""

from collections.abc import Iterator

from schemas.cleaned import DeletedRecord
from schemas.codec import encode_msgpack
from schemas.document import DocumentRecord, site_of_key
from schemas.site_model import SiteModelRecord
from workers.pipeline.actions import Action, Forget, NotFitted, Pause, Revise, Send
from workers.pipeline.outputs import ENVELOPE_BYTES, fit_message
from workers.pipeline.refresher import (
    NotLearned,
    Refresher,
    Revision,
)
from workers.state.site_state import model_is_due
from workers.state.window_store import WindowStore

_AT_ONCE = 500
"""Tombstones, or URLs to publish again, that are read from the window at a time."""


class Publisher:
    """Decides what is published from the windows of one partition of `documents`."""

    def __init__(
        self,
        refresher: Refresher,
        store: WindowStore,
        *,
        revises: bool,
        message_limit_bytes: int | None = None,
    ) -> None:
        """Set what is published.

        Args:
            refresher: Fits models and revises texts of the same windows.
            store: The windows.
            revises: Whether a text is published again when a better site model changes it.
            message_limit_bytes: Size of the largest message; None = any size.
        """
        self._refresher = refresher
        self._store = store
        self._revises = revises
        self._message_limit_bytes = message_limit_bytes

    def publish_due(self, site: str) -> Iterator[Action]:
        """Publish a site's model if the schedule asks for one."""
        if model_is_due(self._store.site_state(site)):
            yield from self.publish_model(site)

    def publish_model(self, site: str) -> Iterator[Action]:
        """Publish the site's model as its window is now; a site without pages has none."""
        fitted = self._refresher.refit(site)
        if isinstance(fitted, NotLearned):
            yield NotFitted(site, fitted.reason)
        elif fitted is not None:
            model, learned = fitted
            yield Send(model)
            self._refresher.mark_published(model, learned)
            if self._revises and self._refresher.has_revision_candidates(model):
                yield Revise(model)

    def revise(self, model: SiteModelRecord) -> Iterator[Action]:
        """Publish the texts again that a new model of their site has changed."""
        for revision in self._refresher.revisions(model):
            yield from self._send_revision(revision)
            yield Pause()

    def revise_with_latest(self, site: str) -> Iterator[Action]:
        """Publish texts again that the site's latest model changes; publish that model first if it is new."""
        fitted = self._refresher.refit(site)
        if fitted is None or isinstance(fitted, NotLearned):
            return
        model, learned = fitted
        if model.version != self._store.site_state(site).model_version:
            yield Send(model)
            self._refresher.mark_published(model, learned)
        yield from self.revise(model)

    def publish_superseded(self) -> Iterator[Action]:
        """Publish the newest text of each URL whose last output may be of an older fetch."""
        while self._revises and (superseded := self._store.outbox.superseded(_AT_ONCE)):
            for key, url in superseded:
                newest = self._refresher.newest(key)
                if isinstance(newest, Revision):
                    yield from self._send_revision(newest)
                elif newest is not None:
                    yield Send(
                        DeletedRecord(url=url, site=site_of_key(key), id=str(newest), source=newest)
                    )
                self._store.outbox.drop_superseded([key])

    def empty_outbox(self) -> Iterator[Action]:
        """Forget the documents that have left their windows; send those again that the topic has lost."""
        outbox = self._store.outbox
        while keys := outbox.nulls(_AT_ONCE):
            yield Forget(keys)
            outbox.drop(keys)
        for key in outbox.documents():
            document = self._store.document_of(key)
            if document is not None:
                yield from self._send_document(document)
            outbox.mark_sent(key)

    def _send_revision(self, revision: Revision) -> Iterator[Action]:
        """Send the text first: a document that says more than was published would hide a loss."""
        record, document = revision.record, revision.document
        limit_bytes = self._message_limit_bytes
        record = record if limit_bytes is None else fit_message(record, limit_bytes)
        yield Send(record, document.headers)
        yield from self._send_document(document)
        self._refresher.mark_revised(revision)

    def _send_document(self, document: DocumentRecord) -> Iterator[Action]:
        limit_bytes = self._message_limit_bytes
        if limit_bytes is None or len(encode_msgpack(document)) <= limit_bytes - ENVELOPE_BYTES:
            yield Send(document)
