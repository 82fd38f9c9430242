"""A provisional site model, fitted on the pages of a new site that arrived together."""

from collections.abc import Sequence

import msgspec

from templ_core.config import CoreConfig
from templ_core.dom.codec import content_digest, document_columns
from templ_core.dom.document import Document
from templ_core.page_level.page_evidence import PageEvidence
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.window.page_summary import summarise_scored_page
from templ_core.site_level.window.site_learner import SiteLearner
from templ_core.site_level.window.site_window import WindowFetch, url_hash
from templ_core.site_level.window.window_page import WindowPage


class BurstDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A page of a burst that was read, and what it says about itself."""

    page_id: str
    url: str
    event_time_ms: int
    document: Document
    evidence: PageEvidence


def fit_provisional_model(
    documents: Sequence[BurstDocument], page_model_version: str, config: CoreConfig
) -> SiteModel | None:
    """Return the model of a window that holds these documents alone; None without documents.

    The refresher gives an equal model, with an equal version, to a window of the same documents.

    Args:
        documents: Documents that the site may be learned from, in any order. Of one URL only the newest
            counts.
        page_model_version: Version of the page model that has read them.
        config: The core's thresholds.
    """
    by_fetch = {_fetch_of(one): one for one in documents}
    newest = {fetch.url_hash: fetch for fetch in sorted(by_fetch)}
    if not newest:
        return None
    learner = SiteLearner(page_model_version, config)
    learner.follow([_window_page(fetch, by_fetch[fetch]) for fetch in sorted(newest.values())])
    return learner.model()


def _fetch_of(one: BurstDocument) -> WindowFetch:
    columns = document_columns(one.document)
    return WindowFetch(one.event_time_ms, url_hash(one.url), content_digest(columns), len(columns))


def _window_page(fetch: WindowFetch, one: BurstDocument) -> WindowPage:
    return WindowPage(
        page_id=one.page_id,
        content_digest=fetch.content_digest,
        page=summarise_scored_page(one.document, one.evidence.features, one.evidence.log_odds),
    )
