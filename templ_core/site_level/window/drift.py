"""Which designs a site still shows: a change detector for each kind of page.

A page joins the kind whose latest page is most like it, by the paths of its segments (Dice's
coefficient), or starts a new kind. Whether pages of a kind still come is watched by a cumulative sum
(Page, Biometrika 1954) of log-likelihood ratios: that the kind's share of the pages has fallen to a
tenth, against that it is what it was. Only pages of kinds that began when half of the kind's pages had
come count against it, so that a run of pages of another old kind is no alarm, and a page of the kind
sets the sum to zero: a site that alternates two designs keeps both.

What is found is told to operators and decides on revisions. Pages of a design that has gone go on
teaching until they leave the window: without them the pages of the new one come out worse.
"""

import math
from bisect import bisect
from collections.abc import Sequence

import msgspec

from templ_core.config import CoreConfig
from templ_core.site_level.window.page_summary import LearnedPage

FALLEN_RATIO = 0.1
"""The share of a kind that has gone is at most this part of what it was."""
SHARE_MAX = 0.8
"""No kind is taken for more usual: then six pages in a row of a new design are one by chance."""
ALARM = math.log(10_000)
"""Threshold of the sum: without a change an alarm every 10 000 pages of new kinds, or less often."""
KIND_PAGES_MIN = 3
"""Kinds of fewer pages are not watched."""
_KINDS_COMPARED = 16
"""A page is compared with so many kinds, those seen last."""


class Drift(msgspec.Struct, frozen=True, kw_only=True):
    """What the order of a window's pages says about its designs."""

    kinds: int
    """Kinds of pages that are still shown."""
    fit: float
    """How like the last page is to the kind nearest to it, 0 to 1."""
    gone: list[int]
    """Indexes of the pages of kinds that have gone, ascending."""
    changed_at: int | None
    """Index of the first page after a kind that has gone; None while none has."""


class _Kind:
    def __init__(self, began: int) -> None:
        self.began = began
        self.pages: list[int] = []
        self.paths: frozenset[int] = frozenset()

    def join(self, index: int, paths: frozenset[int]) -> None:
        self.pages.append(index)
        self.paths = paths

    def likeness(self, paths: frozenset[int]) -> float:
        fewest = min(len(self.paths), len(paths))
        return len(self.paths & paths) / fewest if fewest else 1.0

    def is_gone(self, pages_instead: int) -> bool:
        """Whether the sum is above the alarm after so many pages in place of its own."""
        shown = self.pages[-1] - self.began + 1
        share = min(SHARE_MAX, (len(self.pages) + 1) / (shown + 2))
        step = math.log((1 - FALLEN_RATIO * share) / (1 - share))
        return len(self.pages) >= KIND_PAGES_MIN and pages_instead * step >= ALARM


def find_drift(pages: Sequence[LearnedPage], config: CoreConfig) -> Drift:
    """The kinds of pages of a window, and those that have gone.

    Args:
        pages: The window's pages in order of (event time, page id).
        config: The core's thresholds.
    """
    kinds: list[_Kind] = []
    fit = 1.0
    for index, page in enumerate(pages):
        paths = frozenset(page.places.path.tolist())
        nearest = max(kinds[-_KINDS_COMPARED:], key=lambda kind: kind.likeness(paths), default=None)
        fit = nearest.likeness(paths) if nearest else 1.0
        if nearest is None or fit < config.kind_likeness_min:
            nearest = _Kind(index)
        else:
            kinds.remove(nearest)
        nearest.join(index, paths)
        kinds.append(nearest)
    gone = [kind for kind in kinds if kind.is_gone(_pages_instead(kind, kinds))]
    return Drift(
        kinds=len(kinds) - len(gone),
        fit=fit,
        gone=sorted(index for kind in gone for index in kind.pages),
        changed_at=1 + max(kind.pages[-1] for kind in gone) if gone else None,
    )


def _pages_instead(kind: _Kind, kinds: Sequence[_Kind]) -> int:
    """Pages since the kind's last one that a change of design explains."""
    last, half = kind.pages[-1], kind.pages[len(kind.pages) // 2]
    return sum(
        len(other.pages) - bisect(other.pages, last) for other in kinds if other.began > half
    )
