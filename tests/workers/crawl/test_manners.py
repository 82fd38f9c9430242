"""Each promise of the crawler's README about manners, by the log of a web with a site for it.

`test_crawl.py` and `test_hostile_sites.py` check the promises that concern every site: the delay, the user agent,
the rules of robots.txt, strangers and cookies. `test_addresses.py` has private addresses.
"""

import sqlite3
import time
from contextlib import closing
from itertools import pairwise

import pytest

from tests.workers.crawl.crawler import CONTACT, finish, start_crawl
from tests.workers.crawl.hostile_sites import make_harmless
from tests.workers.crawl.judge import violations
from tests.workers.crawl.simulated_site import Reply, html, links
from tests.workers.crawl.simulated_web import SimulatedWeb
from workers.crawl.config import DAY_S

SLOW_S, RETRY_S, REST_S = 0.4, 0.3, 10
TYPE = {"Content-Type": "text/html"}
MISSING = Reply(404, b"", TYPE)
FORBIDS = Reply(body=b"User-agent: *\nDisallow: /private/\n")
HOME = {"/": html(links("/private/page", "/page")), "/page": html("<p>A page.")}


def leads_to(url):
    return Reply(302, headers={"Location": url, **TYPE})


def resting(status, said):
    return Reply(status, headers={"Retry-After": str(said), **TYPE})


def slow(host, path, asked):
    replies = {"/": html(links(*(f"/{n}" for n in range(8))))}
    reply = replies.get(path) or (MISSING if path == "/robots.txt" else html("<p>A page."))
    reply.wait_s = SLOW_S
    return reply


def rests_after_a_page(host, path, asked):
    if path == "/busy" and asked == 1:
        return resting(503, REST_S)
    if path == "/often" and asked == 1:
        return resting(429, 2)
    return {"/": html(links("/busy", "/often", "/page")), "/robots.txt": MISSING}.get(
        path, html("<p>A page.")
    )


def rests_after_robots(host, path, asked):
    if path == "/robots.txt":
        return resting(503, 3) if asked == 1 else MISSING
    return html("<p>A page.")


def moves_rules(times):
    def replies(host, path, asked):
        if path == "/robots.txt" or path.startswith("/rules"):
            number = int(path.removeprefix("/rules") or 0) if path != "/robots.txt" else 0
            return FORBIDS if number == times else leads_to(f"/rules{number + 1}")
        return HOME.get(path) or html("<p>Private.")

    return replies


def has_rules_elsewhere(path_there):
    def replies(host, path, asked):
        if path == "/robots.txt":
            return leads_to(f"http://www.site-005.home.arpa{path_there}")
        return HOME.get(path) or html("<p>Private.")

    return replies


def has_rules(host, path, asked):
    return FORBIDS if path == "/robots.txt" else HOME.get(path) or html("<p>Private.")


def has_rules_by_name(host, path, asked):
    if path == "/robots.txt":
        rules = b"User-agent: *\nDisallow: /\n\nUser-agent: Templ-Crawler\nDisallow: /private/\n"
        return Reply(body=rules)
    return HOME.get(path) or html("<p>Private.")


def fails(host, path, asked):
    if path == "/broken":
        return Reply(500, b"", TYPE)
    return {"/": html(links("/broken")), "/robots.txt": MISSING}.get(path, MISSING)


def names_no_follow(host, path, asked):
    body = (
        "<a href=/a rel=nofollow>a</a><a href=/b rel='external NOFOLLOW'>b</a><a href=/c rel=next>c"
    )
    return {"/": html(body), "/c": html("<p>A page.")}.get(path, MISSING)


def has_moved(host, path, asked):
    return leads_to("http://www.site-011.home.arpa/") if path == "/" else MISSING


def new_home(host, path, asked):
    return {"/": html(links("/page", "/abroad")), "/page": html("<p>A page.")}.get(
        path, leads_to("http://www.site-012.home.arpa/") if path == "/abroad" else MISSING
    )


def stranger(host, path, asked):
    return html("<p>Nobody has asked for this.")


SITES = {
    "slow": slow,
    "rests after a page": rests_after_a_page,
    "rests after robots": rests_after_robots,
    "rules moved five times": moves_rules(5),
    "rules moved six times": moves_rules(6),
    "has rules": has_rules,
    "rules of another site": has_rules_elsewhere("/robots.txt"),
    "page of another site": has_rules_elsewhere("/private/rules"),
    "has rules by name": has_rules_by_name,
    "fails": fails,
    "has moved": has_moved,
    "new home": new_home,
    "stranger": stranger,
    "no follow": names_no_follow,
}
NOT_SEEDS = ("new home", "stranger")


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    """A crawl that was killed while a site rested, and went on."""
    directory = tmp_path_factory.mktemp("manners")
    with SimulatedWeb(len(SITES), articles=0, delay_s=0.03) as web:
        make_harmless(web)
        web.by_name = dict(zip(SITES, web.sites, strict=True))
        for name, replies in SITES.items():
            answer(web.by_name[name], replies)
        seeds = [
            f"http://{site.www}/" for name, site in web.by_name.items() if name not in NOT_SEEDS
        ]
        seeds.append(f"http://{web.by_name['rests after robots'].blog}/")
        limits = {"attempts_max": 3, "retry_s": RETRY_S, "seeds": seeds}
        process = start_crawl(web, directory, "--to", "jsonl", **limits)
        wait_until_it_rests(web, process)
        process.kill()
        process.communicate()
        web.kill = time.monotonic()
        finish(start_crawl(web, directory, "--to", "jsonl", **limits))
        web.ended = time.time()
        yield web, directory, limits


