"""Distinct pages of a site where no page model says what is content.

The same article under two addresses or refetched, or an error page under many, would make what it says
look like the site's template. Much template hides that two articles differ, so pages are compared by
what is left without the site's own strings. What near-duplicates are is defined in
`templ_core.site_level.window.window_dedup`; the texts are runs of words here.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from templ_core.array_types import UInt64s
from templ_core.page_level.features.characters import Words, mix, read_characters, read_words
from templ_core.site_level.config import WindowDedupConfig
from templ_core.site_level.keyed_sums import distinct
from templ_core.site_level.window.window_dedup import distinct_texts

SHINGLE_WORDS = 6
"""Words of a shingle."""
WHOLE_PAGES = WindowDedupConfig(words_min=1, near_ratio=0.94)
"""Pages that are so alike as a whole count once when the site's shingles are counted."""
OWN_PARTS = WindowDedupConfig(words_min=12, near_ratio=0.75)
"""Pages are near-duplicates by their shingles that are not the site's, where they have enough."""
SITE_SHARE = 0.5
"""Shingles on this share of the pages that differ as a whole are the site's, 0 to 1."""

_SPREAD = np.uint64(0x9E3779B97F4A7C15)


def shingles(words: Words) -> UInt64s:
    """Return the different runs of SHINGLE_WORDS words of a page; all its words where it has fewer."""
    hashes = words.hashes
    if len(hashes) < SHINGLE_WORDS:
        return distinct(hashes)
    count = len(hashes) - SHINGLE_WORDS + 1
    run = np.zeros(count, np.uint64)
    for place in range(SHINGLE_WORDS):
        run = run * _SPREAD + hashes[place : place + count]
    return distinct(mix(run))


def distinct_shingled(pages: Sequence[UInt64s]) -> list[int]:
    """Return the indexes of the pages that stay: the first of each set of near-duplicates.

    The site's shingles are counted over pages that differ as a whole, so that an article which was
    fetched many times is not the site's.
    """
    whole = [dict.fromkeys(page.tolist(), 1) for page in pages]
    differing = distinct_texts(whole, WHOLE_PAGES)
    on_pages = Counter(shingle for index in differing for shingle in whole[index])
    site_pages_min = max(SITE_SHARE * len(differing), 2)
    own = [{shingle: 1 for shingle in page if on_pages[shingle] < site_pages_min} for page in whole]
    has_own = [len(page) >= OWN_PARTS.words_min for page in own]
    differing_in_own = {index for index in distinct_texts(own, OWN_PARTS) if has_own[index]}
    return sorted(differing_in_own | {index for index in differing if not has_own[index]})


def distinct_plain_texts(texts: Sequence[str]) -> list[int]:
    """Return the indexes of the texts that are no near-duplicates of one before them, in order.

    Texts without a word are left out.
    """
    shingled = [shingles(read_words(read_characters([text]))) for text in texts]
    with_words = [index for index, page in enumerate(shingled) if page.size]
    return [with_words[index] for index in distinct_shingled([shingled[one] for one in with_words])]
