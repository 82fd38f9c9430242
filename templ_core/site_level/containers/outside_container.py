"""What is left out whatever the cut: text beside the box of the page's content that is no sure content.

The cut maximises expected F1 as if segments were right or wrong one by one. Teasers, notes on authors
and menus are so together, and where they are most of a page it falls low enough to take them all.
"""

from templ_core.array_types import Bools, Floats
from templ_core.page_level.model.page_type import PageType
from templ_core.site_level.fusion._fusion import below_least
from templ_core.site_level.fusion.site_inputs import RECURS, TRUST, USUAL, Columns

_LIKELY = 0.4
"""From this probability on a page is an article, or documentation."""
_TRUSTED = 0.5
"""What is usual says nothing where the site is trusted less, as after a redesign."""
_SURE = 1.0
"""Log-odds that is asked of text beside the box: on articles of text of some words, ..."""
_SOME_WORDS = 12
"""... on documentation of text that other pages have."""


def outside_container(
    log_odds: Floats, columns: Columns, words: Floats, page_type: PageType
) -> Bools:
    """Segments of an article or of documentation that are left out; length n_segments.

    Beside the box is what stands neither in the page's best box nor where best boxes usually are. On
    an article anything is left out that is template rather than content.

    Args:
        log_odds: Log-odds for content of each segment.
        columns: What the site says.
        words: Words of each segment.
        page_type: The page_type of the page.
    """
    return below_least(
        log_odds,
        words,
        columns["in the best box"],
        columns["usual best box"],
        columns[TRUST],
        columns[RECURS],
        page_type.article > _LIKELY,
        page_type.documentation > _LIKELY,
        USUAL,
        _TRUSTED,
        _SURE,
        _SOME_WORDS,
    )
