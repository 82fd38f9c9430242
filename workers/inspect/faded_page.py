"""A crawled page as a reader sees it, with what was removed faded, and with its fields and records marked."""

from collections.abc import Mapping, Sequence
from typing import Literal

from markupsafe import Markup

from workers.inspect.frame import PageWriter, harmless_attributes, harmless_sheet
from workers.inspect.frame_tree import End, FrameEvent, Piece, Start
from workers.inspect.html_templates import render

Marking = Literal["kept", "gone", "field", "record"]
"""How a segment is shown; a `record` names the record that it stands in."""


def plain_page(events: Sequence[FrameEvent], sheets: Sequence[str]) -> Markup:
    """Return a page as it looks, as the content of a shadow root."""
    return _shown(PageWriter(), events, sheets)


def faded_page(
    events: Sequence[FrameEvent], markings: Sequence[Marking], sheets: Sequence[str]
) -> Markup:
    """Return a page in which elements without kept text are faded, as the content of a shadow root.

    Args:
        events: The page.
        markings: How each segment is shown; length n_segments.
        sheets: The style sheets of the page.
    """
    return _shown(_FadingWriter(markings, _classes(events, markings)), events, sheets)


def _shown(writer: PageWriter, events: Sequence[FrameEvent], sheets: Sequence[str]) -> Markup:
    return render(
        "inspect/templates/faded_page.html",
        sheet=harmless_sheet(sheets),
        written=writer.written(events),
    )


def _classes(events: Sequence[FrameEvent], markings: Sequence[Marking]) -> dict[int, list[str]]:
    """Return the classes of elements that are faded as a whole, or are records, by the identity of their starts.

    A record is the largest element around its name that has no other name in it.
    """
    starts = [event for event in events if isinstance(event, Start)]
    texts, kept, names = ([0] * len(starts) for _ in range(3))
    parents: list[int] = []
    around: list[int] = []
    for event in events:
        match event:
            case Start():
                parents.append(around[-1] if around else -1)
                around.append(len(parents) - 1)
            case End():
                around.pop()
            case Piece(segment=int(segment)):
                for element in around:
                    texts[element] += 1
                    kept[element] += markings[segment] != "gone" and not event.is_cut
                    names[element] += markings[segment] == "record"
    faded = [bool(some) and not good for some, good in zip(texts, kept, strict=True)]
    classes: dict[int, list[str]] = {}
    for number, (start, parent) in enumerate(zip(starts, parents, strict=True)):
        is_first = parent < 0 or not faded[parent]
        is_record = names[number] == 1 and parent >= 0 and names[parent] > 1
        classes[id(start)] = ["templ-gone"] * (faded[number] and is_first) + ["templ-record"] * (
            is_record
        )
    return classes


class _FadingWriter(PageWriter):
    """Writes a page with the markings of its segments."""

    def __init__(self, markings: Sequence[Marking], classes: Mapping[int, list[str]]) -> None:
        super().__init__()
        self._markings = markings
        self._classes = classes

    def attributes(self, start: Start) -> dict[str, str]:
        attributes = harmless_attributes(start)
        if own := self._classes[id(start)]:
            attributes["class"] = " ".join([*attributes.get("class", "").split(), *own])
        return attributes

    def marked(self, piece: Piece, segment: int) -> dict[str, str]:
        marking = "gone" if piece.is_cut else self._markings[segment]
        return {"class": f"templ-text-{marking}"}
