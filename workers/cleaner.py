"""The cleaner: a page in, its cleaned record and its document out. Knows no transport."""

import hashlib
from typing import Protocol

import msgspec

from schemas.cleaned import CleanedRecord, DeletedRecord, Fingerprint
from schemas.codec import encode_json, encode_msgpack
from schemas.dead_letter import DeadLetter
from schemas.document import DocumentRecord
from schemas.site_model import SiteModelRecord
from templ_core.clean import cleaner_version
from templ_core.fingerprint import BITS
from workers.page import Page
from workers.settings import Settings
from workers.tasks import CleanResult, CleanTask, Failure, TaskRunner, config_with

ENVELOPE_BYTES = 16 << 10
"""Room in a message for keys, headers and the fields beside its large one."""

_CONFIDENCE_DECIMALS = 4
"""Every machine gives the same record."""
_TITLE_BYTES = 8 << 10
"""What a title keeps where the record does not fit a message."""


class Cleaned(msgspec.Struct, frozen=True, kw_only=True):
    """A page was cleaned."""

    record: CleanedRecord
    document: DocumentRecord | None
    """What to learn from; None where the page must not teach."""


class Deleted(msgspec.Struct, frozen=True, kw_only=True):
    """A page is gone."""

    record: DeletedRecord
    document: DocumentRecord


class Dead(msgspec.Struct, frozen=True, kw_only=True):
    """A page could not be cleaned."""

    letter: DeadLetter


Outcome = Cleaned | Deleted | Dead


class ModelSource(Protocol):
    """Where a cleaner finds what is known about a site."""

    def get(self, site: str) -> SiteModelRecord | None:
        """The site's model; None when there is none."""


class NoModels:
    """Every site as if it were new."""

    def get(self, site: str) -> None:
        """Nothing is known."""


class Cleaner:
    """Cleans pages with what is known about their sites; call `process` from the site's lane."""

    def __init__(
        self,
        runner: TaskRunner,
        models: ModelSource,
        settings: Settings,
        *,
        message_limit_bytes: int | None = None,
        with_segments: bool = False,
    ) -> None:
        """Set what every page has in common.

        Args:
            runner: Where pages are cleaned.
            models: What is known about sites.
            settings: Deadline and limits.
            message_limit_bytes: Largest output message; None = any size.
            with_segments: Whether records carry their text segments.
        """
        self._runner = runner
        self._models = models
        self._settings = settings
        self._message_limit_bytes = message_limit_bytes
        self._with_segments = with_segments
        self._version = cleaner_version(config_with(settings.comments))

    def process(self, page: Page) -> Outcome:
        """What becomes of a page; never raises for what a page holds."""
        if page.is_deletion:
            return _deleted(page)
        model = self._models.get(page.site)
        deadline_s = self._settings.deadline_s(len(page.body or b""))
        result, attempts = self._runner.run(page.site, self._task(page, model), deadline_s)
        if isinstance(result, CleanResult):
            return self._cleaned(page, result, model)
        if isinstance(result, Failure):
            stage = "clean" if result.kind != "refused" else _stage(result.exception)
            return Dead(
                letter=DeadLetter(
                    exception=result.exception,
                    message=result.message,
                    stage=stage,
                    attempts=attempts,
                )
            )
        raise TypeError(f"a child answered a page with {type(result).__name__}")

    def _task(self, page: Page, model: SiteModelRecord | None) -> CleanTask:
        return CleanTask(
            body=page.body or b"",
            url=page.url,
            content_type=page.content_type,
            charset=page.charset,
            content_encoding=page.content_encoding,
            limit_bytes=self._settings.page_limit_bytes,
            model_key=(model.site, model.version) if model else None,
            model_body=model.body if model else None,
            with_segments=self._with_segments,
            comments=self._settings.comments,
        )

    def _cleaned(self, page: Page, result: CleanResult, model: SiteModelRecord | None) -> Cleaned:
        document = self._document(page, result, model)
        record = CleanedRecord(
            url=page.url,
            site=page.site,
            fetched_at=page.fetched_at,
            id=page.id,
            title=result.title,
            text=result.text,
            method="site" if result.used_site else "page",
            confidence=round(result.confidence, _CONFIDENCE_DECIMALS),
            revision=0,
            source=page.source,
            site_model_version=model.version if model else None,
            page_model_version=result.page_model_version,
            cleaner_version=self._version,
            fingerprint=_fingerprint(result.simhash),
            warnings=_warnings(page, result, learned=document is not None),
            chars_in=result.chars_in,
            chars_out=len(result.text),
            blocks_kept=result.blocks_kept,
            blocks_removed=result.blocks_removed,
            segments=result.segments,
        )
        if self._message_limit_bytes is not None:
            record = fit_message(record, self._message_limit_bytes)
        return Cleaned(record=record, document=document)

    def _document(
        self, page: Page, result: CleanResult, model: SiteModelRecord | None
    ) -> DocumentRecord | None:
        if not _may_teach(page, result):
            return None
        document = DocumentRecord(
            kind="document",
            url=page.url,
            site=page.site,
            id=page.id,
            source=page.source,
            event_time_ms=page.event_time_ms,
            fetched_at=page.fetched_at,
            content_digest=result.content_digest,
            text_digest=hashlib.blake2b(result.text.encode(), digest_size=16).digest(),
            site_model_version=model.version if model else None,
            page_model_version=result.page_model_version,
            body=result.document_body,
        )
        limit_bytes = self._settings.message_limit_bytes - ENVELOPE_BYTES
        return document if len(encode_msgpack(document)) <= limit_bytes else None


