import pytest

from workers.crawl import site_queue
from workers.crawl.config import DAY_S, CrawlConfig
from workers.crawl.frontier import (
    DUE_PAGE,
    NEW_LINKED,
    NEW_LISTING,
    CrawlFrontier,
    DueAddress,
    FoundAddress,
)
from workers.crawl.robots import RobotsRules, robots_of_answer
from workers.crawl.site_queue import RobotsQuestion, SiteQueue

CONFIG = CrawlConfig(contact="a@b.example", delay_s=2.0, concurrency=2)
START = 1_000_000.0


class Clock:
    """Both clocks of the queue, which move only when a test says so."""

    def __init__(self):
        self.now_s = START

    def time(self):
        return self.now_s

    def monotonic(self):
        return self.now_s


@pytest.fixture
def clock(monkeypatch):
    moved = Clock()
    monkeypatch.setattr(site_queue, "time", moved)
    return moved


@pytest.fixture
def frontier(tmp_path):
    with CrawlFrontier(tmp_path / "frontier.db") as opened:
        yield opened


def add(frontier, *urls, rank=NEW_LISTING):
    for url in urls:
        site = site_queue.site_key(url)
        frontier.add_site(site)
        frontier.add([FoundAddress(url, site, 0, rank)], START)


def allow(queue, *hosts, rules="", status=200):
    for host in hosts:
        queue.keep_robots(robots_of_answer(host, status, rules.encode(), START + 1e6))


def test_hosts_of_one_domain_wait_for_each_other_while_other_sites_are_asked(frontier, clock):
    add(frontier, "http://news.bbc.co.uk/1", "http://www.bbc.co.uk/2", "http://a.example/3")
    queue = SiteQueue(frontier, CONFIG)
    allow(queue, "http://news.bbc.co.uk", "http://www.bbc.co.uk", "http://a.example")
    assert queue.take() is None  # a request of the process before may just have been sent
    clock.now_s += 2
    first, second = queue.take(), queue.take()
    assert {first.site, second.site} == {"bbc.co.uk", "a.example"}
    assert queue.take() is None
    bbc = first if first.site == "bbc.co.uk" else second
    frontier.postpone(bbc, START + 1e9, DUE_PAGE)
    queue.release("bbc.co.uk", 2.0)
    assert queue.next_ready_s() == 2.0
    assert queue.take() is None
    clock.now_s += 2
    assert queue.take().url != bbc.url


def test_robots_txt_comes_first_and_its_delay_counts(frontier, clock):
    add(frontier, "http://a.example/1")
    queue = SiteQueue(frontier, CONFIG)
    clock.now_s += 2
    question = queue.take()
    assert question == RobotsQuestion(
        site="a.example", host="http://a.example", url="http://a.example/robots.txt"
    )
    allow(queue, "http://a.example", rules="User-agent: *\nCrawl-delay: 30")
    queue.release("a.example", 2.0)
    assert queue.next_ready_s() == 30.0


def test_rules_that_make_no_sense_end_no_crawl(frontier, clock):
    add(frontier, "http://a.example/1")
    text = b"Sitemap: http://[a/\nSitemap: /map.xml\nUser-agent: *\nCrawl-delay: 1e300"
    rules = RobotsRules(robots_of_answer("http://a.example", 200, text, START + 1e6))
    assert list(rules.sitemaps()) == ["http://a.example/map.xml"]
    queue = SiteQueue(frontier, CONFIG)
    clock.now_s += 2
    assert isinstance(queue.take(), RobotsQuestion)
    queue.keep_robots(rules.stored)
    queue.release("a.example", 2.0)
    assert queue.next_ready_s() == DAY_S


def test_what_robots_txt_forbids_is_not_asked(frontier, clock):
    add(frontier, "http://a.example/no/1", "http://a.example/yes")
    queue = SiteQueue(frontier, CONFIG)
    allow(queue, "http://a.example", rules="User-agent: Templ-Crawler\nDisallow: /no/")
    clock.now_s += 2
    assert queue.take().url == "http://a.example/yes"
    assert queue.refused_count == 1


@pytest.mark.parametrize(
    ("status", "asks"), [(404, True), (403, True), (500, False), (0, False), (429, False)]
)
def test_a_host_that_fails_is_left_alone_and_one_without_rules_is_not(
    frontier, clock, status, asks
):
    add(frontier, "http://a.example/1")
    queue = SiteQueue(frontier, CONFIG)
    allow(queue, "http://a.example", status=status)
    clock.now_s += 2
    assert isinstance(queue.take(), DueAddress) == asks
    assert (queue.next_ready_s() is None) == asks


def test_a_host_that_never_answers_does_not_keep_a_run_from_ending(frontier, clock):
    add(frontier, "http://a.example/1")
    queue = SiteQueue(frontier, CONFIG)
    for _ in range(CONFIG.attempts_max):
        clock.now_s += 2
        assert isinstance(queue.take(), RobotsQuestion)
        stored = robots_of_answer("http://a.example", 0, b"", clock.now_s + 1)
        queue.keep_robots(stored)
        queue.release("a.example", 0.0)
    clock.now_s += 2  # what was told has expired again
    assert queue.take() is None
    assert queue.next_ready_s() is None


def test_rules_on_another_site_are_asked_of_that_site(frontier, clock):
    add(frontier, "http://a.example/1", "http://b.example/1")
    queue = SiteQueue(frontier, CONFIG)
    allow(queue, "http://b.example")
    clock.now_s += 2
    questions = {one.site: one for one in (queue.take(), queue.take())}
    queue.redirect(
        RobotsQuestion(
            site="b.example",
            host="http://a.example",
            url="http://b.example/robots.txt",
            redirects=1,
        )
    )
    queue.release("a.example", 0.0)
    assert queue.take() is None  # a.example has no rules yet, and b.example is being asked
    frontier.postpone(questions["b.example"], START + 1e9, DUE_PAGE)
    queue.release("b.example", 2.0)
    clock.now_s += 2
    assert queue.take().host == "http://a.example"
    allow(queue, "http://a.example")
    queue.release("b.example", 2.0)
    assert queue.take().url == "http://a.example/1"


def test_new_pages_of_a_day_are_bounded(frontier, clock):
    add(frontier, *(f"http://a.example/{n}" for n in range(9)), rank=NEW_LINKED)
    queue = SiteQueue(frontier, CrawlConfig(contact="a@b.example", site_day_pages=3))
    allow(queue, "http://a.example")
    asked = 0
    clock.now_s += 2
    while question := queue.take():
        asked += 1
        frontier.postpone(question, START + 1e9, DUE_PAGE)
        queue.release("a.example", 0.0)
    assert asked == 3


def test_only_a_crawl_that_follows_waits_for_revisits(frontier, clock):
    add(frontier, "http://a.example/1")
    later = START + 500
    (due,) = [frontier.next_address("a.example", dict.fromkeys(range(5), 1e12))]
    frontier.postpone(due, later, DUE_PAGE)
    assert SiteQueue(frontier, CONFIG).next_ready_s() is None
    follows = CrawlConfig(contact="a@b.example", follows=True)
    assert SiteQueue(frontier, follows).next_ready_s() == 500.0
