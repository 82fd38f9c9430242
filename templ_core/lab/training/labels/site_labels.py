"""SITELEVEL(theta): text and elements on a share theta of a site's pages are template.

Chakrabarti, Kumar, Punera, *Page-level Template Detection via Isotonic Smoothing*, WWW 2007,
sections 3 and 5.1, makes labels for training in this way.
"""

import zlib
from collections.abc import Iterable, Iterator, Sequence

import msgspec
import numpy as np

from templ_core.array_types import Bools, Floats, Int64s, UInt32s, UInt64s
from templ_core.dom._tree import sums_above
from templ_core.dom.document import Document, parse_document
from templ_core.errors import PageError
from templ_core.lab.evaluation.report import group_by
from templ_core.lab.layout import Presentation, read_presentation
from templ_core.lab.near_duplicates import distinct_shingled, shingles
from templ_core.lab.training.labels.gold_labels import decoded_markup
from templ_core.lab.tree_sums import sums_below
from templ_core.page_level.features.characters import (
    Words,
    mix,
    read_characters,
    read_words,
    text_hashes,
)
from templ_core.site_level.keyed_sums import distinct


class NodeFrequency(msgspec.Struct, frozen=True, kw_only=True):
    """How many pages of a window hold each node; columns of equal length."""

    pages: int
    """Pages of the window."""
    nodes: UInt64s
    """Hashes of the nodes in ascending order."""
    counts: UInt32s
    """Pages that hold each node, at least 1."""

    def pages_with(self, nodes: UInt64s) -> Int64s:
        """Return how many pages of the window hold each of `nodes`; 0 for unknown ones."""
        if not self.nodes.size:
            return np.zeros(nodes.size, np.int64)
        place = np.minimum(np.searchsorted(self.nodes, nodes), self.nodes.size - 1)
        return np.where(self.nodes[place] == nodes, self.counts[place], 0).astype(np.int64)


PAGES_PER_SITE_MIN = 12
"""Least number of different pages of a site, so that a tenth of them is more than one."""
SITES_MIN = 10
"""Least number of sites; with fewer, a model would learn these sites only."""
_WORDS_MIN = 20
"""Pages with fewer words are left out as error pages, redirects and the like."""


class TooFewPages(ValueError):
    """Labels cannot be counted: there are too few sites, or too few pages for each site."""


class CorpusPage(msgspec.Struct, frozen=True, kw_only=True):
    """One page of a corpus, not yet parsed."""

    corpus: str
    site: str
    url: str
    body: bytes
    content_type: str | None = None
    charset: str | None = None
    """None if only the page itself can decide."""


class ReadPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page of a corpus after parsing."""

    page: CorpusPage
    document: Document
    presentation: Presentation
    words: Words


class ReadSite(msgspec.Struct, frozen=True, kw_only=True):
    """The pages of one site after parsing, without near-duplicates."""

    corpus: str
    name: str
    pages: list[ReadPage]


def read_sites(pages: Iterable[CorpusPage]) -> Iterator[ReadSite]:
    """Yield the sites that have enough pages; each is parsed when it is asked for.

    Raises:
        TooFewPages: Fewer than SITES_MIN sites have PAGES_PER_SITE_MIN different pages.
    """
    by_site = group_by(pages, lambda page: (page.corpus, page.site))
    if len(by_site) < SITES_MIN:
        raise TooFewPages(
            f"the pages are of {len(by_site)} sites; labels counted on sites need at least "
            f"{SITES_MIN} sites of {PAGES_PER_SITE_MIN} different pages each"
        )
    used = 0
    most = 0
    for (corpus, name), some in by_site.items():
        site = ReadSite(corpus=corpus, name=name, pages=parse_site_pages(some))
        most = max(most, len(site.pages))
        if len(site.pages) >= PAGES_PER_SITE_MIN:
            used += 1
            yield site
    if used < SITES_MIN:
        raise TooFewPages(
            f"{used} of {len(by_site)} sites have {PAGES_PER_SITE_MIN} or more different pages with text "
            f"(the largest has {most}); labels counted on sites need at least {SITES_MIN} such sites"
        )


def parse_site_pages(pages: Sequence[CorpusPage]) -> list[ReadPage]:
    """Return the pages of a site that can be parsed, without near-duplicates."""
    read = [one for one in map(_read, pages) if one is not None]
    return [read[place] for place in distinct_shingled([shingles(one.words) for one in read])]


def _read(page: CorpusPage) -> ReadPage | None:
    """Return the parsed page, or None if it cannot be parsed or has too few words."""
    try:
        markup = decoded_markup(page.body, page.charset, page.content_type)
        document = parse_document(markup, page.url)
        presentation = read_presentation(document, markup)
    except PageError:
        return None
    if presentation is None or not document.segments.texts:
        return None
    words = read_words(read_characters(document.segments.texts))
    if len(words.first) < _WORDS_MIN:
        return None
    return ReadPage(page=page, document=document, presentation=presentation, words=words)


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
    once = [distinct(np.concatenate(hashes_of(page.document, page.words))) for page in pages]
    everything = np.concatenate(once) if once else np.empty(0, np.uint64)
    nodes, counts = np.unique(everything, return_counts=True)
    frequent = counts >= _PAGES_MIN
    return NodeFrequency(
        pages=len(pages), nodes=nodes[frequent], counts=counts[frequent].astype(np.uint32)
    )


def site_labels(page: ReadPage, frequency: NodeFrequency) -> SiteLabels:
    """Return the labels of one page of a site."""
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
