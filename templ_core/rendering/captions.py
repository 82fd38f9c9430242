"""Captions that are written because their pictures are content."""

import numpy as np

from templ_core.array_types import Bools, Int32s, Int64s
from templ_core.dom._tree import tag_bits
from templ_core.dom.document import Document
from templ_core.dom.tags import IMAGES
from templ_core.rendering._structure import caption_types

_LEVELS = 4
"""Elements around a text in which a caption is looked for, and around a caption in which its picture is."""
_KEPT_RATIO_MIN = 0.5
"""A picture is content where more than this share of the text around it is kept."""
_IMAGES = dict.fromkeys(IMAGES, 1)


def with_captions(document: Document, kept: Bools, settled: Bools | None) -> Bools:
    """Return which segments are written: those that are kept, and the captions of pictures in their midst.

    A caption is a `figcaption`, or has that word in its class, in an element that has a picture and no other text.
    The decision keeps few of them, because the text of a report is held to be complete without them.

    Args:
        document: The page, with its marks.
        kept: Whether each segment stays; length n_segments.
        settled: Which segments the settings of the site decide; None = none.

    >>> from templ_core.dom.document import parse_document
    >>> text = (
    ...     "<p>Long text.</p><figure><img src=a><figcaption>One</figcaption></figure><p>More.</p>"
    ... )
    >>> page = parse_document(f"<article>{text}</article>", "", with_marks=True)
    >>> with_captions(page, np.array([True, False, True]), None).tolist()
    [True, True, True]
    """
    nodes, segments, marks = document.nodes, document.segments, document.marks
    of_types = caption_types(nodes.element_types)
    if marks is None or not of_types.any():
        return kept
    (removed,) = (~kept if settled is None else ~(kept | settled)).nonzero()
    caption = np.full(len(removed), -1)
    above = segments.owner[removed]
    for _ in range(_LEVELS):
        is_one = (caption < 0) & (above >= 0) & of_types[nodes.element_type[above]]
        caption[is_one] = above[is_one]
        above = np.where(above >= 0, nodes.parent[above], -1)
    (captions,) = (caption >= 0).nonzero()
    if not captions.size:
        return kept
    is_image = tag_bits(nodes.element_types, _IMAGES)[nodes.element_type[marks.node]] != 0
    figures = _Figures(document, kept, np.unique(marks.node[is_image]))
    written = kept.copy()
    for at in captions.tolist():
        segment = removed[at]
        # Links under a picture are buttons, such as those of a product.
        is_text = 2 * segments.link_chars[segment] < len(segments.texts[segment])
        written[segment] = is_text and figures.is_content(int(caption[at]))
    return written


class _Figures:
    """The pictures of a page with their captions."""

    def __init__(self, document: Document, kept: Bools, images: Int32s) -> None:
        self._nodes, self._segments, self._images = document.nodes, document.segments, images
        chars = np.fromiter(map(len, document.segments.texts), np.int64)
        self._chars = np.concatenate([[0], np.cumsum(chars)])
        self._kept_chars = np.concatenate([[0], np.cumsum(chars * kept)])
        self._known: dict[int, bool] = {}

    def is_content(self, caption: int) -> bool:
        """Return whether a caption has a picture in the midst of kept text."""
        is_content = self._known.get(caption)
        if is_content is None:
            is_content = self._known[caption] = self._is_content(caption)
        return is_content

    def _is_content(self, caption: int) -> bool:
        figure = self._figure(caption)
        if figure < 0:
            return False
        first, last = self._inside(figure)
        around = int(self._nodes.parent[figure])
        while around >= 0:
            begin, end = self._inside(around)
            text = self._between(self._chars, begin, end) - self._between(self._chars, first, last)
            if text > 0:
                stays = self._between(self._kept_chars, begin, end)
                stays -= self._between(self._kept_chars, first, last)
                return bool(stays > _KEPT_RATIO_MIN * text)
            around = int(self._nodes.parent[around])
        return False

    def _figure(self, caption: int) -> int:
        """Return the element that holds a caption and its picture, and no other text; -1 = there is none."""
        own, figure = self._inside(caption), caption
        for _ in range(_LEVELS):
            is_figure = self._nodes.element_types[self._nodes.element_type[figure]][0] == "figure"
            if not is_figure and self._inside(figure) != own:
                return -1
            begin, end = np.searchsorted(self._images, (figure, self._nodes.end[figure]))
            if end > begin:
                return figure if figure != caption else -1
            figure = int(self._nodes.parent[figure])
            if is_figure or figure < 0:
                return -1
        return -1

    def _inside(self, node: int) -> tuple[int, int]:
        """Return the number of the first segment in an element, and of the one behind the last."""
        end, segments = self._nodes.end[node], self._segments
        first, last = np.searchsorted(segments.inline_from, (node, end), side="right").tolist()
        while last > first and not node <= segments.owner[last - 1] < end:
            last -= 1
        return first, last

    @staticmethod
    def _between(chars: Int64s, first: int, last: int) -> int:
        return int(chars[last] - chars[first])
