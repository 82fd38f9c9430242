"""What becomes of comments, reviews and consent texts, whatever they read like.

Consent texts never stay. Readers' comments are out on articles and in on forum threads, or as a
setting says; reviews follow the comments where the setting names them, else they are judged like
other text.
"""

from typing import Literal

import numpy as np
import numpy.typing as npt

from templ_core.page_level.features.text_roles import TextKinds
from templ_core.page_level.model.page_type import PageKind

Floats = npt.NDArray[np.float64]
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
    odds: Floats, words: Floats, kinds: TextKinds, page: PageKind, comments: Comments
) -> Floats:
    """Log-odds for content after the policy; length n_segments.

    Args:
        odds: Log-odds for content by the page model.
        words: Words of each segment, at least 1.
        kinds: Which segments are comments, reviews and consent texts.
        page: The kind of the page.
        comments: What becomes of comments; `auto`: out on articles.
    """
    result = odds.copy()
    readers = kinds.comments | kinds.reviews
    if comments == "drop":
        result[readers] = NEVER
    elif comments == "keep":
        spoken = readers & (words >= SPOKEN_WORDS_MIN)
        result[spoken] = np.maximum(result[spoken], ALWAYS)
    elif page.article > ARTICLE_MIN:
        result[kinds.comments] += AGAINST_COMMENTS
    result[kinds.consent] = NEVER
    return result
