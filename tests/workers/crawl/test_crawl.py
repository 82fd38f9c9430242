"""The crawler on a small simulated web: its manners, its memory, and what it brings home."""

import gzip
import signal
import sqlite3
import time
from collections import Counter
from contextlib import closing
from types import SimpleNamespace

import pytest
from warcio.archiveiterator import ArchiveIterator

from tests.workers.crawl.crawler import (
    CONTACT,
    finish,
    kill_after,
    let_articles_be_due,
    lines,
    start_crawl,
)
from tests.workers.crawl.judge import found_ratio, violations
from tests.workers.crawl.simulated_web import SimulatedWeb
from workers.crawl.config import DAY_S, CrawlConfig
from workers.crawl.crawl_files import CrawlStore, PageLines, StoreKinds, WarcFiles
from workers.crawl.frontier import NEW_LISTING, CrawlFrontier, found_addresses
from workers.crawl.spider import CrawlRun, SiteSpider, crawl
from workers.errors import DiskProblem, StateProblem
from workers.feeds.files import read_feed

SITES = 8
KILLS = (60, 90)
"""Requests from a start of the crawler until it is killed."""


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    """A crawl that was killed twice and went on, and the web that it asked."""
    directory = tmp_path_factory.mktemp("crawl")
    with SimulatedWeb(SITES, articles=8, delay_s=0.03) as web:
        for site in web.sites:
            site.hangs = False  # on a busy machine, answers would be late as well
        kills = []
        for requests in KILLS:
            process = start_crawl(web, directory, "--to", "jsonl", "--keep-warc")
            kills.append(kill_after(process, web, requests))
        web.errors = finish(start_crawl(web, directory, "--to", "jsonl", "--keep-warc"))
        web.kills = kills
        web.first_requests = len(web.log)
        yield web, directory


def test_no_rule_is_broken(crawled):
    web, _ = crawled
    assert None not in web.kills
    assert not list(violations(web, CONTACT, web.kills))


def test_all_articles_are_found_once(crawled):
    web, directory = crawled
    urls = Counter(record["url"] for record in lines(directory / "pages.jsonl"))
    assert found_ratio(web, urls) >= 0.95
    assert not {url: count for url, count in urls.items() if count > 1}


def test_what_a_page_was_answered_is_kept_unchanged(crawled):
    web, directory = crawled
    pages = {page.url: page for page in read_feed([directory / "pages.jsonl"])}
    site = web.sites[0]
    page = pages[site.article_url(0)]
    assert page.body == site.reply(site.www, "/articles/0-story", {}).body
    assert (page.site, page.status) == (site.domain, 200)


def test_traps_are_bounded(crawled):
    web, _ = crawled
    asked = {(one.host, one.path) for one in web.log}  # what a kill interrupted is asked again
    places = Counter((host, path.split("?")[0].split("/")[1]) for host, path in asked)
    most = {name: max(n for (_, path), n in places.items() if path == name) for _, name in places}
    assert most["session"] == 1
    assert most["endless"] <= 4
    assert most["hop"] <= 6
    assert max(most["calendar"], most["days"]) <= 12


def test_a_redirect_is_followed_within_the_crawl_only(crawled):
    web, _ = crawled
    paths = Counter(one.host + one.path for one in web.log)
    assert 1 <= paths[f"{web.sites[0].www}/loop-b"] <= 1 + len(web.kills)
    assert paths[f"{web.sites[0].www}/self"] <= 3
    assert not [one for one in web.log if one.host == "elsewhere.home.arpa"]


def test_other_types_and_large_answers_are_not_kept(crawled):
    _, directory = crawled
    kept = {record["url"].rpartition("/")[2] for record in lines(directory / "pages.jsonl")}
    assert not kept & {"photo", "huge", "broken", "gone", "reset"}
    assert "flaky-page" in kept


def test_feeds_are_kept(crawled):
    web, directory = crawled
    feeds = lines(directory / "feeds.jsonl")
    assert {feed["url"] for feed in feeds} == {
        f"http://{site.www}/feed.xml" for site in web.sites if not site.is_closed
    }
    assert len(feeds) == len({feed["url"] for feed in feeds})


def archived(directory, prefix):
    """The types of the records of a WARC file, and the bodies of its answers by their ids."""
    (path,) = directory.glob(f"{prefix}-*.warc.gz")
    kinds, bodies = Counter(), {}
    with path.open("rb") as file:
        for record in ArchiveIterator(file, check_digests="raise"):
            kinds[record.rec_type] += 1
            body = record.content_stream().read()
            if record.rec_type == "response":
                bodies[record.rec_headers["WARC-Record-ID"].strip("<>")] = body
    return kinds, bodies


