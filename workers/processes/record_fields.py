"""How the fields of a cleaned record are made that it has besides the plain text."""

from typing import cast

import msgspec

from schemas.cleaned import Link, Metadata, PageKind, TextSegment
from templ_core.clean_document import CleanedText
from templ_core.config import CoreConfig
from templ_core.decide import Decision
from templ_core.dom.document import Document
from templ_core.metadata.page_metadata import PageMetadata, read_metadata
from templ_core.metadata.placed import SitePlaces
from templ_core.page_details import PageDetails, encode_details
from templ_core.page_level.smoothing.sections import section_numbers
from templ_core.rendering.cleaned_html import render_html
from templ_core.rendering.links import page_links
from templ_core.rendering.markdown import render_markdown
from templ_core.rendering.outline import Outline
from templ_core.site_cleaner.cleaned_page import page_kind
from workers.processes.record_forms import RecordFields, RecordForms

_SECTION_PENALTY = CoreConfig().section_penalty


def page_details(
    document: Document, url: str, text: str, forms: RecordForms, places: SitePlaces | None = None
) -> PageDetails:
    """Return what must be kept of a page that was parsed, besides its document.

    Args:
        document: The page as it was parsed.
        url: Address of the page.
        text: Its clean text, in which its language is detected where it declares none.
        forms: The fields that are wanted.
        places: The places of the page and of its site; None = nothing is known about the site.
    """
    metadata = read_metadata(document, url, text, places) if forms.metadata else None
    return PageDetails(metadata=metadata, marks=document.marks if forms.needs_marks else None)


def details_body(details: PageDetails) -> bytes:
    """Return the details of a page in compact form."""
    return encode_details(details)


def record_fields(
    document: Document, cleaned: CleanedText, details: PageDetails, url: str, forms: RecordForms
) -> RecordFields:
    """Return the fields of a record that its forms ask for.

    Args:
        document: The page.
        cleaned: Its text, and how it came about.
        details: What is known of the page besides its document.
        url: Address of the page.
        forms: The fields that are wanted.
    """
    decision = cleaned.decision
    outline = Outline(document, decision.kept, decision.cuts, details.marks, url)
    return RecordFields(
        page_type=_kind(decision, details.metadata),
        metadata=_public(details.metadata) if forms.metadata else None,
        markdown=render_markdown(outline) if forms.markdown else None,
        html=render_html(outline) if forms.html else None,
        links=_links(outline) if forms.links and details.marks is not None else None,
        segments=_segments(document, cleaned) if forms.segments else None,
    )


def _kind(decision: Decision, metadata: PageMetadata | None) -> PageKind | None:
    """Return what a page is, or None for a page without text."""
    if not len(decision.kept):
        return None
    return cast("PageKind", page_kind(decision.page_type, metadata))


def _public(metadata: PageMetadata | None) -> Metadata | None:
    if metadata is None:
        return None
    values = {name: getattr(metadata, name) for name in Metadata.__struct_fields__}
    stated = {name: value for name, value in values.items() if value is not None}
    return msgspec.convert(stated, Metadata, from_attributes=True)


def _links(outline: Outline) -> list[Link]:
    return [
        Link(text=one.text, url=one.url, place="content" if one.is_content else "template")
        for one in page_links(outline)
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
