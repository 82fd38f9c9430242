"""Memory and time that a crawler needs for the rules of many hosts, each with a full robots.txt.

    python -m tests.benchmarks.robots_memory [--hosts 2000]

A frontier is filled with the rules of as many hosts, of `ROBOTS_BYTES_MAX` each; another one has as many hosts
without rules. A process then opens each frontier, starts the queue of sites, and asks every host for one page,
which its rules have to allow. It prints the processor time of the start, that of a host, and by how much its memory has
grown. Needs as much room on the disk as the rules have.
"""

import multiprocessing
import tempfile
import time
from pathlib import Path

from tests.benchmarks.measuring import peak_kib, read_options
from workers.crawl.config import CrawlConfig
from workers.crawl.frontier import NEW_LISTING, CrawlFrontier, found_addresses
from workers.crawl.robots import ROBOTS_BYTES_MAX, RobotsFile, read_robots, robots_of_answer
from workers.crawl.site_queue import SiteQueue

SITE = "a.home.arpa"


def main():
    """Print a line for each frontier."""
    given = read_options(__doc__, hosts=2000)
    hosts = [f"http://h{number}.{SITE}" for number in range(given.hosts)]
    lines = (f"Disallow: /private/{number}/*/page" for number in range(ROBOTS_BYTES_MAX // 20))
    rules = "\n".join(["User-agent: *", *lines]).encode()[:ROBOTS_BYTES_MAX]
    print(f"{'rules of a host':>15} {'frontier':>11} {'start':>10} {'a host':>10} {'memory':>10}")
    for name, file in {
        "none": RobotsFile(),
        f"{len(rules) >> 10} KiB": read_robots(hosts[0], rules),
    }.items():
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "frontier.db"
            fill(path, hosts, file)
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                start_s, ask_s, grown_kib = pool.apply(ask_all, [path, len(hosts)])
            print(
                f"{name:>15} {path.stat().st_size / 1e6:8.1f} MB {1e3 * start_s:7.1f} ms"
                f" {1e3 * ask_s / len(hosts):7.2f} ms {grown_kib / 1024:6.1f} MiB",
                flush=True,
            )


def fill(path, hosts, file):
    """Write a frontier in which each host has one page that is due, and the rules of a file."""
    with CrawlFrontier(path) as frontier:
        frontier.add_site(SITE)
        with frontier.transaction():
            addresses = found_addresses({f"{host}/public": NEW_LISTING for host in hosts})
            frontier.add(addresses, 1.0, depth=0)
        for host in hosts:
            frontier.keep_robots(robots_of_answer(host, 200, file, time.time() + 1e6), time.time())


def ask_all(path, count):
    """Ask every host for its page; return the seconds of the start, those of all hosts, and the KiB of memory."""
    config = CrawlConfig(contact="a@b.example", site_hosts=2 * count)
    before_kib = peak_kib()
    began_s = time.process_time()
    with CrawlFrontier(path) as frontier:
        queue = SiteQueue(frontier, config)
        started_s = time.process_time()
        queue.release(SITE, -config.delay_s)
        for _ in range(count):
            address = queue.take()
            frontier.postpone(address, 1e12, address.later_rank)
            queue.release(SITE, -config.delay_s)
        ended_s = time.process_time()
    return started_s - began_s, ended_s - started_s, peak_kib() - before_kib


if __name__ == "__main__":
    main()
