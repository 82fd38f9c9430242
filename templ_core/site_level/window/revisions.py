"""When a page's published text is compared with the site's model, and whether the new one is worth publishing."""

from collections import Counter

import msgspec

from templ_core.site_level.config import REVISIONS_CONFIG
from templ_core.tokens import tokenise

FIRST_MATURE_MODEL = "first-mature-model"
"""Reason of a revision: the site's model has grown enough for another comparison."""
SETTLED_MODEL = "settled-model"
"""Reason of a revision: the site's model hardly changes from here on."""
REPEATED_TEXT = "repeated-text"
"""Reason of a revision: the site has begun to repeat text that its newest pages were published with."""
REDESIGN = "redesign"
"""Reason of a revision: the site's model rests on enough documents of a new design."""


class DesignChange(msgspec.Struct, frozen=True, array_like=True):
    """A change of a site's design."""

    place: int
    """Index in the window of the first page after the old design."""
    documents: int
    """Documents of the site model that came before that page."""
    known_ratio: float = 0.0
    """Share of the anchors of the pages since then that pages of the old design have, 0 to 1, in the median."""


def revision_reason(
    model_documents: int, compared_documents: int, documents: int, of_old_design: int = 0
) -> str | None:
    """Return why a text is to be compared again; None where it is not.

    That is so when the site's model grows past one of the two numbers of documents in `REVISIONS_CONFIG` that the
    model behind the text had not reached. So each page is compared twice at most.

    >>> revision_reason(model_documents=3, compared_documents=3, documents=8)
    'first-mature-model'
    >>> revision_reason(model_documents=8, compared_documents=8, documents=9) is None
    True

    Args:
        model_documents: Documents behind the site model that decided the text; 0 = no model.
        compared_documents: Documents behind the model that the text was compared with last.
        documents: Documents behind the site's model now.
        of_old_design: Documents of that model from before the last change of design, for a page that
            came after it; they say little about the page and are not counted.
    """
    before = max(model_documents, compared_documents) - of_old_design
    now = documents - of_old_design
    reason = None
    if before < REVISIONS_CONFIG.first_mature_documents <= now:
        reason = FIRST_MATURE_MODEL
    if before < REVISIONS_CONFIG.settled_documents <= now:
        reason = SETTLED_MODEL
    return REDESIGN if reason and of_old_design else reason


def changed_ratio(before: str, after: str) -> float:
    r"""Return the share of the words of two texts together that only one of them has, 0 to 1.

    >>> changed_ratio("one two three\nfour", "one two three")
    0.25
    """
    if before == after:
        return 0.0
    words, others = Counter(tokenise(before)), Counter(tokenise(after))
    either = (words | others).total()
    return 1 - (words & others).total() / either if either else 0.0
