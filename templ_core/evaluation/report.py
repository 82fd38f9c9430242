"""Scores of many pages summed up: by page, by site, by pages of the site seen so far."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean

import msgspec

SEEN_BINS = (("1-5", 5), ("6-10", 10), ("11-25", 25), ("26-50", 50), ("51+", 1 << 62))


class PageScore(msgspec.Struct, frozen=True, kw_only=True):
    """What one page scored."""

    site: str
    seen: int
    """Which page of its site it was, counted from 1 in order of arrival."""
    f1: float
    precision: float
    recall: float
    template_f: float | None
    full_text_f1: float
    """What the whole visible text would score."""


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """Means over pages, and over sites."""

    pages: int
    f1: float
    precision: float
    recall: float
    template_f: float | None
    full_text_f1: float
    site_f1: float
    """Mean over sites of the mean F1 of their pages."""
    below_half: float
    """Share of pages with F1 below 0.5."""


def summarise(scores: Sequence[PageScore]) -> Summary:
    """Means of at least one score."""
    by_site = group(scores, "site")
    templates = [score.template_f for score in scores if score.template_f is not None]
    return Summary(
        pages=len(scores),
        f1=fmean(score.f1 for score in scores),
        precision=fmean(score.precision for score in scores),
        recall=fmean(score.recall for score in scores),
        template_f=fmean(templates) if templates else None,
        full_text_f1=fmean(score.full_text_f1 for score in scores),
        site_f1=fmean(fmean(score.f1 for score in some) for some in by_site.values()),
        below_half=fmean(score.f1 < 0.5 for score in scores),
    )


def group(scores: Iterable[PageScore], field: str) -> dict[str, list[PageScore]]:
    """Scores by the value of `field`, keys in ascending order."""
    groups: defaultdict[str, list[PageScore]] = defaultdict(list)
    for score in scores:
        groups[str(getattr(score, field))].append(score)
    return dict(sorted(groups.items()))


def by_pages_seen(scores: Iterable[PageScore]) -> dict[str, list[PageScore]]:
    """Scores by how many pages of the site had arrived."""
    groups: dict[str, list[PageScore]] = {name: [] for name, _ in SEEN_BINS}
    for score in scores:
        name = next(name for name, last in SEEN_BINS if score.seen <= last)
        groups[name].append(score)
    return {name: some for name, some in groups.items() if some}
