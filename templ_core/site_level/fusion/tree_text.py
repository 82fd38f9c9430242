"""What is left out whatever the cut: text that stands in the tree template of the page's kind.

This is the question of RTDM-TD (Vieira et al., CIKM 2006): is this node, with this text, in the template
that the mapping of the trees finds?
"""

from templ_core.array_types import Bools
from templ_core.page_level.features.page_features import PageFeatures
from templ_core.page_level.features.surroundings import HEADING, REPEATING, VERBATIM
from templ_core.page_level.model.page_type import PageType
from templ_core.site_level.config import FUSION_CONFIG, SENTENCES_CONFIG, FusionConfig
from templ_core.site_level.fusion.site_columns import TREE_TEXT, SiteColumns


def in_tree_template(
    columns: SiteColumns,
    features: PageFeatures,
    page_type: PageType,
    config: FusionConfig = FUSION_CONFIG,
) -> Bools:
    """Return which segments are text of a tree template; length n_segments.

    Labels, headings, cells and code are the same on many pages without being template, and so is text
    on documentation and in forums, whose pages are made of records.

    Args:
        columns: What the site says.
        features: The features of the page.
        page_type: The type of the page.
        config: The tunable numbers.
    """
    is_record = max(page_type.documentation, page_type.forum) > SENTENCES_CONFIG.record_probability
    result: Bools = (
        (columns[TREE_TEXT] >= config.tree_text_share_min)
        & (features.words.per_segment >= config.tree_words_min)
        & (features.surroundings & (HEADING | REPEATING | VERBATIM) == 0)
        & (not is_record)
    )
    return result
