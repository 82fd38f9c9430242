"""A feed of synthetic pages in order of arrival, with the sites interleaved."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import accumulate
from random import Random
from typing import Literal

from workers.lab.simulate.chrome import Chrome, make_chrome
from workers.lab.simulate.design import Design, make_design
from workers.lab.simulate.page import (
    PageBody,
    Request,
    SyntheticPage,
    about,
    article,
    finish_page,
    home,
    listing,
    missing,
    product,
    thread,
)
from workers.lab.simulate.parts import PageContext, make_page_context
from workers.lab.simulate.site import (
    Encoding,
    Rhythm,
    SiteGenre,
    SyntheticSite,
    archive_entry,
    choose_encoding,
    make_site,
)

ARCHIVE = 400
"""Number of entries that a site has before the feed starts."""

_LISTING_SHARE = 0.13
_HOME_SHARE = 0.04
_ABOUT_SHARE = 0.02
_AGAIN_SHARE = 0.05
"""Share of the requests for entries that fetch an older entry once more."""
_LAG = 30
"""How many entries behind the newest one the crawl starts."""


def crawl_response(
    context: PageContext, chrome: Chrome, visited: int, missing_share: float
) -> tuple[Request, PageBody]:
    """Return the next request to a site, and the body of the page that answers it."""
    rng = context.rng
    if rng.random() < missing_share:
        status = rng.choice((404, 404, 410, 500, 200))
        path = f"/gone/{rng.randrange(10**6)}"
        return Request(path, "missing", status), missing(context)
    draw = rng.random()
    if draw < _LISTING_SHARE:
        category = rng.randrange(len(context.site.categories))
        page = rng.choice((1, 1, 1, 2, 3, 4))
        request = Request(f"/s{category}/?page={page}", "listing", category=category)
        return request, listing(context, category, page)
    if draw < _LISTING_SHARE + _HOME_SHARE:
        return Request("/", "home"), home(context)
    if draw < _LISTING_SHARE + _HOME_SHARE + _ABOUT_SHARE:
        number = rng.randrange(4)
        return Request(f"/about/{number}", "about"), about(context, number)
    number = ARCHIVE - _LAG + visited
    if rng.random() < _AGAIN_SHARE:
        number -= rng.randint(1, _LAG)
    return _entry_page(context, chrome, min(number, context.site.newest(context.moment)))


def _entry_page(context: PageContext, chrome: Chrome, number: int) -> tuple[Request, PageBody]:
    one = archive_entry(context.site, number)
    request = Request(one.path, "article", category=one.category)
    if context.site.genre == "shop":
        return request, product(context, chrome, number)
    if context.site.genre == "forum":
        return request, thread(context, number)
    return request, article(context, chrome, number)


FeedGenre = Literal["mixed", "news", "blog", "shop", "forum"]

_MIXED_GENRES: tuple[SiteGenre, ...] = (
    "news", "blog", "news", "blog", "shop", "news", "blog", "forum", "news", "blog",
)  # fmt: skip
_LANGUAGE_MIX = (
    "en", "de", "en", "zh", "en", "fr", "ar", "en", "ru", "es", "en", "ja", "en",
)  # fmt: skip
_CACHED_SITES = 2048


@dataclass(frozen=True)
class FeedSettings:
    """What a feed consists of. Equal settings always give equal pages."""

    genre: FeedGenre = "mixed"
    sites: int = 40
    pages: int = 2000
    seed: int = 0
    start: datetime = datetime(2026, 1, 5, tzinfo=UTC)
    days: float = 28.0
    """Days between the first page and the last."""
    redesign_day: float | None = None
    """Days from the start until sites are redesigned; None means that none is."""
    redesign_share: float = 1.0
    """Share of the sites that are redesigned, from 0 to 1."""
    mixed_days: float = 0.0
    """Days after the redesign in which half of the pages still have the old design."""
    languages: tuple[str, ...] = _LANGUAGE_MIX
    """Languages of the sites, used in turn."""
    missing_share: float = 0.0
    """Share of error pages; their status is 404, 410, 500, or 200 although nothing is there."""


def simulate_feed(settings: FeedSettings) -> Iterator[SyntheticPage]:
    """Yield the pages one by one; memory grows with the number of sites, not of pages."""
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
        context = make_page_context(site, look.design, moment, rng)
        request, body = crawl_response(context, look.chrome, visited, settings.missing_share)
        return finish_page(context, look.chrome, body, request, encoding)

    def _make_site(self, number: int) -> tuple[SyntheticSite, Encoding | None]:
        settings = self._settings
        genre = (
            _MIXED_GENRES[number % len(_MIXED_GENRES)]
            if settings.genre == "mixed"
            else settings.genre
        )
        code = settings.languages[number % len(settings.languages)]
        expected = 1.2 * settings.pages / settings.sites + 1
        rhythm = Rhythm(
            settings.start, ARCHIVE, timedelta(days=max(settings.days, 0.01)) / expected
        )
        site = make_site(number, str(settings.seed), genre, code, rhythm)
        return site, choose_encoding(code, Random(f"{site.seed}/encoding"))

    def _make_look(self, site_number: int, design_number: int) -> _Look:
        site, _ = self._site(site_number)
        design = make_design(site.seed, str(self._settings.seed), site_number, design_number)
        return _Look(design, make_chrome(site, design))

    def _design_number(self, site: SyntheticSite, moment: datetime, rng: Random) -> int:
        settings = self._settings
        if settings.redesign_day is None:
            return 0
        if Random(f"{site.seed}/redesign").random() >= settings.redesign_share:
            return 0
        day = (moment - settings.start) / timedelta(days=1) - settings.redesign_day
        if day < 0:
            return 0
        return int(day >= settings.mixed_days or rng.random() < 0.5)
