"""The `time` elements of a page: where each stands, and what the words beside it say that it is."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Literal, NamedTuple

from templ_core.dom.document import Document
from templ_core.metadata._page_parts import PageParts
from templ_core.metadata._scans import nodes_with_tags
from templ_core.metadata.dates import last_label

TimeKind = Literal["published", "changed", "other", ""]
_TIMES = frozenset(("time",))
_TIMES_MAX = 200
"""Elements of a page that are looked at."""
_LABEL_CHARS_MAX = 40
"""Characters of the longest text before a segment that may say what the time in it is."""
_NEARNESS = attrgetter("nearness")


class ShownTime(NamedTuple):
    """A `time` element."""

    stated: str
    """Its `datetime`, else its text."""
    kind: TimeKind
    """What its names or the words before it say; empty = nothing."""
    nearness: tuple[bool, int]
    """How near it is to the headline, see `PageParts`."""


def shown_times(
    document: Document, times: Sequence[tuple[dict[str, str], str]], parts: PageParts
) -> list[ShownTime]:
    """Return the times of a page, without those in parts about something else, the nearest to its headline first.

    Args:
        document: The page.
        times: Attributes and text of each `time` element in its markup, in order.
        parts: The parts of the page.
    """
    segments, texts = document.segments, document.segments.texts
    nodes: list[int | None] = [*nodes_with_tags(document, _TIMES)]
    if len(nodes) != len(times[:_TIMES_MAX]):
        nodes = [None] * len(times)
    ranked = []
    at, last_segment = 0, -1
    for node, (attributes, text) in zip(nodes, times, strict=False):
        stated, named = (
            attributes.get("datetime") or text,
            _named_kind(attributes) if len(attributes) > 1 else "",
        )
        if node is None:
            ranked.append(ShownTime(stated, named, (True, len(texts))))
            continue
        segment = int(segments.inline_to.searchsorted(node, "right"))
        if segment == len(texts) or parts.is_node_elsewhere(node) or parts.is_elsewhere(segment):
            continue
        shown = texts[segment]
        if segment != last_segment:
            at, last_segment = 0, segment
        begin = max(shown.find(text, at), at) if text else at
        before = shown[at:begin]
        at = begin + len(text)
        if not before.strip() and begin == 0 and segment > 0:
            before = texts[segment - 1]
            before = before if len(before) <= _LABEL_CHARS_MAX else ""
        ranked.append(ShownTime(stated, named or last_label(before), parts.nearness(segment)))
    return sorted(ranked, key=_NEARNESS)


def _named_kind(attributes: dict[str, str]) -> TimeKind:
    """Return what the names of a `time` element say that it is."""
    names = attributes.get("class", "").lower()
    if "pubdate" in attributes or "publish" in names or "entry-date" in names:
        return "published"
    says = f"{names} {attributes.get('itemprop', '')}".lower()
    if "updated" in says or "modified" in says:
        return "changed"
    return "other" if "event" in says or "comment" in says else ""
