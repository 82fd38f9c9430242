"""The cleaner: a page in, its cleaned record and its document out. It knows no transport."""

import logging
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Protocol

import msgspec

from schemas.cleaned import CleanedRecord, DeletedRecord, Warning_
from schemas.codec import encode_msgpack
from schemas.dead_letter import DeadLetter
from schemas.document import DocumentRecord
from schemas.site_model import SiteModelRecord
from schemas.source import Source
from templ_core.cleaner_version import cleaner_version
from workers.log_lines import lines_about, record_fields
from workers.lru_cache import LruCache
from workers.page import Page
from workers.pipeline.outputs import ENVELOPE_BYTES, cleaned_record, fit_message
from workers.pipeline.provisional_models import ProvisionalModels
from workers.processes.core_config import CONFIG, config_of
from workers.processes.messages import (
    BurstPage,
    BurstResult,
    BurstTask,
    CleanResult,
    CleanTask,
    Failure,
    StageTimes,
    TaskRunner,
)
from workers.processes.record_forms import forms_of
from workers.settings import Settings
from workers.site_settings.book import DecidedSite, SettingsBook

log = logging.getLogger("templ")

_MODELS_REPORTED = 1024
"""Site models that cannot be used and of which that was said, one log line each."""


class Cleaned(msgspec.Struct, frozen=True, kw_only=True):
    """A page was cleaned."""

    record: CleanedRecord
    document: DocumentRecord | None
    """What the site learns from; None where nothing is to be learned from the page."""
    times: StageTimes | None = None
    """When the stages ended, if that was asked for."""


class Deleted(msgspec.Struct, frozen=True, kw_only=True):
    """A page is gone."""

    record: DeletedRecord
    document: DocumentRecord | None
    """What the site learns from; None for a page of a site that is taken down."""


class Dead(msgspec.Struct, frozen=True, kw_only=True):
    """A page could not be cleaned."""

    letter: DeadLetter
    site: str | None = None
    """Site key; None where the record is not a page."""


Outcome = Cleaned | Deleted | Dead
Together = Mapping[Source, tuple[CleanResult, SiteModelRecord]]
"""What became of pages that were cleaned together, and the site model they were cleaned with."""


class ModelSource(Protocol):
    """Where a cleaner finds what is known about a site."""

    def get(self, site: str) -> SiteModelRecord | None:
        """Return the site's model, or None when there is none."""

    def origin(self, site: str) -> str:
        """Return where in `site-models` the model was read, for log messages; empty = not known."""


class NoModels:
    """A source of models that treats every site as new."""

    def get(self, site: str) -> None:
        """Return None, because nothing is known about any site."""

    def origin(self, site: str) -> str:  # noqa: ARG002
        """Return an empty string, because there are no models."""
        return ""


class Cleaner:
    """Cleans pages with what is known about their sites. Call `process` from the site's lane."""

    def __init__(
        self,
        runner: TaskRunner,
        models: ModelSource,
        settings: Settings,
        *,
        message_limit_bytes: int | None = None,
        with_segments: bool = False,
        learns: bool = True,
        book: SettingsBook | None = None,
    ) -> None:
        """Set what all pages have in common.

        Args:
            runner: Where pages are cleaned.
            models: What is known about sites.
            settings: Deadline and limits.
            message_limit_bytes: Size of the largest output message; None = any size.
            with_segments: Whether records carry their text segments.
            learns: Whether outcomes carry what sites learn from.
            book: What operators have decided about sites; None = nothing.
        """
        self._book = book or SettingsBook()
        self._runner = runner
        self._models = models
        self._settings = settings
        self._message_limit_bytes = message_limit_bytes
        self._forms = forms_of(settings, with_segments=with_segments)
        self._learns = learns
        self._config = config_of(settings)
        self._version = cleaner_version(self._config)
        self._provisional = ProvisionalModels()
        self._reported: LruCache[tuple[str, str], bool] = LruCache(_MODELS_REPORTED)

    def clean_together(self, pages: Sequence[Page]) -> Together:
        """Clean pages of one site with a model fitted on all of them, if the site is new.

        `process` cleans each page by itself that is missing in the answer. So a page that harms the
        others, or holds them up, is found and blamed alone.

        Args:
            pages: Pages of one site in the order in which they arrived.

        Returns:
            What `process` needs to know of each page; empty where the pages are too few or too alike, or
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

    def process(
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
