"""The report of one page: the page in a frame, what was decided about each segment, and its clean text."""

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape

import msgspec

from templ_core.explain.page_explanation import (
    InputWeight,
    PageExplanation,
    SegmentExplanation,
    StringFacts,
)
from templ_core.explain.window_pages import EvidencePages
from workers.inspect.frame import Mark, frame_document
from workers.inspect.frame_tree import FrameEvent
from workers.inspect.report_parts import html_page, plain_table, table
from workers.log_lines import counted

_UNSURE = 0.2
"""A decision is close whose templateness is no further from one half."""
_SNIPPET_CHARS = 90
_STRING_CHARS = 400
_URLS_SHOWN = 6
_INPUTS_SHOWN = 6

_STYLE = """
body { max-width: none; margin: 1rem auto; }
.soft { color: var(--soft); } h1 { overflow-wrap: anywhere; font-size: 1.3rem; }
.key span { padding: 0 .4rem; color: #10151a; white-space: nowrap; }
.key .k { background: #cdeccf; } .key .r { background: #f7d3cc; } .key .u { background: #f6ecb8; }
.key .c { background: #f7d3cc; text-decoration: line-through #b03a24; }
.key .n { background: #eceff2; }
.chips, .key { display: flex; flex-wrap: wrap; gap: .3rem; margin: .5rem 0; align-items: baseline; }
.chips a, .chips label { border: 1px solid var(--edge);
  border-radius: 1rem; padding: .1rem .7rem; white-space: nowrap; cursor: pointer;
  color: var(--ink); text-decoration: none; }
.chips a:hover, .chips label:hover { border-color: var(--c0); }
input[name=list] { position: absolute; opacity: 0; }
.both { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 1rem; }
.both iframe { width: 100%; height: 86vh; border: 1px solid var(--edge); background: #fff; }
.list { height: 86vh; overflow-y: auto; font-size: 14px; }
.list details { border-left: 4px solid; padding: .2rem .6rem; }
.list .kept { border-left-color: #2c9a45; } .list .removed { border-left-color: #c9482f; }
.list .cut { border-left-color: #c9a02f; }
.list summary { overflow-wrap: anywhere; } .list summary a { white-space: nowrap; } .list td, .list th { white-space: normal; padding: .1rem .5rem; }
.list ul { margin: .2rem 0 .5rem; padding-left: 1.2rem; } .list li { overflow-wrap: anywhere; }
pre.text { max-height: none; }
@media (max-width: 800px) { .both { grid-template-columns: minmax(0, 1fr); }
  .both iframe { height: 70vh; } .list { height: auto; max-height: 90vh; } }
"""
_TITLES = {
    "all": "all",
    "kept": "kept",
    "removed": "removed",
    "cut": "cut in part",
    "unsure": "close decisions",
    "has-tree": "text in the tree template",
    "has-string": "repeated strings",
    "has-text": "text on other pages",
}


class PageFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What is shown of a page besides its explanation."""

    url: str
    site: str
    site_model_version: str | None
    site_settings_version: str | None
    events: Sequence[FrameEvent]
    """The page for the frame."""
    sheets: Sequence[str]
    """Style sheets of the page."""
    source: str
    """What the frame shows, as a sentence."""
    metadata: Mapping[str, str]
    """Further facts about the page, by name."""
    navigation: str = ""
    """HTML before the report, such as links to other pages of a console."""


def page_report(explained: PageExplanation, facts: PageFacts, pages: EvidencePages) -> str:
    """Return the report of a page as one HTML page that runs nothing and fetches nothing.

    Args:
        explained: Why the page was decided as it was.
        facts: What is shown besides.
        pages: Pages of the window that have what spoke.
    """
    groups = [segment_groups(one) for one in explained.segments]
    counts = Counter(name for one in groups for name in one)
    filters = ["all", *_ordered(counts)]
    frame = frame_document(facts.events, page_marks(explained), filters[1:], facts.sheets)
    radios = "".join(
        f'<input type="radio" name="list" id="list-{name}"{" checked" if name == "all" else ""}>'
        for name in filters
    )
    hiding = "".join(
        f"#list-{name}:checked ~ .both details.e:not(.g-{name}) {{ display: none; }}\n"
        f'#list-{name}:checked ~ .chips label[for="list-{name}"] {{ border-color: var(--c0); }}\n'
        for name in filters
    )
    entries = "".join(
        _entry(one, own, pages) for one, own in zip(explained.segments, groups, strict=True)
    )
    body = (
        f"{facts.navigation}<h1>{escape(explained.title or facts.url)}</h1>"
        f'<p class="soft">{escape(facts.url)}</p><p>{escape(_summary(explained, facts))}</p>'
        f"{_KEY}{radios}{_chips(filters, counts, len(groups))}"
        f'<div class="both"><div><iframe name="page" sandbox="" referrerpolicy="no-referrer" '
        f'title="The page, with its decisions" srcdoc="{escape(frame)}"></iframe>'
        f'<p class="soft">{escape(facts.source)} It runs no scripts and fetches nothing.</p></div>'
        f'<div class="list">{entries}</div></div>'
        f'<h2>Clean text</h2><pre class="text">{escape(explained.text) or "(none)"}</pre>'
        f"<h2>Metadata</h2>{_metadata(explained, facts)}"
    )
    return html_page(f"templ: {explained.title or facts.url}", body, _STYLE + hiding)


def page_marks(explained: PageExplanation) -> list[Mark]:
    """Return how the segments of a page are shown in its frame."""
    marks = []
    for one in explained.segments:
        own = segment_groups(one)
        marks.append(Mark(kept=one.kept, is_unsure="unsure" in own, groups=own, hint=hint(one)))
    return marks


def segment_groups(one: SegmentExplanation) -> tuple[str, ...]:
    """Return the names of the filters that show a segment."""
    found = {
        "kept": one.kept,
        "removed": not one.kept,
        "cut": one.kept and bool(one.cuts),
        "unsure": abs(one.templateness - 0.5) <= _UNSURE,
        f"reason-{one.reason}": True,
        "has-tree": one.tree is not None and one.tree.text_pages > 0,
        "has-string": bool(one.strings),
        "has-text": one.place is not None and one.place.text_pages > 0,
    }
    return tuple(name for name, is_so in found.items() if is_so)


def hint(one: SegmentExplanation) -> str:
    """Return what was decided about a segment and why, as a few lines of text."""
    return "\n".join([f"#{one.number} {_decision(one)}", *evidence_lines(one)])


def evidence_lines(one: SegmentExplanation) -> list[str]:
    """Return what spoke about a segment, as sentences without the pages that have it."""
    lines = [f"In {' > '.join(one.elements)}."]
    if one.rule:
        lines.append(f"The rule of the site's settings that decides: {one.rule}.")
    if one.inputs:
        strongest = [f"{_name(item)} {item.log_odds:+.2f}" for item in one.inputs[:3]]
        lines.append(f"Strongest: {', '.join(strongest)}.")
    lines.append(
        f"The page alone: log-odds {one.page_log_odds:+.2f}; site's weight {one.site_weight:.0%}."
    )
    lines.append(f"Section {one.section}, mean templateness {one.section_templateness:.2f}.")
    if one.tree is not None:
        lines.append(
            f"Tree template: {one.tree.place_pages} of {counted(one.tree.cluster_pages, 'page')} have a text at this "
            f"place, {one.tree.text_pages} of them this one; content {one.tree.content:.0%}."
        )
    if one.place is not None:
        place = one.place
        constant = ", constant" if place.is_constant else ""
        lines.append(
            f"Place: it is on {counted(place.path_pages, 'page')}, content {place.content:.0%}{constant}; "
            f"the text is on {_known(place.text_pages)}, with any numbers on {_known(place.shape_pages)}; "
            f"{'inside' if place.in_best_container else 'outside'} the best container."
        )
    if one.repetition is not None and (one.repetition.usual_words or one.strings):
        lines.append(_repetition(one.repetition))
    if one.roles:
        lines.append(f"Text role: {', '.join(one.roles)}.")
    return lines


def _repetition(found: StringFacts) -> str:
    """Return what the strings of the site say about a segment, as a sentence."""
    parts = []
    if found.usual_words:
        words = counted(found.usual_words, "word")
        parts.append(f"it is in a string of {words} that most pages have")
    if found.few_ratio:
        parts.append(
            f"strings of few pages cover {found.few_ratio:.0%} of it, those of some pages {found.some_ratio:.0%}, "
            f"{counted(found.run_words, 'word')} with the repeated prose beside it"
        )
    if found.alike_ratio:
        parts.append(f"on {found.alike_ratio:.0%} of its pages the same text stands beside it")
    if found.listed_ratio:
        parts.append(f"the page has {found.listed_ratio:.0%} of it more than once")
    return f"Strings: {'; '.join(parts)}."


_KEY = (
    '<p class="key"><span class="k">kept</span><span class="r">removed</span>'
    '<span class="c">cut out of a kept segment</span><span class="u">close decision; the edge tells which</span>'
    '<span class="n">no segment: text without a word</span></p>'
)


def _ordered(counts: Mapping[str, int]) -> list[str]:
    known = [name for name in _TITLES if name in counts]
    return known + sorted(name for name in counts if name not in _TITLES)


def _title(name: str) -> str:
    return _TITLES.get(name) or name.removeprefix("reason-")


def _chips(filters: Sequence[str], counts: Mapping[str, int], total: int) -> str:
    numbers = {"all": total, **counts}
    labels = "".join(
        f'<label for="list-{name}">{escape(_title(name))} {numbers[name]}</label>'
        for name in filters
    )
    links = "".join(
        f'<a href="about:srcdoc#templ-only-{name}" target="page">{escape(_title(name))}</a>'
        for name in filters
    )
    return (
        f'<div class="chips"><b>Show in the list:</b> {labels}</div>'
        f'<div class="chips"><b>Show in the page:</b> {links}</div>'
    )


def _decision(one: SegmentExplanation) -> str:
    kind = "removed" if not one.kept else "cut in part" if one.cuts else "kept"
    return f"{kind}, templateness {one.templateness:.2f}, decided by {one.reason}"


def _entry(one: SegmentExplanation, groups: Sequence[str], pages: EvidencePages) -> str:
    state = "removed" if not one.kept else "cut" if one.cuts else "kept"
    classes = " ".join(["e", "g-all", state, *(f"g-{name}" for name in groups)])
    inputs = table(
        ["evidence", "value", "log-odds for content"],
        [
            [escape(_name(item)), f"{item.value:.2f}", f"{item.log_odds:+.2f}"]
            for item in one.inputs[:_INPUTS_SHOWN]
        ],
    )
    lines = "".join(f"<li>{escape(line)}</li>" for line in evidence_lines(one))
    return (
        f'<details class="{classes}"><summary><b>#{one.number}</b> {escape(_decision(one))} '
        f'<a href="about:srcdoc#templ-s{one.number}" target="page">in the page</a><br>'
        f'<span class="soft">{escape(_snippet(one.text, _SNIPPET_CHARS))}</span></summary>'
        f"<ul>{lines}</ul>{inputs}{_pages(one, pages)}</details>"
    )


def _pages(one: SegmentExplanation, pages: EvidencePages) -> str:
    """Return the pages of the window that have the text and the strings of a segment."""
    same_text = pages.texts.get(one.text, [])
    rows = [("This text", same_text if same_text[1:] else [])]
    rows += [
        (f"“{_snippet(hit.text, _STRING_CHARS)}”", pages.strings.get(hit, []))
        for hit in one.strings
    ]
    return "".join(
        f"<p>{escape(name)} is on these pages of the window:</p><ul>{_urls(urls)}</ul>"
        for name, urls in rows
        if urls
    )


def _snippet(text: str, chars: int) -> str:
    """Return the beginning of a text in one line."""
    line = " ".join(text.split())
    return line if len(line) <= chars else line[: chars - 1] + "…"


def _urls(urls: Sequence[str]) -> str:
    shown = "".join(f"<li>{escape(url)}</li>" for url in urls[:_URLS_SHOWN])
    more = len(urls) - _URLS_SHOWN
    return shown + (f"<li>and {more} more</li>" if more > 0 else "")


def _name(item: InputWeight) -> str:
    """Return the name of an input; stored names say box for container."""
    return item.name.replace("box", "container")


def _known(pages: int) -> str:
    return counted(pages, "page") if pages else "no known page"


def _summary(explained: PageExplanation, facts: PageFacts) -> str:
    segments = explained.segments
    kept = sum(one.kept for one in segments)
    words = sum(one.words for one in segments)
    kept_words = sum(one.words for one in segments if one.kept)
    how = (
        f"with a site model of {counted(explained.site_documents, 'page')} of {facts.site}"
        if explained.used_site
        else "by the page alone"
    )
    aside = (
        " The site's evidence was set aside because it left nearly nothing." * explained.abstained
    )
    return (
        f"{kept} of {len(segments)} segments and {kept_words} of {words} words are kept, {how}; expected "
        f"word F1 {explained.confidence:.2f}.{aside}"
    )


def _metadata(explained: PageExplanation, facts: PageFacts) -> str:
    types = ", ".join(f"{name} {share:.0%}" for name, share in explained.page_types.items())
    rows = {
        "title": explained.title,
        "site": facts.site,
        "page type": types,
        "confidence": f"{explained.confidence:.3f}",
        "warnings": ", ".join(explained.warnings) or "none",
        "site model": facts.site_model_version or "none",
        "site settings": facts.site_settings_version or "none",
        **facts.metadata,
    }
    return plain_table(["", ""], rows.items())
