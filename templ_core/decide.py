"""Evidence to one decision for each segment, with the name of the rule that decided."""

import msgspec
import numpy as np

from templ_core.array_types import Bools, Floats
from templ_core.config import CoreConfig
from templ_core.dom.document import Document
from templ_core.page_level.features.page_features import PageFeatures, read_features
from templ_core.page_level.features.text_roles import TextRoles, read_text_roles
from templ_core.page_level.model.confidence import Confidence
from templ_core.page_level.model.model_file import shipped_model
from templ_core.page_level.model.page_model import PageModel
from templ_core.page_level.model.page_type import PageType
from templ_core.page_level.selection.repeats import (
    Choice,
    Copies,
    choose,
    may_repeat,
    one_copy_enough,
)
from templ_core.page_level.selection.text_policy import with_policy
from templ_core.site_level.fusion.fusion import (
    FusionModel,
    faded_log_odds,
    shipped_fusion,
    surer_by_length,
    words_at_stake,
)
from templ_core.site_level.fusion.outside_container import outside_container
from templ_core.site_level.fusion.site_columns import CONSTANT, TRUST, SiteColumns
from templ_core.site_level.fusion.site_inputs import site_inputs
from templ_core.site_level.site_model import SiteModel

REASON_PAGE = "page-level"
REASON_REPEAT = "repeat"
REASON_BESIDE = "beside-content"
REASON_COMMENTS = "comments"
REASON_REVIEWS = "reviews"
REASON_CONSENT = "consent"


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What becomes of each segment; columns of length n_segments."""

    kept: Bools
    log_odds: Floats
    """Log-odds for content."""
    words: Floats
    """At least 1."""
    confidence: float
    """Word F1 to expect of the kept text, 0 to 1; 0 for a page without text."""
    rules: tuple[tuple[str, Bools], ...] = ()
    """Names of rules, and the segments that each leaves out; of several the last."""
    evidence: tuple[FusionModel, SiteColumns] | None = None
    """What decided all else; None = the page model."""
    used_site: bool = False
    """Whether evidence from other pages of the site had weight."""
    abstained: bool = False
    """Whether the site's evidence was set aside because it left nearly nothing."""

    @property
    def templateness(self) -> Floats:
        """Of each segment, 0 to 1; length n_segments."""
        result: Floats = 1 / (1 + np.exp(self.log_odds))
        return result

    @property
    def reasons(self) -> list[str]:
        """The name of what decided each segment."""
        if self.evidence is None:
            reasons = [REASON_PAGE] * len(self.kept)
        else:
            fusion, columns = self.evidence
            reasons = fusion.reasons(columns, self.kept)
        for reason, left_out in self.rules:
            for segment in (left_out & ~self.kept).nonzero()[0].tolist():
                reasons[segment] = reason
        return reasons


class PageScores(msgspec.Struct, frozen=True, kw_only=True):
    """What the page alone says; columns of length n_segments."""

    features: PageFeatures
    log_odds: Floats
    """Log-odds for content."""
    words: Floats
    """At least 1."""
    copies: Copies
    roles: TextRoles
    page_type: PageType
    confidence: Confidence
    """What the model makes of the F1 that a cut expects."""


def decide(
    document: Document,
    site_model: SiteModel | None,
    config: CoreConfig,
    page_model: PageModel | None = None,
    fusion: FusionModel | None = None,
) -> Decision:
    """The decision for a page, with its site's evidence where there is any.

    Args:
        document: The page.
        site_model: What is known about its site; None = nothing.
        config: The core's thresholds.
        page_model: None = the one that comes with the package.
        fusion: How evidence is weighed; None = as fitted for the package.
    """
    if not document.segments.texts:
        return _EMPTY
    page = score_page(document, page_model or shipped_model())
    if site_model is None or not site_model.documents:
        return decide_alone(page, config)
    fusion = fusion or shipped_fusion()
    columns = site_inputs(
        document, page.features, page.log_odds, page.page_type, site_model, config
    )
    decision = decide_fused(page, columns, fusion.log_odds(columns), site_model.documents, config)
    if decision.abstained:
        return decision
    return msgspec.structs.replace(decision, evidence=(fusion, columns))


