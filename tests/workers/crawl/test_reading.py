"""No answer holds up the event loop, whatever it says."""

import asyncio
import sys
from types import SimpleNamespace

import pytest
from scrapy.http import HtmlResponse, Request, TextResponse

from workers.crawl import reading
from workers.crawl.config import CrawlConfig
from workers.crawl.crawl_files import CrawlStore, StoreKinds
from workers.crawl.frontier import NEW_LISTING, SEED_MOVES, CrawlFrontier, found_addresses
from workers.crawl.reading import AnswerReader, ReadAnswer
from workers.crawl.robots import ROBOTS_BYTES_MAX
from workers.crawl.site_queue import RobotsQuestion
from workers.crawl.spider import CrawlRun, SiteSpider

HELD_CALLS = 50_000
"""Largest number of calls of Python and C functions between two turns of the event loop."""
DEADLINE_S = 60.0
"""Longest processor time of a reading; slow machines finish it too."""
URL, SITE, HOST = "http://a.example/", "a.example", "http://a.example"
ATTRIBUTES = (
    b"<html><body><p " + b" ".join(b"a%d" % n for n in range(130_000)) + b"><a href=/1>1</a>"
)
LINKS = b"<html><body>" + b"".join(b"<a href=/p/%d>%d</a>" % (n, n) for n in range(60_000))
FEED = b"<rss version='2.0'><channel>%b</channel></rss>" % b"".join(
    b"<item><link>/%d</link><description>&lt;b&gt;text&lt;/b&gt;</description></item>" % n
    for n in range(13_000)
)
SITEMAP = b"<urlset>%b</urlset>" % b"".join(b"<url><loc>/%d</loc></url>" % n for n in range(50_000))
RULES = b"User-agent: *\n%b%b" % (
    b"".join(b"Disallow: /*a%d\n" % n for n in range(15_000)),
    b"".join(b"Sitemap: /%d\n" % n for n in range(15_000)),
)


@pytest.fixture
async def spider(tmp_path):
    config = CrawlConfig(contact="a@b.example", read_deadline_s=DEADLINE_S)
    with CrawlFrontier(tmp_path / "frontier.db") as frontier:
        frontier.add_site(SITE)
        frontier.add(found_addresses({URL: NEW_LISTING}), 1.0, depth=0, moves=SEED_MOVES)
        store = CrawlStore(tmp_path, {}, StoreKinds(pages=True, archive=True), config.contact)
        made = SiteSpider(CrawlRun(config=config, frontier=frontier, store=store))
        made.crawler = SimpleNamespace(engine=SimpleNamespace(downloader=SimpleNamespace(slots={})))
        await made._reader.answer(ReadAnswer(URL, b"<p>", "text/html", 1 << 20))  # starts a child
        yield made
        await made.end()
        store.close()


async def held_calls(work):
    """The largest number of calls on this thread in one turn of the event loop while work is done."""
    turn = asyncio.BaseEventLoop._run_once.__code__
    calls = [0]

    def count(frame, event, argument):
        if event == "call" and frame.f_code is turn:
            calls.append(0)
        calls[-1] += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        await work
    finally:
        sys.setprofile(None)
    return max(calls)


def answer(body, content_type="text/html", cls=HtmlResponse, url=URL):
    headers = {"Content-Type": content_type}
    return cls(url, body=body, headers=headers, request=Request(url))


@pytest.mark.parametrize(
    ("body", "content_type", "addresses"),
    [
        (ATTRIBUTES, "text/html", 2),
        (LINKS, "text/html", 50_001),
        (FEED, "application/rss+xml", 13_001),
        (SITEMAP, "text/xml", 50_001),
    ],
    ids=["attributes", "links", "feed", "sitemap"],
)
async def test_an_answer_does_not_hold_up_the_crawl(spider, body, content_type, addresses):
    frontier = spider._run.frontier
    due = frontier.next_address(SITE, {NEW_LISTING: 1e12})
    assert await held_calls(spider._finish(due, answer(body, content_type))) < HELD_CALLS
    assert spider._run.problem is None
    (count,) = frontier._db.execute("SELECT COUNT(*) FROM addresses").fetchone()
    assert count == addresses


async def test_rules_do_not_hold_up_the_crawl(spider):
    question = RobotsQuestion(site=SITE, hosts=(HOST,), url=f"{HOST}/robots.txt")
    response = answer(RULES[:ROBOTS_BYTES_MAX], "text/plain", TextResponse, question.url)
    assert await held_calls(spider._finish(question, response)) < HELD_CALLS
    assert not spider._run.frontier.robots(HOST).allows(f"{HOST}/xa14999")
    spider._queue._not_before[SITE] = 0.0
    spider._queue.found([SITE])

    async def take():
        assert spider._queue.take() is not None

    assert await held_calls(take()) < HELD_CALLS + 10 * RULES.count(b"Disallow")


async def test_a_page_that_takes_too_long_names_nothing_and_the_next_one_is_read():
    reader = AnswerReader(deadline_s=0.2)
    late = await reader.answer(ReadAnswer(URL, LINKS, "text/html", 1 << 26))
    assert (late.kind, late.links) == ("page", [])
    read = await reader.answer(ReadAnswer(URL, b"<p><a href=/1>1</a>", "text/html", 1 << 20))
    assert [one.url for one in read.links] == ["http://a.example/1"]
    reader.close()


async def test_pages_wait_for_no_large_ones_and_those_for_sites_whose_pages_take_less_time(
    monkeypatch,
):
    large_bytes = 1 << 16
    monkeypatch.setattr(reading, "_LARGE_BYTES", large_bytes - 1)
    links = LINKS[:large_bytes]
    reader = AnswerReader(DEADLINE_S)
    read = []

    async def ask(url, body):
        await reader.answer(ReadAnswer(url, body, "text/html", 1 << 26))
        read.append(url)

    slow = [f"http://slow.example/{number}" for number in range(5)]
    quick = [f"http://a.example/{number}" for number in range(9)]
    await asyncio.gather(ask(slow[0], links), ask(quick[0], b"<p>"))
    large = [ask(url, links) for url in (*slow[1:], "http://b.example/")]
    await asyncio.gather(*large, *(ask(url, b"<p>") for url in quick[1:]))
    reader.close()
    assert set(quick) <= set(read[: len(quick) + 3])
    assert [url for url in read if url not in quick][:3] == [*slow[:2], "http://b.example/"]
