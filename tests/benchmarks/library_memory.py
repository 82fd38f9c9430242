"""What the library holds in memory while it cleans page after page, or site after site.

    python -m tests.benchmarks.library_memory --pages 50000
    python -m tests.benchmarks.library_memory --crawl-sites 40 --pages 100

Pages are synthetic news pages. The memory that is resident should grow neither with the number of pages
nor, in a crawl, with the number of sites.
"""

import itertools

import psutil

from templ_core import CleanerOptions, CrawledPage, SiteCleaner, clean_crawl
from templ_core.config import WindowBounds
from tests.benchmarks.measuring import read_options
from workers.lab.simulate.feed import FeedSettings, simulate_feed

SITES = 10
DIFFERENT_PAGES = 500
WINDOW_PAGES = 50
MIB = 1 << 20


def main():
    options = read_options(__doc__, pages=50_000, crawl_sites=int)
    if options.crawl_sites:
        cleaned = clean_crawl(crawl(options.crawl_sites, options.pages))
        total = options.crawl_sites * options.pages
    else:
        cleaned, total = clean_stream(options.pages), options.pages
    for number, _ in enumerate(cleaned, 1):
        if number % max(total // 10, 1) == 0:
            size_mib = psutil.Process().memory_info().rss / MIB
            print(f"{number:7} pages: {size_mib:.0f} MiB", flush=True)


def clean_stream(pages):
    """Clean pages as they come, with windows so small that nearly every page makes another one leave."""
    feed = FeedSettings(genre="news", sites=SITES, pages=DIFFERENT_PAGES, seed=1)
    made = [(page.url, page.html.encode()) for page in simulate_feed(feed)]
    cleaner = SiteCleaner(CleanerOptions(window=WindowBounds(pages_max=WINDOW_PAGES)))
    for number, (url, body) in enumerate(itertools.islice(itertools.cycle(made), pages)):
        yield cleaner.clean(body, f"{url}?{number}", 60.0 * number)


def crawl(sites, pages):
    """Yield the same pages of one site again and again under the names of other sites."""
    made = list(simulate_feed(FeedSettings(genre="news", sites=1, pages=pages, seed=1)))
    for number in range(sites):
        for page in made:
            yield CrawledPage(page.html.encode(), page.url, f"site-{number}.example")


if __name__ == "__main__":
    main()
