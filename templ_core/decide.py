"""Evidence to one decision for each segment, with the name of the rule that decided."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from templ_core.array_types import Bools, Floats
from templ_core.config import CoreConfig
from templ_core.dom.text import Cuts
from templ_core.page_level._selection import plain_f1
from templ_core.page_level.model.confidence import confidence_inputs
from templ_core.page_level.model.page_type import PageType
from templ_core.page_level.page_evidence import PageEvidence
from templ_core.page_level.selection import Selection, agreed, select_segments, with_policy
from templ_core.site_level.config import FUSION_CONFIG
from templ_core.site_level.fusion._fusion import outside_container, varying_words, weighed
from templ_core.site_level.fusion.site_columns import CONSTANT, TRUST, SiteColumns
from templ_core.site_level.site_evidence import SiteEvidence

if TYPE_CHECKING:  # It brings a parser of selectors.
    from templ_core.site_settings.rules import RuledSegments

REASON_PAGE = "page-level"
REASON_REPEAT = "repeat"
REASON_OUTSIDE = "beside-content"
REASON_COMMENTS = "comments"
REASON_REVIEWS = "reviews"
REASON_CONSENT = "consent"
REASON_SETTING = "site-setting"

_STEPS = 1000
"""Log-odds are rounded to multiples of 1 / _STEPS, so that every machine gives the same text."""
_NO_TYPE = PageType()


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What becomes of each segment; columns of length n_segments."""

    kept: Bools
    log_odds: Floats
    """Log-odds for content."""
    words: Floats
    """Number of words of each segment, at least 1."""
    confidence: float
    """Word F1 to expect of the kept text, 0 to 1; 0 for a page without text."""
    confidence_inputs: Sequence[float] = ()
    """What the confidence is told by, see `templ_core.page_level.model.confidence`; empty for a page without text."""
    rules: tuple[tuple[str, Bools], ...] = ()
    """Names of rules and the segments that each leaves out; where several do, the last counts."""
    site: SiteEvidence | None = None
    """The evidence of the site where it had weight; None = the page model decided."""
    cuts: Cuts | None = None
    """What is cut out of segments that are kept; None = nothing."""
    abstained: bool = False
    """Whether the site's evidence was set aside because it left nearly nothing."""
    page_type: PageType = _NO_TYPE
    """What the page is, by the page model."""
    by_setting: Bools | None = None
    """Which segments the settings of the site decide; None = none."""

    @property
    def used_site(self) -> bool:
        """Whether evidence from other pages of the site had weight."""
        return self.site is not None

    @property
    def place_pages(self) -> int | None:
        """Documents of the site model that know the places of the page's content; None without one."""
        return None if self.site is None else self.site.place_pages

    @property
    def templateness(self) -> Floats:
        """How likely each segment is template, 0 to 1; length n_segments."""
        result: Floats = 1 / (1 + np.exp(self.log_odds))
        return result

    @property
    def reasons(self) -> list[str]:
        """The name of what decided each segment."""
        if self.site is None:
            reasons = [REASON_PAGE] * len(self.kept)
        else:
            reasons = self.site.fusion.reasons(self.site.columns, self.kept)
        for reason, left_out in self.rules:
            for segment in (left_out & ~self.kept).nonzero()[0].tolist():
                reasons[segment] = reason
        if self.by_setting is not None:
            for segment in self.by_setting.nonzero()[0].tolist():
                reasons[segment] = REASON_SETTING
        return reasons


NOTHING = Decision(
    kept=np.empty(0, np.bool_), log_odds=np.empty(0), words=np.empty(0), confidence=0.0
)
"""The decision for a page without text."""


