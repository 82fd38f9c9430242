"""Classification of pages when the training pages of each class come from one site.

This is the setting of Chakrabarti, Kumar, Punera (WWW 2007, section 6.3). What a classifier learns
about the template of a site speaks for the wrong class on this site's pages of the other class.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, permutations

import msgspec
import numpy as np

from templ_core.array_types import Bools, Int64s
from templ_core.tokens import tokenise


class TopicPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page whose topic is to be classified."""

    topic: str
    site: str
    article: str
    """Identifier of the article: equal for pages with the same article."""
    text: str


class _WordTable(msgspec.Struct, frozen=True, kw_only=True):
    """How often each page has each word, as a sparse table; columns of length n_entries."""

    page: Int64s
    word: Int64s
    count: Int64s
    pages: int
    words: int


def cross_site_accuracies(pages: Sequence[TopicPage]) -> dict[tuple[str, str], float]:
    """Return the accuracy of multinomial naive Bayes for each pair of topics, 0 to 1.

    An accuracy is the mean over all ordered pairs of sites. The first site provides the training
    pages of the first topic, the second site those of the second topic. All other pages of both
    topics are classified, except those with an article that was trained on.

    >>> pages = [
    ...     TopicPage(topic=topic, site=site, article=f"{topic} {site}", text=topic)
    ...     for topic in ("oven", "ball")
    ...     for site in ("a.org", "b.org")
    ... ]
    >>> cross_site_accuracies(pages)
    {('ball', 'oven'): 1.0}

    Args:
        pages: Pages of at least two topics and two sites.

    Returns:
        Accuracies by pair of topics, in alphabetical order.
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
    """Return which pages naive Bayes assigns to the first class; length n_pages.

    Probabilities are estimated with Laplace's rule. Words that no training page has are ignored.
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
