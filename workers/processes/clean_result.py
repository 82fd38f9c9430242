"""What a child process answers about a page: its text, its compact document and what decided."""

from typing import cast

import numpy as np

from schemas.cleaned import Warning_
from templ_core.clean_document import CleanedText
from templ_core.dom.codec import (
    compress_columns,
    content_digest,
    document_columns,
)
from templ_core.dom.document import Document
from templ_core.fingerprint import simhash
from templ_core.page_details import PageDetails
from templ_core.site_level.window.page_summary import PageSummary, encode_page_summary
from workers.processes.messages import CleanedDocument, CleanResult
from workers.processes.record_fields import details_body, record_fields
from workers.processes.record_forms import RecordForms


def clean_result(
    document: Document,
    cleaned: CleanedText,
    page_model_version: str,
    details: PageDetails,
    summary: PageSummary | None = None,
    *,
    url: str,
    forms: RecordForms,
) -> CleanResult:
    """Return what the parent process needs of a cleaned page.

    Args:
        document: The page.
        cleaned: Its text, and how it came about.
        page_model_version: Version of the page model that was used.
        details: What is known of the page besides its document.
        summary: What its site learns from the page; None = nothing.
        url: Address of the page.
        forms: The fields that its record is to have.
    """
    kept = int(cleaned.decision.kept.sum())
    learned = None if summary is None else _document(document, summary, page_model_version)
    return CleanResult(
        title=document.title,
        text=cleaned.text,
        used_site=cleaned.decision.used_site,
        confidence=cleaned.confidence,
        page_model_version=page_model_version,
        warnings=cast("list[Warning_]", cleaned.warnings),
        chars_in=cleaned.chars_in,
        blocks_kept=kept,
        blocks_removed=len(document.segments.texts) - kept,
        simhash=simhash(cleaned.text),
        document=learned,
        kept=np.packbits(cleaned.decision.kept).tobytes(),
        fields=record_fields(document, cleaned, details, url, forms),
        details=b"" if learned is None else details_body(details),
        place_pages=cleaned.decision.place_pages,
    )


def _document(document: Document, summary: PageSummary, page_model_version: str) -> CleanedDocument:
    columns = document_columns(document)
    return CleanedDocument(
        content_digest=content_digest(columns),
        body=compress_columns(columns),
        summary=encode_page_summary(summary, page_model_version),
    )
