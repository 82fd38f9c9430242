"""A page as a stream of elements and pieces of text, each piece with the segment that it belongs to.

It comes from the markup as it was crawled, or from the document that a window keeps of it.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import msgspec
from lxml import etree

from templ_core.dom.document import Document
from templ_core.dom.parse.parse_page import parse_markup
from templ_core.dom.parse.scan import stalls_parser
from templ_core.dom.tags import INLINE, INVISIBLE
from templ_core.errors import PageError

Cuts = Mapping[int, Sequence[tuple[int, int]]]
"""Parts of segments: their first characters and the ones behind them."""


class Start(msgspec.Struct, frozen=True):
    """The start of an element."""

    tag: str
    attributes: Mapping[str, str]


class End(msgspec.Struct, frozen=True):
    """The end of the element that began last."""


class Piece(msgspec.Struct, frozen=True):
    """A piece of text."""

    text: str
    segment: int | None
    """The segment that it belongs to; None for text without a word."""
    is_cut: bool = False
    """Whether it is cut out of its segment."""


FrameEvent = Start | End | Piece


def events_of_markup(markup: str, document: Document, cuts: Cuts) -> list[FrameEvent] | None:
    """Return the elements and texts of a crawled page; None if they differ from those of the document."""
    try:
        root = parse_markup(markup)
    except PageError:
        return None
    if root is None:
        return None
    runs = _Runs()
    events = list(_walk(root, runs))
    runs.end()
    segment_of_run = _segments_of_runs(runs.texts, document.segments.texts)
    if segment_of_run is None:
        return None
    return list(_with_segments(events, segment_of_run, document.segments.texts, cuts))


def style_sheets(markup: str) -> list[str]:
    """Return the style sheets inside a page; none where the page would stall the parser."""
    utf8 = markup.encode("utf-8", "replace")
    if "<style" not in markup.lower() or stalls_parser(utf8):
        return []
    root = etree.fromstring(utf8, etree.HTMLParser(encoding="utf-8", huge_tree=True))
    return [] if root is None else [style.text or "" for style in root.iter("style")]


def events_of_document(document: Document, cuts: Cuts) -> list[FrameEvent]:
    """Return the blocks and segments of a document; inline elements and most attributes are not kept."""
    nodes, segments = document.nodes, document.segments
    behind = segments.inline_to.tolist()
    events: list[FrameEvent] = []
    ends: list[int] = []
    segment = 0
    for node in range(len(nodes.tags) + 1):
        while segment < len(behind) and behind[segment] <= node:
            events += _pieces(segments.texts[segment], segment, 0, segments.texts, cuts)
            segment += 1
        while ends and ends[-1] <= node:
            ends.pop()
            events.append(End())
        if node < len(nodes.tags) and nodes.tags[node] not in INLINE:
            name, _, rest = nodes.attributes[node].partition("\n")
            attributes = {"id": name, "class": rest.partition("\n")[0]}
            events.append(Start(nodes.tags[node], attributes))
            ends.append(int(nodes.end[node]))
    return events


class _Runs:
    """The runs of text between borders of blocks, as `templ_core.dom.parse` finds them."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._open: list[str] = []
        self._after_break = False
        self.verbatim = 0

    @property
    def number(self) -> int:
        """Number of the run that text belongs to now."""
        return len(self.texts)

    def add(self, text: str) -> None:
        self._open.append(text)
        if text.strip():
            self._after_break = False

    def end(self) -> None:
        self.texts.append("".join(self._open))
        self._open.clear()
        self._after_break = False

    def break_line(self) -> None:
        if self._after_break and not self.verbatim:
            self.end()
        else:
            self._after_break = True


class _RunText(msgspec.Struct, frozen=True):
    text: str
    run: int


def _walk(root: etree._Element, runs: _Runs) -> Iterator[Start | End | _RunText]:
    """Yield elements and texts in document order, invisible elements as empty ones."""
    for action, element in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
        if action in {"comment", "pi"}:
            yield from _text(element.tail, runs)
            continue
        tag = str(element.tag)
        if action == "start":
            if _is_inside_invisible(element):
                continue
            yield Start(tag, dict(element.attrib))
            if tag not in INLINE:
                runs.end()
                runs.verbatim += tag == "pre"
            elif tag == "br":
                runs.break_line()
            if tag not in INVISIBLE:
                yield from _text(element.text, runs)
        elif not _is_inside_invisible(element):
            yield End()
            if tag not in INLINE:
                runs.end()
                runs.verbatim -= tag == "pre"
            yield from _text(element.tail, runs) if element is not root else ()


def _is_inside_invisible(element: etree._Element) -> bool:
    parent = element.getparent()
    return parent is not None and any(
        element.tag in INVISIBLE for element in (parent, *parent.iterancestors())
    )


def _text(text: str | None, runs: _Runs) -> Iterator[_RunText]:
    if text:
        runs.add(text)
        yield _RunText(text, runs.number)


def _segments_of_runs(runs: Sequence[str], segments: Sequence[str]) -> dict[int, int] | None:
    """Return the segment of each run that is one; None where a segment is missing."""
    segment_of_run: dict[int, int] = {}
    wanted = [_solid(text) for text in segments]
    for number, run in enumerate(runs):
        if len(segment_of_run) < len(wanted) and _solid(run) == wanted[len(segment_of_run)]:
            segment_of_run[number] = len(segment_of_run)
    return segment_of_run if len(segment_of_run) == len(wanted) else None


def _solid(text: str) -> str:
    return "".join(text.split())


def _with_segments(
    events: Sequence[Start | End | _RunText],
    segment_of_run: Mapping[int, int],
    texts: Sequence[str],
    cuts: Cuts,
) -> Iterator[FrameEvent]:
    solid_before: dict[int, int] = {}
    for event in events:
        if not isinstance(event, _RunText):
            yield event
            continue
        segment = segment_of_run.get(event.run)
        if segment is None:
            yield Piece(event.text, None)
            continue
        before = solid_before.get(segment, 0)
        yield from _pieces(event.text, segment, before, texts, cuts)
        solid_before[segment] = before + len(_solid(event.text))


def _pieces(
    text: str, segment: int, before: int, texts: Sequence[str], cuts: Cuts
) -> Iterator[Piece]:
    """Yield the parts of a text that are cut out of their segment, and those that are not.

    `before` characters of the segment come before the text, white space aside.
    """
    borders = {0, len(text)}
    spans = [
        tuple(len(_solid(texts[segment][:end])) - before for end in span)
        for span in cuts.get(segment, ())
    ]
    for span in spans:
        borders |= {_place(text, solid) for solid in span}
    for start, end in pairwise(sorted(borders)):
        middle = len(_solid(text[:start]))
        is_cut = any(first <= middle < last for first, last in spans)
        yield Piece(text[start:end], segment, is_cut)


def _place(text: str, solid: int) -> int:
    """Return the index behind this number of characters that are no white space."""
    for index, character in enumerate(text):
        if solid <= 0:
            return index
        solid -= not character.isspace()
    return len(text)