def decide_alone(page: PageScores, config: CoreConfig) -> Decision:
    """The decision for a page whose site is unknown."""
    own = own_log_odds(page, config)
    return _decision(own, _choice(own, page, page.copies, config), page)


def decide_fused(
    page: PageScores,
    columns: SiteColumns,
    fused_log_odds: Floats,
    documents: int,
    config: CoreConfig,
) -> Decision:
    """The decision for a page of a known site.

    Args:
        page: What the page alone says.
        columns: What the site says.
        fused_log_odds: Log-odds for content of each segment, by the site and the page.
        documents: Documents that the site's model rests on; with few the page alone counts more.
        config: The core's thresholds.
    """
    own = own_log_odds(page, config)
    weight = site_weight(columns, documents, config)
    is_known = documents >= config.page_rules_pages
    page_type, copies = (_ANY_TYPE, None) if is_known else (page.page_type, page.copies)
    if is_known:
        fused_log_odds = surer_by_length(fused_log_odds, columns)
    log_odds = _with_policy(faded_log_odds(own, fused_log_odds, weight), page, page_type, config)
    left_out = (
        outside_container(log_odds, columns, page.words, page.page_type) if is_known else None
    )
    fused = choose(log_odds, copies, page.words, config.f1_recall_share, left_out)
    stake = words_at_stake(own, page.words, columns[CONSTANT], fused.kept)
    recurs = stake.recurring > config.recurring_content_max * stake.content
    if recurs or stake.kept < config.abstain_ratio * stake.whole:
        alone = _choice(own, page, page.copies, config)
        if recurs or stake.kept < config.abstain_ratio * page.words[alone.kept].sum():
            return _decision(own, alone, page, abstained=True)
    return _decision(log_odds, fused, page, left_out, used_site=True)


def site_weight(columns: SiteColumns, documents: int, config: CoreConfig) -> Floats:
    """How much the fused log-odds count for each segment, 0 to 1; for the rest the page alone does.

    Args:
        columns: What the site says.
        documents: Documents that the site's model rests on.
        config: The core's thresholds.
    """
    return columns[TRUST] * (documents / (documents + config.site_doubt_pages))


def score_page(document: Document, page_model: PageModel) -> PageScores:
    """What the page model says about a page with at least one segment."""
    features = read_features(document)
    words = features.tree.words
    reading = page_model.read(document, features)
    return PageScores(
        features=features,
        log_odds=reading.log_odds,
        words=words,
        copies=Copies(
            text=features.text,
            path=features.group,
            once=one_copy_enough(may_repeat(document, words), reading.page_type),
        ),
        roles=read_text_roles(document, features.tree),
        page_type=reading.page_type,
        confidence=page_model.confidence,
    )


def own_log_odds(page: PageScores, config: CoreConfig) -> Floats:
    """Log-odds for content of each segment by the page alone, its policies applied."""
    return _with_policy(page.log_odds, page, page.page_type, config)


def _with_policy(
    log_odds: Floats, page: PageScores, page_type: PageType, config: CoreConfig
) -> Floats:
    return with_policy(log_odds, page.words, page.roles, page_type, config.comments)


def _choice(
    log_odds: Floats, page: PageScores, copies: Copies | None, config: CoreConfig
) -> Choice:
    return choose(log_odds, copies, page.words, config.f1_recall_share)


def _decision(
    log_odds: Floats,
    choice: Choice,
    page: PageScores,
    left_out: Bools | None = None,
    *,
    used_site: bool = False,
    abstained: bool = False,
) -> Decision:
    beside = () if left_out is None else ((REASON_BESIDE, left_out & (log_odds > 0)),)
    return Decision(
        kept=choice.kept,
        log_odds=log_odds,
        rules=(
            *beside,
            (REASON_REPEAT, choice.repeated),
            (REASON_REVIEWS, page.roles.reviews),
            (REASON_COMMENTS, page.roles.comments),
            (REASON_CONSENT, page.roles.consent),
        ),
        used_site=used_site,
        abstained=abstained,
        words=page.words,
        confidence=page.confidence.of(choice.expected_f1),
    )


_ANY_TYPE = PageType()
"""What is known of the site tells comments from content; only what a setting asks for is certain."""

_EMPTY = Decision(
    kept=np.empty(0, np.bool_), log_odds=np.empty(0), words=np.empty(0), confidence=0.0
)