def answer(site, replies):
    counts = {}

    def reply(host, path, headers, version=0):
        counts[host, path] = counts.get((host, path), 0) + 1
        return replies(host, path, counts[host, path])

    site.reply = reply


def wait_until_it_rests(web, process):
    """Wait until the crawler has read that a site wants to be left alone; meanwhile it asks another one."""
    until = float("inf")
    while len(asked(web, "slow")) < until:
        assert process.poll() is None
        if until == float("inf") and any(one.rest_s == REST_S for one in web.log):
            until = len(asked(web, "slow")) + 2
        time.sleep(0.02)


def asked(web, name):
    site = web.by_name[name]
    return [one for one in list(web.log) if web.site_of(one.host) is site]


def paths(web, name):
    return {one.path for one in asked(web, name)}


def test_no_rule_is_broken(crawled):
    web, _, _ = crawled
    ours = ("unnamed", "too soon", "another site", "not left alone")
    assert not [one for one in violations(web, CONTACT) if one.startswith(ours)]


def test_a_slow_site_is_asked_less_often(crawled):
    web, _, _ = crawled
    after_the_kill = [one for one in asked(web, "slow") if one.start > web.kill]
    gaps_s = [one.start - before.end for before, one in pairwise(after_the_kill)]
    assert len(gaps_s) >= 3
    assert min(gaps_s[1:]) >= SLOW_S / 2


def test_a_whole_site_is_left_alone_for_as_long_as_it_asks_also_after_a_restart(crawled):
    web, _, _ = crawled
    busy, *later = sorted(asked(web, "rests after a page"), key=lambda one: one.start)[2:]
    assert (busy.path, busy.status) == ("/busy", 503)
    assert busy.end < web.kill < busy.end + REST_S <= later[0].start
    assert {"/busy", "/often", "/page"} <= {one.path for one in later if one.status == 200}


def test_a_site_is_left_alone_when_its_robots_txt_asks_for_it(crawled):
    web, _, _ = crawled
    first, second, *_ = asked(web, "rests after robots")
    assert (first.path, first.status) == ("/robots.txt", 503)
    assert second.start >= first.end + first.rest_s
    hosts = {one.host for one in asked(web, "rests after robots") if one.path == "/"}
    assert len(hosts) == 2


@pytest.mark.parametrize(
    ("name", "asks_private"),
    [
        ("rules moved five times", False),
        ("rules moved six times", True),  # a host that has no robots.txt allows everything
        ("rules of another site", False),
        ("page of another site", True),
        ("has rules by name", False),
    ],
)
def test_robots_txt_is_obeyed_wherever_a_redirect_may_lead(crawled, name, asks_private):
    web, _, _ = crawled
    assert {"/robots.txt", "/", "/page"} <= paths(web, name)
    assert ("/private/page" in paths(web, name)) == asks_private


def test_a_redirect_of_robots_txt_asks_no_page_of_another_site(crawled):
    web, _, _ = crawled
    assert paths(web, "has rules") == {"/robots.txt", "/", "/page"}


def test_a_failure_is_tried_again_later_and_later_and_then_left_alone(crawled):
    web, _, _ = crawled
    broken = [one for one in asked(web, "fails") if one.path == "/broken"]
    gaps_s = [one.start - before.end for before, one in pairwise(broken)]
    assert len(broken) == 3
    assert gaps_s[0] >= RETRY_S
    assert gaps_s[1] >= 2 * RETRY_S


def test_the_crawl_stays_on_its_sites_and_on_that_to_which_a_seed_leads(crawled):
    web, _, _ = crawled
    assert {"/", "/page", "/abroad"} <= paths(web, "new home")
    assert not asked(web, "stranger")


def test_links_that_say_so_are_not_followed(crawled):
    web, _, _ = crawled
    assert paths(web, "no follow") == {"/robots.txt", "/", "/c"}


def test_robots_txt_is_asked_again_after_a_day_and_then_first(crawled):
    web, directory, limits = crawled
    assert len([one for one in asked(web, "slow") if one.path == "/robots.txt"]) == 1
    host = f"http://{web.by_name['has rules'].www}"
    with closing(sqlite3.connect(directory / "frontier.db")) as db, db:
        ((expires_at,),) = db.execute("SELECT expires_at FROM robots WHERE host = ?", [host])
        assert 0.9 * DAY_S < expires_at - web.ended <= DAY_S
        db.execute("UPDATE robots SET expires_at = 0 WHERE host = ?", [host])
        db.execute("UPDATE addresses SET due_at = 0 WHERE url LIKE ?", [f"{host}/%"])
    before = len(asked(web, "has rules"))
    finish(start_crawl(web, directory, "--to", "jsonl", **limits))
    again = [one.path for one in asked(web, "has rules")[before:]]
    assert again[0] == "/robots.txt"
    assert {"/", "/page"} <= set(again)
