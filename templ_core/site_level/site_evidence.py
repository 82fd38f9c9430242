"""What the window of a site says about the text of one of its pages."""

from collections import defaultdict

import msgspec
import numpy as np

from templ_core.array_types import Floats
from templ_core.dom.document import Document
from templ_core.dom.text import Cuts
from templ_core.page_level.page_evidence import PageEvidence
from templ_core.site_level.config import FUSION_CONFIG, STRINGS_CONFIG
from templ_core.site_level.fusion._fusion import cover_columns, fused_log_odds, pages_with_places
from templ_core.site_level.fusion.fusion import FusionModel
from templ_core.site_level.fusion.site_columns import (
    FEW_COVER,
    FEW_COVER_OF_RECORDS,
    REPEATED_INPUTS,
    SiteColumns,
)
from templ_core.site_level.fusion.site_inputs import site_inputs
from templ_core.site_level.places.places import DocumentPlaces, document_places
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.strings.string_evidence import StringEvidence, repeated_sentences


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
    cuts: Cuts | None = None
    """Sentences that the site repeats inside segments of which other text is its own; None = there are none."""


def read_site_evidence(
    document: Document,
    page: PageEvidence,
    site_model: SiteModel | None,
    fusion: FusionModel,
    places: DocumentPlaces | None = None,
) -> SiteEvidence | None:
    """Read what a site says about a page with at least one segment.

    Args:
        document: The page.
        page: What the page says about itself.
        site_model: What is known about the site; None = nothing.
        fusion: How evidence is weighed: the weights that fit the page model.
        places: The places of the page, if they were read before.

    Returns:
        The evidence; None where nothing is known about the site.
    """
    if site_model is None or not site_model.documents:
        return None
    places = places or document_places(document, page.features)
    columns, strings = site_inputs(document, page, site_model, places)
    log_odds = fused_log_odds(columns, fusion.terms, fusion.bias)
    return SiteEvidence(
        columns=columns,
        log_odds=log_odds,
        repeated_log_odds=fused_log_odds(columns, fusion.terms, 0.0, REPEATED_INPUTS),
        documents=site_model.documents,
        place_pages=pages_with_places(columns, page),
        fusion=fusion,
        cuts=_cuts(document, page, columns, strings, log_odds, fusion),
    )


def _cuts(
    document: Document,
    page: PageEvidence,
    columns: SiteColumns,
    strings: StringEvidence,
    log_odds: Floats,
    fusion: FusionModel,
) -> Cuts | None:
    """Return the sentences that would go if their segments were covered as they are."""
    found = repeated_sentences(document, page.features, strings)
    if found is None:
        return None
    of, spans, cover = found
    names = FEW_COVER, FEW_COVER_OF_RECORDS
    least, most = STRINGS_CONFIG.prose_words_min, FUSION_CONFIG.length_words_max
    alike, listed = strings.alike[of], strings.listed[of]
    instead = cover_columns(cover, alike, listed, page.page_type, least, most)
    after, before = (
        fused_log_odds(dict(zip(names, rows, strict=True)), fusion.terms, 0.0, names)
        for rows in (instead, [columns[name][of] for name in names])
    )
    cuts: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for row in np.flatnonzero(log_odds[of] + (after - before) < 0).tolist():
        cuts[int(of[row])].append(spans[row])
    return dict(cuts) or None
