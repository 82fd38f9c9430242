"""Which pages of a window teach: copies of an article do once, else it would look like a template."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from templ_core.site_level.window.page_summary import PageSummary

ARTICLE_WORDS = 50
"""Pages with less content than this are too short to be told apart; all of them teach."""
NEAR_RATIO = 0.8
"""Copies have this share of the longer one's content words in common, segment by segment."""
_PROBES = 4
"""Longest segments of a page by which copies are looked up."""

Content = dict[int, int]
"""Name of each content segment's text, and its words."""


def teaching_pages(pages: Sequence[PageSummary]) -> list[int]:
    """Indexes of the pages that are no near-duplicate of a page before them, in order.

    What is content is what the page model says; the result depends on the pages alone.

    Args:
        pages: A window's pages in order of (event time, page id).
    """
    contents: list[Content] = []
    found: list[int] = []
    by_segment: defaultdict[int, list[int]] = defaultdict(list)
    for index, page in enumerate(pages):
        content = _content(page)
        contents.append(content)
        if sum(content.values()) >= ARTICLE_WORDS:
            probes = sorted(content, key=lambda text: (-content[text], text))[:_PROBES]
            others = {other for text in probes for other in by_segment[text]}
            if any(_is_near(content, contents[other]) for other in others):
                continue
            for text in probes:
                by_segment[text].append(index)
        found.append(index)
    return found


def latest_contents(contents: Sequence[bytes], number: int) -> list[int]:
    """Indexes of the first pages of the latest `number` different contents, in order.

    Args:
        contents: Digests of a window's pages in order of (event time, page id).
        number: How many at most, at least 1.
    """
    first: dict[bytes, int] = {}
    for index, content in enumerate(contents):
        first.setdefault(content, index)
    return list(first.values())[-number:]


def _content(page: PageSummary) -> Content:
    content = np.flatnonzero(page.content_log_odds > 0)
    texts, words = page.places.text[content], page.places.words[content]
    return dict(zip(texts.tolist(), words.tolist(), strict=True))


def _is_near(one: Content, other: Content) -> bool:
    common = sum(words for text, words in one.items() if text in other)
    return common >= NEAR_RATIO * max(sum(one.values()), sum(other.values()))
