import pytest

from workers.crawl import site_queue
from workers.crawl.config import DAY_S, CrawlConfig
from workers.crawl.frontier import (
    DUE_PAGE,
    NEW_LINKED,
    NEW_LISTING,
    CrawlFrontier,
    DueAddress,
    found_addresses,
)
from workers.crawl.robots import read_robots, robots_of_answer
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


@pytest.fixture
def queue(frontier, clock):
    """A queue with one address, from which something can be taken."""
    add(frontier, "http://a.example/1")
    made = SiteQueue(frontier, CONFIG)
    clock.now_s += 2
    return made


def add(frontier, *urls, rank=NEW_LISTING):
    addresses = list(found_addresses(dict.fromkeys(urls, rank)))
    for address in addresses:
        frontier.add_site(address.site)
    frontier.add(addresses, START, depth=0)


def allow(queue, *hosts, rules="", status=200):
    for host in hosts:
        file = read_robots(f"{host}/robots.txt", rules.encode())
        queue.keep_robots(robots_of_answer(host, status, file, START + 1e6))


def robots_question(host):
    return RobotsQuestion(site=site_queue.site_key(host), hosts=(host,), url=f"{host}/robots.txt")


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


def test_robots_txt_comes_first_and_its_delay_counts(queue):
    question = queue.take()
    assert question == RobotsQuestion(
        site="a.example", hosts=("http://a.example",), url="http://a.example/robots.txt"
    )
    allow(queue, "http://a.example", rules="User-agent: *\nCrawl-delay: 30")
    queue.release("a.example", 2.0)
    assert queue.next_ready_s() == 30.0


def test_rules_that_make_no_sense_end_no_crawl(queue):
    text = b"Sitemap: http://[a/\nSitemap: /map.xml\nUser-agent: *\nCrawl-delay: 1e300"
    file = read_robots("http://a.example/robots.txt", text)
    assert file.sitemaps == ("http://a.example/map.xml",)
    assert isinstance(queue.take(), RobotsQuestion)
    queue.keep_robots(robots_of_answer("http://a.example", 200, file, START + 1e6))
    queue.release("a.example", 2.0)
    assert queue.next_ready_s() == DAY_S


@pytest.mark.parametrize(
    ("status", "asks"), [(404, True), (403, True), (500, False), (0, False), (429, False)]
)
def test_a_host_that_fails_is_left_alone_and_one_without_rules_is_not(queue, status, asks):
    allow(queue, "http://a.example", status=status)
    assert isinstance(queue.take(), DueAddress) == asks
    assert (queue.next_ready_s() is None) == asks


def test_a_host_that_never_answers_does_not_keep_a_run_from_ending(frontier, clock):
    add(frontier, "http://a.example/1")
    queue = SiteQueue(frontier, CONFIG)
    for _ in range(CONFIG.attempts_max):
        clock.now_s += 2
        assert isinstance(queue.take(), RobotsQuestion)
        stored = robots_of_answer("http://a.example", 0, None, clock.now_s + 1)
        queue.keep_robots(stored)
        queue.release("a.example", 0.0)
    clock.now_s += 2  # the wait has expired again
    assert queue.take() is None
    assert queue.next_ready_s() is None


def test_a_site_to_whose_rules_many_lead_is_asked_for_them_once(frontier, clock):
    hosts = [f"http://a{number}.example" for number in range(30)]
    add(frontier, *(f"{host}/1" for host in hosts))
    queue = SiteQueue(frontier, CrawlConfig(contact="a@b.example", concurrency=64))
    clock.now_s += 2
    for question in [queue.take() for _ in hosts]:
        assert queue.redirect(question, "http://b.example/robots.txt")
        queue.release(question.site, 0.0)
    asked = queue.take()
    assert queue.take() is None
    allow(queue, *asked.hosts, rules="User-agent: *\nDisallow: /")
    queue.release("b.example", 2.0)
    clock.now_s += 2
    assert not any(queue.take() for _ in range(2 * len(hosts)))
    assert queue.refused_count == len(hosts)


@pytest.mark.parametrize(
    ("target", "follows"),
    [
        ("http://b.example/robots.txt", True),
        ("http://b.example/private/page", False),
        ("http://b.example/robots.txt?x=1", False),
        ("http://www.a.home.arpa/rules.txt", True),
        ("https://a.home.arpa/robots.txt", True),
    ],
)
def test_a_redirect_of_robots_txt_leads_to_rules_of_other_sites_only(
    frontier, clock, target, follows
):
    queue = SiteQueue(frontier, CONFIG)
    assert queue.redirect(robots_question("http://a.home.arpa"), target) == follows


def test_a_host_with_the_rules_of_another_host_of_its_site_is_asked_one_thing_at_a_time(
    frontier, clock
):
    add(frontier, "http://blog.a.home.arpa/1", "http://blog.a.home.arpa/2")
    queue = SiteQueue(frontier, CONFIG)
    allow(queue, "http://www.a.home.arpa")
    clock.now_s += 2
    assert queue.redirect(queue.take(), "http://www.a.home.arpa/robots.txt")
    queue.release("a.home.arpa", 0.0)
    assert queue.take().url == "http://blog.a.home.arpa/1"
    assert queue.take() is None


def test_a_site_that_forbids_very_much_lets_others_have_their_turn(frontier, clock):
    add(frontier, *(f"http://a.example/{number}" for number in range(1000)))
    add(frontier, "http://b.example/1")
    queue = SiteQueue(frontier, CONFIG)
    allow(queue, "http://a.example", rules="User-agent: *\nDisallow: /")
    allow(queue, "http://b.example")
    clock.now_s += 2.5
    asked = next(filter(None, (queue.take() for _ in range(3))))
    assert asked.url == "http://b.example/1"
    assert queue.refused_count <= 200


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
