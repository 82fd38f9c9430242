"""A run of the crawler, from its seeds to its counts."""

import logging
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from scrapy.crawler import AsyncCrawlerProcess

from workers.crawl.config import CrawlConfig
from workers.crawl.download import scrapy_settings
from workers.crawl.frontier import NEW_LISTING, SEED_MOVES, CrawlFrontier, found_addresses
from workers.crawl.spider import CrawlRun, SiteSpider
from workers.crawl.store import CrawlStore, PageTarget, StoreKinds, files_of_crawl
from workers.errors import StateProblem


def crawl(
    directory: Path,
    seeds: Iterable[str],
    config: CrawlConfig,
    kinds: StoreKinds,
    output: PageTarget | None = None,
) -> Counter[str]:
    """Crawl the sites of some seeds, and return how many requests had which outcome.

    A process can do this once only, because Twisted's reactor cannot be started again.

    Args:
        directory: Where the frontier and the files are; a crawl that is there is gone on with.
        seeds: Absolute http addresses.
        config: Limits.
        kinds: Which files are kept.
        output: Where pages are sent to as well.

    Raises:
        StateProblem: Another crawl uses the directory, it was written by another version, or it has the
            files of a crawl without their frontier, so that they would be overwritten.
        WorkerError: Something else that a person has to solve ended the crawl.
    """
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / "frontier.db"
    if not path.exists() and (left := files_of_crawl(directory)):
        raise StateProblem(
            f"{left[0]} is of an earlier crawl whose frontier.db is not there: move its files away, or "
            "name another directory"
        )
    with CrawlFrontier(path) as frontier:
        with frontier.transaction():
            found = found_addresses(dict.fromkeys(seeds, NEW_LISTING))
            for one in found:
                frontier.add_site(one.site)
            frontier.add(found, time.time(), depth=0, moves=SEED_MOVES)
        store = CrawlStore(directory, frontier.file_lengths(), kinds, config.contact)
        run = CrawlRun(config=config, frontier=frontier, store=store, output=output)
        try:
            process = _crawler_process(config)
            process.crawl(SiteSpider, run=run)
            process.start()
        finally:
            store.close()
        if run.problem is not None:
            raise run.problem
        return run.counts


def _crawler_process(config: CrawlConfig) -> AsyncCrawlerProcess:
    """Return Scrapy's process, which sets its own log level and logs its versions when it is made."""
    logging.disable(logging.WARNING)
    try:
        return AsyncCrawlerProcess(scrapy_settings(config))
    finally:
        logging.disable(logging.NOTSET)
        logging.getLogger("scrapy").setLevel(logging.ERROR)
