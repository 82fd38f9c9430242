"""What the window of a site says about the text of one of its pages."""

from collections import defaultdict

import msgspec
import numpy as np

from templ_core.array_types import Bools, Floats, Int32s
from templ_core.dom._tree import only_h1
from templ_core.dom.document import Document
from templ_core.dom.signs import Cuts
from templ_core.page_level.model.page_type import PageType
from templ_core.page_level.page_evidence import PageEvidence
from templ_core.site_level.config import (
    FUSION_CONFIG,
    HEADLINE_CONFIG,
    MOSTLY_LINKS,
    PLACES_CONFIG,
    STRINGS_CONFIG,
)
from templ_core.site_level.fusion._fusion import (
    combine,
    cover_columns,
    fused_log_odds,
    pages_with_places,
)
from templ_core.site_level.fusion.fusion import FusionModel
from templ_core.site_level.fusion.site_columns import (
    FEW_COVER,
    FEW_COVER_OF_RECORDS,
    LINKS_AGAIN,
    REPEATED_INPUTS,
    SOME_COVER,
    SOME_COVER_OF_RECORDS,
    SiteColumns,
)
from templ_core.site_level.places._containers import (
    best_container,
    find_headline,
    mean_around,
    named_share,
    usual_share,
)
from templ_core.site_level.places._places import links_again, where_repeated
from templ_core.site_level.places.places import (
    DocumentPlaces,
    PlaceReading,
    read_places,
)
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.strings.new_runs import new_runs
from templ_core.site_level.strings.string_evidence import (
    StringEvidence,
    read_strings,
)
from templ_core.site_level.trees.tree_model import TreeEvidence, tree_evidence


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
    headline: Bools
    """Whether the segment is the page's headline: it says the title, or is in the only `h1`, whose text no other page
    has."""
    named: Floats
    """Share of the pairs of neighbouring words in the page's headline that the segment has, 0 to 1."""
    repeated: Bools
    """Whether the text stands more than once at its path on the page, as labels of records do."""
    words: Int32s
    """Words of the segment, at least 1."""
    pages: int
    """Pages of the site's window."""


class SiteEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """The evidence of a site about one page."""

    columns: SiteColumns
    """Inputs of the fusion by name; each of length n_segments."""
    log_odds: Floats
    """Log-odds for content of each segment, by site and page together; length n_segments."""
    repeated_log_odds: Floats
    """What of these log-odds the inputs on repeated text add, never above 0; length n_segments."""
    documents: int
    """Documents that the site model rests on, at least 1."""
    place_pages: int
    """Pages of them that have the places at which the page's content stands, in the mean over its content: few
    after a redesign."""
    fusion: FusionModel
    """How the inputs were weighed; it names the reasons."""
    new_runs: bytes = b""
    """What is remembered of the page's prose that the site does not repeat as far as its model knows, see `new_runs`."""
    segments: SegmentEvidence | None = None
    """What the inputs were made of."""
    cuts: Cuts | None = None
    """Sentences that the site repeats inside segments with other text of their own; None = there are none."""


def read_site_evidence(
    document: Document,
    page: PageEvidence,
    site_model: SiteModel,
    fusion: FusionModel,
    places: DocumentPlaces,
) -> SiteEvidence:
    """Read what a site says about a page with at least one segment.

    Args:
        document: The page.
        page: What the page says about itself.
        site_model: What is known about the site, from at least one document.
        fusion: How evidence is weighed: the weights that fit the page model.
        places: The places of the page.
    """
    columns, segments = site_inputs(document, page, site_model, places)
    log_odds = fused_log_odds(columns, fusion.terms, fusion.bias)
    return SiteEvidence(
        columns=columns,
        log_odds=log_odds,
        repeated_log_odds=fused_log_odds(columns, fusion.terms, 0.0, REPEATED_INPUTS),
        documents=site_model.documents,
        place_pages=pages_with_places(columns, page),
        fusion=fusion,
        new_runs=new_runs(
            page.features.words, places.prose, page.log_odds, segments.strings.is_covered
        ),
        segments=segments,
        cuts=_cuts(columns, segments, log_odds, fusion),
    )


