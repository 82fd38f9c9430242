"""Which of a site's phrases show that text is repeated although some of its words change."""

from itertools import compress

import msgspec
import numpy as np

from templ_core.array_types import Bools, Int32s, Int64s
from templ_core.site_level.config import VARIED_TEXT_CONFIG, VariedTextConfig
from templ_core.site_level.phrases.phrase_corpus import LINE
from templ_core.site_level.phrases.phrase_set import PhraseSet

Ints = Int32s | Int64s


def varying_phrases(phrases: PhraseSet, config: VariedTextConfig = VARIED_TEXT_CONFIG) -> PhraseSet:
    r"""Return the phrases that show that text is repeated although some of its words change.

    >>> from templ_core.site_level.phrases.phrase_set import Phrase
    >>> words = tuple("read the whole of it here, and then come again".split())
    >>> some = (Phrase(("\n", *words), 9), Phrase(("\n", *words, "\n"), 9), Phrase(("Home",), 9))
    >>> [len(one.keys) for one in varying_phrases(PhraseSet(pages=9, phrases=some)).phrases]
    [11]

    Args:
        phrases: All phrases of a site.
        config: The tunable numbers.
    """
    some = phrases.phrases
    varying = are_varying(
        np.array([one.pages for one in some], np.int64),
        np.array([len(one.keys) for one in some], np.int64),
        np.array([one.keys.count(LINE) for one in some], np.int64),
        phrases.pages,
        config,
    )
    return msgspec.structs.replace(phrases, phrases=tuple(compress(some, varying)))


def are_varying(
    on_pages: Ints,
    tokens: Ints,
    borders: Ints,
    pages: int,
    config: VariedTextConfig = VARIED_TEXT_CONFIG,
) -> Bools:
    """Return which strings show that text is repeated although some of its words change.

    They are long, stand on enough pages, and are no whole blocks: a block is repeated as it is, perhaps
    as the teaser of an article.

    Args:
        on_pages: Pages that have each string.
        tokens: Tokens of each string and borders of blocks at its ends.
        borders: Borders of blocks at its ends, 0 to 2.
        pages: Distinct pages that were looked at.
        config: The tunable numbers.
    """
    pages_min = max(config.phrase_pages_min, config.phrase_pages_ratio_min * pages)
    is_long = tokens >= config.phrase_tokens_min
    learned = pages >= config.learned_pages_min
    varying: Bools = is_long & (on_pages >= pages_min) & (borders < 2) & learned
    return varying
