"""Sites that mean harm, beside two that do not: no stranger stops the crawl."""

import gzip
import resource
from collections import Counter

import brotli
import pytest
import zstandard

from tests.workers.crawl.crawler import CONTACT, finish, lines, start_crawl
from tests.workers.crawl.judge import found_ratio, violations
from tests.workers.crawl.simulated_site import Reply, html, links
from tests.workers.crawl.simulated_web import SimulatedWeb
from tests.workers.crawl.test_reading import ATTRIBUTES, FEED, LINKS

BOMB = b"<html><body>" + b" " * (64 << 20)
ENCODED = {
    "gzip": gzip.compress(BOMB),
    "br": brotli.compress(BOMB, quality=3),
    "zstd": zstandard.compress(BOMB),
    "gzip, gzip": gzip.compress(gzip.compress(BOMB)),
}
BALLAST = b"<!--" + b"x" * (5 << 20) + b"-->"
"""More bytes than Scrapy reads at a time by default, which take no time to read."""
HTML = {"Content-Type": "text/html", "Set-Cookie": "session=1"}
FOUND = Reply(404, b"", HTML)


def bombs(host, path, asked):
    if path == "/":
        return html(links(*(f"/bomb/{number}" for number in range(len(ENCODED)))))
    if path.startswith("/bomb/"):
        encoding = list(ENCODED)[int(path.rpartition("/")[2])]
        return Reply(body=ENCODED[encoding], headers={**HTML, "Content-Encoding": encoding})
    return FOUND


def slow_to_read(host, path, asked):
    bodies = {"/": LINKS + BALLAST, "/p/0": ATTRIBUTES, "/p/1": FEED}
    return Reply(body=bodies[path], headers=HTML) if path in bodies else FOUND


def endless_robots(host, path, asked):
    if path == "/robots.txt":
        return Reply(fault="endless", body=b"Disallow: /no/\n" * 5000)
    return html(links("/a", "/b")) if path in ("/", "/a", "/b") else FOUND


def slow_robots(host, path, asked):
    return Reply(fault="endless", body=b"#") if path == "/robots.txt" else html("<p>forbidden")


def hosts_without_end(host, path, asked):
    domain = host.partition(".")[2]
    return html(links(*(f"http://h{asked}-{number}.{domain}/" for number in range(9))))


def redirects_without_end(host, path, asked):
    domain = host.partition(".")[2]
    if path == "/robots.txt":
        return Reply(302, headers={"Location": f"http://r{asked}.{domain}/robots.txt"})
    return Reply(302, headers={"Location": f"http://h{asked}.{domain}/{asked}"})


HOSTILE = (
    bombs, slow_to_read, endless_robots, slow_robots, hosts_without_end, redirects_without_end,
)  # fmt: skip


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    directory = tmp_path_factory.mktemp("hostile")
    with SimulatedWeb(2 + len(HOSTILE), articles=6, delay_s=0.03) as web:
        counts = Counter()
        for site in web.sites:
            site.hangs, site.is_slow, site.is_closed = False, False, False
            site.robots_kind, site.delay_s = "plain", 0.03
        for site, replies in zip(web.sites[2:], HOSTILE, strict=True):

            def reply(host, path, headers, version=0, *, replies=replies):
                counts[replies] += 1
                if path == "/robots.txt" and "robots" not in replies.__name__:
                    return Reply(404)
                return replies(host, path, counts[replies])

            site.reply = reply
        limits = {"timeout_s": 3, "site_hosts": 6, "page_bytes_max": 8 << 20}
        process = start_crawl(web, directory, "--to", "jsonl", "--keep-warc", **limits)
        web.errors = finish(process)
        web.peak_bytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10
        yield web, directory


def asked_of(web, replies):
    site = web.sites[2 + HOSTILE.index(replies)]
    return [one for one in web.log if web.site_of(one.host) is site]


def test_healthy_sites_are_crawled_as_they_are_without_hostile_ones(crawled):
    web, directory = crawled
    urls = [record["url"] for record in lines(directory / "pages.jsonl")]
    healthy = {url for site in web.sites[:2] for url in site.articles}
    assert healthy <= set(urls)
    assert len(urls) == len(set(urls))
    assert found_ratio(web, urls) > 0.2


def test_no_cookie_is_sent_back(crawled):
    web, _ = crawled
    assert not [one for one in web.log if "cookie" in one.headers]


def test_what_grows_without_end_when_it_is_unpacked_is_left_alone(crawled):
    web, directory = crawled
    assert len([one for one in asked_of(web, bombs) if "/bomb/" in one.path]) == len(ENCODED)
    assert not [one for one in lines(directory / "pages.jsonl") if "/bomb/" in one["url"]]
    assert "too large" in web.errors


def test_the_beginning_of_an_endless_robots_txt_counts(crawled):
    web, _ = crawled
    asked = [one.path for one in asked_of(web, endless_robots)]
    assert asked[0] == "/robots.txt"
    assert {"/", "/a", "/b"} <= set(asked)


def test_a_host_whose_robots_txt_does_not_end_in_time_is_left_alone(crawled):
    web, _ = crawled
    assert {one.path for one in asked_of(web, slow_robots)} == {"/robots.txt"}


def test_hosts_and_redirects_without_end_are_bounded(crawled):
    web, _ = crawled
    assert len({one.host for one in asked_of(web, hosts_without_end)}) == 6
    assert len(asked_of(web, redirects_without_end)) <= 30


def test_manners_are_kept(crawled):
    web, _ = crawled
    ours = ("unnamed", "too soon", "another site")
    assert not [one for one in violations(web, CONTACT) if one.startswith(ours)]


def test_pages_that_take_long_to_read_are_kept_and_hold_up_nobody(crawled):
    web, directory = crawled
    kept = {one["url"].rpartition(".home.arpa")[2] for one in lines(directory / "pages.jsonl")}
    assert {"/", "/p/0"} <= kept
    home, after = (
        next(one.start for one in asked_of(web, slow_to_read) if one.path == path)
        for path in ("/", "/p/0")
    )
    healthy = [one for one in web.log if web.site_of(one.host) in web.sites[:2]]
    assert len([one for one in healthy if home < one.start < after]) >= 10


def test_what_a_kill_left_half_written_is_cut_off(crawled, tmp_path):
    web, directory = crawled
    names = [path.name for path in directory.glob("*") if path.suffix in (".jsonl", ".gz")]
    before = {name: (directory / name).read_bytes() for name in names}
    for name in names:
        with (directory / name).open("ab") as file:
            file.write(b'{"url": "http://half')
    finish(start_crawl(web, directory, "--to", "jsonl", "--keep-warc", timeout_s=3))
    for name in names:
        after = (directory / name).read_bytes()
        assert after.startswith(before[name])
        assert b'{"url": "http://half' not in after