def _cuts(
    columns: SiteColumns, segments: SegmentEvidence, log_odds: Floats, fusion: FusionModel
) -> Cuts | None:
    """Return the sentences that would go if their segments were covered as they are."""
    strings = segments.strings
    if strings.sentences is None:
        return None
    of, cover = strings.sentences.segment, strings.sentences.cover
    names = FEW_COVER, FEW_COVER_OF_RECORDS, SOME_COVER, SOME_COVER_OF_RECORDS
    least, most = STRINGS_CONFIG.prose_words_min, FUSION_CONFIG.length_words_max
    alike, listed, named = strings.alike[of], strings.listed[of], segments.named[of]
    instead = cover_columns(cover, alike, listed, named, segments.page_type, least, most)
    rows = (*instead, *instead)  # what some pages have is among what few have
    after, before = (
        fused_log_odds(dict(zip(names, one, strict=True)), fusion.terms, 0.0, names)
        for one in (rows, [columns[name][of] for name in names])
    )
    cuts: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for row in np.flatnonzero(log_odds[of] + (after - before) < 0).tolist():
        cuts[int(of[row])].append(strings.sentences.spans[row])
    return dict(cuts) or None


def site_inputs(
    document: Document, page: PageEvidence, model: SiteModel, places: DocumentPlaces
) -> tuple[SiteColumns, SegmentEvidence]:
    """Return all columns of `site_columns` for a page of a known site, and what they are made of."""
    table, own, tree = model.places, places.segments, page.features.tree
    levels = FUSION_CONFIG.surrounding_levels
    known = read_places(table, own, page.log_odds, page.page_type.documentation)
    trees = None
    if not known.are_known:
        trees = tree_evidence(places.blocks, own.text, model.trees, own.words, known.mass)
    strings = read_strings(document, page.features, model.strings, places.prose)
    best = best_container(own.first, own.last, known.content, tree.words)
    around = mean_around(known.content, tree, document.nodes.parent, levels)
    share = usual_share(table.best_containers, places.nodes.cell, tree)
    headline, subject = _headline(document, page, places, known)
    segments = SegmentEvidence(
        content_log_odds=page.log_odds,
        page_type=page.page_type,
        places=known,
        trees=trees,
        strings=strings,
        surroundings=around,
        best_share=share,
        best=(int(own.first[best]), int(own.last[best])),
        headline=headline,
        named=named_share(page.features.words, *subject),
        repeated=where_repeated(own.path, own.text),
        words=own.words,
        pages=table.pages,
    )
    columns = combine(
        segments,
        FUSION_CONFIG.length_words_max,
        PLACES_CONFIG.probability_margin,
        STRINGS_CONFIG.prose_words_min,
    )
    columns[LINKS_AGAIN] = links_again(
        own.path,
        own.words,
        known.recurrence,
        page.features.link_density,
        MOSTLY_LINKS,
        STRINGS_CONFIG.link_words_min,
        FUSION_CONFIG.length_words_max,
    )
    return columns, segments


def _headline(
    document: Document, page: PageEvidence, places: DocumentPlaces, known: PlaceReading
) -> tuple[Bools, tuple[int, int]]:
    """Return which segments are the page's headline, and the first of those that name its subject, with the one behind them.

    They name nothing where all pages have the same there.
    """
    is_inside = np.zeros(len(page.words), np.bool_)
    nodes, owner = document.nodes, document.segments.owner
    first, behind = only_h1(nodes.element_types, nodes.element_type, nodes.parent, owner)
    if (known.text_pages[first:behind] > 1).any():
        first, behind = 0, 0
    is_inside[first:behind] = True
    titled = find_headline(document, page.features, places.types, HEADLINE_CONFIG)
    if titled >= 0:
        is_inside[titled] = True
        if first == behind and not known.constant[titled]:
            first, behind = titled, titled + 1
    return is_inside, (first, behind)
