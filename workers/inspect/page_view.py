"""One page with what its site knows, ready to be shown."""

from difflib import get_close_matches

import msgspec

from templ_core.dom.decode.decode_page import decode_page
from templ_core.dom.document import Document, parse_document
from templ_core.errors import PageError
from templ_core.explain.page_explanation import explain_page
from templ_core.explain.window_pages import EvidencePages, evidence_pages
from templ_core.metadata.page_metadata import read_metadata
from templ_core.site_key import site_key
from templ_core.site_level.strings.string_table import NO_STRINGS
from workers.errors import InputProblem
from workers.inspect.frame_tree import (
    FrameEvent,
    events_of_document,
    events_of_markup,
    style_sheets,
)
from workers.inspect.page_report import PageFacts, page_report
from workers.inspect.report_parts import time_text
from workers.inspect.site_view import SiteView, stored_kind
from workers.processes.core_config import config_of
from workers.processes.page_model import page_model_of, read_model_file
from workers.settings import Settings

_URLS_NAMED = 3
_CRAWLED = "The frame shows the page as crawled, without what would have to be fetched."
_KEPT = (
    "The frame shows the document that the window keeps, which has blocks and text but neither links "
    "nor style; give the page as a file to see it as crawled."
)


class PageRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Which page is to be shown."""

    url: str
    site: str | None
    """Site key; None = by the URL."""
    body: bytes | None
    """The page as fetched; None = the one of the window."""
    content_type: str | None

    @property
    def site_key(self) -> str:
        """The key of the page's site."""
        return self.site or site_key(self.url)


class _Shown(msgspec.Struct, frozen=True, kw_only=True):
    """A document, and its markup where that is known."""

    document: Document
    markup: str | None
    metadata: dict[str, str]
    kind: str | None = None
    """What the markup of a page of the window calls it, where that was kept."""


def view_page(
    request: PageRequest, view: SiteView | None, settings: Settings, navigation: str = ""
) -> str:
    """Return the report of a page as HTML.

    Args:
        request: The page.
        view: Its site; None = it is cleaned as a page of a new site.
        settings: Page model, limits and the choice about comments.
        navigation: HTML before the report.

    Raises:
        InputProblem: The page cannot be read, or the window has no such page.
    """
    shown = _read(request, settings) if request.body is not None else _find(request, view)
    page_model = page_model_of(read_model_file(settings.page_model))
    model, own = view.used_model() if view else None, None
    if view and view.settings:
        kind = read_metadata(shown.document, request.url).kind if shown.markup else shown.kind
        own, model = view.settings.settings.of_page(kind, model)
    config = config_of(settings)
    explained = explain_page(shown.document, model, config, page_model, own)
    window = view.documents() if view else ()
    pages: EvidencePages = evidence_pages(
        explained,
        ((record.url, document) for record, document in window),
        model.strings if model else NO_STRINGS,
    )
    cuts = {one.number: one.cuts for one in explained.segments if one.cuts}
    events, source = _events(shown, cuts)
    facts = PageFacts(
        url=request.url,
        site=request.site_key,
        site_model_version=model.version if model else None,
        site_settings_version=own.version if own else None,
        events=events,
        sheets=style_sheets(shown.markup) if shown.markup else (),
        source=source,
        navigation=navigation,
        metadata={"language": shown.document.language or "not declared", **shown.metadata},
    )
    return page_report(explained, facts, pages)


def _read(request: PageRequest, settings: Settings) -> _Shown:
    try:
        decoded = decode_page(
            request.body or b"",
            content_type=request.content_type,
            charset=None,
            content_encoding=None,
            limit_bytes=settings.page_limit_bytes,
        )
        markup = decoded.markup.decode()
        document = parse_document(markup, request.url)
    except PageError as error:
        raise InputProblem(f"{request.url} was refused: {type(error).__name__}: {error}") from None
    return _Shown(document=document, markup=markup, metadata={})


def _find(request: PageRequest, view: SiteView | None) -> _Shown:
    """Return the newest document of a URL in the window of its site."""
    if view is None:
        raise InputProblem(
            f"{request.url}: give --state or --broker, where the page is looked up; nothing is fetched"
        )
    known = {record.url: (record, document) for record, document in view.documents()}
    if request.url not in known:
        near = get_close_matches(request.url, list(known), _URLS_NAMED, 0.3)
        advice = f"; there is {', '.join(near)}" if near else ""
        raise InputProblem(f"the window of {view.site} has no page {request.url}{advice}")
    record, document = known[request.url]
    return _Shown(
        document=document,
        markup=None,
        kind=stored_kind(record, document),
        metadata={
            "fetched": time_text(record.event_time_ms),
            "last published with": record.site_model_version or "the page model alone",
            "revision": str(record.revision),
            "source": str(record.source),
        },
    )


def _events(
    shown: _Shown, cuts: dict[int, tuple[tuple[int, int], ...]]
) -> tuple[list[FrameEvent], str]:
    """Return the page for the frame, and a sentence that says what it is."""
    if shown.markup is not None:
        events = events_of_markup(shown.markup, shown.document, cuts)
        if events is not None:
            return events, _CRAWLED
    return events_of_document(shown.document, cuts), _KEPT
