"""What a crawler did wrong, by the request log of the simulated web."""

from collections import defaultdict
from itertools import pairwise


def violations(web, contact, kills=()):
    """A line for each rule that a crawler has broken.

    Args:
        kills: Times of the monotonic clock between a kill of the crawler and its next start.
    """
    return [
        *_unnamed(web, contact), *_without_rules(web), *_forbidden(web), *_too_soon(web),
        *_strangers(web), *_not_left_alone(web, kills), *_asked_twice(web, kills),
    ]  # fmt: skip


def _unnamed(web, contact):
    for one in web.log:
        agent = one.headers.get("user-agent", "")
        if "templ-crawler/" not in agent or contact not in agent:
            yield f"unnamed: {one.host}{one.path}"


def _without_rules(web):
    """A host that is asked before its robots.txt has been answered, or while the host fails."""
    known = {}
    for one in sorted(web.log, key=lambda one: one.start):
        site = web.site_of(one.host)
        if one.path == "/robots.txt":
            if one.status in (200, 404):
                known[one.host] = one.end
            elif one.status == 301:
                known[one.host] = one.end if site.www in known else float("inf")
        elif known.get(one.host, float("inf")) > one.start:
            is_redirected = site and site.robots_kind == "redirected" and site.www in known
            if not is_redirected:
                yield f"without rules: {one.host}{one.path}"


def _forbidden(web):
    for one in web.log:
        site = web.site_of(one.host)
        if site is not None and site.forbids(one.host, one.path):
            yield f"forbidden: {one.host}{one.path}"


def _too_soon(web):
    by_site = defaultdict(list)
    for one in web.log:
        if (site := web.site_of(one.host)) is not None:
            by_site[site].append(one)
    for site, asked in by_site.items():
        for before, one in pairwise(sorted(asked, key=lambda one: one.start)):
            rules_known = before.path != "/robots.txt" or one.path != "/robots.txt"
            gap_s = one.start - before.end
            if rules_known and gap_s < site.delay_s:
                yield f"too soon: {one.host}{one.path} {gap_s:.3f} s after {before.path}"


def _strangers(web):
    for one in web.log:
        if web.site_of(one.host) is None:
            yield f"another site: {one.host}{one.path}"


def asked_twice(web):
    """The requests that came after a whole answer to the same address, each with the one before."""
    answered = {}
    for one in sorted(web.log, key=lambda one: one.start):
        address = one.host + one.path
        if one.path == "/robots.txt" or one.path == "/self":
            continue  # asked again on purpose: rules that expire, and a page that leads to itself
        if address in answered and "if-none-match" not in one.headers:
            yield answered[address], one
        if one.status and one.status < 500:
            answered[address] = one


def _not_left_alone(web, kills):
    """What a site is asked while it wants to be left alone."""
    unread = _last_before(web, kills)
    until = {}
    for one in sorted(web.log, key=lambda one: one.start):
        site = web.site_of(one.host)
        if one.start < until.get(site, 0.0):
            yield f"not left alone: {one.host}{one.path}"
        if one.rest_s and id(one) not in unread:
            until[site] = one.end + one.rest_s


def _asked_twice(web, kills):
    unread = _last_before(web, kills)
    for before, one in asked_twice(web):
        if id(before) not in unread:
            yield f"asked twice: {one.host}{one.path}"


def _last_before(web, kills):
    """What each site was asked last before a kill: the crawler may not have read the answer."""
    last = set()
    for kill in kills:
        before_kill = {}
        for one in sorted(web.log, key=lambda one: one.start):
            if one.start <= kill:
                before_kill[web.site_of(one.host)] = id(one)
        last.update(before_kill.values())
    return last


def found_ratio(web, urls):
    """Share of the articles of the web that are among some addresses."""
    wanted = set(web.articles)
    return len(wanted & set(urls)) / len(wanted)