def test_the_archive_is_whole_and_has_what_was_sent(crawled):
    _, directory = crawled
    kinds, bodies = archived(directory, "crawl")
    assert kinds["request"] == kinds["response"]
    assert kinds["warcinfo"] == 1
    pages = list(read_feed([directory / "pages.jsonl"]))
    assert all(bodies[page.id] == page.body for page in pages)
    (path,) = directory.glob("crawl-*.warc.gz")
    from_archive = {page.url for page in read_feed([path]) if not page.is_deletion}
    assert from_archive == {page.url for page in pages}
    _, others = archived(directory, "other")
    assert any(b"Disallow:" in body for body in others.values())
    assert any(b"<rss" in body for body in others.values())


def go_on_later(web, directory):
    """Go on as if all revisits were due; return the new requests for articles."""
    let_articles_be_due(directory)
    asked = len(web.log)
    finish(start_crawl(web, directory, "--to", "jsonl", "--keep-warc"))
    return [one for one in web.log[asked:] if one.path != "/robots.txt"]


def intervals(directory):
    with closing(sqlite3.connect(directory / "frontier.db")) as db:
        rows = db.execute("SELECT interval_s FROM addresses WHERE path LIKE '%/articles/%'")
        return {interval for (interval,) in rows}


def test_a_page_is_asked_again_for_changes_only(crawled):
    web, directory = crawled
    before = (directory / "pages.jsonl").stat().st_size
    assert intervals(directory) == {DAY_S}

    again = go_on_later(web, directory)
    assert {one.status for one in again} == {304}
    assert {one.path for one in again} == {
        one.path for one in again if "if-none-match" in one.headers
    }
    assert (directory / "pages.jsonl").stat().st_size == before
    (path,) = directory.glob("crawl-*.warc.gz")
    assert gzip.decompress(path.read_bytes()).count(b"server-not-modified") == len(again)
    assert intervals(directory) == {2 * DAY_S}

    web.version = 1
    changed = go_on_later(web, directory)
    assert {one.path for one in changed} == {one.path for one in again}
    assert {one.status for one in changed} == {200}
    added = (directory / "pages.jsonl").read_bytes()[before:]
    assert added.count(b"/articles/") == len(changed)
    assert intervals(directory) == {DAY_S}


def test_a_page_that_never_answers_keeps_nothing_from_being_found_until_sigterm(tmp_path):
    with SimulatedWeb(1, articles=4, delay_s=0.03) as web:
        (site,) = web.sites
        site.hangs = True
        process = start_crawl(web, tmp_path, "--to", "warc", "--follow", timeout_s=2)
        wanted = {*site.articles, f"http://{site.www}/hang"}
        while not wanted <= {f"http://{one.host}{one.path}" for one in web.log}:
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        assert " sent" in finish(process)
    assert list(read_feed(sorted(tmp_path.glob("crawl-*.warc.gz"))))


def test_a_host_whose_robots_txt_cannot_be_read_is_named(tmp_path):
    with SimulatedWeb(1, articles=1, delay_s=0.03) as web:
        options = ("--to", "jsonl")
        process = start_crawl(
            web, tmp_path, *options, seeds=["http://gone.example/"], proxy="http://127.0.0.1:9"
        )
        said = finish(process)
    assert "http://gone.example/robots.txt cannot be read (no answer): nothing is fetched" in said
    assert not (tmp_path / "pages.jsonl").read_bytes()


def test_a_file_that_was_moved_away_begins_again(tmp_path):
    lines = PageLines(tmp_path / "pages.jsonl", {"pages.jsonl": 1000})
    lines.close()
    assert lines.length == 0
    assert (tmp_path / "pages.jsonl").read_bytes() == b""
    files = WarcFiles(tmp_path, "crawl", {"crawl-00001.warc.gz": 1000}, "a@b.example")
    files.file.close()
    (begun,) = tmp_path.glob("crawl-*")  # the first one must not be overwritten if it comes back
    assert begun.name == "crawl-00002.warc.gz"
    assert gzip.decompress(begun.read_bytes()).startswith(b"WARC/")


def test_a_file_that_has_lost_its_end_is_told(tmp_path):
    path = tmp_path / "pages.jsonl"
    path.write_bytes(b"{}\n")
    with pytest.raises(StateProblem, match="was truncated after the crawl wrote it"):
        PageLines(path, {path.name: 4})
    assert path.read_bytes() == b"{}\n"


@pytest.mark.parametrize("name", ["pages.jsonl", "crawl-00001.warc.gz"])
def test_files_of_a_crawl_whose_frontier_is_lost_are_not_overwritten(tmp_path, name):
    (tmp_path / name).write_bytes(b"pages")
    config, kinds = CrawlConfig(contact="a@b.example"), StoreKinds(pages=True, archive=True)
    with pytest.raises(StateProblem, match="frontier.db"):
        crawl(tmp_path, ["http://a.example/"], config, kinds)
    assert (tmp_path / name).read_bytes() == b"pages"


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
