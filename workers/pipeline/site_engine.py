"""All that is done for a site: its documents are learned, its models fitted, its texts revised.

An engine knows no transport. What it asks for is carried out by a shell: `workers.kafka` or `workers.local`.
"""

import logging
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, cast

import msgspec

from schemas.cleaned import DeletedRecord, RevisionReason
from schemas.codec import encode_msgpack
from schemas.document import DocumentRecord, document_key, site_of_key
from schemas.site_model import SiteDesign, SiteModelRecord
from schemas.source import Source
from templ_core.errors import CodecError
from templ_core.site_level.config import REVISIONS_CONFIG
from templ_core.site_level.window.new_text import begins_to_repeat
from templ_core.site_level.window.revisions import REPEATED_TEXT, DesignChange, revision_reason
from templ_core.site_level.window.site_window import WindowFetch
from templ_core.times import rfc3339
from workers.pipeline.actions import Action, Compare, Forget, NotFitted, Publish
from workers.processes.messages import (
    Cleaned,
    Failure,
    LearnResult,
    LearnTask,
    RefitResult,
    RefitTask,
    Result,
    ReviseTask,
    Task,
    TaskRunner,
    TemplateResult,
    TemplateTask,
    Unknown,
)
from workers.processes.options import options_of
from workers.settings import Settings
from workers.site_settings import SettingsOfSites
from workers.state.site_state import FittedSite, model_is_due

if TYPE_CHECKING:
    from workers.state.model_store import ModelStore
    from workers.state.window_store import WindowStore

log = logging.getLogger("templ")

_REFIT_ATTEMPTS = 3
"""A refit may need a second attempt for pages that the child does not know, and a third for those that it has lost by then."""
_TEMPLATE_PAGES = 20
"""Newest pages from which the template of a site is read."""
_TOMBSTONES_AT_ONCE = 500
"""Tombstones that are read from the outbox at a time."""


