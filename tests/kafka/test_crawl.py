"""From the crawler through Kafka and a worker into an index."""

import sqlite3

from schemas.topics import PAGES
from tests.kafka.stream import templ
from tests.workers.crawl.crawler import ended, finish, let_articles_be_due, start_crawl
from tests.workers.crawl.simulated_web import SimulatedWeb
from workers.errors import BrokerProblem


def texts(path):
    with sqlite3.connect(path) as db:
        return dict(db.execute("SELECT url, text FROM pages WHERE NOT is_deleted"))


def test_what_is_crawled_is_found_in_the_index_with_changes_and_deletions(stream, tmp_path):
    index = tmp_path / "index.db"
    target = ("--to", "kafka", *stream.options)

    def crawl(web):
        finish(start_crawl(web, tmp_path / "crawl", *target, depth_max=2))
        stream.wait_until_answered()
        templ("index", "--index", index, *stream.options)
        return texts(index)

    with SimulatedWeb(1, articles=4, delay_s=0.03) as web:
        (site,) = web.sites
        stream.start()
        first = crawl(web)
        assert set(web.articles) <= first.keys()
        keys = {record.key for record in stream.records(PAGES)}
        assert keys == {site.domain.encode()}

        site.gone.add(1)
        web.version = 1
        let_articles_be_due(tmp_path / "crawl")
        second = crawl(web)
    assert set(web.articles) - second.keys() == {site.article_url(1)}
    for number in (0, 2, 3):
        last_line = site.pages[(number + 1) % 4].gold_text.split("\n")[-1]
        assert last_line in second[site.article_url(number)]


def test_a_broker_that_is_not_there_ends_the_crawl_with_one_line(tmp_path):
    with SimulatedWeb(1) as web:
        process = start_crawl(web, tmp_path, "--to", "kafka", "--broker", "127.0.0.1:1")
        printed = ended(process)
    assert process.returncode == BrokerProblem.exit_code
    assert printed.startswith("templ: ")
    assert printed.count("\n") == 1
    assert not web.log
