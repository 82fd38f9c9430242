"""What sites of the simulated web answer that mean harm."""

import gzip

import brotli
import zstandard

from tests.workers.crawl.simulated_site import Reply, html, links
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
    some = LINKS[: LINKS.index(b"<a href=/p/7000>")]  # a slow machine reads them in time
    bodies = {"/": some + BALLAST, "/p/0": ATTRIBUTES, "/p/1": FEED}
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


def bombs_without_end(host, path, asked):
    """Each page is slow to read, grows when it is unpacked, or is a long feed, and names further ones."""
    if path == "/":
        return html(links(*(f"/{number}" for number in range(1500))))
    body = (ATTRIBUTES, ENCODED["gzip"], FEED)[asked % 3]
    encoding = {"Content-Encoding": "gzip"} if body is ENCODED["gzip"] else {}
    return Reply(body=body, headers={**HTML, **encoding})


def huge_robots(host, path, asked):
    if path == "/robots.txt":
        lines = b"".join(b"Disallow: /%d/*x\n" % number for number in range(40_000))
        return Reply(body=b"User-agent: *\n" + lines)
    return hosts_without_end(host, path, asked)


def leads_to_this_machine(host, path, asked):
    if path == "/":
        return html(links(*(f"/{number}" for number in range(1500))))
    return Reply(302, headers={"Location": f"http://127.0.0.1:8000/{asked}"})


def rules_on_this_machine(host, path, asked):
    if path == "/robots.txt":
        return Reply(302, headers={"Location": "http://127.0.0.1:8000/robots.txt"})
    return leads_to_this_machine(host, path, asked)


def rests_for_a_day(host, path, asked):
    return Reply(503, headers={"Retry-After": "86400"})


def never_answers(host, path, asked):
    if path == "/":
        return html(links(*(f"/{number}" for number in range(1500))))
    return Reply(fault="hang")


def never_ends(host, path, asked):
    if path == "/":
        return html(links(*(f"/{number}" for number in range(1500))))
    return Reply(fault="endless", body=b"<p>text" * 10_000)


HOSTILE = (
    bombs, slow_to_read, endless_robots, slow_robots, hosts_without_end, redirects_without_end,
)  # fmt: skip

WITHOUT_END = (
    bombs_without_end, huge_robots, leads_to_this_machine, rules_on_this_machine, rests_for_a_day,
    never_answers, never_ends,
)  # fmt: skip
"""Sites that go on for as long as they are asked, or that hold a crawl up for a day."""


def make_harmless(web):
    """Let nothing be special about the sites of a web."""
    for site in web.sites:
        site.hangs, site.is_slow, site.is_closed = False, False, False
        site.robots_kind, site.delay_s = "plain", min(site.delay_s for site in web.sites)


def make_hostile(site, replies):
    """Have a function of this module answer for a site."""
    asked = 0

    def reply(host, path, headers, version=0):
        nonlocal asked
        asked += 1
        if path == "/robots.txt" and "robots" not in replies.__name__:
            return Reply(404)
        return replies(host, path, asked)

    site.reply = reply
