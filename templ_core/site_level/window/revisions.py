"""When a page's published text is looked at again, and whether the new one is worth sending."""

from collections.abc import Sequence

import numpy as np

from templ_core.array_types import Bools
from templ_core.tokens import tokenise

MATURE_DOCUMENTS = {"first-mature-model": 8, "settled-model": 24}
"""Reason of a revision, and the documents that the site's model rests on from then on.

A text is looked at again when the model passes such a number that the one behind the text had not
reached; so a page is looked at as often as there are numbers, and one that came later never.
"""
REDESIGN = "redesign"
"""Reason where the documents that count are those since a change of design."""
MOST_REVISIONS = 2
LEAST_CHANGE = 0.05
"""A text is sent again when at least this share of its words changes."""


def revision_reason(
    model_documents: int, looked_at: int, documents: int, of_old_design: int = 0
) -> str | None:
    """Why a text is to be looked at again; None = it is not.

    Args:
        model_documents: Documents behind the site model that decided the text; 0 = none.
        looked_at: Documents behind the model that it was compared with last.
        documents: Documents behind the site's model now.
        of_old_design: Those of them that came before the last change of design, for a page that
            came after it: they say little about it.
    """
    before = max(model_documents, looked_at) - of_old_design
    now = documents - of_old_design
    passed = [reason for reason, n in MATURE_DOCUMENTS.items() if before < n <= now]
    return (REDESIGN if of_old_design else passed[-1]) if passed else None


def changed_ratio(texts: Sequence[str], before: Bools, after: Bools) -> float:
    """Share of the words kept before or after that are kept in one of the two only.

    Args:
        texts: Of the page's segments.
        before: Which of them were kept.
        after: Which are kept now.
    """
    words = np.array([len(tokenise(text)) for text in texts], np.int64)
    either = int(words[before | after].sum())
    return int(words[before ^ after].sum()) / either if either else 0.0
