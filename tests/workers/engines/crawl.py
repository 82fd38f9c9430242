"""A small crawl for the tests of all engines, and what the library makes of it."""

from templ_core import CrawledPage, clean_crawl
from templ_core.errors import PageError
from workers.lab.simulate.feed import FeedSettings, simulate_feed


def crawled_pages():
    """36 pages of three sites in the order of their arrival; one of them is a PDF file."""
    feed = simulate_feed(FeedSettings(genre="news", sites=3, pages=36, seed=5))
    pages = [
        CrawledPage(made.html, f"{made.url}#{number}", made.site)
        for number, made in enumerate(feed)
    ]
    pages[7] = pages[7]._replace(body="%PDF-1.7\n1 0 obj\n")
    return pages


def library_texts(pages):
    """URL -> text, by the library alone; a page that cannot be cleaned has none."""
    sites = {}
    for page in pages:
        sites.setdefault(page.site, []).append(page)
    outcomes = clean_crawl(page for some in sites.values() for page in some)
    return {
        page.url: cleaned.text for page, cleaned in outcomes if not isinstance(cleaned, PageError)
    }
