"""What is left out whatever the cut: uncertain text outside the container of the page's content.

The cut maximises expected F1 as if segments were right or wrong one by one. Teasers, notes on authors and
menus are right or wrong together, and where they are most of a page the cut falls so low that it takes
them all.
"""

import numpy as np

from templ_core.array_types import Bools, Floats
from templ_core.page_level.model.page_type import PageType
from templ_core.site_level.config import FUSION_CONFIG, FusionConfig
from templ_core.site_level.fusion.site_columns import (
    IN_BEST_CONTAINER,
    RECURS,
    TRUST,
    USUAL_BEST_CONTAINER,
    SiteColumns,
)


def outside_container(
    log_odds: Floats,
    columns: SiteColumns,
    words: Floats,
    page_type: PageType,
    config: FusionConfig = FUSION_CONFIG,
) -> Bools:
    """Return which segments of an article or of documentation are left out; length n_segments.

    Text is outside if it stands neither in the page's best container nor where best containers usually
    are. There it needs `config.outside_log_odds_min` to stay: on an article if it has some words, on
    documentation if other pages have it. Anywhere on an article, text is left out that is template rather
    than content.

    Args:
        log_odds: Log-odds for content of each segment.
        columns: What the site says.
        words: Words of each segment.
        page_type: The type of the page.
        config: The tunable numbers.
    """
    is_article = page_type.article > config.likely_type
    is_documentation = page_type.documentation > config.likely_type
    if not (is_article or is_documentation):
        return np.zeros(len(log_odds), np.bool_)
    outside = (columns[IN_BEST_CONTAINER] < 0) & (
        (columns[USUAL_BEST_CONTAINER] < config.usual_distance)
        | (columns[TRUST] < config.trust_min)
    )
    outside &= log_odds < config.outside_log_odds_min
    left_out = np.zeros(len(log_odds), np.bool_)
    if is_article:
        left_out = (log_odds < 0) | (outside & (words >= config.outside_words_min))
    if is_documentation:
        left_out |= outside & (columns[RECURS] > 0)
    return left_out
