"""What the window of a site says about the segments of a page, as columns for the fusion."""

import msgspec
import numpy as np

from templ_core.array_types import Bools, Floats, Int32s, Int64s
from templ_core.dom.document import Document
from templ_core.page_level.features.page_features import PageFeatures
from templ_core.page_level.model.page_type import PageType
from templ_core.site_level.config import (
    CONTAINERS_CONFIG,
    FUSION_CONFIG,
    PLACES_CONFIG,
    STRINGS_CONFIG,
    StringsConfig,
)
from templ_core.site_level.containers._containers import best_container, mean_around, usual_share
from templ_core.site_level.containers.headline import headline_of
from templ_core.site_level.fusion._fusion import combine
from templ_core.site_level.fusion.site_columns import (
    BY_TREE,
    CONSTANT,
    FEW_COVER,
    FEW_COVER_OF_RECORDS,
    HEADLINE,
    LINKS_AGAIN,
    PLACE_PAGES,
    SOME_COVER,
    SOME_COVER_OF_RECORDS,
    TRUST,
    USUAL_STRING,
    SiteColumns,
)
from templ_core.site_level.places._place_log_odds import links_again, where_repeated
from templ_core.site_level.places.place_log_odds import PlaceReading, read_places
from templ_core.site_level.places.places import DocumentPlaces
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.strings.string_evidence import Cover, StringEvidence, read_strings
from templ_core.site_level.trees.tree_evidence import tree_evidence
from templ_core.site_level.trees.tree_model import TreeModel


class SegmentEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about a page before it is combined; columns of length n_segments.

    On documentation, labels of records and what the page model takes for content where content usually is are meant
    to be repeated, so it says nothing that all pages have them. On other pages such text is template.
    """

    content_log_odds: Floats
    """Log-odds for content, by the page model."""
    places: PlaceReading
    """What the window says about the places."""
    place_log_odds: Floats
    """Log-odds for content of the place, by its name, or by tree where the site does not know the name."""
    known: Bools
    """Whether the site knows the place, by its name or by tree."""
    surroundings: Floats
    """Mean content of the words around the segment, 0 to 1."""
    best_share: Floats
    """How usual the most usual best container around the segment is, 0 to 1."""
    in_best: Bools
    """Whether the segment is in the page's best container."""
    repeated: Bools
    """Whether the text stands more than once at its path on the page, as labels of records do."""
    words: Int32s
    """Words of the segment, at least 1."""
    documentation: float
    """Probability that the page is documentation, 0 to 1."""
    pages: int
    """Pages of the site's window."""


def site_inputs(
    document: Document,
    features: PageFeatures,
    content_log_odds: Floats,
    page_type: PageType,
    model: SiteModel,
    places: DocumentPlaces,
) -> tuple[SiteColumns, StringEvidence]:
    """Return all columns of `site_columns` for a page of a known site, and the strings on it.

    Args:
        document: A page with at least one segment.
        features: The features of the page.
        content_log_odds: Log-odds for content of each segment, by the page model.
        page_type: The type of the page, by the page model.
        model: What is known about the site.
        places: The places of the page.
    """
    table, config = model.places, CONTAINERS_CONFIG
    types, nodes, page = places.types, places.nodes, places.segments
    tree, parent = features.tree, document.nodes.parent
    known = read_places(table, page, content_log_odds)
    is_named = known.path_pages > 0
    place_log_odds, tree_pages = _with_trees(known, places, model.trees)
    in_trees = tree_pages > 0
    best = best_container(page.first, page.last, known.content, tree.words)
    in_best = np.zeros(len(page.words), np.bool_)
    in_best[page.first[best] : page.last[best]] = True
    columns = combine(
        SegmentEvidence(
            content_log_odds=content_log_odds,
            places=known,
            place_log_odds=place_log_odds,
            known=is_named | in_trees,
            surroundings=mean_around(known.content, tree, parent, config.surrounding_levels),
            best_share=usual_share(table.best_containers, nodes.cell, tree, config.doubt_pages),
            in_best=in_best,
            repeated=where_repeated(page.path, page.text),
            words=page.words,
            documentation=page_type.documentation,
            pages=table.pages,
        ),
        FUSION_CONFIG,
        PLACES_CONFIG.probability_margin,
        config.doubt_pages,
    )
    columns[HEADLINE] = headline_of(document, features, types)
    columns[BY_TREE] = (in_trees & ~is_named).astype(np.float64)
    columns[PLACE_PAGES] = np.maximum(known.path_pages, tree_pages).astype(np.float64)
    columns[CONSTANT] = known.constant.astype(np.float64)
    columns[LINKS_AGAIN] = links_again(
        page.path,
        page.words,
        known.recurrence,
        features.link_density,
        STRINGS_CONFIG,
        FUSION_CONFIG.length_words_max,
    )
    strings = read_strings(features, model.strings, places.prose)
    columns |= string_columns(strings, page_type)
    columns[TRUST] = np.maximum(columns[TRUST], strings.some.share)
    return columns, strings


def _with_trees(
    known: PlaceReading, places: DocumentPlaces, trees: TreeModel
) -> tuple[Floats, Int64s]:
    """Return the log-odds of places, by tree where the site does not know their names.

    Returns:
        The log-odds, and the pages with each place by the tree templates, which are not asked where all names
        are known.
    """
    unknown, page = known.path_pages == 0, places.segments
    found = None
    if unknown.any():
        found = tree_evidence(places.blocks, page.text, trees, page.words, known.mass)
    if found is None:
        return known.log_odds, np.zeros(len(unknown), np.int64)
    return np.where(unknown, found.log_odds, known.log_odds), found.place_pages


def string_columns(strings: StringEvidence, page_type: PageType) -> SiteColumns:
    """Return the inputs of the fusion that say what strings of the site are on a page.

    Args:
        strings: The strings of the site on the page.
        page_type: The type of the page. A manual repeats the labels of its records on most pages, and what
            records repeat is weighed by inputs of its own.
    """
    columns = {USUAL_STRING: (1 - page_type.documentation) * np.log1p(strings.usual_words)}
    for cover, names in (
        (strings.few, (FEW_COVER, FEW_COVER_OF_RECORDS)),
        (strings.some, (SOME_COVER, SOME_COVER_OF_RECORDS)),
    ):
        columns |= cover_columns(cover, strings.alike, strings.listed, page_type, names)
    return columns


def cover_columns(
    cover: Cover,
    alike: Floats,
    listed: Floats,
    page_type: PageType,
    names: tuple[str, str],
    config: StringsConfig = STRINGS_CONFIG,
) -> SiteColumns:
    """Return the two inputs that say how much of some text the strings of one level cover.

    They are 0 for runs of few words, and grow with the logarithm of the words. A text of which the same stands
    beside it on half of its pages counts nothing, nor does one of which the page has half more than once: it is a
    pattern of a list.

    Args:
        cover: What they cover.
        alike: How often the same stands beside it, see `StringEvidence`.
        listed: How much of it the page has more than once, likewise.
        page_type: The type of the page.
        names: The input for pages without records, and that for documentation and forums.
        config: The tunable numbers.
    """
    records = max(page_type.documentation, page_type.forum)
    apart = np.maximum(1 - 2 * np.maximum(alike, listed), 0)
    run_words = cover.run_words.clip(config.prose_words_min, FUSION_CONFIG.length_words_max)
    sure = cover.share * apart * np.log(run_words / config.prose_words_min)
    return {names[0]: (1 - records) * sure, names[1]: records * sure}
