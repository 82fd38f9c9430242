"""What the window of a site says about the text of one of its pages."""

import msgspec
import numpy as np

from templ_core.array_types import Floats
from templ_core.dom.document import Document
from templ_core.dom.text import Cuts
from templ_core.page_level.page_evidence import PageEvidence
from templ_core.site_level.fusion._fusion import fused_log_odds
from templ_core.site_level.fusion.fusion import FusionModel, repeated_terms
from templ_core.site_level.fusion.site_columns import (
    FEW_COVER,
    FEW_COVER_OF_RECORDS,
    PLACE_PAGES,
    SiteColumns,
)
from templ_core.site_level.fusion.site_inputs import cover_columns, site_inputs
from templ_core.site_level.places.places import DocumentPlaces, document_places
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.strings.string_evidence import (
    StringEvidence,
    cuts_of,
    repeated_sentences,
)


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
    columns, strings = site_inputs(
        document,
        page.features,
        page.log_odds,
        page.page_type,
        site_model,
        places or document_places(document, page.features),
    )
    log_odds = fused_log_odds(columns, fusion.terms, fusion.bias)
    return SiteEvidence(
        columns=columns,
        log_odds=log_odds,
        repeated_log_odds=fused_log_odds(columns, repeated_terms(fusion.terms), 0.0),
        documents=site_model.documents,
        place_pages=place_pages(columns, page),
        fusion=fusion,
        cuts=_cuts(document, page, columns, strings, log_odds, fusion),
    )


def place_pages(columns: SiteColumns, page: PageEvidence) -> int:
    """Return the pages that have the places of a page's content, in the mean over its content."""
    mass = page.words / (1 + np.exp(-page.log_odds))
    return round(float(columns[PLACE_PAGES] @ mass / mass.sum()))


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
    of = found.segment
    instead = cover_columns(
        found.cover,
        strings.alike[of],
        strings.listed[of],
        page.page_type,
        (FEW_COVER, FEW_COVER_OF_RECORDS),
    )
    before = {name: columns[name][of] for name in instead}
    terms = {name: fusion.terms[name] for name in instead}
    change = fused_log_odds(instead, terms, 0.0) - fused_log_odds(before, terms, 0.0)
    return cuts_of(found, log_odds[of] + change < 0) or None
