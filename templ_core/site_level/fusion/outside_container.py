"""What is left out whatever the cut: uncertain text outside the container of the page's content.

The cut maximises expected F1 as if segments were right or wrong one by one. Teasers, notes on authors and
menus are right or wrong together, and where they are most of a page the cut falls so low that it takes
them all.
"""

from templ_core.array_types import Bools, Floats
from templ_core.page_level.model.page_type import PageType
from templ_core.site_level.config import FUSION_CONFIG, FusionConfig
from templ_core.site_level.fusion._fusion import segments_outside
from templ_core.site_level.fusion.site_columns import SiteColumns


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
    than content. A page that may be a thread as well is no article here, because its posts stand beside
    each other.

    Args:
        log_odds: Log-odds for content of each segment.
        columns: What the site says.
        words: Words of each segment.
        page_type: The type of the page.
        config: The tunable numbers.
    """
    return segments_outside(log_odds, columns, words, page_type, config)
