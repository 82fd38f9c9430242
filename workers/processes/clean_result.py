"""What a child process answers about a page: its text, its compact document and what decided."""

from typing import cast

import msgspec
import numpy as np

from schemas.cleaned import Warning_
from templ_core.clean import CleanedText
from templ_core.dom.codec import (
    compress_columns,
    content_digest,
    document_columns,
    is_storable,
)
from templ_core.dom.document import Document
from templ_core.dom.interstitials import is_error_page, is_gate
from templ_core.fingerprint import simhash
from templ_core.page_details import PageDetails
from templ_core.site_level.window.page_summary import PageSummary, encode_page_summary
from templ_core.site_settings.site_settings import SiteSettings
from workers.processes.record_forms import RecordFields, RecordForms, details_body, record_fields


class CleanedDocument(msgspec.Struct, frozen=True, array_like=True):
    """What a site learns from a page."""

    content_digest: bytes
    body: bytes
    """The document in compact form."""
    summary: bytes
    """Its page summary in compact form."""


class CleanResult(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """A cleaned page and its compact document."""

    title: str
    text: str
    used_site: bool
    """Whether evidence from other pages of the site had weight in the decision."""
    confidence: float
    """Expected word F1 of the text, 0 to 1."""
    page_model_version: str
    warnings: list[Warning_]
    chars_in: int
    """Characters of the page's visible text."""
    blocks_kept: int
    blocks_removed: int
    simhash: int | None
    """Near-duplicate key of the text; None for an empty text."""
    document: CleanedDocument | None
    """What a site learns from; None where it may not, or where the task did not ask for it."""
    kept: bytes
    """One bit for each text segment: whether the text has it."""
    fields: RecordFields = RecordFields()
    """The fields of the record that the task asked for."""
    details: bytes = b""
    """What the page's records need besides its document, in compact form."""
    model_problem: str | None = None
    """Why the page was cleaned without the site model that was sent; None where it was not."""
    site_settings_version: str | None = None
    """Version of the settings of the site that were used; None = there are none."""

    def decided_with(self, settings: SiteSettings | None) -> "CleanResult":
        """Return the result with the version of the settings that were used."""
        if settings is None:
            return self
        return msgspec.structs.replace(self, site_settings_version=settings.version)


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
        document=(
            _document(document, summary, page_model_version) if summary is not None else None
        ),
        kept=np.packbits(cleaned.decision.kept).tobytes(),
        fields=record_fields(document, cleaned, details, url, forms),
        details=details_body(details),
    )


def _document(document: Document, summary: PageSummary, page_model_version: str) -> CleanedDocument:
    columns = document_columns(document)
    return CleanedDocument(
        content_digest=content_digest(columns),
        body=compress_columns(columns),
        summary=encode_page_summary(summary, page_model_version),
    )


def may_be_learned_from(document: Document, words: int) -> bool:
    """Return whether a site may learn from a page, judging by its content.

    Args:
        document: The page.
        words: Number of words of the whole page.
    """
    return is_storable(document) and not (
        is_error_page(document, words) or is_gate(document, words)
    )
