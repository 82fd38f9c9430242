"""The `time` elements of a page: where each stands, and what the words beside it say that it is."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np

from templ_core.dom.document import Document
from templ_core.metadata._scans import types_with_tags
from templ_core.metadata.dates import last_label
from templ_core.metadata.page_parts import PageParts

TimeKind = Literal["published", "changed", "other", ""]
_TIMES = frozenset(("time",))
_TIMES_MAX = 200
"""Elements of a page that are looked at."""
_LABEL_CHARS_MAX = 40
"""Characters of the longest text before a segment that may say what the time in it is."""


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
    nodes, segments = document.nodes, document.segments
    of_types = types_with_tags(nodes.element_types, _TIMES)
    places = np.isin(nodes.element_type, of_types).nonzero()[0].tolist()
    found = []
    at, segment = 0, -1
    for node, (attributes, text) in _placed(places, times[:_TIMES_MAX]):
        stated, named = attributes.get("datetime") or text, _named_kind(attributes)
        if node is None:
            found.append(ShownTime(stated, named, (True, len(segments.texts))))
            continue
        one = int(np.searchsorted(segments.inline_to, node, "right"))
        if one == len(segments.texts) or parts.is_node_elsewhere(node) or parts.is_elsewhere(one):
            continue
        shown = segments.texts[one]
        if one != segment:
            at, segment = 0, one
        begin = max(shown.find(text, at), at) if text else at
        before = shown[at:begin]
        at = begin + len(text)
        if not before.strip() and begin == 0 and one > 0:
            before = segments.texts[one - 1]
            before = before if len(before) <= _LABEL_CHARS_MAX else ""
        found.append(ShownTime(stated, named or last_label(before), parts.nearness(one)))
    return sorted(found, key=lambda time: time.nearness)


def _placed(
    places: list[int], times: Sequence[tuple[dict[str, str], str]]
) -> Iterator[tuple[int | None, tuple[dict[str, str], str]]]:
    """Yield the element of each time; None where markup and document have different numbers of them."""
    if len(places) == len(times):
        yield from zip(places, times, strict=True)
    else:
        yield from ((None, time) for time in times)


def _named_kind(attributes: dict[str, str]) -> TimeKind:
    """Return what the names of a `time` element say that it is."""
    names = attributes.get("class", "").lower()
    if "pubdate" in attributes or "publish" in names or "entry-date" in names:
        return "published"
    says = f"{names} {attributes.get('itemprop', '')}".lower()
    if "updated" in says or "modified" in says:
        return "changed"
    return "other" if "event" in says or "comment" in says else ""
