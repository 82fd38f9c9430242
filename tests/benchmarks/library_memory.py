"""What `SiteCleaner` holds in memory while it cleans page after page.

    python -m tests.benchmarks.library_memory --pages 50000

Pages are synthetic news pages of a few sites, and windows are small, so that nearly every page makes
another one leave its window. The memory that is resident should stay the same.
"""

import argparse
import itertools
import resource
from pathlib import Path

from templ_core import CleanerOptions, SiteCleaner
from templ_core.config import WindowBounds
from workers.lab.simulate.feed import FeedSettings, simulate_feed

SITES = 10
DIFFERENT_PAGES = 500
WINDOW_PAGES = 50
MIB = 1 << 20


def resident_mib():
    """Return the memory of this process that is resident, in MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / MIB


def main():
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--pages", type=int, default=50_000)
    options = arguments.parse_args()
    feed = FeedSettings(genre="news", sites=SITES, pages=DIFFERENT_PAGES, seed=1)
    made = [(page.url, page.html.encode()) for page in simulate_feed(feed)]
    cleaner = SiteCleaner(CleanerOptions(window=WindowBounds(pages_max=WINDOW_PAGES)))
    for number, (url, body) in enumerate(itertools.islice(itertools.cycle(made), options.pages)):
        cleaner.clean(f"{url}?{number}", body, 60.0 * number)
        if (number + 1) % (options.pages // 10) == 0:
            print(f"{number + 1:7} pages: {resident_mib():.0f} MiB", flush=True)


if __name__ == "__main__":
    main()
