"""Text that a site repeats with other words in some places, as boxes of related articles do.

The places vary, so that no sentence is repeated as a whole; what stands between them is in the phrases
that the site's suffix array found (Foschini 2007, sections 3.2 and 3.4).
"""

import math

import msgspec

from templ_core.array_types import Bools
from templ_core.dom.document import Document
from templ_core.page_level.features.page_features import PageFeatures
from templ_core.page_level.features.surroundings import HEADING, VERBATIM
from templ_core.page_level.model.page_type import PageType
from templ_core.site_level.config import VARIED_TEXT_CONFIG, VariedTextConfig
from templ_core.site_level.phrases.phrase_corpus import LINE
from templ_core.site_level.phrases.phrase_matcher import PhraseMatcher
from templ_core.site_level.phrases.phrase_set import PhraseSet


def varying_phrases(phrases: PhraseSet, config: VariedTextConfig = VARIED_TEXT_CONFIG) -> PhraseSet:
    r"""Return the phrases that show that text is repeated although some of its words change.

    They are long, stand on enough pages, and are no whole block: a block is repeated as it is, perhaps
    as the teaser of an article.

    >>> from templ_core.site_level.phrases.phrase_set import Phrase
    >>> words = tuple("read the whole of it here, and then come again".split())
    >>> some = (Phrase(("\n", *words), 9), Phrase(("\n", *words, "\n"), 9), Phrase(("Home",), 9))
    >>> [len(one.keys) for one in varying_phrases(PhraseSet(pages=9, phrases=some)).phrases]
    [11]

    Args:
        phrases: All phrases of a site.
        config: The tunable numbers.
    """
    if phrases.pages < config.learned_pages_min:
        return msgspec.structs.replace(phrases, phrases=())
    pages_min = math.ceil(config.phrase_pages_ratio_min * phrases.pages)
    return msgspec.structs.replace(
        phrases,
        phrases=tuple(
            one
            for one in phrases.phrases
            if one.pages >= pages_min
            and len(one.keys) >= config.phrase_tokens_min
            and not one.keys[0] == one.keys[-1] == LINE
        ),
    )


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
