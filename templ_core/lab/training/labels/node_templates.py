"""SITELEVEL(theta): what stands on a share of a site's pages is template; labels for training.

Chakrabarti, Kumar, Punera, *Page-level Template Detection via Isotonic Smoothing*, WWW 2007,
sections 3 and 5.1.
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
from templ_core.page_level.features.characters import (
    Words,
    mix,
    text_hashes,
)

THETA = 0.10
"""Share of a site's pages that a template node stands on."""
PAGES_MIN = 3
"""Pages that it stands on at least."""
COVERED_MIN = 0.85
"""An inner node is template when more than this share of its HTML is in site-level templates."""
_SEGMENT = np.uint64(0x5851F42D4C957F2D)


class SiteLabels(msgspec.Struct, frozen=True, kw_only=True):
    """What SITELEVEL says about a page."""

    covered: Floats
    """Share of each node's HTML that is in site-level templates, 0 to 1; length n_nodes."""
    template_segment: Bools
    """Segments in site-level templates; length n_segments."""

    @property
    def template(self) -> Bools:
        """Nodes that are template; length n_nodes."""
        return self.covered > COVERED_MIN


def hashes_of(document: Document, words: Words) -> tuple[UInt64s, UInt64s]:
    """Hashes of the nodes and of the segments of a page.

    Nodes are equal when the tags and words in them are, in order; attributes do not count, since
    menus mark the page they stand on. Inline elements have no hash of their own: 0.
    """
    nodes, segments = document.nodes, document.segments
    text = mix(text_hashes(words) ^ _SEGMENT)
    tag = np.array([zlib.crc32(tag.encode("utf-8", "replace")) for tag in nodes.tags], np.uint64)
    count = len(nodes.tags)
    key = np.concatenate([2 * np.arange(count), 2 * segments.inline_to.astype(np.int64) - 1])
    order = np.argsort(key, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    powers = np.cumprod(np.full(len(order) + 1, np.uint64(0x9E3779B97F4A7C15)), dtype=np.uint64)
    items = mix(np.concatenate([tag, text])[order])
    before = np.concatenate([np.zeros(1, np.uint64), np.cumsum(items * powers[:-1])])
    held = np.rint(sums_below(nodes.end, np.bincount(segments.owner, minlength=count)))
    start = place[:count]
    size = nodes.end - np.arange(count) + held.astype(np.int64)
    last = np.minimum(start + size, len(order))
    inverse = np.uint64(pow(0x9E3779B97F4A7C15, -1, 1 << 64))
    back = np.cumprod(np.full(len(order) + 1, inverse), dtype=np.uint64)
    subtree = mix((before[last] - before[start]) * back[start])
    return np.where(held > 0, subtree, np.uint64(0)), text


def count_site(pages: Sequence[ReadPage]) -> NodeFrequency:
    """On how many pages of a site each node and segment stands."""
    return count_nodes(
        [np.concatenate(hashes_of(page.document, page.words)) for page in pages], PAGES_MIN
    )


def site_labels(page: ReadPage, frequency: NodeFrequency, theta: float = THETA) -> SiteLabels:
    """The labels of one page of the site that was counted.

    Args:
        page: One of the pages counted.
        frequency: Of the site.
        theta: Share of the pages that a template stands on.
    """
    document = page.document
    nodes, segments = document.nodes, document.segments
    node, text = hashes_of(document, page.words)
    wanted = max(theta * frequency.pages, PAGES_MIN)
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
    """The inline elements of the chosen segments; length n_nodes."""
    segments = document.segments
    edge = np.zeros(len(document.nodes.tags) + 1)
    np.add.at(edge, segments.inline_from[chosen], 1)
    np.add.at(edge, segments.inline_to[chosen], -1)
    return np.cumsum(edge)[:-1] > 0.5
