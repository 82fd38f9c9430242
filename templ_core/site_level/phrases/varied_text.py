"""Text that a site repeats with other words in some places, as boxes of related articles do.

The places vary, so that no sentence is repeated as a whole; what stands between them is in the phrases
that the site's suffix array found (Foschini 2007, sections 3.2 and 3.4).
"""

from templ_core.array_types import Bools
from templ_core.dom.document import Document
from templ_core.page_level.features.page_features import PageFeatures
from templ_core.page_level.features.surroundings import HEADING, VERBATIM
from templ_core.page_level.model.page_type import PageType
from templ_core.site_level.config import VARIED_TEXT_CONFIG, VariedTextConfig
from templ_core.site_level.phrases.phrase_matcher import PhraseMatcher


def find_varied(
    document: Document,
    features: PageFeatures,
    page_type: PageType,
    matcher: PhraseMatcher,
    config: VariedTextConfig = VARIED_TEXT_CONFIG,
) -> Bools | None:
    """Return which segments their site repeats with some words changed; None where none is.

    The records of a reference and of a forum are alike on purpose, so nothing is looked up there, nor in
    headings and code.

    Args:
        document: A page with at least one segment.
        features: Its features.
        page_type: Its type.
        matcher: Finds the `varying_phrases` of its site.
        config: The tunable numbers.
    """
    if (
        matcher.is_empty
        or max(page_type.documentation, page_type.forum) > config.record_probability
    ):
        return None
    is_long = features.words.per_segment >= config.words_min
    is_prose = features.surroundings & (HEADING | VERBATIM) == 0
    wanted = is_long & is_prose
    if not wanted.any():
        return None
    varied: Bools = matcher.coverage(document, wanted) >= config.covered_ratio_min
    return varied if varied.any() else None
