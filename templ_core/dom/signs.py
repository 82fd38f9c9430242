"""Texts without a letter or digit: which of them are shown with the segments that are kept.

No model judges a tick, a row of stars or an operator by itself: it belongs to the text that it stands beside.
"""

from typing import NamedTuple

import msgspec
import numpy as np

from templ_core.array_types import Bools, Int32s, Int64s
from templ_core.dom._tree import tag_bits
from templ_core.dom.document import Document, Segments
from templ_core.dom.tags import CONTROLS

Cuts = dict[int, list[tuple[int, int]]]
"""For each segment that loses some parts, the first character of each part and the one behind it, in
order."""

_ROW, _TERM, _MEANING, _CONTROL = 1, 2, 4, 8
_KINDS = {"tr": _ROW, "dt": _TERM, "dd": _MEANING, **dict.fromkeys(CONTROLS, _CONTROL)}


class ShownPage(NamedTuple):
    """A page whose signs are segments like all others, which is what `Marks.segment` counts."""

    document: Document
    kept: Bools
    """Whether each segment is shown."""
    cuts: Cuts | None


def with_signs(document: Document, kept: Bools, cuts: Cuts | None) -> ShownPage:
    """Return a page with its signs among its segments.

    Args:
        document: The page.
        kept: Whether each segment stays; length n_segments.
        cuts: What is cut out of segments that stay; None = nothing.
    """
    signs, segments = document.signs, document.segments
    if not signs.texts:
        return ShownPage(document, kept, cuts)
    shown = shown_signs(document, kept)
    if document.marks is None and not np.count_nonzero(shown):
        return ShownPage(document, kept, cuts)
    count = len(segments.texts)
    behind = signs.before + np.arange(len(signs.texts))
    numbers = np.arange(count) + np.searchsorted(signs.before, np.arange(count), side="right")
    stays = np.empty(count + len(signs.texts), np.bool_)
    stays[numbers], stays[behind] = kept, shown
    texts = [*segments.texts, *signs.texts]
    order = np.argsort(np.concatenate([numbers, behind]))
    nothing = np.zeros(len(signs.texts), np.int32)
    columns = {
        name: np.concatenate([getattr(segments, name), getattr(signs, name, nothing)])[order]
        for name in segments.__struct_fields__[1:]
    }
    combined: Segments = msgspec.structs.replace(
        segments, texts=[texts[at] for at in order.tolist()], **columns
    )
    none = msgspec.structs.replace(signs, texts=[])
    return ShownPage(
        msgspec.structs.replace(document, segments=combined, signs=none),
        stays,
        cuts and {int(numbers[segment]): parts for segment, parts in cuts.items()},
    )


def shown_signs(document: Document, kept: Bools) -> Bools:
    """Return whether each sign is shown.

    A sign in the row of a table is shown if another cell of the row stays, that of a term if its meaning does, and
    any other one if the texts before and behind it do, as far as they stand in the smallest element around it that
    has text. Signs on buttons are not shown.

    Args:
        document: The page.
        kept: Whether each segment stays; length n_segments.

    Returns:
        A column of length n_signs.

    >>> from templ_core.dom.document import parse_document
    >>> page = parse_document("<nav>Menu<div>|</div></nav><table><tr><td>Piers<td>✓</table>", "")
    >>> page.signs.texts, shown_signs(page, np.array([False, True])).tolist()
    (['|', '✓'], [False, True])
    """
    nodes, signs, owner = document.nodes, document.signs, document.segments.owner
    beside = np.concatenate([[False], kept.astype(np.bool_), [False]])
    if not np.count_nonzero(beside[signs.before] | beside[signs.before + 1]):
        return np.zeros(len(signs.texts), np.bool_)
    kinds = tag_bits(nodes.element_types, _KINDS)[nodes.element_type]
    of_all = _counted(owner, len(nodes.parent))
    around = signs.owner
    while True:
        is_bare = of_all[nodes.end[around]] == of_all[around]
        if not is_bare.any():
            break
        around = np.where(is_bare, nodes.parent[around], around)
    of_kept = _counted(owner[kept], len(nodes.parent))
    is_in_row = kinds[around] & _ROW != 0
    by_row = of_kept[nodes.end[around]] > of_kept[around]

    kind = kinds[signs.owner]
    before, behind = signs.before - 1, signs.before
    has_before = _is_inside(before, owner, around, nodes.end) & (kind & _TERM == 0)
    has_behind = _is_inside(behind, owner, around, nodes.end) & (kind & _MEANING == 0)
    is_last = len(owner) - 1
    by_sides = (
        (has_before | has_behind)
        & (kept[np.maximum(before, 0)] | ~has_before)
        & (kept[np.minimum(behind, is_last)] | ~has_behind)
    )
    shown: Bools = np.where(is_in_row, by_row, by_sides) & (kind & _CONTROL == 0)
    return shown


def _counted(owner: Int32s, nodes: int) -> Int64s:
    """Return how many segments belong to elements before each one; length `nodes` + 1."""
    return np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=nodes))])


def _is_inside(segment: Int32s, owner: Int32s, around: Int32s, end: Int32s) -> Bools:
    """Return whether each of some segments exists and stands in the element beside it."""
    exists = (segment >= 0) & (segment < len(owner))
    of = owner[np.clip(segment, 0, len(owner) - 1)]
    inside: Bools = exists & (of >= around) & (of < end[around])
    return inside
