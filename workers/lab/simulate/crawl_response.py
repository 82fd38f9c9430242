"""Which page of a site a crawl asks for, and what the site answers."""

from workers.lab.simulate.archive import entry
from workers.lab.simulate.page import Request
from workers.lab.simulate.page_context import Visit
from workers.lab.simulate.pages.article_pages import about, article
from workers.lab.simulate.pages.forum_pages import thread
from workers.lab.simulate.pages.list_pages import home, listing, missing
from workers.lab.simulate.pages.shop_pages import product
from workers.lab.simulate.parts.chrome import Chrome
from workers.lab.simulate.parts.page_body import Middle

ARCHIVE = 400
"""Entries of a site before the feed starts."""

_LISTING_SHARE = 0.13
_HOME_SHARE = 0.04
_ABOUT_SHARE = 0.02
_AGAIN_SHARE = 0.05
"""Share of the entries that are fetched once more, later on."""
_LAG = 30
"""How far behind the newest entry the crawl starts, in entries."""


def answer(
    visit: Visit, chrome: Chrome, visited: int, missing_share: float
) -> tuple[Request, Middle]:
    """A page of the site for the crawl's next visit, after `visited` earlier ones."""
    rng = visit.rng
    if rng.random() < missing_share:
        status = rng.choice((404, 404, 410, 500, 200))
        path = f"/gone/{rng.randrange(10**6)}"
        return Request(path, "missing", status), missing(visit)
    draw = rng.random()
    if draw < _LISTING_SHARE:
        category = rng.randrange(len(visit.site.categories))
        page = rng.choice((1, 1, 1, 2, 3, 4))
        request = Request(f"/s{category}/?page={page}", "listing", category=category)
        return request, listing(visit, category, page)
    if draw < _LISTING_SHARE + _HOME_SHARE:
        return Request("/", "home"), home(visit)
    if draw < _LISTING_SHARE + _HOME_SHARE + _ABOUT_SHARE:
        number = rng.randrange(4)
        return Request(f"/about/{number}", "about"), about(visit, number)
    number = ARCHIVE - _LAG + visited
    if rng.random() < _AGAIN_SHARE:
        number -= rng.randint(1, _LAG)
    return _entry_page(visit, chrome, min(number, visit.site.newest(visit.moment)))


def _entry_page(visit: Visit, chrome: Chrome, number: int) -> tuple[Request, Middle]:
    one = entry(visit.site, number)
    request = Request(one.path, "article", category=one.category)
    if visit.site.kind == "shop":
        return request, product(visit, chrome, number)
    if visit.site.kind == "forum":
        return request, thread(visit, number)
    return request, article(visit, chrome, number)