def _may_teach(page: Page, result: CleanResult) -> bool:
    return result.teaches and 200 <= page.status < 300


def _stage(exception: str) -> str:
    return "clean" if exception in {"DeadlineExceeded", "ProcessDied"} else "decode"


def _deleted(page: Page) -> Deleted:
    return Deleted(
        record=DeletedRecord(url=page.url, site=page.site, id=page.id, source=page.source),
        document=DocumentRecord(
            kind="deletion",
            url=page.url,
            site=page.site,
            id=page.id,
            source=page.source,
            event_time_ms=page.event_time_ms,
        ),
    )


def _fingerprint(value: int | None) -> Fingerprint | None:
    if value is None:
        return None
    return Fingerprint(algorithm="simhash64-3gram", bits=BITS, value=f"{value:0{BITS // 4}x}")


def _warnings(page: Page, result: CleanResult, *, learned: bool) -> list:
    warnings = list(result.warnings)
    if page.status >= 400 and "error-page" not in warnings:
        warnings.append("error-page")
    if not learned and _may_teach(page, result):
        warnings.append("not-learned")
    return warnings


def fit_message(record: CleanedRecord, limit_bytes: int) -> CleanedRecord:
    """The record within the limit: without segments, then cut (text, title), with warnings.

    Args:
        record: A cleaned record.
        limit_bytes: Largest message, key and headers included.
    """
    room_bytes = limit_bytes - ENVELOPE_BYTES
    size_bytes = len(encode_json(record))
    if size_bytes > room_bytes and record.segments is not None:
        record = msgspec.structs.replace(
            record, segments=None, warnings=[*record.warnings, "segments-dropped"]
        )
        size_bytes = len(encode_json(record))
    if size_bytes > room_bytes:
        record = msgspec.structs.replace(
            record,
            title=_cut(record.title, _TITLE_BYTES),
            warnings=[*record.warnings, "truncated"],
        )
        rest_bytes = len(encode_json(msgspec.structs.replace(record, text="")))
        text = _cut(record.text, room_bytes - rest_bytes)
        record = msgspec.structs.replace(record, text=text, chars_out=len(text))
    return record


def _cut(text: str, room_bytes: int) -> str:
    """The longest beginning of `text` that takes at most `room_bytes` as JSON."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if len(msgspec.json.encode(text[:middle])) <= max(room_bytes, 2):
            low = middle
        else:
            high = middle - 1
    return text[:low]
