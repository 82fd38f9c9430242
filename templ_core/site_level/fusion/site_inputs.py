"""What the window of a site says about the segments of a page, as columns for the fusion."""

import msgspec

from templ_core.array_types import Bools, Floats, Int32s
from templ_core.dom.document import Document
from templ_core.page_level.model.page_type import PageType
from templ_core.page_level.page_evidence import PageEvidence
from templ_core.site_level.config import (
    CONTAINERS_CONFIG,
    FUSION_CONFIG,
    PLACES_CONFIG,
    STRINGS_CONFIG,
)
from templ_core.site_level.fusion._fusion import combine
from templ_core.site_level.fusion.site_columns import LINKS_AGAIN, SiteColumns
from templ_core.site_level.places._containers import (
    best_container,
    find_headline,
    mean_around,
    usual_share,
)
from templ_core.site_level.places._places import links_again, where_repeated
from templ_core.site_level.places.place_table import PlaceReading, read_places
from templ_core.site_level.places.places import DocumentPlaces
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.strings.string_evidence import StringEvidence, read_strings
from templ_core.site_level.trees.tree_evidence import TreeEvidence, tree_evidence


class SegmentEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about a page before it is combined; columns of length n_segments.

    On documentation, labels of records and what the page model takes for content where content usually is are meant
    to be repeated, so it says nothing that all pages have them. On other pages such text is template.
    """

    content_log_odds: Floats
    """Log-odds for content, by the page model."""
    page_type: PageType
    places: PlaceReading
    """What the window says about the places by their names."""
    trees: TreeEvidence | None
    """What it says about them by tree, where it does not know all names; None = nothing."""
    strings: StringEvidence
    """The strings of the site on the page."""
    surroundings: Floats
    """Mean content of the words around the segment, 0 to 1."""
    best_share: Floats
    """How usual the most usual best container around the segment is, 0 to 1."""
    best: tuple[int, int]
    """The first segment of the page's best container, and the one behind its last."""
    headline: int
    """The segment that is the page's headline; -1 = there is none."""
    repeated: Bools
    """Whether the text stands more than once at its path on the page, as labels of records do."""
    words: Int32s
    """Words of the segment, at least 1."""
    pages: int
    """Pages of the site's window."""


def site_inputs(
    document: Document, page: PageEvidence, model: SiteModel, places: DocumentPlaces
) -> tuple[SiteColumns, StringEvidence]:
    """Return all columns of `site_columns` for a page of a known site, and the strings on it."""
    table, config, own, tree = model.places, CONTAINERS_CONFIG, places.segments, page.features.tree
    known = read_places(table, own, page.log_odds)
    trees = None
    if not known.are_known:
        trees = tree_evidence(places.blocks, own.text, model.trees, own.words, known.mass)
    strings = read_strings(page.features, model.strings, places.prose)
    best = best_container(own.first, own.last, known.content, tree.words)
    around = mean_around(known.content, tree, document.nodes.parent, config.surrounding_levels)
    share = usual_share(table.best_containers, places.nodes.cell, tree, config.doubt_pages)
    columns = combine(
        SegmentEvidence(
            content_log_odds=page.log_odds,
            page_type=page.page_type,
            places=known,
            trees=trees,
            strings=strings,
            surroundings=around,
            best_share=share,
            best=(int(own.first[best]), int(own.last[best])),
            headline=find_headline(document, page.features, places.types, config),
            repeated=where_repeated(own.path, own.text),
            words=own.words,
            pages=table.pages,
        ),
        FUSION_CONFIG,
        PLACES_CONFIG.probability_margin,
        config.doubt_pages,
        STRINGS_CONFIG.prose_words_min,
    )
    columns[LINKS_AGAIN] = links_again(
        own.path,
        own.words,
        known.recurrence,
        page.features.link_density,
        STRINGS_CONFIG,
        FUSION_CONFIG.length_words_max,
    )
    return columns, strings
