"""How much of the published text repeats on other pages of its site, on a sample of sites."""

import zlib
from collections import Counter, deque

from workers.lru_cache import LruCache

_SITES_PER_SAMPLED = 8
"""One of so many sites is looked at, which keeps the cost small."""
_SITES = 256
"""Sites that are remembered."""
_PAGES = 8
"""Latest pages of a site that a new one is compared with."""
_PAGES_WITH_LINE = 3
"""Pages on which a line must have been to count as repeated."""
_WORDS = 4
"""Shortest line that counts; shorter ones repeat in good text, too."""


class RepeatedLines:
    """Compares each text of a sampled site with the latest texts of that site.

    A line that several other pages have is most probably a template that was not removed.
    """

    def __init__(self) -> None:
        self._recent: LruCache[str, deque[tuple[str, frozenset[int]]]] = LruCache(_SITES)

    def take(self, site: str, url: str, text: str) -> tuple[int, int]:
        """Return the characters of a text that were looked at, and those of repeated lines.

        Both are 0 for a site that is not sampled, and before it has had enough pages.

        Args:
            site: Site key.
            url: URL of the page; another fetch of the same URL is no other page.
            text: The text that was published.
        """
        if zlib.crc32(site.encode()) % _SITES_PER_SAMPLED:
            return 0, 0
        lines = {
            hash(line): len(line) for line in text.split("\n") if line.count(" ") + 1 >= _WORDS
        }
        recent = self._recent.get(site) or deque(maxlen=_PAGES)
        others = [known for of, known in recent if of != url]
        recent.append((url, frozenset(lines)))
        self._recent.put(site, recent)
        if len(others) < _PAGES_WITH_LINE:
            return 0, 0
        counts = Counter(line for known in others for line in known)
        repeated = sum(size for line, size in lines.items() if counts[line] >= _PAGES_WITH_LINE)
        return sum(lines.values()), repeated
