"""Where the segments of a page stand, as keys that are equal on all pages of one design.

A place is named by the tags, ids and classes from the root down to its element. Parts of these names
that differ from page to page are left out: digits, and classes that name a category, an author or a
state.

The pages of a window are counted place by place and text by text, exactly, and the counts become a table
that the cleaner and the learner read alike.
"""

from collections.abc import Sequence

import msgspec
import numpy as np

from templ_core.array_types import Bools, Floats, Int32s, Int64s, UInt64s
from templ_core.dom.document import Document
from templ_core.page_level.features.characters import mix
from templ_core.page_level.features.page_features import PageFeatures
from templ_core.site_level.config import MASS_UNIT, PLACES_CONFIG
from templ_core.site_level.keyed_sums import KeyedSums, count_columns, no_sums, sum_by_key
from templ_core.site_level.places._element_types import element_type_rows
from templ_core.site_level.places._places import (
    constant_texts,
    name_places,
    page_columns,
    read_columns,
)
from templ_core.site_level.strings.string_evidence import PageProse, read_prose
from templ_core.site_level.trees.tree_mapping import PageBlocks, page_blocks


class NodePlaces(msgspec.Struct, frozen=True, kw_only=True):
    """The places of a page's elements; columns of length n_nodes."""

    path: UInt64s
    """Hash of the stems (tag, id, classes) from the root down to the element."""
    cell: UInt64s
    """Hash of the path together with the positions of layout elements without id and class."""
    anchor: UInt64s
    """Hash of the stem of the nearest named block and of the tags below it: equal for equal parts of
    a page wherever they stand, such as the posts of a thread."""


class PagePlaces(msgspec.Struct, frozen=True, kw_only=True):
    """Where the text of a page stands; columns of length n_segments unless said otherwise."""

    path: UInt64s
    """Path of the segment's owner."""
    cell: UInt64s
    """Cell of the segment's owner."""
    anchor: UInt64s
    """Anchor of the segment's owner."""
    text: UInt64s
    """A hash that is equal for segments of equal words."""
    shape: UInt64s
    """A hash that is equal for segments whose words are equal when all words with digits are."""
    words: Int32s
    """Words of the segment, at least 1."""
    containers: UInt64s
    """Cell of each container; length n_containers. Of elements that hold the same segments, the
    deepest one is a container."""
    first: Int32s
    """First segment of each container; length n_containers."""
    last: Int32s
    """Segment after the last one of each container; length n_containers."""


class DocumentPlaces(msgspec.Struct, frozen=True, kw_only=True):
    """What its site needs to know about the text of a page and its places, whatever the site."""

    types: UInt64s
    """The page's `element_type_rows`."""
    nodes: NodePlaces
    """The places of its elements."""
    segments: PagePlaces
    """The places of its text."""
    blocks: PageBlocks
    """The tree of the page without its texts."""
    prose: PageProse
    """The text whose parts a site may repeat."""


def document_places(document: Document, features: PageFeatures) -> DocumentPlaces:
    """Return the places of a page with at least one segment."""
    types = element_type_rows(document)
    nodes = node_places(document, types)
    return DocumentPlaces(
        types=types,
        nodes=nodes,
        segments=page_places(document, features, nodes),
        blocks=page_blocks(document, types),
        prose=read_prose(features),
    )


def page_places(document: Document, features: PageFeatures, nodes: NodePlaces) -> PagePlaces:
    """Return where the text of a page with at least one segment stands."""
    columns = page_columns(nodes, document.segments.owner, features.tree)
    return PagePlaces(text=features.text, shape=features.shape, **columns)


