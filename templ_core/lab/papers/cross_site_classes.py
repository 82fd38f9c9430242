"""Classification of pages when the training pages of each class come from one site.

The setting of Chakrabarti, Kumar, Punera (WWW 2007, section 6.3): what the classifier learns of a
site's template speaks for the wrong class on that site's pages of the other class.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, permutations

import msgspec
import numpy as np

from templ_core.array_types import Bools, Int64s
from templ_core.tokens import tokenise


class TopicPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page whose topic is to be told."""

    topic: str
    site: str
    article: str
    """Equal for pages with the same article."""
    text: str


class _WordTable(msgspec.Struct, frozen=True, kw_only=True):
    """How often each page has each word; columns of length n_entries."""

    page: Int64s
    word: Int64s
    count: Int64s
    pages: int
    words: int


def cross_site_accuracies(pages: Sequence[TopicPage]) -> dict[tuple[str, str], float]:
    """Accuracy of multinomial naive Bayes for each pair of topics, 0 to 1.

    The mean over all ordered pairs of sites: one has the training pages of the first topic, the other
    those of the second, and all other pages of both topics are classified, except those with an
    article that was trained on.
    """
    table = _word_table(pages)
    topics, sites, articles = (
        np.unique([getattr(page, name) for page in pages], return_inverse=True)
        for name in ("topic", "site", "article")
    )
    of_topic, of_site, article = topics[1], sites[1], articles[1]
    found = {}
    for first, second in combinations(range(len(topics[0])), 2):
        shares = []
        for one, other in permutations(range(len(sites[0])), 2):
            trained_first = (of_topic == first) & (of_site == one)
            trained_second = (of_topic == second) & (of_site == other)
            seen = np.isin(article, article[trained_first | trained_second])
            tested = ((of_topic == first) | (of_topic == second)) & ~seen
            if trained_first.any() and trained_second.any() and tested.any():
                is_first = _is_first(table, trained_first, trained_second)
                shares.append(float(np.mean(is_first[tested] == (of_topic[tested] == first))))
        if shares:
            names = str(topics[0][first]), str(topics[0][second])
            found[names] = sum(shares) / len(shares)
    return found


def _word_table(pages: Sequence[TopicPage]) -> _WordTable:
    numbers: dict[str, int] = {}
    entries = [
        (number, numbers.setdefault(word, len(numbers)), count)
        for number, page in enumerate(pages)
        for word, count in Counter(tokenise(page.text.lower())).items()
    ]
    page, word, count = np.array(entries, np.int64).reshape(-1, 3).T
    return _WordTable(page=page, word=word, count=count, pages=len(pages), words=len(numbers))


def _is_first(table: _WordTable, first: Bools, second: Bools) -> Bools:
    """Which pages naive Bayes, with Laplace's estimates, takes for the first class; length n_pages.

    Words that no training page has say nothing.
    """
    counts = [
        np.bincount(table.word, table.count * trained[table.page], table.words)
        for trained in (first, second)
    ]
    known = counts[0] + counts[1] > 0
    likely = [np.log(some + 1) - np.log(some.sum() + known.sum()) for some in counts]
    log_odds = np.where(known, likely[0] - likely[1], 0.0)
    prior = np.log(first.sum() / second.sum())
    scores = prior + np.bincount(table.page, table.count * log_odds[table.word], table.pages)
    result: Bools = scores > 0
    return result
