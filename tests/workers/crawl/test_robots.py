"""Rules of robots.txt: those of protego, in little memory."""

import random
import resource
import time

from protego import Protego

from workers.crawl.config import ROBOTS_NAME, CrawlConfig
from workers.crawl.frontier import NEW_LISTING, CrawlFrontier, found_addresses
from workers.crawl.robots import ROBOTS_BYTES_MAX, read_robots, robots_of_answer
from workers.crawl.site_queue import SiteQueue

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


def test_rules_of_many_hosts_take_no_memory_and_no_time_at_the_start(tmp_path):
    hosts = [f"http://h{number}.a.home.arpa" for number in range(60)]
    config = CrawlConfig(contact="a@b.example", site_hosts=2 * len(hosts))
    with CrawlFrontier(tmp_path / "frontier.db") as frontier:
        found = found_addresses({f"{host}/1/1": NEW_LISTING for host in hosts})
        frontier.add_site("a.home.arpa")
        frontier.add(found, 1.0, depth=0)
        file = read_robots(hosts[0], large_rules(1))
        for host in hosts:
            stored = robots_of_answer(host, 200, file, time.time() + 1e6)
            frontier.keep_robots(stored, 1.0)
    peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with CrawlFrontier(tmp_path / "frontier.db") as frontier:
        began_s = time.process_time()
        queue = SiteQueue(frontier, config)
        assert time.process_time() - began_s < 0.05
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
