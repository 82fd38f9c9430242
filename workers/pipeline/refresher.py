"""The refresher: documents in, site models and revised texts out. It knows no transport."""

from collections.abc import Iterator, Sequence
from typing import cast

import msgspec

from schemas.cleaned import CleanedRecord, RevisionReason
from schemas.document import DocumentRecord, site_of_key
from schemas.site_model import SiteModelRecord
from schemas.source import Source
from templ_core.cleaner_version import cleaner_version
from templ_core.dom.codec import content_digest
from templ_core.errors import CodecError
from templ_core.site_level.config import REVISIONS
from templ_core.site_level.window.revisions import revision_reason
from workers.pipeline.outputs import cleaned_record
from workers.processes.core_config import config_of
from workers.processes.messages import (
    CleanResult,
    Failure,
    LearnResult,
    LearnTask,
    RefitResult,
    RefitTask,
    Result,
    ReviseResult,
    ReviseTask,
    Stale,
    Task,
    TaskPage,
    TaskRunner,
    Unknown,
)
from workers.processes.record_forms import forms_of
from workers.settings import Settings
from workers.site_settings.book import SettingsBook
from workers.state.packing import content_of
from workers.state.site_state import SiteState
from workers.state.window_entry import WindowEntry
from workers.state.window_store import WindowStore

_ATTEMPTS = 4
"""A refit may need one attempt for pages the child does not know, one for pages of an older page model, and
one for the others, which the child has forgotten by then."""


class NotLearned(msgspec.Struct, frozen=True):
    """Why a document was not learned, or a model not fitted."""

    reason: str


Fitted = tuple[SiteModelRecord, int] | NotLearned | None
"""A model with the number for `mark_published`, or why there is none, or None for an empty window."""


class Revision(msgspec.Struct, frozen=True):
    """A text that is published again."""

    record: CleanedRecord
    document: DocumentRecord
    """The document with its new text, sent in place of the one before: a window that is rebuilt from
    the topic then knows what was published last."""


