"""Which addresses the crawler fetches: equal ones once, none of this network, none that robots.txt forbids."""

import random
import resource
import time

import pytest
from protego import Protego
from scrapy.resolver import dnscache
from twisted.internet import reactor
from twisted.internet.error import DNSLookupError

from tests.workers.crawl.crawler import finish, lines, start_crawl
from tests.workers.crawl.simulated_site import Reply
from tests.workers.crawl.simulated_web import SimulatedWeb
from workers.crawl.addresses import (
    URL_CHARS_MAX,
    address_key,
    asked_address,
    is_askable,
    trap_reason,
)
from workers.crawl.config import ROBOTS_NAME, CrawlConfig
from workers.crawl.download import PublicResolver, is_public
from workers.crawl.frontier import NEW_LISTING, CrawlFrontier, found_addresses
from workers.crawl.robots import ROBOTS_BYTES_MAX, read_robots, robots_of_answer
from workers.crawl.site_queue import SiteQueue


@pytest.mark.parametrize(
    "other",
    [
        "http://a.example/x?id=1",
        "https://A.example/x?id=1#part",
        "https://a.example/x?utm_source=feed&id=1&utm_medium=rss",
        "https://a.example/x;jsessionid=0123?id=1",
        "https://a.example/x?PHPSESSID=9&id=1",
    ],
)
def test_one_page_has_one_key(other):
    assert address_key(other) == address_key("https://a.example/x?id=1")


def test_other_pages_have_other_keys():
    keys = {
        address_key(f"https://a.example/{page}") for page in ("", "x", "x/", "x?id=1", "x?id=2")
    }
    assert len(keys) == 5


def test_a_session_is_asked_as_it_stands_but_a_campaign_is_not():
    assert asked_address("http://a.example/?sid=1") == "http://a.example/?sid=1"
    assert asked_address("http://a.example/?gclid=1") == "http://a.example/"
    assert asked_address("http://a.example/?b=%20&c") == "http://a.example/?b=%20&c"


@pytest.mark.parametrize(
    ("is_trap", "path"),
    [
        *(
            (True, one)
            for one in ("x" * URL_CHARS_MAX, "a/" * 25, "y/z/z/z/z", "y/a/b/a/b/a/b/i.html")
        ),
        *((False, one) for one in ("2026/11/11/11-people", "a/b/a/b/c", "", "archive/1/1")),
    ],
)
def test_traps_have_a_reason_and_common_paths_have_none(is_trap, path):
    assert (trap_reason(f"http://a.example/{path}") is not None) == is_trap


@pytest.mark.parametrize("host", ["[::1%;sid=a]", "a;sid=1.example", "\ud800.example", "[a"])
def test_what_could_not_be_asked_is_no_address(host):
    assert not is_askable(f"http://{host}/")


SPELLINGS = ("127.0.0.1", "127.1", "2130706433", "0x7f.1", "[::1]", "[::ffff:7f00:1]", "localhost")


PRIVATE = (
    "10.0.0.1", "169.254.169.254", "100.64.0.1", "192.168.1.1", "0.0.0.0", "224.0.0.1", "fd00::1",
    "fe80::1", "017700000001", "127.0.0.1.", "a.localhost", *SPELLINGS,
)  # fmt: skip
PUBLIC = ("93.184.215.14", "2606:2800:21f:cb07::1", "news.example")


@pytest.mark.parametrize("host", [*PRIVATE, *PUBLIC])
def test_addresses_of_private_networks_are_not_public_and_others_may_be(host):
    assert is_public(host) == (host in PUBLIC)


@pytest.mark.parametrize(("address", "is_allowed"), [("10.0.0.1", False), ("93.184.215.14", True)])
def test_a_name_is_judged_by_the_address_that_it_leads_to(address, is_allowed, monkeypatch):
    monkeypatch.delenv("http_proxy", raising=False)
    monkeypatch.setitem(dnscache, "intern.example", address)
    returned, problems = [], []
    PublicResolver(reactor, 10, 1.0).getHostByName("intern.example").addCallbacks(
        returned.append, lambda failure: problems.append(failure.value)
    )
    assert returned == ([address] if is_allowed else [])
    assert [type(problem) for problem in problems] == ([] if is_allowed else [DNSLookupError])


