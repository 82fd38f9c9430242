from types import SimpleNamespace

import pytest

from workers.crawl.config import CrawlConfig
from workers.crawl.frontier import NEW_LISTING, CrawlFrontier, found_addresses
from workers.crawl.spider import CrawlRun, SiteSpider
from workers.crawl.store import CrawlStore, StoreKinds
from workers.errors import DiskProblem

URL, SITE = "http://a.example/", "a.example"


@pytest.mark.parametrize(("problem", "attempts"), [(None, 1), (DiskProblem("full"), 0)])
async def test_nothing_is_kept_after_a_problem(tmp_path, problem, attempts):
    config, ranks = CrawlConfig(contact="a@b.example"), dict.fromkeys(range(5), 1e12)
    with CrawlFrontier(tmp_path / "frontier.db") as frontier:
        frontier.add_site(SITE)
        frontier.add(found_addresses({URL: NEW_LISTING}), 1.0, depth=0)
        store = CrawlStore(tmp_path, {}, StoreKinds(), config.contact)
        spider = SiteSpider(CrawlRun(config=config, frontier=frontier, store=store))
        spider.crawler = SimpleNamespace(
            engine=SimpleNamespace(downloader=SimpleNamespace(slots={}))
        )
        spider._run.problem = problem
        await spider._finish(frontier.next_address(SITE, ranks), None)
        assert frontier.next_address(SITE, ranks).attempts == attempts
        store.close()
