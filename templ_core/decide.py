"""One decision for each segment from all evidence: policy, sections, repeats and cut, and the rule that decided."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from templ_core.array_types import Bools, Floats
from templ_core.config import Comments, CoreConfig
from templ_core.dom.signs import Cuts
from templ_core.page_level import _selection
from templ_core.page_level.config import MODEL_CONFIG, SELECTION_CONFIG, SelectionConfig
from templ_core.page_level.features.surroundings import TextRoles
from templ_core.page_level.model.page_model import confidence_inputs
from templ_core.page_level.model.page_type import PageType
from templ_core.page_level.page_evidence import Copies, PageEvidence
from templ_core.page_level.page_tree import PageTree
from templ_core.site_level.config import FUSION_CONFIG, LIKELY
from templ_core.site_level.fusion._fusion import unlikely_content, weighed
from templ_core.site_level.fusion.site_columns import TRUST, SiteColumns
from templ_core.site_level.site_evidence import SiteEvidence

if TYPE_CHECKING:  # It brings a parser of selectors.
    from templ_core.site_settings.rules import RuledSegments

REASON_PAGE = "page-level"
REASON_REPEAT = "repeat"
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
    """What the confidence is computed from, see `confidence_inputs`; empty for a page without text."""
    rules: tuple[tuple[str, Bools], ...] = ()
    """Names of rules and the segments that each leaves out; where several do, the last counts."""
    site: SiteEvidence | None = None
    """The evidence of the site where it had weight; None = the page model decided."""
    cuts: Cuts | None = None
    """Sentences that are cut out of kept segments; None = nothing is cut."""
    page_type: PageType = _NO_TYPE
    """The type of the page by the page model."""
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
    def new_runs(self) -> bytes:
        """What is remembered of prose that the site's model does not know; empty without a model."""
        return b"" if self.site is None else self.site.new_runs

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


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """The segments of a page that are kept; columns of length n_segments."""

    kept: Bools
    """Whether each segment is kept."""
    repeated: Bools
    """Whether each segment is left out because a surer one has the same text."""


def decide(page: PageEvidence, site: SiteEvidence | None, config: CoreConfig) -> Decision:
    """Decide which segments of a page stay.

    From a few documents on the site's evidence replaces the rules for single pages about comments
    and repeats.
    """
    own = own_log_odds(page, config)
    if site is None:
        return _decision(page, own, _page_alone(page, own, config))
    is_known, columns, words = site.documents >= config.page_rules_pages, site.columns, page.words

    # Elements whose segments agree are kept or left out together, except for repeated text: a repeated paragraph
    # among similar ones is left out alone.
    limits, site_share = FUSION_CONFIG, _site_share(site.documents, config)
    long_weight = limits.long_weight if is_known else 1.0
    mixed, rest = weighed(own, site, site_share, long_weight, limits.length_words_max, _STEPS)
    pooled = agreed(rest, page.features.tree) + (mixed - rest)
    if is_known:
        # The site separates comments from content; only what a setting asks for is certain.
        log_odds = with_policy(pooled, words, page.roles, _NO_TYPE, config.comments)
        unlikely = unlikely_content(log_odds, columns, page.page_type, LIKELY)
        # What stands around its articles and lists is known, so the type does not say how much recall counts.
        choice = select_segments(log_odds, None, words, config.recall_ratio, unlikely)
    else:
        log_odds = with_policy(pooled, words, page.roles, page.page_type, config.comments)
        unlikely = None
        choice = _page_alone(page, log_odds, config)

    cuts = site.cuts if is_known else None
    return _decision(page, log_odds, choice, site=site, unlikely=unlikely, cuts=cuts)


def own_log_odds(page: PageEvidence, config: CoreConfig) -> Floats:
    """Return the log-odds for content by the page alone, its policies applied; length n_segments."""
    pooled = agreed(page.log_odds, page.features.tree)
    return with_policy(pooled, page.words, page.roles, page.page_type, config.comments)


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
    share = page.recall_share * config.recall_ratio
    return select_segments(log_odds, page.copies, page.words, share)


def _decision(
    page: PageEvidence,
    log_odds: Floats,
    choice: Selection,
    *,
    site: SiteEvidence | None = None,
    unlikely: Bools | None = None,
    cuts: Cuts | None = None,
) -> Decision:
    left_out = choice.repeated if unlikely is None else choice.repeated | unlikely
    expected = _selection.plain_f1(log_odds, choice.kept, left_out, page.words)
    inputs = confidence_inputs(expected, choice.kept, page.words, page.page_type)
    of_site = None if site is None else site.fusion.confidence
    return Decision(
        kept=choice.kept,
        log_odds=log_odds,
        words=page.words,
        confidence=(of_site or page.confidence).of(inputs),
        confidence_inputs=inputs,
        rules=(
            (REASON_REPEAT, choice.repeated),
            (REASON_REVIEWS, page.roles.reviews),
            (REASON_COMMENTS, page.roles.comments),
            (REASON_CONSENT, page.roles.consent),
        ),
        cuts=cuts,
        site=site,
        page_type=page.page_type,
    )