class Refresher:
    """Keeps the windows of one partition, and fits site models to them."""

    def __init__(
        self,
        store: WindowStore,
        runner: TaskRunner,
        settings: Settings,
        book: SettingsBook | None = None,
    ) -> None:
        """Set what all sites have in common.

        Args:
            store: The windows.
            runner: Where documents are learned, models fitted and texts revised.
            settings: Deadlines and bounds.
            book: What operators have decided about sites; None = nothing.
        """
        self._book = book or SettingsBook()
        bounds = settings.window
        store.bounds_of = lambda site: self._book.bounds(site, bounds)
        self._store = store
        self._runner = runner
        self._settings = settings
        self._config = config_of(settings)
        self._version = cleaner_version(self._config)
        self._forms = forms_of(settings)

    def process(self, record: DocumentRecord, offset: int | None) -> NotLearned | None:
        """Take a document or a deletion into its window.

        Args:
            record: The record of `documents`.
            offset: Its offset there, by which a replay is known; None on files.

        Returns:
            Why the document was not learned; None where it was, or was known already.
        """
        if not self._store.is_new(offset):
            return None
        if record.kind == "deletion":
            self._store.delete_url(record, offset)
            return None
        known = self._store.known(record)
        if known is not None:
            self._store.replace(record, known, offset)
            return None
        learned = self._learn(record)
        if isinstance(learned, NotLearned):
            self._store.skip(offset)
            return learned
        self._store.put(record, learned, offset)
        return None

    def _learn(self, record: DocumentRecord) -> bytes | NotLearned:
        """Return the summary that came with a document; its digest alone is checked then."""
        if not record.summary:
            return self._summarise(record)
        try:
            columns = content_of(record.body)
        except CodecError as error:
            return NotLearned(f"not a document: {error}")
        if content_digest(columns) != record.content_digest:
            return NotLearned("damaged document: its digest does not fit")
        return record.summary

    def _summarise(self, record: DocumentRecord) -> bytes | NotLearned:
        # The deadline of refits applies: a busy machine must not cost the window a document.
        result, _ = self._runner.run(
            record.site,
            LearnTask(record.body, record.content_digest, str(record.source)),
            self._settings.refit_deadline_s,
        )
        if isinstance(result, LearnResult):
            return result.body
        return _not_learned(result)

    def refit(self, site: str) -> Fitted:
        """Fit a site's model on its window as it is.

        Documents of another format that were read with another page model are left out of the fit, once
        there are as many others, or enough for a settled model. They stay in the window, where the version
        that wrote them can use them.

        Returns:
            The model, and the number to hand to `mark_published` once it is out; or why it could
            not be fitted; or None where the window is empty.
        """
        state = self._store.site_state(site)
        if not state.pages:
            return None
        entries = list(self._store.window_entries(site))
        window = [TaskPage(entry.id, entry.content_digest, None) for entry in entries]
        for index in _new(entries, state):
            window[index] = self._window_page(site, entries[index])
        for _ in range(_ATTEMPTS):
            result = self._run(site, RefitTask(site, window))
            if not isinstance(result, Unknown | Stale):
                break
            unreadable: set[int] = set()
            if isinstance(result, Stale):
                unreadable = {
                    index for index in result.indexes if not self._learn_anew(site, entries[index])
                }
            for index in set(result.indexes) - unreadable:
                window[index] = self._window_page(site, entries[index])
            entries = [one for index, one in enumerate(entries) if index not in unreadable]
            window = [one for index, one in enumerate(window) if index not in unreadable]
            if len(window) < min(len(unreadable), REVISIONS.settled_documents):
                return NotLearned(
                    f"{len(unreadable)} documents of its window cannot be read any more"
                )
        if not isinstance(result, RefitResult):
            return _not_learned(result)
        change = result.change
        changed_at_ms = entries[change.place].event_time_ms if change else None
        self._store.mark_fit(site, result.fit, changed_at_ms, change.documents if change else 0)
        model = SiteModelRecord(
            site=site,
            version=result.version,
            documents=result.documents,
            first_event_time_ms=state.oldest_ms,
            last_event_time_ms=state.newest_ms,
            body=result.body,
        )
        return model, state.learned

    def _window_page(self, site: str, entry: WindowEntry) -> TaskPage:
        summary = self._store.summary(site, entry)
        document = self._store.document_body(site, entry)
        return TaskPage(entry.id, entry.content_digest, summary, document)

    def _run(self, site: str, task: Task) -> Result:
        return self._runner.run(site, task, self._settings.refit_deadline_s)[0]

    def _learn_anew(self, site: str, entry: WindowEntry) -> bool:
        """Read a document again that was read with another page model; return whether that was possible."""
        document = self._store.document(site, entry)
        learned = document and self._summarise(document)
        if not isinstance(learned, bytes):
            return False
        self._store.put_summary(site, entry, learned)
        return True

    def has_revision_candidates(self, model: SiteModelRecord) -> bool:
        """Return whether any text of the site's window is to be compared with its new model."""
        return any(True for _ in self._to_look_at(model))

    def revisions(self, model: SiteModelRecord) -> Iterator[Revision]:
        """Yield the texts of a site's window that its new model changes, two for a page at most.

        Hand each to `mark_revised` once it is out. Nothing may happen to the site while the next one
        is made; between two of them documents may come and leave.
        """
        for entry, reason in list(self._to_look_at(model)):
            document = self._store.document(model.site, entry)
            if document is None:
                continue
            result = self._revise(document, model)
            if (
                isinstance(result, ReviseResult)
                and result.changed_ratio >= REVISIONS.changed_ratio_min
            ):
                yield self._revision(document, model, result.cleaned, reason)
            else:
                self._store.mark_looked_at(model.site, entry, model.documents)

    def _to_look_at(self, model: SiteModelRecord) -> Iterator[tuple[WindowEntry, str]]:
        state, known = self._store.site_state(model.site), self._book.of(model.site)
        if known is not None and not known.uses_newest_model:
            return
        for entry in self._store.window_entries(model.site):
            is_later = (
                state.changed_at_ms is not None and entry.event_time_ms >= state.changed_at_ms
            )
            reason = revision_reason(
                entry.model_documents,
                entry.looked_at,
                model.documents,
                state.of_old_design if is_later else 0,
            )
            if reason is not None:
                yield entry, reason

    def newest(self, url_key: bytes) -> Revision | Source | None:
        """Return what the last output of a URL should be, where an older fetch may have come last.

        Returns:
            The newest document's text with the site's model as it is now, to be handed to
            `mark_revised`; or the source of the URL's deletion; or None where neither is known.
        """
        site = site_of_key(url_key)
        newest = self._store.newest(site, url_key)
        if not isinstance(newest, DocumentRecord):
            return None if newest is None else Source.parse(newest)
        fitted, known = self.refit(site), self._book.of(site)
        model = fitted[0] if isinstance(fitted, tuple) else None
        model = known.model(model) if known else model
        if model is None:
            return None
        result = self._revise(newest, model)
        if not isinstance(result, ReviseResult):
            return None
        return self._revision(newest, model, result.cleaned, "superseded")

    def _revise(self, document: DocumentRecord, model: SiteModelRecord) -> Result:
        known = self._book.of(model.site)
        task = ReviseTask(
            body=document.body,
            kept=document.kept,
            model_key=(model.site, model.version),
            model_body=model.body,
            config=self._config,
            source_id=str(document.source),
            url=document.url,
            forms=self._forms,
            details=document.details,
            settings=known.settings if known else None,
        )
        result, _ = self._runner.run(model.site, task, self._settings.refit_deadline_s)
        return result

    def _revision(
        self, document: DocumentRecord, model: SiteModelRecord, cleaned: CleanResult, reason: str
    ) -> Revision:
        revised = msgspec.structs.replace(
            document,
            revision=document.revision + 1,
            kept=cleaned.kept,
            site_model_version=model.version,
            model_documents=model.documents,
            page_model_version=cleaned.page_model_version,
        )
        record = cleaned_record(
            revised,
            cleaned,
            model,
            self._version,
            warnings=cleaned.warnings,
            revision=revised.revision,
            reason=cast("RevisionReason", reason),
        )
        return Revision(record, revised)

    def mark_revised(self, revision: Revision) -> None:
        """Note that a revision was sent."""
        document = revision.document
        known = self._store.known(document)
        if known is not None:
            self._store.replace(document, known, None)

    def mark_published(self, model: SiteModelRecord, learned: int) -> None:
        """Note that a model was sent, so that it is not due again."""
        self._store.mark_fitted(model.site, learned, model.version)


def _new(entries: Sequence[WindowEntry], state: SiteState) -> range:
    """Return the indexes of documents that a child can hardly know, because they came after the last fit."""
    return range(max(len(entries) - (state.learned - state.fitted_at), 0), len(entries))


def _not_learned(result: Result) -> NotLearned:
    return NotLearned(result.message if isinstance(result, Failure) else type(result).__name__)
