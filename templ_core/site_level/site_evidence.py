"""What the window of a site says about the text of one of its pages."""

import msgspec

from templ_core.array_types import Bools, Floats
from templ_core.config import CoreConfig
from templ_core.dom.document import Document
from templ_core.page_level.page_evidence import PageEvidence
from templ_core.site_level.fusion.fusion import FusionModel
from templ_core.site_level.fusion.site_columns import SiteColumns
from templ_core.site_level.fusion.site_inputs import site_inputs
from templ_core.site_level.places.places import DocumentPlaces, document_places
from templ_core.site_level.sentences.repeated_sentences import RepeatedSentences, find_repeated
from templ_core.site_level.sentences.varied_text import find_varied
from templ_core.site_level.site_model import SiteModel


class SiteEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """The evidence of a site about one page."""

    columns: SiteColumns
    """Inputs of the fusion by name; each of length n_segments."""
    log_odds: Floats
    """Log-odds for content of each segment, by site and page together; length n_segments."""
    documents: int
    """Documents that the site model rests on, at least 1."""
    fusion: FusionModel
    """How the inputs were weighed; it names the reasons."""
    repeated: RepeatedSentences | None = None
    """The text that the site repeats sentence by sentence; None = there is none."""
    varied: Bools | None = None
    """Segments that the site repeats with some words changed; None = there are none."""


def read_site_evidence(
    document: Document,
    page: PageEvidence,
    site_model: SiteModel | None,
    config: CoreConfig,
    fusion: FusionModel,
    places: DocumentPlaces | None = None,
) -> SiteEvidence | None:
    """Read what a site says about a page with at least one segment.

    Args:
        document: The page.
        page: What the page says about itself.
        site_model: What is known about the site; None = nothing.
        config: The core's thresholds.
        fusion: How evidence is weighed: the weights that fit the page model.
        places: The places of the page, if they were read before.

    Returns:
        The evidence; None where nothing is known about the site.
    """
    if site_model is None or not site_model.documents:
        return None
    columns = site_inputs(
        document,
        page.features,
        page.log_odds,
        page.page_type,
        site_model,
        config,
        places or document_places(document, page.features),
    )
    return SiteEvidence(
        columns=columns,
        log_odds=fusion.log_odds(columns),
        documents=site_model.documents,
        fusion=fusion,
        repeated=find_repeated(
            document, page.features, page.page_type, site_model.sentences, site_model.documents
        ),
        varied=find_varied(
            page.features,
            page.page_type,
            site_model.shingles,
            site_model.sentences,
            site_model.documents,
        ),
    )
