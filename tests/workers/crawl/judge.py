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
    for request in web.log:
        agent = request.headers.get("user-agent", "")
        if "templ-crawler/" not in agent or contact not in agent:
            yield f"unnamed: {request.host}{request.path}"


def _without_rules(web):
    """A host that is asked before its robots.txt has been answered, or while the host fails."""
    known = {}
    for request in sorted(web.log, key=lambda request: request.start):
        site = web.site_of(request.host)
        if request.path == "/robots.txt":
            if request.status in (200, 404):
                known[request.host] = request.end
            elif request.status == 301:
                known[request.host] = request.end if site.www in known else float("inf")
        elif known.get(request.host, float("inf")) > request.start:
            is_redirected = site and site.robots_kind == "redirected" and site.www in known
            if not is_redirected:
                yield f"without rules: {request.host}{request.path}"


def _forbidden(web):
    for request in web.log:
        site = web.site_of(request.host)
        if site is not None and site.forbids(request.host, request.path):
            yield f"forbidden: {request.host}{request.path}"


def _too_soon(web):
    by_site = defaultdict(list)
    for request in web.log:
        if (site := web.site_of(request.host)) is not None:
            by_site[site].append(request)
    for site, asked in by_site.items():
        for before, request in pairwise(sorted(asked, key=lambda request: request.start)):
            rules_known = before.path != "/robots.txt" or request.path != "/robots.txt"
            gap_s = request.start - before.end
            if rules_known and gap_s < site.delay_s:
                yield f"too soon: {request.host}{request.path} {gap_s:.3f} s after {before.path}"


def _strangers(web):
    for request in web.log:
        if web.site_of(request.host) is None:
            yield f"another site: {request.host}{request.path}"


def asked_twice(web):
    """The requests that came after a whole answer to the same address, each with the one before."""
    answered = {}
    for request in sorted(web.log, key=lambda request: request.start):
        address = request.host + request.path
        if request.path == "/robots.txt" or request.path == "/self":
            continue  # asked again on purpose: rules that expire, and a page that leads to itself
        if address in answered and "if-none-match" not in request.headers:
            yield answered[address], request
        if request.status and request.status < 500:
            answered[address] = request


def _not_left_alone(web, kills):
    """What a site is asked while it wants to be left alone."""
    unread = _last_before(web, kills)
    until = {}
    for request in sorted(web.log, key=lambda request: request.start):
        site = web.site_of(request.host)
        if request.start < until.get(site, 0.0):
            yield f"not left alone: {request.host}{request.path}"
        if request.rest_s and id(request) not in unread:
            until[site] = request.end + request.rest_s


def _asked_twice(web, kills):
    unread = _last_before(web, kills)
    for before, request in asked_twice(web):
        if id(before) not in unread:
            yield f"asked twice: {request.host}{request.path}"


def _last_before(web, kills):
    """What each site was asked last before a kill: the crawler may not have read the answer."""
    last = set()
    for kill in kills:
        before_kill = {}
        for request in sorted(web.log, key=lambda request: request.start):
            if request.start <= kill:
                before_kill[web.site_of(request.host)] = id(request)
        last.update(before_kill.values())
    return last


def found_ratio(web, urls):
    """Share of the articles of the web that are among some addresses."""
    wanted = set(web.articles)
    return len(wanted & set(urls)) / len(wanted)
