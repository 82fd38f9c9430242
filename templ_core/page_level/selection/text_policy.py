"""What becomes of comments, reviews and consent texts, whatever the page model says about them.

Consent texts never stay. Comments of readers are left out on articles and kept on forum threads,
or as the setting says. Reviews follow the comments where the setting decides, and are otherwise
judged like other text.
"""

from typing import Literal

import numpy as np

from templ_core.array_types import Floats
from templ_core.page_level.config import SELECTION_CONFIG
from templ_core.page_level.features.text_roles import TextRoles
from templ_core.page_level.model.page_type import PageType

Comments = Literal["auto", "keep", "drop"]


def with_policy(
    log_odds: Floats, words: Floats, roles: TextRoles, page: PageType, comments: Comments
) -> Floats:
    """Return the log-odds for content after the policy; length n_segments.

    Args:
        log_odds: Log-odds for content by the page model; length n_segments.
        words: Number of words of each segment, at least 1; length n_segments.
        roles: Which segments are comments, reviews and consent texts.
        page: The type of the page.
        comments: What becomes of comments and reviews; with `auto`, comments on articles lose
            log-odds and all other text is judged as it is.

    Example:
        >>> roles = TextRoles(
        ...     comments=np.array([False, True]),
        ...     reviews=np.zeros(2, np.bool_),
        ...     consent=np.zeros(2, np.bool_),
        ... )
        >>> log_odds, words = np.array([3.0, 1.0]), np.array([60.0, 14.0])
        >>> with_policy(log_odds, words, roles, PageType(article=0.9), "auto").tolist()
        [3.0, -3.0]
    """
    config = SELECTION_CONFIG
    result = log_odds.copy()
    if comments == "drop":
        result[roles.comments | roles.reviews] = config.never_log_odds
    elif comments == "keep":
        spoken = (roles.comments | roles.reviews) & (words >= config.spoken_words_min)
        result[spoken] = np.maximum(result[spoken], config.always_log_odds)
    elif page.article > config.article_min:
        result[roles.comments] += config.comments_log_odds
    np.copyto(result, config.never_log_odds, where=roles.consent)
    return result
