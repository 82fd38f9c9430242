"""Which of a site's phrases show that text is repeated although some of its words change."""

import msgspec

from templ_core.site_level.config import VARIED_TEXT_CONFIG, VariedTextConfig
from templ_core.site_level.phrases.phrase_corpus import LINE
from templ_core.site_level.phrases.phrase_set import Phrase, PhraseSet


def varying_phrases(phrases: PhraseSet, config: VariedTextConfig = VARIED_TEXT_CONFIG) -> PhraseSet:
    r"""Return the phrases that show that text is repeated although some of its words change.

    >>> words = tuple("read the whole of it here, and then come again".split())
    >>> some = (Phrase(("\n", *words), 9), Phrase(("\n", *words, "\n"), 9), Phrase(("Home",), 9))
    >>> [len(one.keys) for one in varying_phrases(PhraseSet(pages=9, phrases=some)).phrases]
    [11]

    Args:
        phrases: All phrases of a site.
        config: The tunable numbers.
    """
    return msgspec.structs.replace(
        phrases,
        phrases=tuple(one for one in phrases.phrases if is_varying(one, phrases.pages, config)),
    )


def is_varying(phrase: Phrase, pages: int, config: VariedTextConfig = VARIED_TEXT_CONFIG) -> bool:
    """Return whether a phrase shows that text is repeated although some of its words change.

    It is long, stands on enough pages, and is no whole block: a block is repeated as it is, perhaps as
    the teaser of an article.

    Args:
        phrase: A string that recurs.
        pages: Distinct pages that were looked at.
        config: The tunable numbers.
    """
    return (
        pages >= config.learned_pages_min
        and phrase.pages >= max(config.phrase_pages_min, config.phrase_pages_ratio_min * pages)
        and len(phrase.keys) >= config.phrase_tokens_min
        and not phrase.keys[0] == phrase.keys[-1] == LINE
    )
