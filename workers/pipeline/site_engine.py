"""All that is done for a site: its pages are cleaned and learned, its models fitted, its texts revised.

An engine knows no transport. What it asks for is carried out by a shell: `workers.kafka` or `workers.local`.
"""

import logging
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, cast

import msgspec

from schemas.cleaned import DeletedRecord, RevisionReason, Warning_
from schemas.codec import encode_msgpack
from schemas.dead_letter import DeadLetter
from schemas.document import DocumentRecord, site_of_key
from schemas.site_model import SiteModelRecord
from schemas.source import Source
from templ_core.cleaner_version import cleaner_version
from templ_core.site_level.config import REVISIONS
from templ_core.site_level.window.revisions import revision_reason
from workers.log_lines import lines_about, record_fields
from workers.lru_cache import LruCache
from workers.page import Page
from workers.pipeline.actions import (
    Action,
    Cleaned,
    Compare,
    Dead,
    Deleted,
    Forget,
    NotFitted,
    NotLearned,
    Outcome,
    Publish,
    Together,
)
from workers.pipeline.outputs import ENVELOPE_BYTES, cleaned_record, fit_message
from workers.pipeline.site_models import ModelSource, NoModels, ProvisionalModels
from workers.processes.core_config import CONFIG, config_of
from workers.processes.messages import (
    BurstPage,
    BurstResult,
    BurstTask,
    CleanResult,
    CleanTask,
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
from workers.site_settings.book import DecidedSite, SettingsBook
from workers.state.site_state import SiteState, model_is_due

if TYPE_CHECKING:  # They bring RocksDB and numpy, which cleaning alone does not need.
    from workers.state.window_entry import WindowEntry
    from workers.state.window_store import WindowStore

log = logging.getLogger("templ")

_MODELS_REPORTED = 1024
"""Site models that cannot be used and of which that was said, one log line each."""
_REFIT_ATTEMPTS = 4
"""A refit may need one attempt for pages the child does not know, one for pages of an older page model, and
one for the others, which the child has forgotten by then."""
_TOMBSTONES_AT_ONCE = 500
"""Tombstones that are read from the outbox at a time."""

Fitted = tuple[SiteModelRecord, int] | NotLearned | None
"""A model with the number of documents it has learned, or why there is none, or None for an empty window."""


class SiteEngine:
    """Cleans pages with what is known about their sites, and learns sites from their documents.

    `clean` needs models, and everything that learns needs windows. A site's calls come from its lane, one
    after the other. Carry out each action before the next, and then call its `done`.
    """

    def __init__(
        self,
        runner: TaskRunner,
        settings: Settings,
        *,
        models: ModelSource | None = None,
        windows: "WindowStore | None" = None,
        book: SettingsBook | None = None,
        fits_messages: bool = False,
        learns: bool = True,
    ) -> None:
        """Set what all sites have in common.

        Args:
            runner: Where pages are cleaned, documents learned, models fitted and texts revised.
            settings: Deadlines, limits and bounds.
            models: What is known about sites; None = nothing.
            windows: The windows that documents enter; None = there are none here.
            book: What operators have decided about sites; None = nothing.
            fits_messages: Whether what is published is made to fit a message.
            learns: Whether cleaned pages carry what sites learn from.
        """
        self._runner = runner
        self._settings = settings
        self._models = models or NoModels()
        self._book = book or SettingsBook()
        self._message_limit_bytes = settings.message_limit_bytes if fits_messages else None
        self._learns = learns
        self._config = config_of(settings)
        self._version = cleaner_version(self._config)
        self._forms = forms_of(settings)
        self._provisional = ProvisionalModels()
        self._reported: LruCache[tuple[str, str], bool] = LruCache(_MODELS_REPORTED)
        if windows is not None:
            bounds = settings.window
            windows.bounds_of = lambda site: self._book.bounds(site, bounds)
            self._windows = windows

    def clean(
        self, page: Page, together: Together | None = None, *, is_timed: bool = False
    ) -> Outcome:
        """Clean a page. What a page holds never makes it raise.

        Args:
            page: The page.
            together: What `clean_together` has answered about this page and others; None = nothing.
            is_timed: Whether the outcome is to say when the stages ended.
        """
        with lines_about(partial(record_fields, page.source, page.headers, page.site)):
            return self._process(page, together, is_timed=is_timed)

    def _process(self, page: Page, together: Together | None, *, is_timed: bool) -> Outcome:
        known = self._book.of(page.site)
        if known is not None and known.record.forgotten:
            return Deleted(record=_deleted_record(page), document=None)
        if page.is_deletion:
            return _deleted(page)
        if together and page.source in together:
            return self._cleaned(page, *together[page.source])
        model = self._best_model(page.site)
        if known is not None:
            model = known.model(model)
        deadline_s = self._settings.deadline_s(len(page.body or b""))
        task = self._task(page, model, known, is_timed=is_timed)
        result, attempts = self._runner.run(page.site, task, deadline_s)
        if isinstance(result, CleanResult):
            if model is not None and result.model_problem is not None:
                self._report(model, result.model_problem)
                model = None
            return self._cleaned(page, result, model)
        if isinstance(result, Failure):
            stage = "clean" if result.failure != "refused" else _stage(result.exception)
            return Dead(
                letter=DeadLetter(
                    exception=result.exception,
                    message=result.message,
                    stage=stage,
                    attempts=attempts,
                ),
                site=page.site,
            )
        raise TypeError(f"a child answered a page with {type(result).__name__}")

    def _report(self, model: SiteModelRecord, problem: str) -> None:
        """Log once that a site model cannot be used."""
        key = model.site, model.version
        if self._reported.get(key):
            return
        self._reported.put(key, value=True)
        log.warning(
            "site-models: the model %r of %r (%s) cannot be used: %s; "
            "pages of the site are cleaned as those of a new site",
            model.version,
            model.site,
            self._models.origin(model.site) or "of this machine",
            problem,
            extra={"site": model.site},
        )

    def _task(
        self,
        page: Page,
        model: SiteModelRecord | None,
        known: DecidedSite | None,
        *,
        is_timed: bool = False,
    ) -> CleanTask:
        return CleanTask(
            body=page.body or b"",
            url=page.url,
            content_type=page.content_type,
            charset=page.charset,
            content_encoding=page.content_encoding,
            limit_bytes=self._settings.page_limit_bytes,
            model_key=(model.site, model.version) if model else None,
            model_body=model.body if model else None,
            forms=self._forms,
            with_document=self._learns
            and _is_success(page)
            and (known is None or known.is_learned_from),
            config=self._config,
            source_id=str(page.source),
            settings=known.settings if known else None,
            is_timed=is_timed,
        )

    def _cleaned(self, page: Page, result: CleanResult, model: SiteModelRecord | None) -> Cleaned:
        document = self._document(page, result, model)
        record = cleaned_record(
            page,
            result,
            model,
            self._version,
            warnings=_warnings(page, result, learned=document is not None),
        )
        if self._message_limit_bytes is not None:
            record = fit_message(record, self._message_limit_bytes)
        return Cleaned(record=record, document=document, times=result.times)

    def _document(
        self, page: Page, result: CleanResult, model: SiteModelRecord | None
    ) -> DocumentRecord | None:
        learned = result.document
        if learned is None:
            return None
        document = DocumentRecord(
            kind="document",
            url=page.url,
            site=page.site,
            id=page.id,
            source=page.source,
            event_time_ms=page.event_time_ms,
            fetched_at=page.fetched_at,
            content_digest=learned.content_digest,
            site_model_version=model.version if model else None,
            page_model_version=result.page_model_version,
            model_documents=model.documents if model else 0,
            place_pages=result.place_pages,
            kept=result.kept,
            body=learned.body,
            summary=learned.summary,
            details=result.details,
            headers=list(page.headers),
        )
        limit_bytes = self._settings.message_limit_bytes - ENVELOPE_BYTES
        size_bytes = len(encode_msgpack(document))
        for field in ("summary", "details"):
            if size_bytes > limit_bytes:
                document = msgspec.structs.replace(document, **{field: b""})
                size_bytes = len(encode_msgpack(document))
        return document if size_bytes <= limit_bytes else None

    def clean_together(self, pages: Sequence[Page]) -> Together:
        """Clean pages of one site with a model fitted on all of them, if the site is new.

        `clean` cleans each page by itself that is missing in the answer. So a page that harms the
        others, or holds them up, is found and blamed alone.

        Args:
            pages: Pages of one site in the order in which they arrived.

        Returns:
            What `clean` needs to know of each page; empty where the pages are too few or too alike, or
            where the site has a model of enough documents already.
        """
        known = self._book.of(pages[0].site)
        if known is not None and not known.uses_newest_model:
            return {}
        some = _first_pages(pages, self._settings)
        urls = len({page.url for page in some})
        if not self._is_burst(urls, self._best_model(pages[0].site)):
            return {}
        task = BurstTask(
            pages=[
                BurstPage(
                    self._task(page, None, known), page.id, page.event_time_ms, _is_success(page)
                )
                for page in some
            ],
            documents_min=self._settings.burst_pages_min,
            chars_max=self._settings.burst_bytes,
        )
        size_bytes = sum(len(page.body or b"") for page in some)
        deadline_s = self._settings.deadline_s(size_bytes)
        result, _ = self._runner.run(some[0].site, task, deadline_s)
        if isinstance(result, Failure):
            log.warning(
                "%s pages of the new site %s could not be cleaned together (%s: %s); each is cleaned "
                "by itself",
                *(len(some), some[0].site, result.exception, result.message),
                extra={"site": some[0].site},
            )
            return {}
        if not isinstance(result, BurstResult):
            raise TypeError(f"a child answered a burst with {type(result).__name__}")
        if not result.documents:
            return {}
        model = _provisional_model(some, result)
        self._provisional.keep(model)
        of_pages = zip(some, result.pages, strict=True)
        return {page.source: (one, model) for page, one in of_pages if one is not None}

    def forget(self, site: str) -> None:
        """Drop what is known of a site."""
        self._provisional.drop(site)

    def _is_burst(self, urls: int, known: SiteModelRecord | None) -> bool:
        """Return whether so many URLs are to be cleaned together, given the model of their site."""
        pages_min = self._settings.burst_pages_min
        if not pages_min or urls < pages_min:
            return False
        return known is None or known.documents < min(urls, CONFIG.page_rules_pages)

    def _best_model(self, site: str) -> SiteModelRecord | None:
        return self._provisional.best(site, self._models.get(site))

    def learn(self, record: DocumentRecord, offset: int | None) -> NotLearned | None:
        """Take a document or a deletion into its window.

        Args:
            record: The record of `documents`.
            offset: Its offset there, by which a replay is known; None on files.

        Returns:
            Why the document was not learned; None where it was, or was known already.
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
        learned = self._summary_of(record)
        if isinstance(learned, NotLearned):
            self._windows.skip(offset)
            return learned
        self._windows.put(record, learned, offset)
        return None

    def _summary_of(self, record: DocumentRecord) -> bytes | NotLearned:
        """Return the summary that came with a document; its digest alone is checked then."""
        if not record.summary:
            return self._summarise(record)
        problem = self._windows.problem_of(record)
        if problem is not None:
            return NotLearned(problem)
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

    def fit(self, site: str) -> Fitted:
        """Fit a site's model on its window as it is.

        Documents of another format that were read with another page model are left out of the fit, once
        there are as many others, or enough for a settled model. They stay in the window, where the version
        that wrote them can use them.

        Returns:
            The model, and the number of documents that the window had learned; or why it could
            not be fitted; or None where the window is empty.
        """
        state = self._windows.site_state(site)
        if not state.pages:
            return None
        entries = list(self._windows.window_entries(site))
        window = [TaskPage(entry.id, entry.content_digest, None) for entry in entries]
        for index in _new(entries, state):
            window[index] = self._window_page(site, entries[index])
        for _ in range(_REFIT_ATTEMPTS):
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
        self._windows.mark_fit(site, result.fit, changed_at_ms, change.documents if change else 0)
        model = SiteModelRecord(
            site=site,
            version=result.version,
            documents=result.documents,
            first_event_time_ms=state.oldest_ms,
            last_event_time_ms=state.newest_ms,
            body=result.body,
        )
        return model, state.learned

    def _window_page(self, site: str, entry: "WindowEntry") -> TaskPage:
        summary = self._windows.summary(site, entry)
        document = self._windows.document_body(site, entry)
        return TaskPage(entry.id, entry.content_digest, summary, document)

    def _run(self, site: str, task: Task) -> Result:
        return self._runner.run(site, task, self._settings.refit_deadline_s)[0]

    def _learn_anew(self, site: str, entry: "WindowEntry") -> bool:
        """Read a document again that was read with another page model; return whether that was possible."""
        document = self._windows.document(site, entry)
        learned = document and self._summarise(document)
        if not isinstance(learned, bytes):
            return False
        self._windows.put_summary(site, entry, learned)
        return True

    def refresh(self, site: str) -> list[Action]:
        """Return what follows from the present window of a site: a model, if the schedule asks for one."""
        if not model_is_due(self._windows.site_state(site)):
            return []
        return self.publish_model(site)

    def publish_model(self, site: str) -> list[Action]:
        """Return the publication of a site's model as its window is now, and the texts to compare with it.

        A site without documents has no model.
        """
        fitted = self.fit(site)
        if fitted is None:
            return []
        if isinstance(fitted, NotLearned):
            return [NotFitted(site, fitted.reason)]
        return [self._publication(*fitted), *(self._to_compare(fitted[0]))]

    def compare_texts(self, site: str) -> list[Action]:
        """Return the texts to compare with a site's latest model, after its publication if it is new."""
        fitted = self.fit(site)
        if not isinstance(fitted, tuple):
            return []
        model, _ = fitted
        is_known = model.version == self._windows.site_state(site).model_version
        return [*(() if is_known else (self._publication(*fitted),)), *self._to_compare(model)]

    def _publication(self, model: SiteModelRecord, learned: int) -> Publish:
        return Publish(
            [model], partial(self._windows.mark_fitted, model.site, learned, model.version)
        )

    def _to_compare(self, model: SiteModelRecord) -> Iterator[Compare]:
        """Yield the texts of a window that are looked at again, two times for a page at most."""
        state, known = self._windows.site_state(model.site), self._book.of(model.site)
        if not self._settings.revisions or (known is not None and not known.uses_newest_model):
            return
        for entry in self._windows.window_entries(model.site):
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
                yield Compare(model, entry, reason)

    def revision(self, text: Compare) -> Publish | None:
        """Return the publication of a text that a newer model changes enough; None where it stays."""
        model, entry = text.model, text.entry
        document = self._windows.document(model.site, entry)
        if document is None:
            return None
        result = self.revise(document, model)
        if isinstance(result, ReviseResult) and result.changed_ratio >= REVISIONS.changed_ratio_min:
            return self._republication(document, model, result.cleaned, text.reason)
        self._windows.mark_looked_at(model.site, entry, model.documents)
        return None

    def next_superseded(self) -> list[Action]:
        """Return the publication of the newest text of a URL whose last output may be of an older fetch.

        Ask again until nothing comes.
        """
        outbox = self._windows.outbox
        while self._settings.revisions and (superseded := outbox.superseded(1)):
            [(key, url)] = superseded
            newest = self._newest(key, url)
            if newest is not None:
                return [newest, Publish([], partial(outbox.drop_superseded, [key]))]
            outbox.drop_superseded([key])
        return []

    def next_of_outbox(self) -> list[Action]:
        """Return tombstones of documents that have left their windows, and documents that the topic has lost.

        Ask again until nothing comes.
        """
        outbox = self._windows.outbox
        if keys := outbox.nulls(_TOMBSTONES_AT_ONCE):
            return [Forget(keys, partial(outbox.drop, keys))]
        actions: list[Action] = []
        for key in outbox.documents():
            document = self._windows.document_of(key)
            records = [] if document is None else self._fitting(document)
            actions.append(Publish(records, partial(outbox.mark_sent, key)))
        return actions

    def _newest(self, url_key: bytes, url: str) -> Publish | None:
        """Return the newest text of a URL with the site's model as it is now, or its deletion."""
        site = site_of_key(url_key)
        newest = self._windows.newest(site, url_key)
        if newest is None:
            return None
        if not isinstance(newest, DocumentRecord):
            deletion = DeletedRecord(url=url, site=site, id=newest, source=Source.parse(newest))
            return Publish([deletion], _nothing)
        fitted, known = self.fit(site), self._book.of(site)
        model = fitted[0] if isinstance(fitted, tuple) else None
        model = known.model(model) if known else model
        if model is None:
            return None
        result = self.revise(newest, model)
        if not isinstance(result, ReviseResult):
            return None
        return self._republication(newest, model, result.cleaned, "superseded")

    def revise(self, document: DocumentRecord, model: SiteModelRecord) -> Result:
        """Return what a model makes of a document."""
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

    def _republication(
        self, document: DocumentRecord, model: SiteModelRecord, cleaned: CleanResult, reason: str
    ) -> Publish:
        """Return the publication of a text, and of its document, in place of those before.

        The text goes first: a document that says more than was published would hide a loss. With the new
        document a window that is rebuilt from the topic knows what was published last.
        """
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
        if self._message_limit_bytes is not None:
            record = fit_message(record, self._message_limit_bytes)
        done = partial(self._mark_revised, revised)
        return Publish([record, *self._fitting(revised)], done, revised.headers)

    def _fitting(self, document: DocumentRecord) -> list[DocumentRecord]:
        """Return the document, or nothing where it is too large for a message."""
        limit_bytes = self._message_limit_bytes
        if limit_bytes is None or len(encode_msgpack(document)) <= limit_bytes - ENVELOPE_BYTES:
            return [document]
        return []

    def _mark_revised(self, document: DocumentRecord) -> None:
        known = self._windows.known(document)
        if known is not None:
            self._windows.replace(document, known, None)


def _nothing() -> None:
    """Note nothing."""


def _is_success(page: Page) -> bool:
    return 200 <= page.status < 300


def _first_pages(pages: Sequence[Page], settings: Settings) -> list[Page]:
    """Return the first pages, deletions aside, up to the bounds of what is cleaned together."""
    first: list[Page] = []
    room_bytes = settings.burst_bytes
    for page in pages:
        if page.is_deletion:
            continue
        if len(first) >= settings.burst_pages_max or room_bytes <= 0:
            break
        first.append(page)
        room_bytes -= len(page.body or b"")
    return first


def _provisional_model(pages: Sequence[Page], result: BurstResult) -> SiteModelRecord:
    times_ms = [page.event_time_ms for page in pages]
    return SiteModelRecord(
        site=pages[0].site,
        version=result.version,
        documents=result.documents,
        first_event_time_ms=min(times_ms),
        last_event_time_ms=max(times_ms),
        body=result.body,
    )


def _stage(exception: str) -> str:
    return "clean" if exception in {"DeadlineExceeded", "ProcessDied"} else "decode"


def _deleted_record(page: Page) -> DeletedRecord:
    return DeletedRecord(
        url=page.url,
        site=page.site,
        id=page.id,
        source=page.source,
        fetched_at=page.fetched_at,
    )


def _deleted(page: Page) -> Deleted:
    return Deleted(
        record=_deleted_record(page),
        document=DocumentRecord(
            kind="deletion",
            url=page.url,
            site=page.site,
            id=page.id,
            source=page.source,
            event_time_ms=page.event_time_ms,
            headers=list(page.headers),
        ),
    )


def _warnings(page: Page, result: CleanResult, *, learned: bool) -> list[Warning_]:
    warnings: list[Warning_] = [*result.warnings, *page.warnings]
    if page.status >= 400 and "error-page" not in warnings:
        warnings.append("error-page")
    if not learned and result.document is not None:
        warnings.append("not-learned")
    return warnings


def _new(entries: "Sequence[WindowEntry]", state: SiteState) -> range:
    """Return the indexes of documents that a child can hardly know, because they came after the last fit."""
    return range(max(len(entries) - (state.learned - state.fitted_at), 0), len(entries))


def _not_learned(result: Result) -> NotLearned:
    return NotLearned(result.message if isinstance(result, Failure) else type(result).__name__)
