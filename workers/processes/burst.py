"""A provisional site model, fitted on the pages of a new site that arrived together."""

from collections.abc import Iterable

from templ_core.config import CoreConfig
from templ_core.dom.codec import content_digest, document_columns
from templ_core.dom.document import Document
from templ_core.page_level.page_evidence import PageEvidence
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.window.page_summary import PageSummary, summarise_scored_page
from templ_core.site_level.window.site_learner import SiteLearner
from templ_core.site_level.window.site_window import WindowFetch, url_hash


def window_page(
    url: str, time_ms: int, document: Document, evidence: PageEvidence
) -> tuple[WindowFetch, PageSummary]:
    """Return what a window knows of a document, and what the document adds to its site's model.

    Args:
        url: Address of the page.
        time_ms: Time of the fetch in Unix milliseconds.
        document: The page, with at least one segment.
        evidence: What it says about itself.
    """
    columns = document_columns(document)
    fetch = WindowFetch(time_ms, url_hash(url), content_digest(columns), len(columns))
    return fetch, summarise_scored_page(document, evidence.features, evidence.log_odds)


def fit_provisional_model(
    pages: Iterable[tuple[WindowFetch, PageSummary]], page_model_version: str, config: CoreConfig
) -> SiteModel | None:
    """Return the model of a window that holds these documents alone; None without documents.

    The refresher gives an equal model, with an equal version, to a window of the same documents.

    Args:
        pages: Documents that the site may be learned from, in any order, as `window_page` returns them. Of one
            URL only the newest counts.
        page_model_version: Version of the page model that has read them.
        config: The core's thresholds.
    """
    summaries = dict(pages)
    newest = {fetch.url_hash: fetch for fetch in sorted(summaries)}
    if not newest:
        return None
    learner = SiteLearner(page_model_version, config)
    learner.follow([(one.content_digest, summaries[one]) for one in sorted(newest.values())])
    return learner.model()
