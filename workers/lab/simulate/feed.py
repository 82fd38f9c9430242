"""A feed of synthetic pages in order of arrival, the sites interleaved."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import accumulate
from random import Random
from typing import Literal

from workers.lab.simulate.crawl_response import ARCHIVE, answer
from workers.lab.simulate.design.design import Design, make_design
from workers.lab.simulate.encoding import Encoding, choose_encoding
from workers.lab.simulate.page import SyntheticPage, finish_page
from workers.lab.simulate.page_context import visit_site
from workers.lab.simulate.parts.chrome import Chrome, make_chrome
from workers.lab.simulate.site import Kind, Rhythm, Site, make_site

FeedKind = Literal["mixed", "news", "blog", "shop", "forum"]

_MIXED_KINDS: tuple[Kind, ...] = (
    "news", "blog", "news", "blog", "shop", "news", "blog", "forum", "news", "blog",
)  # fmt: skip
_LANGUAGE_MIX = (
    "en", "de", "en", "zh", "en", "fr", "ar", "en", "ru", "es", "en", "ja", "en",
)  # fmt: skip
_CACHED_SITES = 2048


@dataclass(frozen=True)
class FeedSettings:
    """What a feed is made of; the same settings always give the same pages."""

    kind: FeedKind = "mixed"
    sites: int = 40
    pages: int = 2000
    seed: int = 0
    start: datetime = datetime(2026, 1, 5, tzinfo=UTC)
    days: float = 28.0
    """Time between the first page and the last."""
    redesign_day: float | None = None
    """Days from the start until sites are redesigned."""
    redesign_share: float = 1.0
    """Share of the sites that are."""
    mixed_days: float = 0.0
    """How long after a redesign half of the pages still have the old design."""
    languages: tuple[str, ...] = _LANGUAGE_MIX
    """Languages of the sites in turn."""
    missing_share: float = 0.0
    """Share of pages that are missing: status 404, 410, 500, or 200 all the same."""


def simulate_feed(settings: FeedSettings) -> Iterator[SyntheticPage]:
    """The pages one after the other; only what the sites need is kept."""
    feed = _Feed(settings)
    previous = -1
    counts = [0] * settings.sites
    for number in range(settings.pages):
        rng = Random(f"{settings.seed}/page/{number}")
        site = feed.choose_site(rng, previous)
        yield feed.page(number, site, counts[site], rng)
        counts[site] += 1
        previous = site


@dataclass(frozen=True, eq=False)
class _Look:
    design: Design
    chrome: Chrome


class _Feed:
    def __init__(self, settings: FeedSettings) -> None:
        self._settings = settings
        shares = [1.0 / (1.0 + rank / settings.sites) for rank in range(settings.sites)]
        self._weights = list(accumulate(shares))
        self._site = lru_cache(_CACHED_SITES)(self._make_site)
        self._look = lru_cache(2 * _CACHED_SITES)(self._make_look)

    def choose_site(self, rng: Random, previous: int) -> int:
        numbers = range(self._settings.sites)
        chosen = rng.choices(numbers, cum_weights=self._weights)[0]
        if chosen == previous:
            chosen = rng.choices(numbers, cum_weights=self._weights)[0]
        return chosen

    def page(self, number: int, site_number: int, visited: int, rng: Random) -> SyntheticPage:
        settings = self._settings
        share = (number + rng.random()) / max(1, settings.pages)
        moment = settings.start + timedelta(days=settings.days * share)
        site, encoding = self._site(site_number)
        look = self._look(site_number, self._design_number(site, moment, rng))
        visit = visit_site(site, look.design, moment, rng)
        request, middle = answer(visit, look.chrome, visited, settings.missing_share)
        return finish_page(visit, look.chrome, middle, request, encoding)

    def _make_site(self, number: int) -> tuple[Site, Encoding | None]:
        settings = self._settings
        kind = (
            _MIXED_KINDS[number % len(_MIXED_KINDS)] if settings.kind == "mixed" else settings.kind
        )
        code = settings.languages[number % len(settings.languages)]
        expected = 1.2 * settings.pages / settings.sites + 1
        rhythm = Rhythm(
            settings.start, ARCHIVE, timedelta(days=max(settings.days, 0.01)) / expected
        )
        site = make_site(number, str(settings.seed), kind, code, rhythm)
        return site, choose_encoding(code, Random(f"{site.seed}/encoding"))

    def _make_look(self, site_number: int, design_number: int) -> _Look:
        site, _ = self._site(site_number)
        design = make_design(site.seed, str(self._settings.seed), site_number, design_number)
        return _Look(design, make_chrome(site, design))

    def _design_number(self, site: Site, moment: datetime, rng: Random) -> int:
        settings = self._settings
        if settings.redesign_day is None:
            return 0
        if Random(f"{site.seed}/redesign").random() >= settings.redesign_share:
            return 0
        day = (moment - settings.start) / timedelta(days=1) - settings.redesign_day
        if day < 0:
            return 0
        return int(day >= settings.mixed_days or rng.random() < 0.5)
