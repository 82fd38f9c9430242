"""The report of one page: the page in a frame, what was decided about each segment, and its clean text."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from urllib.parse import urlencode

import msgspec
from markupsafe import Markup

from templ_core.dom.decode.decode_page import decode_page
from templ_core.dom.document import Document, parse_document
from templ_core.errors import PageError
from templ_core.explain.elements import proposed_rule
from templ_core.explain.page_explanation import (
    EvidencePages,
    InputWeight,
    PageExplanation,
    SegmentExplanation,
    SiteFacts,
    evidence_pages,
    explain_page,
)
from templ_core.metadata.markup import PageMarkup
from templ_core.site_key import site_key
from templ_core.site_level.strings.string_evidence import NO_STRINGS, StringEvidence
from workers.errors import InputProblem, PageProblem
from workers.inspect.frame import Mark, frame_document
from workers.inspect.frame_tree import events_of_document, events_of_markup, style_sheets
from workers.inspect.html_templates import render, shortened, time_text
from workers.inspect.site_view import CleaningVariant, SiteView, stored_kind
from workers.log_lines import counted
from workers.settings import Settings

_URLS_NAMED = 3
_UNSURE = 0.2
"""A decision is close whose templateness is no further from one half."""
_STRING_CHARS = 400
_TITLES = {
    "kept": "kept",
    "removed": "removed",
    "cut": "cut in part",
    "unsure": "close decisions",
    "has-tree": "text in the tree template",
    "has-string": "repeated strings",
    "has-text": "text on other pages",
}


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
    document: Document
    markup: str | None
    metadata: dict[str, str]
    kind: str | None = None
    """What the markup of a page of the window calls it, where that was kept."""


def page_report(
    request: PageRequest,
    view: SiteView | None,
    settings: Settings,
    navigation: Markup | None = None,
) -> Markup:
    """Return the report of a page as one HTML page that runs nothing and fetches nothing.

    Without a view of its site, the page is cleaned as that of a new site.

    Raises:
        PageProblem: The page cannot be cleaned because of what it holds.
        InputProblem: The window has no such page.
    """
    shown = _read(request, settings) if request.body is not None else _find(request, view)
    variant, model, own = CleaningVariant.of(settings), None, None
    if view:
        kind = PageMarkup(shown.document).kind if shown.markup else shown.kind
        own, model = view.cleaning_of(kind, view.used_model())
    explained = explain_page(shown.document, model, variant.config, variant.page_model, own)
    window = view.documents() if view else ()
    pages: EvidencePages = evidence_pages(
        explained,
        ((record.url, document) for record, document in window),
        model.strings if model else NO_STRINGS,
    )
    cuts = {segment.number: segment.cuts for segment in explained.segments if segment.cuts}
    events = None
    if shown.markup is not None:
        events = events_of_markup(shown.markup, shown.document, cuts)
    marks = page_marks(explained)
    counts = Counter(name for mark in marks for name in mark.groups)
    filters = [name for name in _TITLES if name in counts] + sorted(counts.keys() - _TITLES.keys())
    types = ", ".join(f"{name} {share:.0%}" for name, share in explained.page_types.items())
    metadata = {
        "title": explained.title,
        "site": request.site_key,
        "page type": types,
        "confidence": f"{explained.confidence:.3f}",
        "warnings": ", ".join(explained.warnings) or "none",
        "site model": (model.version if model else None) or "none",
        "site settings": (own.version if own else None) or "none",
        "language": shown.document.language or "not declared",
        **shown.metadata,
    }
    return render(
        "inspect/templates/page_report.html",
        title=explained.title or request.url,
        navigation=navigation,
        url=request.url,
        site=request.site_key,
        explained=explained,
        filters={name: _TITLES.get(name) or name.removeprefix("reason-") for name in filters},
        counts=counts,
        frame=frame_document(
            events if events is not None else events_of_document(shown.document, cuts),
            marks,
            filters,
            style_sheets(shown.markup) if shown.markup else (),
        ),
        is_as_crawled=events is not None,
        segments=zip(explained.segments, marks, strict=True),
        decision=_decision,
        rule_links=_rule_links if navigation else None,
        evidence_lines=lambda segment: evidence_lines(segment, explained.site),
        name_of=_name,
        pages_with=lambda segment: _pages_with(segment, pages),
        metadata=metadata,
    )


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
        raise PageProblem(f"{request.url} was refused: {type(error).__name__}: {error}") from None
    return _Shown(document=document, markup=markup, metadata={})


def _find(request: PageRequest, view: SiteView | None) -> _Shown:
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


def page_marks(explained: PageExplanation) -> list[Mark]:
    """Return how the segments of a page are shown in its frame."""
    site = explained.site
    return [
        Mark(groups=segment_groups(segment, site), hint=hint(segment, site))
        for segment in explained.segments
    ]


def segment_groups(segment: SegmentExplanation, site: SiteFacts | None) -> tuple[str, ...]:
    """Return the names of the filters that show a segment."""
    trees = site.trees if site else None
    groups = {
        "kept": segment.kept,
        "removed": not segment.kept,
        "cut": segment.kept and bool(segment.cuts),
        "unsure": abs(segment.templateness - 0.5) <= _UNSURE,
        f"reason-{segment.reason}": True,
        "has-tree": trees is not None and trees.text_pages[segment.number] > 0,
        "has-string": bool(segment.strings),
        "has-text": site is not None and site.segments.places.text_pages[segment.number] > 0,
    }
    return tuple(name for name, is_so in groups.items() if is_so)


def hint(segment: SegmentExplanation, site: SiteFacts | None) -> str:
    """Return what was decided about a segment and why, as a few lines of text."""
    return "\n".join([f"#{segment.number} {_decision(segment)}", *evidence_lines(segment, site)])


def evidence_lines(segment: SegmentExplanation, site: SiteFacts | None) -> list[str]:
    """Return the evidence about a segment, as sentences without the pages that have it."""
    lines = [f"In {' > '.join(segment.elements)}."]
    if segment.rule:
        lines.append(f"The rule of the site's settings that decides: {segment.rule}.")
    if segment.inputs:
        strongest = [f"{_name(item)} {item.log_odds:+.2f}" for item in segment.inputs[:3]]
        lines.append(f"Strongest: {', '.join(strongest)}.")
    lines.append(
        f"The page alone: log-odds {segment.page_log_odds:+.2f}; "
        f"site's weight {segment.site_weight:.0%}."
    )
    lines.append(
        f"Section {segment.section}, mean templateness {segment.section_templateness:.2f}."
    )
    if site is not None:
        lines += _site_lines(segment, site)
    if segment.roles:
        lines.append(f"Text role: {', '.join(segment.roles)}.")
    return lines


def _site_lines(segment: SegmentExplanation, site: SiteFacts) -> Iterator[str]:
    """Yield the evidence of the site about a segment."""
    number, places, trees = segment.number, site.segments.places, site.trees
    if trees is not None:
        content = 1 / (1 + math.exp(-trees.log_odds[number]))
        yield (
            f"Tree template: {trees.place_pages[number]} of {counted(trees.pages, 'page')} have a text at this "
            f"place, {trees.text_pages[number]} of them this one; content {content:.0%}."
        )
    constant = ", constant" if places.constant[number] else ""
    yield (
        f"Place: it is on {counted(places.path_pages[number], 'page')}, content {places.content[number]:.0%}{constant}; "
        f"the text is on {_known(places.text_pages[number])}, with any numbers on {_known(places.shape_pages[number])}; "
        f"{'inside' if site.is_in_best_container(number) else 'outside'} the best container."
    )
    strings = site.segments.strings
    if strings.usual_words[number] or segment.strings:
        yield f"Strings: {'; '.join(_repetition(strings, number))}."


def _repetition(strings: StringEvidence, number: int) -> Iterator[str]:
    """Yield the evidence of the site's strings about a segment."""
    few, some = strings.few.share[number], strings.some.share[number]
    if strings.usual_words[number]:
        words = counted(strings.usual_words[number], "word")
        yield f"it is in a string of {words} that most pages have"
    if few:
        run_words = round(strings.few.run_words[number])
        yield (
            f"strings of few pages cover {few:.0%} of it, those of some pages {some:.0%}, "
            f"{counted(run_words, 'word')} with the repeated prose beside it"
        )
    if strings.alike[number]:
        yield f"on {strings.alike[number]:.0%} of its pages the same text is beside it"
    if strings.listed[number]:
        yield f"the page has {strings.listed[number]:.0%} of it more than once"