def node_places(document: Document, types: UInt64s | None = None) -> NodePlaces:
    """Return the places of all elements of a page with at least one element.

    >>> from templ_core.dom.document import parse_document
    >>> one, other = (
    ...     node_places(parse_document(f"<p>{word}<p class=note-{word}>two", "https://e.org/"))
    ...     for word in ("17", "18")
    ... )
    >>> (one.path == other.path).all(), (one.cell == other.cell).all()
    (np.True_, np.True_)

    Args:
        document: The page.
        types: The page's `element_type_rows`, if they are known already.
    """
    if types is None:
        types = element_type_rows(document)
    nodes = document.nodes
    path, cell, anchor = name_places(
        types, nodes.element_type, nodes.parent, PLACES_CONFIG.cell_positions_max
    )
    return NodePlaces(path=path, cell=cell, anchor=anchor)


FACTOR = np.uint64(0x9E3779B97F4A7C15)


class PlaceCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Sums over pages; what some pages add is a value of this type too."""

    pages: int
    """Pages that were counted."""
    runs: KeyedSums
    """Words, content mass and occurrences of each text at each cell; the labels are cell, path, anchor
    and text."""
    paths: KeyedSums
    """Pages that have each path."""
    texts: KeyedSums
    """Pages that have each text: the node frequency of Chakrabarti et al. (WWW 2007), section 4.1."""
    shapes: KeyedSums
    """Pages that have each shape of a text."""
    containers: KeyedSums
    """Pages that have a container at each cell."""

    def learn_one(self, page: "PlaceCounts") -> "PlaceCounts":
        """Return the counts with those of a page, or of other pages, added."""
        sums = {name: getattr(self, name).plus(getattr(page, name)) for name in _SUMS}
        return PlaceCounts(pages=self.pages + page.pages, **sums)

    def forget_one(self, page: "PlaceCounts") -> "PlaceCounts":
        """Return the counts as they were before a page, or other pages, had been learned."""
        sums = {name: getattr(self, name).minus(getattr(page, name)) for name in _SUMS}
        return PlaceCounts(pages=self.pages - page.pages, **sums)


_SUMS = ("runs", "paths", "texts", "shapes", "containers")


def count_pages(pages: Sequence[tuple[PagePlaces, Floats]]) -> PlaceCounts:
    """Return what some pages add to the counts of their site; their order does not matter.

    Args:
        pages: Of each page where its segments stand, and the log-odds for content of each segment by
            the page model.
    """
    if not pages:
        return NO_PAGES
    places = [page for page, _ in pages]
    cell = np.concatenate([place.cell for place in places])
    path = np.concatenate([place.path for place in places])
    anchor = np.concatenate([place.anchor for place in places])
    text = np.concatenate([place.text for place in places])
    words = np.concatenate([place.words for place in places])
    mass = content_mass(np.concatenate([log_odds for _, log_odds in pages]), words)
    return PlaceCounts(
        pages=len(pages),
        runs=sum_by_key(
            run_keys(cell, text),
            np.stack([words.astype(np.int64), mass, np.ones(len(mass), np.int64)]),
            np.stack([cell, path, anchor, text]),
        ),
        paths=count_columns([place.path for place in places]),
        texts=count_columns([place.text for place in places]),
        shapes=count_columns([place.shape for place in places]),
        containers=count_columns([place.containers for place in places]),
    )


def content_mass(content_log_odds: Floats, words: Int32s) -> Int64s:
    """Return the content mass of each segment in units of 1 / MASS_UNIT; length n_segments.

    >>> import numpy as np
    >>> content_mass(np.array([0.0, 9.0]), np.array([10, 10], np.int32)).tolist()
    [5000, 9999]
    """
    mass: Int64s = np.rint(float(MASS_UNIT) * words / (1 + np.exp(-content_log_odds))).astype(
        np.int64
    )
    return mass


def run_keys(places: UInt64s, texts: UInt64s) -> UInt64s:
    """Return one key for each pair of a place and a text."""
    return mix(places * FACTOR + texts)


NO_PAGES = PlaceCounts(
    pages=0,
    runs=no_sums(3, 4),
    paths=no_sums(1, 0),
    texts=no_sums(1, 0),
    shapes=no_sums(1, 0),
    containers=no_sums(1, 0),
)
"""The counts of an empty window."""


class PlaceTable(msgspec.Struct, frozen=True, kw_only=True):
    """Sums over a window of pages."""

    pages: int
    """Pages of the window."""
    paths: KeyedSums
    """Pages, words, and words of different texts, for each path."""
    cells: KeyedSums
    """Words, content mass of text that is not constant, and content mass of constant text, for each cell."""
    anchors: KeyedSums
    """Words, content mass of text that is not constant, and content mass of constant text, for each anchor."""
    texts: KeyedSums
    """Pages that have each text; texts of one page, which say nothing about another page, are left out."""
    shapes: KeyedSums
    """Pages that have each shape of a text, left out likewise."""
    best_containers: KeyedSums
    """Pages whose best container stands at each cell, and pages that have a container there."""


def tabulate(counts: PlaceCounts) -> PlaceTable:
    """Return the table of a window, still without containers."""
    cell, path, anchor, text = counts.runs.labels
    words, mass, times = counts.runs.sums
    words_each = words // np.maximum(times, 1)
    _, first = np.unique(run_keys(path, text), return_index=True)
    different = np.zeros(len(words), np.int64)
    different[first] = words_each[first]
    by_path = sum_by_key(path, np.stack([words, different]))
    paths = KeyedSums(
        keys=by_path.keys,
        sums=np.concatenate([counts.paths.of(by_path.keys), by_path.sums]),
        labels=by_path.labels,
    )
    text_pages = counts.texts.of(text)[0]
    each = words_each.astype(np.int32)
    constant = constant_texts(paths.of(path), text_pages, each, PLACES_CONFIG)
    sums = np.stack([words, np.where(constant, 0, mass), np.where(constant, mass, 0)])
    return PlaceTable(
        pages=counts.pages,
        paths=paths,
        cells=sum_by_key(cell, sums),
        anchors=sum_by_key(anchor, sums),
        texts=counts.texts.where(counts.texts.sums[0] > 1),
        shapes=counts.shapes.where(counts.shapes.sums[0] > 1),
        best_containers=no_sums(2, 0),
    )


class PlaceReading(msgspec.Struct, frozen=True, kw_only=True):
    """What a window says about the places of a page; columns of length n_segments."""

    are_known: bool
    """Whether the window has all the paths."""
    path_pages: Int64s
    """Pages that have the path."""
    constant: Bools
    """Whether the text is constant at its path, and so template however it reads: the only one
    there, or one of a few in rotation, such as notes on authors."""
    text_pages: Int64s
    """Pages that have the text; 0 if fewer than two do."""
    shape_pages: Int64s
    """Pages that have the text when all words with digits count as equal; 0 if fewer than two do."""
    recurrence: Floats
    """Share of the window's pages that have the path, times how far its texts are those of other pages: 1
    where all pages have the same there, 0 where each has others."""
    mass: Int64s
    """Content mass in units of 1 / MASS_UNIT, see `read_places`."""
    log_odds: Floats
    """Log-odds for content: the mean of cell and anchor, each pooled over the window and the page."""
    content: Floats
    """Probability of content that belongs to `log_odds`, 0 to 1."""


def read_places(
    table: PlaceTable, page: PagePlaces, content_log_odds: Floats, documentation: float = 0.0
) -> PlaceReading:
    """Return what a window says about the places of a page.

    Constant text counts as template before the segments of one place are pooled, but on documentation, whose
    pages repeat on purpose what many things have in common.

    Args:
        table: The counts of the window.
        page: Where the page's segments stand.
        content_log_odds: Log-odds for content of each segment by the page model.
        documentation: Probability that the page is documentation, 0 to 1: the share of the content mass of constant
            text that counts.
    """
    return PlaceReading(
        **read_columns(table, page, content_log_odds, documentation, MASS_UNIT, PLACES_CONFIG)
    )
