"""What the titles of a site begin and end with: its name, that of a manual, or what a board calls its pages."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import msgspec

from templ_core.patterns import pattern
from templ_core.site_level.config import TITLES_CONFIG

BORDER = pattern(r"\s+[|\-–—:·•»«>/~]{1,3}\s+|\s*[|»«•]\s*|(?<=\w):\s+|\s*[—–]\s*|\s+::\s+")
"""Signs between the parts of a title."""
_FIGURES = pattern(r"\d+")
OuterParts: TypeAlias = tuple[Sequence[str], Sequence[str]]
"""What a title begins with up to each of its borders, and what it ends with, with the border."""


class TitleEnds(msgspec.Struct, frozen=True, array_like=True):
    """What many titles of a site begin and end with, each with the border beside it; the most frequent first."""

    beginnings: list[str]
    ends: list[str]

    def without(self, title: str) -> str:
        """Return a title without the longest beginning and end that its site shares, if something else is left.

        >>> TitleEnds(["View topic - "], [" | Boats"]).without("View topic - Old locks | Boats")
        'Old locks'
        """
        first = max((len(part) for part in self.beginnings if title.startswith(part)), default=0)
        behind = max((len(part) for part in self.ends if title.endswith(part)), default=0)
        rest = title[first : len(title) - behind].strip()
        return rest if any(map(str.isalnum, rest)) else title


NO_ENDS = TitleEnds([], [])


def title_ends(title: str) -> OuterParts:
    """Return the parts with which a title begins and ends, up to each of its outer borders.

    >>> title_ends("Old locks | News | Boats")
    (['Old locks | ', 'Old locks | News | '], [' | News | Boats', ' | Boats'])
    """
    if len(title) > TITLES_CONFIG.chars_max:
        return (), ()
    borders = [border.span() for border in BORDER.finditer(title)]
    first, last = borders[: TITLES_CONFIG.borders_max], borders[-TITLES_CONFIG.borders_max :]
    return [title[:end] for _, end in first], [title[begin:] for begin, _ in last]


def shared_ends(titles: Iterable[tuple[str, OuterParts]]) -> TitleEnds:
    """Return what enough titles of a site begin and end with, given its titles with their parts.

    Titles that differ in figures only, such as those of the pages of a listing, count once.

    >>> titles = ["Old locks | Boats", "A new mayor | Boats", "Boats"]
    >>> titles += [f"Jobs - Page {number} | Boats" for number in range(9)]
    >>> titles += ["Ice on the river | Boats"]
    >>> shared_ends([(title, title_ends(title)) for title in titles])
    TitleEnds(beginnings=[], ends=[' | Boats'])
    """
    different = {_FIGURES.sub("0", title): parts for title, parts in titles if title}
    least = max(TITLES_CONFIG.titles_min, TITLES_CONFIG.share_min * len(different))
    sides: tuple[Counter[str], Counter[str]] = Counter(), Counter()
    for parts in different.values():
        for counts, of_title in zip(sides, parts, strict=True):
            counts.update(of_title)
    return TitleEnds(*(_frequent(counts, least) for counts in sides))


def _frequent(counts: Counter[str], least: float) -> list[str]:
    """Return what counts at least so often, the most frequent first, whatever the order of the titles."""
    frequent = sorted((-count, one) for one, count in counts.items() if count >= least)
    return [one for _, one in frequent[: TITLES_CONFIG.ends_max]]