def leads_to(site, target):
    """Have the seed of a site be a redirect."""
    reply = site.reply

    def redirect(host, path, headers, version=0):
        if path == "/":
            return Reply(302, headers={"Location": target})
        return reply(host, path, headers, version)

    site.reply = redirect


def test_no_redirect_leads_through_a_proxy_to_this_machine(tmp_path):
    with SimulatedWeb(len(SPELLINGS), articles=0, delay_s=0.03) as web:
        for site, host in zip(web.sites, SPELLINGS, strict=True):
            site.robots_kind = "missing"
            leads_to(site, f"http://{host}:8000/")
        errors = finish(start_crawl(web, tmp_path, "--to", "jsonl"))
    assert {one.host for one in web.log} == {site.www for site in web.sites}
    assert "--allow-private" in errors
    assert not lines(tmp_path / "pages.jsonl")


@pytest.mark.parametrize("options", [[], ["--allow-private"]])
def test_this_machine_is_asked_without_a_proxy_only_where_that_is_allowed(tmp_path, options):
    with SimulatedWeb(0) as web:
        port = web.proxy.rpartition(":")[2]
        seeds = [f"http://127.0.0.1:{port}/", f"http://127.1:{port}/"]
        finish(start_crawl(web, tmp_path, "--to", "jsonl", *options, seeds=seeds, proxy=""))
    assert bool(web.log) == bool(options)


HOST = "http://www.a.home.arpa"
PARTS = ("/", "/a", "/a/", "/b.php", "/%7Eü", "*", "/*/", "?x=1", "$", "index.html", "&", "/~%fc")


def test_rules_are_those_of_protego():
    chance = random.Random(7)
    verdicts = []
    for _ in range(400):
        agents = chance.sample(["*", "templ-crawler", "other", "templ"], 2)
        lines = []
        for agent in agents:
            lines.append(f"User-agent: {agent}")
            for _ in range(chance.randrange(5)):
                path = "".join(chance.choices(PARTS, k=chance.randint(1, 3)))
                lines.append(f"{chance.choice(['Allow', 'Disallow'])}: {path}")
        text = "\n".join(lines)
        rules, judge = read_robots(HOST, text.encode()).rules, Protego.parse(text)
        for _ in range(20):
            url = HOST + "/" + "".join(chance.choices(PARTS, k=chance.randint(0, 3)))
            verdicts.append(judge.can_fetch(url, ROBOTS_NAME))
            assert rules.allows(url) == verdicts[-1], (text, url)
    assert verdicts.count(False) > 500


def large_rules(number):
    lines = (f"Disallow: /{number}/{n}*x" for n in range(30_000))
    return "\n".join(["User-agent: *", "Crawl-delay: 0", *lines]).encode()[:ROBOTS_BYTES_MAX]


def test_rules_of_many_hosts_take_no_memory_and_are_not_read_at_the_start(tmp_path, monkeypatch):
    hosts = [f"http://h{number}.a.home.arpa" for number in range(60)]
    config = CrawlConfig(contact="a@b.example", site_hosts=2 * len(hosts))
    with CrawlFrontier(tmp_path / "frontier.db") as frontier:
        addresses = found_addresses({f"{host}/1/1": NEW_LISTING for host in hosts})
        frontier.add_site("a.home.arpa")
        frontier.add(addresses, 1.0, depth=0)
        file = read_robots(hosts[0], large_rules(1))
        for host in hosts:
            stored = robots_of_answer(host, 200, file, time.time() + 1e6)
            frontier.keep_robots(stored, 1.0)
    peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with CrawlFrontier(tmp_path / "frontier.db") as frontier:
        with monkeypatch.context() as starting:
            starting.delattr(CrawlFrontier, "robots")
            queue = SiteQueue(frontier, config)
        queue.release("a.home.arpa", -10.0)
        for _ in hosts:
            address = queue.take()
            frontier.postpone(address, 1e12, address.later_rank)
            queue.release("a.home.arpa", -10.0)
        assert queue.take() is None
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak_kib < 10 << 10


def test_a_rule_that_the_limit_cuts_off_is_no_rule():
    line = b"Disallow: /private/page-of-a-long-name\n"
    rules = read_robots(HOST, b"User-agent: *\n" + line * (ROBOTS_BYTES_MAX // len(line) + 1)).rules
    assert rules.allows(f"{HOST}/private/page")
    assert not rules.allows(f"{HOST}/private/page-of-a-long-name")