def _rule_links(segment: SegmentExplanation, site: str) -> dict[str, str]:
    """Return where the console previews a rule that keeps, or removes, segments like one."""
    links = {}
    for action in ("keep", "remove"):
        rule = proposed_rule(action, segment.elements, segment.text)
        named = {"text": rule.text} if rule.selector is None else {"selector": rule.selector}
        links[f"{action} this"] = f"/rule?{urlencode({'key': site, 'action': action, **named})}"
    return links


def _decision(segment: SegmentExplanation) -> str:
    kind = "removed" if not segment.kept else "cut in part" if segment.cuts else "kept"
    return f"{kind}, templateness {segment.templateness:.2f}, decided by {segment.reason}"


def _pages_with(segment: SegmentExplanation, pages: EvidencePages) -> dict[str, Sequence[str]]:
    """Return the pages of the window that have the text of a segment, and that have each of its strings."""
    same_text = pages.texts.get(segment.text, [])
    pages_with = {"This text": same_text if same_text[1:] else []}
    for hit in segment.strings:
        pages_with[f"“{shortened(hit.text, _STRING_CHARS)}”"] = pages.strings.get(hit, [])
    return {name: urls for name, urls in pages_with.items() if urls}


def _name(item: InputWeight) -> str:
    """Return the name of an input; stored names say box for container."""
    return item.name.replace("box", "container")


def _known(pages: int) -> str:
    return counted(pages, "page") if pages else "no known page"
