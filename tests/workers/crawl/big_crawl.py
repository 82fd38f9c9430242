"""A crawl of a large simulated web that is killed several times, and what it did wrong.

python -m tests.workers.crawl.big_crawl --sites 200 --kills 5
"""

import argparse
import tempfile
from collections import Counter
from pathlib import Path

from tests.workers.crawl.crawler import CONTACT, finish, kill_after, lines, start_crawl
from tests.workers.crawl.judge import asked_twice, found_ratio, violations
from tests.workers.crawl.simulated_web import SimulatedWeb


def main():
    parser = argparse.ArgumentParser(description="Crawl a simulated web, and judge the crawler.")
    parser.add_argument("--sites", type=int, default=200)
    parser.add_argument("--articles", type=int, default=12)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--delay", type=float, default=1.0, help="seconds")
    parser.add_argument("--day-pages", type=int, default=150)
    given = parser.parse_args()
    limits = {
        "delay_s": given.delay,
        "concurrency": given.sites,
        "timeout_s": 20,
        "site_day_pages": given.day_pages,
        "depth_max": 12,
    }
    with (
        tempfile.TemporaryDirectory() as name,
        SimulatedWeb(given.sites, given.articles, given.delay) as web,
    ):
        directory = Path(name)
        kills = []
        each = given.sites * given.day_pages // (2 * (given.kills + 1))
        for _ in range(given.kills):
            process = start_crawl(web, directory, "--to", "jsonl", "--keep-warc", **limits)
            if (killed := kill_after(process, web, each)) is None:
                break
            kills.append(killed)
            print(f"killed after {len(web.log)} requests", flush=True)
        process = start_crawl(web, directory, "--to", "jsonl", "--keep-warc", **limits)
        print(finish(process, timeout_s=7200).strip().splitlines()[-1])
        report(web, directory, kills)


def report(web, directory, kills):
    urls = Counter(record["url"] for record in lines(directory / "pages.jsonl"))
    broken = list(violations(web, CONTACT, kills))
    by_site = Counter(web.site_of(one.host).domain for one in web.log)
    duration_s = max(one.end for one in web.log) - min(one.start for one in web.log)
    print(f"{len(web.log)} requests in {duration_s:.0f} s, {len(kills)} kills")
    print(f"{len(broken)} rules broken", *broken[:20], sep="\n")
    print(f"{len(list(asked_twice(web)))} answers asked again, which a kill had cut off")
    print(f"{sum(count > 1 for count in urls.values())} pages kept twice")
    print(f"{max(by_site.values())} requests of the site that was asked most")
    print(f"{100 * found_ratio(web, urls):.2f} % of {len(web.articles)} articles found")


if __name__ == "__main__":
    main()
