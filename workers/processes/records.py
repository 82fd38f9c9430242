"""The records of a page that was cleaned: its text, and what its site learns from."""

from collections.abc import Sequence
from typing import Any, cast

import msgspec
import numpy as np

from schemas.cleaned import (
    CleanedRecord,
    Fingerprint,
    Link,
    Observed,
    PageKind,
    RevisionReason,
    TextSegment,
    Warning_,
)
from schemas.codec import encode_json, encode_msgpack
from schemas.document import DocumentRecord
from templ_core.clean_document import CleanedText
from templ_core.config import CoreConfig
from templ_core.dom.codec import compress_columns, document_columns
from templ_core.dom.document import Document
from templ_core.dom.kept_text import render_text
from templ_core.fingerprint import simhash
from templ_core.page_details import encode_details
from templ_core.page_level.smoothing import section_numbers
from templ_core.page_quality import page_quality
from templ_core.rendering.chunks import markdown_chunks
from templ_core.rendering.cleaned_html import render_html
from templ_core.rendering.links import page_links
from templ_core.rendering.markdown import render_markdown
from templ_core.rendering.outline import Outline
from templ_core.site_level.fusion.site_columns import RECURS
from templ_core.site_level.window.page_summary import PageSummary, encode_page_summary
from templ_core.stored.compact import content_digest
from workers.page import Page
from workers.processes.messages import PageTask, ReviseTask
from workers.processes.options import RecordForms

_SECTION_PENALTY = CoreConfig().section_penalty
_CONFIDENCE_DECIMALS = 4
"""The confidence is rounded so that every machine gives an equal record."""
_TITLE_BYTES = 8 << 10
"""Longest title in a record that would not fit a message otherwise."""


class RecordMaker(msgspec.Struct, frozen=True, kw_only=True):
    """Makes the records of one page that was cleaned."""

    task: PageTask | ReviseTask
    """What was to be done."""
    page: Page | DocumentRecord
    """The page of the task, or the document that was made of it."""
    document: Document
    cleaned: CleanedText
    page_model_version: str

    def record(
        self,
        warnings: Sequence[str] = (),
        revision: int = 0,
        reason: RevisionReason | None = None,
        *,
        is_learned: bool = True,
    ) -> CleanedRecord:
        """Return the record that is published for the page.

        Args:
            warnings: Warnings besides those of the text.
            revision: How often a text of this page was published before.
            reason: Why it is published again; None for the first text.
            is_learned: Whether its site learns from the page.
        """
        page, cleaned, text = self.page, self.cleaned, self.cleaned.text
        options, model, settings = self.task.options, self.task.model, self.task.settings
        kept, key = int(np.count_nonzero(cleaned.decision.kept)), simhash(text)
        all_warnings = list(dict.fromkeys([*cleaned.warnings, *warnings]))
        record = CleanedRecord(
            url=page.url,
            site=page.site,
            fetched_at=page.fetched_at,
            id=page.id,
            title=self.document.title,
            text=text,
            method="site" if cleaned.decision.used_site else "page",
            confidence=round(cleaned.decision.confidence, _CONFIDENCE_DECIMALS),
            revision=revision,
            revision_reason=reason,
            source=page.source,
            site_model_version=model.version if model else None,
            page_model_version=self.page_model_version,
            cleaner_version=options.cleaner_version,
            fingerprint=None
            if key is None
            else Fingerprint(algorithm="simhash64-3gram", bits=64, value=f"{key:016x}"),
            warnings=cast("list[Warning_]", all_warnings),
            chars_in=cleaned.chars_in,
            chars_out=len(text),
            blocks_kept=kept,
            blocks_removed=len(self.document.segments.texts) - kept,
            site_settings_version=settings.version if settings else msgspec.UNSET,
            observed=self._observed() if is_learned and options.forms.observed else msgspec.UNSET,
            quality=page_quality(cleaned.quality_inputs) or msgspec.UNSET,
            records=cleaned.records or msgspec.UNSET,
            **self._fields(options.forms),
        )
        room_bytes = options.record_limit_bytes
        return record if room_bytes is None else fit_message(record, room_bytes)

    def _fields(self, forms: RecordForms) -> dict[str, Any]:
        """Return the fields of the record that its forms ask for."""
        decision = self.cleaned.decision
        outline = Outline(
            self.document, decision.kept, decision.cuts, self.page.url, decision.by_setting
        )
        has_markdown = "markdown" in forms.text_forms
        markdown = render_markdown(outline) if has_markdown or forms.chunks else ""
        has_links = forms.links and self.document.marks is not None
        return {
            "page_type": cast("PageKind | None", self.cleaned.page_type),
            "metadata": self.cleaned.metadata if forms.metadata else None,
            "markdown": markdown if has_markdown else None,
            "html": render_html(outline) if "html" in forms.text_forms else None,
            "links": _links(outline) if has_links else None,
            "chunks": markdown_chunks(markdown) if forms.chunks else msgspec.UNSET,
            "segments": _segments(self.document, self.cleaned) if forms.segments else None,
        }

    def _observed(self) -> Observed:
        """Return what a watcher needs besides the text.

        Listings repeat the texts of other pages, so only articles show whether a site repeats itself.
        """
        document, decision, model = self.document, self.cleaned.decision, self.task.model
        words = decision.words * decision.kept
        total = float(words.sum())
        repeated_ratio = None
        if decision.site is not None and total and self.cleaned.page_type == "article":
            repeated = float(decision.site.columns[RECURS] @ words) / total
            repeated_ratio = round(min(repeated, 1.0), _CONFIDENCE_DECIMALS)
        whole = decision.kept.copy()
        whole[list(decision.cuts or ())] = False
        metadata = self.cleaned.metadata
        return Observed(
            charset=document.charset or None,
            repeated_ratio=repeated_ratio,
            language=metadata.language if metadata and document.language else None,
            left_out=[
                text
                for text, is_whole in zip(document.segments.texts, whole, strict=True)
                if not is_whole
            ],
            design=model.design if model else None,
        )

    def learned(self, page: Page, summary: PageSummary) -> DocumentRecord | None:
        """Return what a site learns from a page; None where that is too large.

        The summary and the details are left out of a large one: the refresher can do without them.
        A record that is not sent is compressed in its window only.
        """
        limit_bytes = self.task.options.document_limit_bytes
        is_sent = self.task.options.record_limit_bytes is not None
        learned = self._document(page, summary, compressed=is_sent)
        if len(encode_msgpack(learned)) <= limit_bytes:
            return learned
        learned = self._document(page, summary, compressed=True)
        for field in ("summary", "details"):
            if len(encode_msgpack(learned)) <= limit_bytes:
                return learned
            learned = msgspec.structs.replace(learned, **{field: b""})
        return learned if len(encode_msgpack(learned)) <= limit_bytes else None

    def _document(self, page: Page, summary: PageSummary, *, compressed: bool) -> DocumentRecord:
        columns, version = document_columns(self.document), self.page_model_version
        return DocumentRecord(
            kind="document",
            url=page.url,
            site=page.site,
            id=page.id,
            source=page.source,
            event_time_ms=page.event_time_ms,
            fetched_at=page.fetched_at,
            content_digest=content_digest(columns),
            place_pages=self.cleaned.decision.place_pages,
            new_runs=self.cleaned.decision.new_runs,
            body=compress_columns(columns) if compressed else columns,
            summary=encode_page_summary(summary, version, compressed=compressed),
            details=encode_details(
                self.document, self.cleaned.metadata, self.cleaned.kind, compressed=compressed
            ),
            headers=list(page.headers),
            **self.said(),
        )

    def said(self) -> dict[str, Any]:
        """Return the fields of a document that say what was made of it: what is kept, and by which models."""
        model = self.task.model
        return {
            "kept": np.packbits(self.cleaned.decision.kept).tobytes(),
            "site_model_version": model.version if model else None,
            "model_documents": model.documents if model else 0,
            "page_model_version": self.page_model_version,
        }


