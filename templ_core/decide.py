"""Evidence to one decision for each segment, with the name of the rule that decided."""

from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.config import CoreConfig
from templ_core.dom.document import Document
from templ_core.page_level.block_scores import content_log_odds, segment_words
from templ_core.page_level.expected_f1 import best_cut
from templ_core.site_level.frequency import node_hashes
from templ_core.site_level.site_model import SiteModel

Floats = npt.NDArray[np.floating[Any]]

REASON_PAGE = "page-level"
REASON_FREQUENT = "site-frequency"


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What becomes of each segment; columns of length n_segments."""

    kept: npt.NDArray[np.bool_]
    templateness: Floats
    reasons: list[str]
    used_site: bool
    """Whether evidence from other pages of the site had weight."""
    abstained: bool
    """Whether the site's evidence was set aside because it left nearly nothing."""
    words: Floats


def decide(document: Document, site_model: SiteModel | None, config: CoreConfig) -> Decision:
    """The decision for a page, with its site's evidence where there is any."""
    words = segment_words(document)
    page_odds = content_log_odds(document, words) if len(words) else np.empty(0)
    alone = _decide_odds(page_odds, words, config)
    if site_model is None or site_model.documents < config.site_evidence_pages_min:
        return alone
    evidence = site_evidence(node_hashes(document.segments.texts), site_model, config)
    if not evidence.any():
        return alone
    fused = _decide_odds(page_odds - evidence, words, config)
    if words[fused.kept].sum() < config.abstain_ratio * words[alone.kept].sum():
        return msgspec.structs.replace(alone, abstained=True)
    reasons = [REASON_FREQUENT if weight > 1 else REASON_PAGE for weight in evidence.tolist()]
    return msgspec.structs.replace(fused, used_site=True, reasons=reasons)


def site_evidence(
    nodes: npt.NDArray[np.uint64], site_model: SiteModel, config: CoreConfig
) -> Floats:
    """Log-odds for template that node frequency adds; 0 where it says nothing.

    A node on at least `template_share` of the window's pages speaks for template, the more the
    more pages have it; one that no page has speaks a little against, once the window is large.
    """
    pages = site_model.documents
    found = site_model.frequency.pages_with(nodes)
    share = found / pages
    size = pages / (pages + 2.0)
    frequent = (found >= config.template_pages_min) & (share >= config.template_share)
    for_template = config.site_evidence_max * size * (0.4 + 0.6 * share)
    against = np.where(found == 0, config.unseen_evidence * pages / (pages + 10.0), 0.0)
    return np.where(frequent, for_template, against)


def _decide_odds(odds: Floats, words: Floats, config: CoreConfig) -> Decision:
    templateness = 1 / (1 + np.exp(odds))
    kept, _ = best_cut(1 - templateness, words, config.f1_recall_share)
    return Decision(
        kept=kept,
        templateness=templateness,
        reasons=[REASON_PAGE] * len(words),
        used_site=False,
        abstained=False,
        words=words,
    )
