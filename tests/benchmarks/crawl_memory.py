"""What `clean_crawl` holds in memory while it cleans site after site.

    python -m tests.benchmarks.crawl_memory --sites 40 --pages 100

The pages of one synthetic news site come again and again under other names. The memory that is resident
should not grow with the number of sites.
"""

import argparse
from collections.abc import Iterator

from templ_core import CrawledPage, clean_crawl
from tests.benchmarks.library_memory import resident_mib
from workers.lab.simulate.feed import FeedSettings, simulate_feed


def crawl(sites, pages):
    """Yield the pages of sites, one site after the other."""
    made = list(simulate_feed(FeedSettings(genre="news", sites=1, pages=pages, seed=1)))
    for number in range(sites):
        for page in made:
            yield CrawledPage(page.url, page.html.encode(), f"site-{number}.example")


def main():
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--sites", type=int, default=40)
    arguments.add_argument("--pages", type=int, default=100)
    options = arguments.parse_args()
    step = max(options.sites * options.pages // 10, 1)
    outcomes: Iterator[object] = clean_crawl(crawl(options.sites, options.pages))
    for number, _ in enumerate(outcomes, 1):
        if number % step == 0:
            print(f"{number:7} pages: {resident_mib():.0f} MiB", flush=True)


if __name__ == "__main__":
    main()