def with_rules(decision: Decision, ruled: "RuledSegments") -> Decision:
    """Return a decision in which the rules of the site's settings have the last word.

    Only the segments that rules name change. A segment that a rule keeps is kept whole.
    """
    named = ruled.named
    if not np.count_nonzero(named):
        return decision
    cuts = {
        segment: parts for segment, parts in (decision.cuts or {}).items() if not named[segment]
    }
    kept = np.where(named, ruled.kept, decision.kept)
    return msgspec.structs.replace(
        decision,
        kept=kept,
        cuts=cuts or None,
        by_setting=named,
        confidence=decision.confidence if np.count_nonzero(kept) else 0.0,
    )


def agreed(log_odds: Floats, tree: PageTree, config: SelectionConfig = SELECTION_CONFIG) -> Floats:
    """Return log-odds in which all segments of a section have their mean; length n_segments.

    The sections of a page are its largest elements in which the log-odds of the segments differ little: no
    section stands in another, and what is in none stands for itself (an antichain of the page's tree, as in
    Chakrabarti et al., WWW 2007, section 4). So the cells of a row, the items of a list and the paragraphs of a
    text are kept or left out together. Sections by the paper's isotonic smoothing gain less and divide more
    elements, see workers/lab/studies/page-model.md.

    A segment weighs the square root of its words, in the mean and in how far a section's segments differ.

    >>> import numpy as np
    >>> from templ_core.dom.document import parse_document
    >>> from templ_core.page_level.page_tree import read_tree
    >>> page = parse_document("<ul><li>one<li>two</ul><p>It rains.", "https://example.com/")
    >>> agreed(np.array([-0.2, 0.4, 3.0]), read_tree(page, np.ones(3))).tolist()
    [0.1, 0.1, 3.0]

    Args:
        log_odds: Log-odds for content of each segment.
        tree: The page's tree.
        config: How far the segments of a section may differ.
    """
    return _selection.agreed(
        tree.first,
        tree.last,
        tree.words,
        log_odds,
        config.section_spread_max,
        10**MODEL_CONFIG.decimals,
    )


def with_policy(
    log_odds: Floats, words: Floats, roles: TextRoles, page: PageType, comments: Comments
) -> Floats:
    """Return the log-odds for content after the policy on comments, reviews, leads and consent texts.

    Consent texts never stay. Headline and lead are likely content, as their page declares. Comments of readers are left out
    beside an article, or as the setting says: an article, whose content is outside the comments, has to
    be likelier than a page whose content is in them, such as a thread whose posts are called comments. Reviews
    follow the comments where the setting decides, and are otherwise judged like other text. The result has
    length n_segments.

    Args:
        log_odds: Log-odds for content by the page model; length n_segments.
        words: Number of words of each segment, at least 1; length n_segments.
        roles: Which segments are comments, reviews and consent texts.
        page: The type of the page.
        comments: What becomes of comments and reviews; with `auto`, comments beside an article lose
            log-odds and all other text is judged as it is.
    """
    config = SELECTION_CONFIG
    result = log_odds.copy()
    if comments == "drop":
        result[roles.comments | roles.reviews] = config.never_log_odds
    elif comments == "keep":
        spoken = (roles.comments | roles.reviews) & (words >= config.spoken_words_min)
        result[spoken] = np.maximum(result[spoken], config.always_log_odds)
    elif page.article and np.count_nonzero(roles.comments):
        content_words = words / (1 + np.exp(-log_odds))
        in_comments = content_words[roles.comments].sum() / content_words.sum()
        if page.article * (1 - in_comments) >= (1 - page.article) * in_comments:
            result[roles.comments] += config.comments_log_odds
    leads = roles.leads
    if np.count_nonzero(leads):
        result[leads] = np.maximum(result[leads], config.lead_log_odds)
    result[roles.consent] = config.never_log_odds
    return result


def select_segments(
    content_log_odds: Floats,
    copies: Copies | None,
    words: Floats,
    recall_share: float,
    left_out: Bools | None = None,
) -> Selection:
    """Return the cut with the best expected F1 over all segments that repeat no surer one.

    Markup for phones beside markup for desktops, and pull quotes, repeat text without need. Equal cells
    of a table and equal lines of code are repeated on purpose, and equal texts on one path are records
    of one list.

    Args:
        content_log_odds: Log-odds for content of each segment; length n_segments.
        copies: What is needed to find repeats; without it all text may repeat.
        words: Number of words of each segment, at least 1; length n_segments.
        recall_share: lambda of `_selection.best_cut`, above 0.
        left_out: Further segments to leave out, unless that leaves nothing; length n_segments.

    Example:
        >>> twice = Copies(
        ...     text=np.array([7, 7, 8], np.uint64),
        ...     path=np.array([0, 1, 1]),
        ...     once=np.ones(3, np.bool_),
        ... )
        >>> words = np.array([20.0, 20.0, 30.0])
        >>> selection = select_segments(np.array([2.0, 3.0, 3.0]), twice, words, 0.85)
        >>> selection.kept.tolist(), selection.repeated.tolist()
        ([False, True, True], [True, False, False])
    """
    if copies is None:
        repeated = np.zeros(len(words), np.bool_)
    else:
        surest = _selection.surest_copies(copies.text, content_log_odds)
        repeated = copies.once & (copies.path != copies.path[surest])
    out = repeated if left_out is None else repeated | left_out
    kept, expected = _selection.best_cut(content_log_odds, out, words, recall_share)
    if expected == 0:
        kept, _ = _selection.best_cut(content_log_odds, repeated, words, recall_share)
    return Selection(kept=kept, repeated=repeated)