def decide(page: PageEvidence, site: SiteEvidence | None, config: CoreConfig) -> Decision:
    """Decide which segments of a page stay.

    From a few documents on the site's evidence replaces the rules for single pages about comments
    and repeats. Where the site would leave nearly nothing of what the page takes for content, its
    evidence is set aside.
    """
    own = own_log_odds(page, config)
    if site is None:
        return _decision(page, own, _page_alone(page, own, config))
    is_known, columns, words = site.documents >= config.page_rules_pages, site.columns, page.words

    # Elements whose segments agree are taken together, but for what repeated text adds: a repeated paragraph
    # among others that are like it goes by itself.
    limits, site_share = FUSION_CONFIG, _site_share(site.documents, config)
    long_weight = limits.long_weight if is_known else 1.0
    mixed, rest = weighed(own, site, site_share, long_weight, limits.length_words_max, _STEPS)
    pooled = agreed(rest, page.features.tree) + (mixed - rest)
    if is_known:
        # The site tells comments from content; only what a setting asks for is certain.
        log_odds = with_policy(pooled, words, page.roles, _NO_TYPE, config.comments)
        outside = outside_container(log_odds, columns, words, page.page_type, limits)
        share = page_recall_share(None, config)
        choice = select_segments(log_odds, None, words, share, outside)
    else:
        log_odds = with_policy(pooled, words, page.roles, page.page_type, config.comments)
        outside = None
        choice = _page_alone(page, log_odds, config)

    # Text that is constant in its place does not count: of a listing whose teasers recur, their headings alone
    # would be left.
    kept_words, all_words = varying_words(choice.kept, columns[CONSTANT], words)
    if kept_words < config.abstain_ratio * all_words:
        alone = _page_alone(page, own, config)
        if kept_words < config.abstain_ratio * words[alone.kept].sum():
            return _decision(page, own, alone, abstained=True)
    cuts = site.cuts if is_known else None
    return _decision(page, log_odds, choice, site=site, outside=outside, cuts=cuts)


def own_log_odds(page: PageEvidence, config: CoreConfig) -> Floats:
    """Return the log-odds for content by the page alone, its policies applied; length n_segments."""
    pooled = agreed(page.log_odds, page.features.tree)
    return with_policy(pooled, page.words, page.roles, page.page_type, config.comments)


def page_recall_share(page_type: PageType | None, config: CoreConfig) -> float:
    """Return lambda of the cut, above 0.

    Args:
        page_type: The type of a page of whose site little is known; None where the site is known.
        config: The core's thresholds, with the balance of precision and recall.
    """
    share = config.f1_recall_share * config.recall_ratio
    if page_type is None:
        return share
    return share * (1.0 - (1.0 - config.article_recall_ratio) * page_type.article)


def site_weight(columns: SiteColumns, documents: int, config: CoreConfig) -> Floats:
    """Return how much the site's log-odds count for each segment, 0 to 1; the page has the rest.

    Args:
        columns: Inputs of the fusion.
        documents: Documents that the site model rests on.
        config: The core's thresholds.
    """
    return columns[TRUST] * _site_share(documents, config)


def _site_share(documents: int, config: CoreConfig) -> float:
    return documents / (documents + config.site_doubt_pages)


def _page_alone(page: PageEvidence, log_odds: Floats, config: CoreConfig) -> Selection:
    """Return what is kept by the rules for single pages."""
    share = page_recall_share(page.page_type, config)
    return select_segments(log_odds, page.copies, page.words, share)


def _decision(
    page: PageEvidence,
    log_odds: Floats,
    choice: Selection,
    *,
    site: SiteEvidence | None = None,
    outside: Bools | None = None,
    cuts: Cuts | None = None,
    abstained: bool = False,
) -> Decision:
    left_out = choice.repeated if outside is None else choice.repeated | outside
    expected = plain_f1(log_odds, choice.kept, left_out, page.words)
    inputs = confidence_inputs(expected, choice.kept, page.words, page.page_type)
    of_site = None if site is None else site.fusion.confidence
    return Decision(
        kept=choice.kept,
        log_odds=log_odds,
        words=page.words,
        confidence=(of_site or page.confidence).of(inputs),
        confidence_inputs=inputs,
        rules=(
            *(() if outside is None else ((REASON_OUTSIDE, outside & (log_odds > 0)),)),
            (REASON_REPEAT, choice.repeated),
            (REASON_REVIEWS, page.roles.reviews),
            (REASON_COMMENTS, page.roles.comments),
            (REASON_CONSENT, page.roles.consent),
        ),
        cuts=cuts,
        site=site,
        abstained=abstained,
        page_type=page.page_type,
    )


def with_rules(decision: Decision, ruled: "RuledSegments") -> Decision:
    """Return a decision in which the rules of the site's settings have the last word.

    Only the segments that rules name change. A segment that a rule keeps is kept whole.
    """
    named = ruled.named
    if not named.any():
        return decision
    cuts = {
        segment: parts for segment, parts in (decision.cuts or {}).items() if not named[segment]
    }
    return msgspec.structs.replace(
        decision,
        kept=np.where(named, ruled.kept, decision.kept),
        cuts=cuts or None,
        by_setting=named,
    )
