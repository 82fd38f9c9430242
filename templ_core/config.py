"""The thresholds of the core that a caller may change; each stage has further ones of its own.

What belongs to one stage alone stands beside it: `dom/config.py`, `page_level/config.py` and
`site_level/config.py`. What differs between deployments is in `workers.settings`.
"""

import hashlib
from typing import Literal

import msgspec

MIB = 1 << 20

Comments = Literal["auto", "keep", "drop"]
Balance = Literal["precision", "even", "recall"]
"""The balance of a text: to hold little else than content, the best word F1, or to miss little content."""
_RECALL_RATIOS: dict[Balance, float] = {"precision": 0.3, "even": 1.0, "recall": 3.0}
"""lambda of the cut for each balance, in multiples of that of `even`."""


class CoreConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What a caller of the core decides; frozen."""

    page_limit_bytes: int = 32 * MIB
    """Size of the largest page that is read, after decompression."""
    site_doubt_pages: float = 0.5
    """Number of documents with which the site's evidence has half its weight; it has none without any."""
    page_rules_pages: int = 3
    """From this many documents on, the site's evidence replaces the rules for single pages about
    comments and repeated text."""
    site_model_bytes: int = MIB
    """Size of a site model in compact form; what has the least support is left out first."""
    section_penalty: float = 0.001
    """c of the smoothing's penalty c * A / A_i for each section, not negative.

    Sections are those of the decisions, 0 or 1. With the paper's 0.01 (Chakrabarti et al., WWW 2007, section
    5.3) their adjusted RAND index is lower by 0.005 to 0.05 on six corpora."""
    comments: Comments = "auto"
    """What becomes of comments and reviews; `auto` leaves comments out on articles only."""
    balance: Balance = "even"
    """The balance of precision and recall, on new and on known sites."""
    quality: bool = False
    """Whether pages are judged for whether they are what was asked for; no text depends on it."""
    records: bool = False
    """Whether the records of pages are read; no text depends on it."""

    @property
    def recall_ratio(self) -> float:
        """Lambda of the cut in multiples of that of an even balance, above 0."""
        return _RECALL_RATIOS[self.balance]

    def digest(self) -> str:
        """Return eight hexadecimal digits that change with any of these values."""
        return hashlib.blake2b(msgspec.json.encode(self), digest_size=4).hexdigest()


class WindowBounds(msgspec.Struct, frozen=True, kw_only=True):
    """The bounds of a site's window in `templ_core.site_level.window.site_window`.

    They are those of a worker's settings: fourteen days of news, and enough pages of a quiet site.
    """

    age_ms: int = 14 * 24 * 3600 * 1000
    """Largest age of a document in milliseconds of event time."""
    floor_pages: int = 25
    """Number of newest documents that stay beyond that age."""
    floor_age_ms: int = 180 * 24 * 3600 * 1000
    """Largest age of those newest documents too, in milliseconds of event time."""
    newest_pages: int = 100
    """Number of newest documents that are not thinned out by day."""
    day_pages: int = 64
    """Number of other documents that stay of each day, so that a window spreads over several days."""
    pages_max: int = 1000
    """Most documents of a window."""
    bytes_max: int = 64 << 20
    """Most bytes of documents, not compressed."""
