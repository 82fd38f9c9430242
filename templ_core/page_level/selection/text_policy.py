"""What becomes of comments, reviews and consent texts, whatever they read like.

Consent texts never stay. Readers' comments are out on articles and in on forum threads, or as a
setting says; reviews follow the comments where the setting names them, else they are judged like
other text.
"""

from typing import Literal

import numpy as np

from templ_core.array_types import Floats
from templ_core.page_level.features.text_roles import TextRoles
from templ_core.page_level.model.page_type import PageType

Comments = Literal["auto", "keep", "drop"]

NEVER = -30.0
"""Log-odds for content of what must not stay: kept only where a page has nothing else."""
ALWAYS = 4.0
"""Log-odds at least, of what must stay."""
ARTICLE_MIN = 0.5
"""A page is an article from this probability on."""
AGAINST_COMMENTS = -4.0
"""Added to the log-odds of comments on articles: what is very sure still stays, which a letters
page or an interview marked up as comments needs."""
SPOKEN_WORDS_MIN = 5
"""Shorter segments of a comment are its buttons, names and dates."""


def with_policy(
    log_odds: Floats, words: Floats, roles: TextRoles, page: PageType, comments: Comments
) -> Floats:
    """Log-odds for content after the policy; length n_segments.

    Args:
        log_odds: Log-odds for content by the page model.
        words: Words of each segment, at least 1.
        roles: Which segments are comments, reviews and consent texts.
        page: The page_type of the page.
        comments: What becomes of comments; `auto`: out on articles.
    """
    result = log_odds.copy()
    readers = roles.comments | roles.reviews
    if comments == "drop":
        result[readers] = NEVER
    elif comments == "keep":
        spoken = readers & (words >= SPOKEN_WORDS_MIN)
        result[spoken] = np.maximum(result[spoken], ALWAYS)
    elif page.article > ARTICLE_MIN:
        result[roles.comments] += AGAINST_COMMENTS
    result[roles.consent] = NEVER
    return result
