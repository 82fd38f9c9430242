"""Which site gets the next request: one request at a time each, and none within its delay."""

import heapq
import time
from collections import Counter, defaultdict
from collections.abc import Iterable

import msgspec

from templ_core.site_key import site_key
from workers.crawl.config import DAY_S, CrawlConfig
from workers.crawl.frontier import DUE_LISTING, DUE_PAGE, NEW_RANKS, CrawlFrontier, DueAddress
from workers.crawl.robots import REDIRECTS_MAX, StoredRobots, robots_host, robots_url

_ASIDE_AT_ONCE = 100
"""Addresses of a site that are set aside in a row; then other sites have their turn."""


class RobotsQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A robots.txt that is to be requested before anything else of its host."""

    site: str
    """Site that gets the request; after a redirect, it may not be that of the host."""
    hosts: tuple[str, ...]
    """Scheme, host and port whose rules are asked for; after redirects, those of all hosts on the way."""
    url: str
    redirects: int = 0
    """Redirects that led to this address."""


Question = DueAddress | RobotsQuestion
"""What a site is asked for."""


class SiteQueue:
    """The sites in the order of the earliest time of the next request to each.

    This is the queue of Foschini's thesis, 4.1: each site has a time before which it gets no request,
    and while it waits, others keep the crawler busy. Here a site with a request under way is not in the queue
    at all, and its time is set when its answer has come.
    """

    def __init__(self, frontier: CrawlFrontier, config: CrawlConfig) -> None:
        """Load what is known; each site gets its first request after one delay.

        When the process before this one was killed, a request of it may just have been sent.
        """
        self._frontier = frontier
        self._config = config
        self._started_at = time.time()
        self._failures: Counter[str] = Counter()
        self._redirected: defaultdict[str, list[RobotsQuestion]] = defaultdict(list)
        self._blocked: set[str] = set()
        self._ready: list[tuple[float, str]] = []
        self._ready_at: dict[str, float] = {}
        self._asked: set[str] = set()
        self._earliest = time.monotonic() + config.delay_s
        self._not_before: dict[str, float] = {}
        self._day_start = 0.0
        self._new_pages: Counter[str] = Counter()
        self.refused_count = 0
        """Addresses that were not requested because of robots.txt."""
        self.surplus_count = 0
        """Addresses that were not requested because their site has too many hosts."""
        for site in frontier.sites():
            self.release(site, config.delay_s)

    @property
    def is_busy(self) -> bool:
        """Whether a request is under way."""
        return bool(self._asked)

    def next_ready_s(self) -> float | None:
        """Return the seconds until the next request may be sent; None if that depends on an answer alone."""
        if not self._ready or len(self._asked) >= self._config.concurrency:
            return None
        return max(self._ready[0][0] - time.monotonic(), 0.0)

    def take(self) -> Question | None:
        """Return the next request; None while no site may get one, or while as many are under way as allowed.

        The result is also None where addresses of a site were set aside, so that others have their turn.
        """
        while self._ready and len(self._asked) < self._config.concurrency:
            at, site = self._ready[0]
            if at > time.monotonic():
                break
            heapq.heappop(self._ready)
            if self._ready_at.get(site) != at:
                continue  # an earlier entry of the site has taken its place
            del self._ready_at[site]
            self._asked.add(site)
            question = self._question(site)
            if question is not None:
                return question
            self._asked.discard(site)
            self._not_before[site] = time.monotonic()
            self._wait(site)
            break
        return None

    def found(self, sites: Iterable[str]) -> None:
        """Put sites that have new addresses into the queue."""
        for site in sites:
            if site not in self._asked:
                self._wait(site)

    def release(self, site: str, pause_s: float) -> None:
        """Put a site whose last answer was processed into the queue again, after a pause.

        The delay of its robots.txt is kept in any case, and so is the time for which it wants to be left alone.
        """
        self._asked.discard(site)
        _, delay_s = self._frontier.site_hosts(site)
        pause_s = max(pause_s, delay_s, self._frontier.rests_until(site) - time.time())
        self._not_before[site] = time.monotonic() + pause_s
        self._wait(site)

    def keep_robots(self, robots: StoredRobots) -> None:
        """Use what a host answered when it was asked for its robots.txt."""
        self._failures[robots.host] = 0 if robots.is_reachable else self._failures[robots.host] + 1
        self._frontier.keep_robots(robots, time.time())
        if robots.site in self._blocked:
            self._blocked.discard(robots.site)
            self.found([robots.site])

    def redirect(self, question: RobotsQuestion, url: str) -> bool:
        """Ask for a robots.txt at another address, before anything else of its site and of its host's.

        A redirect to another site is followed to the robots.txt of a host there only, and not at all if
        that host's rules are known already.

        Returns:
            Whether the redirect is followed; otherwise, the host has no robots.txt.
        """
        host, site = robots_host(url), site_key(url)
        is_of_host = _is_robots_of(host, url)
        if question.redirects >= REDIRECTS_MAX or not (is_of_host or site == question.site):
            return False
        further = RobotsQuestion(
            site=site,
            hosts=(*question.hosts, host) if is_of_host else question.hosts,
            url=url,
            redirects=question.redirects + 1,
        )
        self._redirected[site].append(further)
        self._blocked.update(map(site_key, question.hosts))
        self.found([site])
        return True

    def _question(self, site: str) -> Question | None:
        now = time.time()
        while self._redirected[site]:
            question = self._redirected[site].pop()
            host = robots_host(question.url)
            known = self._frontier.robots(host)
            if known is None or known.expires_at <= now or not _is_robots_of(host, question.url):
                return question
            for asked in question.hosts:
                self.keep_robots(msgspec.structs.replace(known, host=asked, site=site_key(asked)))
        for _ in range(_ASIDE_AT_ONCE):
            address = self._frontier.next_address(site, self._latest_at(site, now, now))
            if address is None:
                break
            host = robots_host(address.url)
            robots = self._frontier.robots(host)
            if robots is None and self._frontier.site_hosts(site)[0] >= self._config.site_hosts:
                self.surplus_count += 1
                self._postpone(address, now)
            elif robots is None or not (robots.expires_at > now or self._is_given_up(host)):
                return RobotsQuestion(site=site, hosts=(host,), url=robots_url(host))
            elif robots.allows(address.url):
                if address.rank in NEW_RANKS and not address.attempts:
                    self._new_pages[site] += 1
                return address
            else:
                self._set_aside(address, robots, now)
        return None

    def _is_given_up(self, host: str) -> bool:
        """Return whether a host has failed so often that this run does not wait for it."""
        return not self._config.follows and self._failures[host] >= self._config.attempts_max

    def _set_aside(self, address: DueAddress, robots: StoredRobots, now: float) -> None:
        """Let an address be due later, because its host forbids it or did not say what it allows."""
        if robots.is_reachable:
            self.refused_count += 1
            self._postpone(address, now)
        else:
            rank = address.later_rank if self._is_given_up(robots.host) else address.rank
            self._frontier.postpone(address, robots.expires_at, rank)

    def _postpone(self, address: DueAddress, now: float) -> None:
        self._frontier.postpone(address, now + self._config.interval_max_s, address.later_rank)

    def _wait(self, site: str) -> None:
        """Put a site into the queue for the time at which something is due and its delay has passed."""
        at = self._not_before.get(site, self._earliest)
        if not self._redirected[site]:
            now = time.time()
            due_at = self._frontier.next_due_at(site, self._latest_at(site, now, float("inf")))
            if due_at is None or site in self._blocked:
                return
            at = max(at, time.monotonic() + due_at - now)
        if at < self._ready_at.get(site, float("inf")):
            self._ready_at[site] = at
            heapq.heappush(self._ready, (at, site))

    def _latest_at(self, site: str, now: float, horizon: float) -> dict[int, float]:
        """Return by rank up to which time addresses are due now, or are waited for, with this horizon."""
        again = horizon if self._config.follows else min(horizon, self._started_at)
        ranks = dict.fromkeys((DUE_LISTING, DUE_PAGE), again)
        return ranks | dict.fromkeys(self._new_ranks(site, now), horizon)

    def _new_ranks(self, site: str, now: float) -> tuple[int, ...]:
        """Return the ranks of new addresses that may still be requested of a site today."""
        day_start = now - now % DAY_S
        if day_start != self._day_start:
            self._day_start = day_start
            self._new_pages = Counter(self._frontier.new_pages_since(day_start))
        return NEW_RANKS if self._new_pages[site] < self._config.site_day_pages else ()


def _is_robots_of(host: str, url: str) -> bool:
    return url.lower() == robots_url(host)
