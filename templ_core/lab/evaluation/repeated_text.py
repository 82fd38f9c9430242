"""How much of a site's cleaned text is sentences that many of its pages have: template kept.

Gold text says what one page should keep; this measure needs no gold, so it also finds the template
that a gold text has by mistake.
"""

import re
from collections import Counter
from collections.abc import Sequence

import msgspec

from templ_core.site_level.window.near_duplicates import distinct_pages
from templ_core.tokens import tokenise

SENTENCE_WORDS_MIN = 8
"""Words of the shortest sentence that counts; labels and headings are often the same by chance."""
REPEATED_PAGES_MIN = 4
"""Fewest pages that have a repeated sentence."""
REPEATED_PAGES_RATIO = 0.1
"""Least share of a site's pages that have a repeated sentence, 0 to 1."""

_SENTENCE_END = re.compile(r"\n|(?<=[.!?…])\s|(?<=[。！？])")


class RepeatedText(msgspec.Struct, frozen=True, kw_only=True):
    """Published words of one site, or summed over sites."""

    words: int
    repeated_words: int
    """Words that stand in repeated sentences."""

    @property
    def ratio(self) -> float:
        """Share of the published words that stand in repeated sentences, 0 to 1."""
        return self.repeated_words / self.words if self.words else 0.0

    def __add__(self, other: "RepeatedText") -> "RepeatedText":
        return RepeatedText(
            words=self.words + other.words,
            repeated_words=self.repeated_words + other.repeated_words,
        )


def repeated_text(texts: Sequence[str]) -> RepeatedText:
    """Return how much of a site's cleaned texts is repeated.

    A sentence is repeated that has at least SENTENCE_WORDS_MIN words and stands on at least
    REPEATED_PAGES_MIN pages and on REPEATED_PAGES_RATIO of them. Near-duplicates of a page are left
    out.

    Args:
        texts: The cleaned text of each page of the site.

    >>> notice = "We use cookies to make this site a better place."
    >>> stories = ["A fox ran.", "Rain fell on the town.", "Two boats sank.", "Prices went up."]
    >>> repeated_text([f"{story} {notice}" for story in stories]).repeated_words
    40
    """
    pages = [
        [tokenise(one.lower()) for one in _SENTENCE_END.split(texts[index])]
        for index in distinct_pages(texts)
    ]
    on_pages = Counter(
        sentence
        for page in pages
        for sentence in {tuple(one) for one in page if len(one) >= SENTENCE_WORDS_MIN}
    )
    least_pages = max(REPEATED_PAGES_MIN, REPEATED_PAGES_RATIO * len(pages))
    sentences = [one for page in pages for one in page]
    return RepeatedText(
        words=sum(map(len, sentences)),
        repeated_words=sum(len(one) for one in sentences if on_pages[tuple(one)] >= least_pages),
    )