def published_text(record: DocumentRecord, document: Document) -> str:
    """Return the text of a document as it was published last, with the sentences that were cut out of it."""
    kept = np.unpackbits(np.frombuffer(record.kept, np.uint8), count=len(document.segments.texts))
    return render_text(document, kept.astype(np.bool_))


def _links(outline: Outline) -> list[Link]:
    return [
        Link(text=link.text, url=link.url, place="content" if link.is_content else "template")
        for link in page_links(outline)
    ]


def _segments(document: Document, cleaned: CleanedText) -> list[TextSegment]:
    decision = cleaned.decision
    sections = section_numbers(document, decision.kept, decision.words, _SECTION_PENALTY)
    return [
        TextSegment(
            text=text,
            kept=bool(kept),
            templateness=round(float(templateness), 4),
            reason=reason,
            section=int(section),
        )
        for text, kept, templateness, reason, section in zip(
            document.segments.texts,
            decision.kept,
            decision.templateness,
            decision.reasons,
            sections,
            strict=True,
        )
    ]


def fit_message(record: CleanedRecord, room_bytes: int) -> CleanedRecord:
    """Return a record of at most this number of bytes in JSON.

    Segments go first, then the links, the other forms of the text, its records and the text that was left out, then the
    metadata; at last the title and the text are cut. A warning says what was done.
    """
    if len(encode_json(record)) <= room_bytes:
        return record
    forms = dict.fromkeys(("links", "markdown", "html"))
    unset: dict[str, Any] = dict.fromkeys(("records", "chunks", "observed"), msgspec.UNSET)
    if isinstance(record.observed, Observed):
        unset["observed"] = msgspec.structs.replace(record.observed, left_out=None)
    steps: dict[Warning_, dict[str, Any]] = {
        "segments-dropped": {"segments": None},
        "forms-dropped": {**forms, **unset},
    }
    for warning, left_out in steps.items():
        if any(getattr(record, name) for name in left_out):
            record = _with(record, warning, **left_out)
            if len(encode_json(record)) <= room_bytes:
                return record
    record = _with(record, "truncated", metadata=None, title=_cut(record.title, _TITLE_BYTES))
    rest_bytes = len(encode_json(msgspec.structs.replace(record, text="")))
    text = _cut(record.text, room_bytes - rest_bytes)
    return msgspec.structs.replace(record, text=text, chars_out=len(text))


def _with(record: CleanedRecord, warning: Warning_, **fields: Any) -> CleanedRecord:
    return msgspec.structs.replace(record, warnings=[*record.warnings, warning], **fields)


def _cut(text: str, room_bytes: int) -> str:
    """Return the longest beginning of `text` that takes at most `room_bytes` as JSON."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if len(msgspec.json.encode(text[:middle])) <= max(room_bytes, 2):
            low = middle
        else:
            high = middle - 1
    return text[:low]