class SiteEngine:
    """Learns sites from their documents.

    A site's calls come from its lane, one after the other. Carry out each action before the next, and then call its
    `done`.
    """

    def __init__(
        self,
        runner: TaskRunner,
        settings: Settings,
        *,
        windows: "WindowStore",
        models: "ModelStore | None" = None,
        site_settings: SettingsOfSites | None = None,
        fits_messages: bool = False,
    ) -> None:
        """Set what all sites have in common.

        Args:
            runner: Where documents are learned, models fitted and texts revised.
            settings: Deadlines, limits and bounds.
            windows: The windows that documents enter.
            models: The models that were published last; None = those of the windows.
            site_settings: What operators have decided about sites; None = nothing.
            fits_messages: Whether what is published is made to fit a message.
        """
        self._runner = runner
        self._settings = settings
        self._models = models
        self._site_settings = site_settings or SettingsOfSites()
        self._options = options_of(settings, fits_messages=fits_messages, learns_here=True)
        bounds = settings.window
        windows.bounds_of = lambda site: self._site_settings.bounds(site, bounds)
        self._windows = windows

    def learn(self, record: DocumentRecord, offset: int | None) -> str | None:
        """Take a document or a deletion into its window, and return why it was not learned.

        None says that it was learned, or was known already.

        The offset in `documents`, by which a replay is known, is None on files.
        """
        if not self._windows.is_new(offset):
            return None
        if record.kind == "deletion":
            self._windows.delete_url(record, offset)
            return None
        known = self._windows.known(record)
        if known is not None:
            self._windows.replace(record, known, offset)
            return None
        try:
            if offset is not None:
                record = self._windows.whole(record)
            summary = record.summary or self._summarise(record)
            if isinstance(summary, bytes):
                self._windows.enter(record, summary, offset)
                return None
            problem = summary
        except CodecError as error:
            problem = str(error)
        self._windows.skip(offset)
        return problem

    def _summarise(self, record: DocumentRecord) -> bytes | str:
        """Return the page summary of a document, or why there is none."""
        result = self._run(record.site, LearnTask(record.body, record.content_digest))
        return result.body if isinstance(result, LearnResult) else _problem(result)

    def fit(self, site: str) -> FittedSite | NotFitted | None:
        """Fit a site's model on its window as it is; the answer is None where the window is empty.

        Documents that cannot be read any more stay in the window, where the version that wrote them can use them.
        """
        state = self._windows.site_state(site)
        if not state.pages:
            return None
        window = self._windows.fetches(site)
        digests = [fetch.content_digest for fetch, _ in window]
        # A child that has cleaned the pages still has most of them in memory, and asks for the others.
        asked: set[bytes] = set()
        pages: dict[bytes, tuple[bytes, bytes]] = {}
        for _ in range(_REFIT_ATTEMPTS):
            pages |= {
                fetch.content_digest: self._stored_page(key)
                for fetch, key in window
                if fetch.content_digest in asked
            }
            result = self._run(site, RefitTask(site, digests, pages))
            if not isinstance(result, Unknown):
                break
            asked = set(result.digests)
        if not isinstance(result, RefitResult):
            return NotFitted(site, _problem(result))
        for fetch, key in window:
            if summary := result.summaries.get(fetch.content_digest):
                self._windows.put_summary(key, summary)
        window = [page for page in window if page[0].content_digest not in result.unreadable]
        change = result.change
        model = SiteModelRecord(
            site=site,
            version=result.version,
            documents=result.documents,
            first_event_time_ms=state.oldest_ms,
            last_event_time_ms=state.newest_ms,
            body=result.body,
            design=self._design(window, change) if change else None,
        )
        return FittedSite(
            model=model,
            learned=state.learned,
            fit=result.fit,
            changed_at_ms=window[change.place][0].time_ms if change else None,
            of_old_design=change.documents if change else 0,
            learned_text=begins_to_repeat(state.new_runs),
        )

    def _design(
        self, window: Sequence[tuple[WindowFetch, bytes]], change: DesignChange
    ) -> SiteDesign:
        """Return a change of design with the pages on both sides of it."""
        (_, last), (first, first_key) = window[change.place - 1 : change.place + 1]
        return SiteDesign(
            since=rfc3339(first.time_ms),
            last_url=self._windows.url_of(last),
            first_url=self._windows.url_of(first_key),
            known_ratio=min(change.known_ratio, 1.0),
        )

    def _with_template(self, model: SiteModelRecord) -> SiteModelRecord:
        """Return a model with the template of its site, or as it is where none can be found."""
        newest = [key for _, key in self._windows.fetches(model.site)[-_TEMPLATE_PAGES:]]
        task = TemplateTask(
            site=model.site,
            documents=[page for key in newest if (page := self._windows.document_of(key))],
            model=model,
            options=self._options,
            settings=self._site_settings.core_settings(model.site),
        )
        result = self._run(model.site, task)
        if not isinstance(result, TemplateResult):
            log.warning("the template of %s was not found: %s", model.site, _problem(result))
            return model
        return msgspec.structs.replace(model, template=result.template)

    def _stored_page(self, key: bytes) -> tuple[bytes, bytes]:
        page = self._windows.page_of(key)
        return (page.summary, page.document) if page else (b"", b"")

    def _run(self, site: str, task: Task) -> Result:
        # The deadline of refits applies: a busy machine must not cost the window a document.
        return self._runner.run(site, task, self._settings.refit_deadline_s)[0]

    def refresh(self, site: str) -> list[Action]:
        """Return what follows from the present window of a site: a model, if the schedule asks for one."""
        if not model_is_due(self._windows.site_state(site)):
            return []
        return self.publish_model(site)

    def documents_until_fit(self, site: str) -> int:
        """Return how many documents a site learns, 1 or more, until `refresh` asks for a model, as far as is known."""
        state = self._windows.site_state(site)
        return state.until_due(state.pages)

    def publish_model(self, site: str) -> list[Action]:
        """Return the publication of a site's model as its window is now, and the texts to compare with it.

        A site without documents has no model.
        """
        fitted = self.fit(site)
        if not isinstance(fitted, FittedSite):
            return [] if fitted is None else [fitted]
        return [self._publication(fitted), *self._to_compare(fitted)]

    def compare_texts(self, site: str) -> list[Action]:
        """Return the texts to compare with a site's latest model, after its publication if it is new."""
        fitted = self.fit(site)
        if not isinstance(fitted, FittedSite):
            return []
        is_known = fitted.model.version == self._windows.site_state(site).model_version
        return [*(() if is_known else (self._publication(fitted),)), *self._to_compare(fitted)]

    def _publication(self, fitted: FittedSite) -> Publish:
        model = fitted.model
        if (
            self._settings.site_templates
            and model.documents >= REVISIONS_CONFIG.first_mature_documents
        ):
            model = self._with_template(model)
        return Publish([model], partial(self._windows.mark_fitted, fitted))

    def _to_compare(self, fitted: FittedSite) -> Iterator[Compare]:
        """Yield the texts of a window that are to be compared with a newer model.

        While the model grows, each page is compared at most twice; the newest pages are compared again whenever the site
        begins to repeat text.
        """
        model, changed_at_ms = fitted.model, fitted.changed_at_ms
        known = self._site_settings.of(model.site)
        if not self._settings.revisions or (known is not None and not known.uses_newest_model):
            return
        newest = self._windows.fetches(model.site)[-REVISIONS_CONFIG.settled_documents :]
        with_text = {key for _, key in newest} if fitted.learned_text else set()
        for entry in self._windows.window_entries(model.site):
            is_later = changed_at_ms is not None and entry.event_time_ms >= changed_at_ms
            reason = revision_reason(
                entry.model_documents,
                entry.compared_documents,
                model.documents,
                fitted.of_old_design if is_later else 0,
            )
            if reason is None and document_key(model.site, entry.source) in with_text:
                reason = REPEATED_TEXT
            if reason is not None:
                yield Compare(model, entry, cast("RevisionReason", reason))

    def revision(self, text: Compare) -> Publish | None:
        """Return the publication of a text that a newer model changes enough; None where it stays."""
        model, key = text.model, document_key(text.model.site, text.entry.source)
        document = self._windows.document_of(key)
        if document is None:
            return None
        result = self.revise(document, model, text.reason, REVISIONS_CONFIG.changed_ratio_min)
        if isinstance(result, Cleaned):
            return self._republication(result)
        self._windows.mark_compared(key, model.documents)
        return None

    def next_due(self) -> list[Action]:
        """Return what is due besides models. Call it again until it returns nothing."""
        return self.next_superseded() or self.next_of_outbox()

    def next_superseded(self, site: str | None = None) -> list[Action]:
        """Return the publication of the newest text of a URL whose last output may be of an older fetch.

        Call it again until it returns nothing, for one site or for all. It does not depend on whether texts are revised
        for newer models.
        """
        outbox = self._windows.outbox
        prefix = b"" if site is None else site.encode() + b"\0"
        while superseded := outbox.superseded(1, prefix):
            [(key, url)] = superseded
            newest = self._newest(key, url)
            if newest is not None:
                return [newest]
            outbox.drop_superseded(key)
        return []

    def next_of_outbox(self) -> list[Action]:
        """Return tombstones of documents that have left their windows, and documents that the topic has lost.

        Call it again until it returns nothing.
        """
        outbox = self._windows.outbox
        if keys := outbox.nulls(_TOMBSTONES_AT_ONCE):
            return [Forget(keys, partial(outbox.drop, keys))]
        actions: list[Action] = []
        for key in outbox.documents():
            document = self._windows.document_of(key)
            if document is not None and (records := self._fitting(document)):
                actions.append(Publish(records, partial(outbox.mark_sent, key)))
            else:
                outbox.mark_sent(key)
        return actions

    def _newest(self, url_key: bytes, url: str) -> Publish | None:
        """Return the newest text of a URL with what is known of the site now, or its deletion."""
        site = site_of_key(url_key)
        newest = self._windows.newest(site, url_key)
        if newest is None:
            return None
        if not isinstance(newest, DocumentRecord):
            deletion = DeletedRecord(url=url, site=site, id=newest, source=Source.parse(newest))
            return Publish([deletion], partial(self._windows.outbox.drop_superseded, url_key))
        model = self._model_to_revise_with(site)
        result = self.revise(newest, model, "superseded", changed_ratio_min=0)
        return self._republication(result, url_key) if isinstance(result, Cleaned) else None

    def _model_to_revise_with(self, site: str) -> SiteModelRecord | None:
        """Return the model that operators chose for a site; by default the one published last, or else one fitted now."""
        model = self._models.get(site) if self._models else None
        if model is None and isinstance(fitted := self.fit(site), FittedSite):
            model = fitted.model
        known = self._site_settings.of(site)
        return known.model(model) if known else model

    def revise(
        self,
        document: DocumentRecord,
        model: SiteModelRecord | None,
        reason: RevisionReason,
        changed_ratio_min: float,
    ) -> Result:
        """Return the text of a document by a model, with what was published of it last.

        Args:
            document: The document of a window.
            model: The model; None for a site without one.
            reason: The reason that the record gives.
            changed_ratio_min: Share of the words, 0 to 1, that must change; otherwise the result is `Unchanged`.
        """
        task = ReviseTask(
            document=document,
            options=self._options,
            model=model,
            reason=reason,
            changed_ratio_min=changed_ratio_min,
            settings=self._site_settings.core_settings(document.site),
        )
        return self._run(document.site, task)

    def _republication(self, revised: Cleaned, superseded: bytes | None = None) -> Publish:
        """Return the publication of a text and its document, in place of those before or of a superseded one.

        The text goes first: a document that says more than was published would hide a loss. From the new
        document, a window that is rebuilt from the topic learns what was published last.
        """
        document = cast("DocumentRecord", revised.document)
        done = partial(self._mark_revised, document, superseded)
        return Publish([revised.record, *self._fitting(document)], done, document.headers)

    def _fitting(self, document: DocumentRecord) -> list[DocumentRecord]:
        """Return a document of a window as its topic has it, or nothing where it is too large for a message."""
        limit_bytes = self._options.record_limit_bytes
        if limit_bytes is None:
            return [document]
        document = self._windows.compressed(document)
        return [document] if len(encode_msgpack(document)) <= limit_bytes else []

    def _mark_revised(self, document: DocumentRecord, superseded: bytes | None) -> None:
        known = self._windows.known(document)
        if known is not None:
            self._windows.replace(document, known, None)
        if superseded is not None:
            self._windows.outbox.drop_superseded(superseded)


def _problem(result: Result) -> str:
    return result.message if isinstance(result, Failure) else type(result).__name__
