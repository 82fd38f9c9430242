"""SITELEVEL(theta): text and elements on a share theta of a site's pages are template.

Chakrabarti, Kumar, Punera, *Page-level Template Detection via Isotonic Smoothing*, WWW 2007,
sections 3 and 5.1, makes labels for training in this way.
"""

import zlib
from collections.abc import Sequence

import msgspec
import numpy as np

from templ_core.array_types import Bools, Floats, UInt64s
from templ_core.dom.document import Document
from templ_core.dom.tree import sums_above, sums_below
from templ_core.lab.training.labels.node_frequency import NodeFrequency, count_nodes
from templ_core.lab.training.labels.site_pages import ReadPage
from templ_core.page_level.features.characters import Words, mix, text_hashes

_THETA = 0.10
"""Least share of a site's pages that a template node is on."""
_PAGES_MIN = 3
"""Least number of pages that a template node is on."""
_COVERED_MIN = 0.85
"""An inner node is template if more than this share of its HTML is in site-level templates."""
_SEGMENT = np.uint64(0x5851F42D4C957F2D)
"""Makes the hash of a segment differ from that of a node."""
_FACTOR = 0x9E3779B97F4A7C15
"""Odd factor of the polynomial hash of a node's tags and texts."""


class SiteLabels(msgspec.Struct, frozen=True, kw_only=True):
    """The labels of SITELEVEL for one page."""

    covered: Floats
    """Share of each node's HTML that is in site-level templates, 0 to 1; length n_nodes."""
    template_segment: Bools
    """Whether each segment is in a site-level template; length n_segments."""

    @property
    def template(self) -> Bools:
        """Whether each node is template; length n_nodes."""
        return self.covered > _COVERED_MIN


def hashes_of(document: Document, words: Words) -> tuple[UInt64s, UInt64s]:
    """Return the hashes of the nodes and of the segments of a page.

    Two nodes have equal hashes if the tags and words inside them are equal, in order. Attributes do
    not count, since menus mark the page they stand on. Inline elements have the hash 0.
    """
    nodes, segments = document.nodes, document.segments
    text = mix(text_hashes(words) ^ _SEGMENT)
    tag = np.array([zlib.crc32(tag.encode("utf-8", "replace")) for tag in nodes.tags], np.uint64)
    count = len(nodes.tags)
    key = np.concatenate([2 * np.arange(count), 2 * segments.inline_to.astype(np.int64) - 1])
    order = np.argsort(key, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    powers = np.cumprod(np.full(len(order) + 1, np.uint64(_FACTOR)), dtype=np.uint64)
    items = mix(np.concatenate([tag, text])[order])
    before = np.concatenate([np.zeros(1, np.uint64), np.cumsum(items * powers[:-1])])
    held = np.rint(sums_below(nodes.end, np.bincount(segments.owner, minlength=count)))
    start = place[:count]
    size = nodes.end - np.arange(count) + held.astype(np.int64)
    last = np.minimum(start + size, len(order))
    inverse = np.uint64(pow(_FACTOR, -1, 1 << 64))
    back = np.cumprod(np.full(len(order) + 1, inverse), dtype=np.uint64)
    subtree = mix((before[last] - before[start]) * back[start])
    return np.where(held > 0, subtree, np.uint64(0)), text


def count_site(pages: Sequence[ReadPage]) -> NodeFrequency:
    """Count on how many pages of a site each node and each segment is."""
    return count_nodes(
        [np.concatenate(hashes_of(page.document, page.words)) for page in pages], _PAGES_MIN
    )


def site_labels(page: ReadPage, frequency: NodeFrequency) -> SiteLabels:
    """Return the labels of one page of a site.

    Args:
        page: One of the pages that were counted.
        frequency: Counts of the site, from `count_site`.
    """
    document = page.document
    nodes, segments = document.nodes, document.segments
    node, text = hashes_of(document, page.words)
    wanted = max(_THETA * frequency.pages, _PAGES_MIN)
    frequent = (node != 0) & (frequency.pages_with(node) >= wanted)
    in_template = sums_above(nodes.end, frequent) > 0.5
    template_segment = (frequency.pages_with(text) >= wanted) | in_template[segments.owner]
    in_template |= _inline_nodes(document, template_segment)
    chars = np.array([len(text) for text in segments.texts], np.float64)
    markup = page.presentation.markup_chars.astype(np.float64)
    count = len(nodes.tags)
    html = sums_below(nodes.end, markup + np.bincount(segments.owner, chars, count))
    covered = sums_below(
        nodes.end,
        markup * in_template + np.bincount(segments.owner, chars * template_segment, count),
    )
    return SiteLabels(covered=covered / np.maximum(html, 1.0), template_segment=template_segment)


def _inline_nodes(document: Document, chosen: Bools) -> Bools:
    """Return which nodes are inline elements of the chosen segments; length n_nodes."""
    segments = document.segments
    edge = np.zeros(len(document.nodes.tags) + 1)
    np.add.at(edge, segments.inline_from[chosen], 1)
    np.add.at(edge, segments.inline_to[chosen], -1)
    return np.cumsum(edge)[:-1] > 0.5
