"""Which page of a site the crawler requests next, and what the site answers."""

from workers.lab.simulate.archive import archive_entry
from workers.lab.simulate.page import Request
from workers.lab.simulate.page_context import PageContext
from workers.lab.simulate.pages.article_pages import about, article
from workers.lab.simulate.pages.forum_pages import thread
from workers.lab.simulate.pages.list_pages import home, listing, missing
from workers.lab.simulate.pages.shop_pages import product
from workers.lab.simulate.parts.chrome import Chrome
from workers.lab.simulate.parts.page_body import PageBody

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
    """Return the next request to a site, and the body of the page that answers it.

    Args:
        context: The site at the moment of the request.
        chrome: The fixed parts of the site's design.
        visited: Number of earlier requests to this site.
        missing_share: Probability of an error page, from 0 to 1.
    """
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
