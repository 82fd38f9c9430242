"""Sites that mean harm, beside two that do not: no stranger stops the crawl."""

import resource
from urllib.parse import urlsplit

import pytest

from tests.workers.crawl.crawler import CONTACT, finish, lines, start_crawl
from tests.workers.crawl.hostile_sites import (
    ENCODED,
    HOSTILE,
    bombs,
    endless_robots,
    hosts_without_end,
    make_harmless,
    make_hostile,
    redirects_without_end,
    slow_robots,
    slow_to_read,
)
from tests.workers.crawl.judge import found_ratio, violations
from tests.workers.crawl.simulated_web import SimulatedWeb


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    directory = tmp_path_factory.mktemp("hostile")
    with SimulatedWeb(2 + len(HOSTILE), articles=6, delay_s=0.03) as web:
        make_harmless(web)
        for site, replies in zip(web.sites[2:], HOSTILE, strict=True):
            make_hostile(site, replies)
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


def test_pages_that_take_long_to_read_are_kept(crawled):
    web, directory = crawled
    hosts = {one.host for one in asked_of(web, slow_to_read)}
    kept = [urlsplit(one["url"]) for one in lines(directory / "pages.jsonl")]
    assert {one.path for one in kept if one.hostname in hosts} == {"/", "/p/0"}


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
