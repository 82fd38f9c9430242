"""How many pages a crawl gets from healthy sites beside hostile ones, and without them.

    python -m tests.benchmarks.hostile_crawl [--sites 200] [--hostile 40] [--seconds 120] [--rounds 2]

Each round crawls the healthy sites of a simulated web, first alone, then beside the hostile ones, for as many
seconds from the first page on. A healthy site has more pages than it can be asked for in that time. The crawl
has the limits of `templ crawl` but for the delay. The last line is the share of pages that is left.
"""

import tempfile
import time
from pathlib import Path

from tests.benchmarks.measuring import read_options
from tests.workers.crawl.crawler import start_crawl
from tests.workers.crawl.hostile_sites import HOSTILE, WITHOUT_END, make_harmless, make_hostile
from tests.workers.crawl.simulated_site import Reply, html, links
from tests.workers.crawl.simulated_web import SimulatedWeb
from workers.crawl.config import CrawlConfig

TEXT = "<p>The council met on Tuesday and voted for a plan after two hours of debate.</p>" * 40


def main():
    """Print the pages of each crawl."""
    given = read_options(__doc__, sites=200, hostile=40, seconds=120.0, rounds=2, delay=5.0)
    healthy = given.sites - given.hostile
    totals = {0: 0, given.hostile: 0}
    for number in range(1, given.rounds + 1):
        for hostile in totals:
            pages = crawled_pages(healthy, hostile, given.delay, given.seconds)
            totals[hostile] += sum(pages)
            print(
                f"round {number}, {healthy} healthy and {hostile} hostile sites: {sum(pages)} pages of"
                f" healthy sites, {min(pages)} to {max(pages)} of each",
                flush=True,
            )
    print(f"{100 * totals[given.hostile] / totals[0]:.1f} % beside hostile sites")


def crawled_pages(healthy, hostile, delay_s, seconds):
    """Crawl for some seconds; return how many pages each healthy site has given."""
    with (
        tempfile.TemporaryDirectory() as name,
        SimulatedWeb(healthy + hostile, articles=0, delay_s=delay_s) as web,
    ):
        make_harmless(web)
        for site in web.sites[:healthy]:
            site.reply = healthy_reply
        kinds = HOSTILE + WITHOUT_END
        for number, site in enumerate(web.sites[healthy:]):
            make_hostile(site, kinds[number % len(kinds)])
        unchanged = CrawlConfig(contact="")
        limits = {
            one: getattr(unchanged, one)
            for one in (
                "timeout_s", "attempts_max", "retry_s", "robots_retry_s", "page_bytes_max", "depth_max",
                "site_day_pages",
            )
        }  # fmt: skip
        process = start_crawl(web, Path(name), "--to", "jsonl", delay_s=delay_s, **limits)
        try:
            while not web.log:
                time.sleep(0.05)
            began_s = time.monotonic()
            time.sleep(seconds)
            if process.poll() is not None:
                raise SystemExit(f"the crawl has ended: {process.communicate()[1]}")
        finally:
            process.kill()
            process.communicate()
        counts = dict.fromkeys(web.sites[:healthy], 0)
        for request in list(web.log):
            site = web.site_of(request.host)
            if site in counts and request.status == 200 and request.end <= began_s + seconds:
                counts[site] += 1
        return list(counts.values())


def healthy_reply(host, path, headers, version=0):
    """Answer with a page that names further ones."""
    if path == "/robots.txt":
        return Reply(404)
    first = 3 * int(path[1:] or 0) + 1
    return html(TEXT + links(*(f"/{first + number}" for number in range(3))))


if __name__ == "__main__":
    main()
