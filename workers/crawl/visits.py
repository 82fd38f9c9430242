"""What follows from an answer: when its address is requested again, and what is sent."""

from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any, Literal

import msgspec

from workers.crawl.addresses import address_key
from workers.crawl.answers import AnswerContent
from workers.crawl.config import DAY_S, CrawlConfig
from workers.crawl.frontier import NEW_RANKS, DueAddress, NextVisit, PageState
from workers.page import GONE_STATUSES

Outcome = Literal[
    "page", "feed", "sitemap", "other", "unchanged", "gone", "redirect", "failed", "refused"
]
"""What an answer was; `unchanged` has the words of the answer before it, `refused` is a status from 400."""
NOT_MODIFIED = 304
NO_ANSWER = 0
"""The status of a request that brought no answer."""
_FAILURES = frozenset([NO_ANSWER, 408, 425, 429])
_PAUSES = frozenset([429, 503])


class AddressAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of an address, as far as it decides what follows."""

    status: int
    headers: Mapping[str, str]
    """Headers by lower-case name."""
    location: str | None = None
    """Absolute target of a redirect; None for another answer, or a target without an http address."""
    content: AnswerContent | None = None
    """What an answer with status 200 holds."""
    warc_digest: str = ""
    """Digest of the body in the form of WARC files."""
    date: str = ""
    """Time of the answer in the form of WARC files."""


class VisitResult(msgspec.Struct, frozen=True, kw_only=True):
    """What follows from an answer."""

    outcome: Outcome
    next_visit: NextVisit
    sends_page: bool = False
    """Whether the page is new or has other words than before, so that it is to be sent."""
    sends_end: bool = False
    """Whether a page was sent earlier that no longer exists."""
    keeps_feed: bool = False
    """Whether the answer is a feed with other bytes than before."""


def visit_result(
    address: DueAddress, answer: AddressAnswer, now: float, config: CrawlConfig
) -> VisitResult:
    """Return what follows from the answer of an address."""
    status = answer.status
    if status in _FAILURES or status >= 500:
        return _failed(address, now, config)
    if status == NOT_MODIFIED:
        visit = _again(address, address.state, now, config, has_changed=False)
        return VisitResult(outcome="unchanged", next_visit=visit)
    if 300 <= status < 400 and answer.location is not None:
        return _redirected(address, answer.location, now, config)
    if status in GONE_STATUSES:
        visit = rare_visit(address, now, config)
        is_published = address.state.is_published
        return VisitResult(outcome="gone", next_visit=visit, sends_end=is_published)
    if answer.content is None:
        state = PageState(is_published=address.state.is_published)
        return VisitResult(outcome="refused", next_visit=rare_visit(address, now, config, state))
    return _read(address, answer, answer.content, now, config)


def next_interval_s(before_s: float, *, has_changed: bool, config: CrawlConfig) -> float:
    """Return the time until the next visit, in seconds: half as long after a change, else twice as long.

    The interval moves towards the time between two changes of the page. This is the scheme of Nutch's
    `AdaptiveFetchSchedule` and of StormCrawler's `AdaptiveScheduler`, with steps of 2; Cho and
    Garcia-Molina, "Effective page refresh policies for web crawlers" (TODS 2003), show why pages that
    change all the time must not take all visits, hence the shortest interval.

    >>> config = CrawlConfig(contact="a@b.example", interval_min_s=60, interval_max_s=100)
    >>> [next_interval_s(80, has_changed=changed, config=config) for changed in (True, False)]
    [60, 100]
    """
    wanted_s = before_s / 2 if has_changed else before_s * 2
    return min(max(wanted_s, config.interval_min_s), config.interval_max_s)


def retry_after_s(status: int, said: str, now: float) -> float:
    """Return how long a site asks to be left alone, in seconds and at most a day.

    Its status and its header Retry-After, empty where it has none, say so; `now` is a Unix time in seconds.

    >>> [retry_after_s(status, "120", now=0) for status in (503, 200)]
    [120.0, 0.0]
    """
    said = said.strip() if status in _PAUSES else ""
    if said.isdecimal():
        return min(float(said), DAY_S)
    try:
        return min(max(parsedate_to_datetime(said).timestamp() - now, 0.0), DAY_S)
    except (ValueError, TypeError, OverflowError):
        return 0.0


def _read(
    address: DueAddress,
    answer: AddressAnswer,
    content: AnswerContent,
    now: float,
    config: CrawlConfig,
) -> VisitResult:
    before = address.state
    has_changed = content.digest != before.digest
    is_same_body = answer.warc_digest == before.warc_digest
    sends_page = content.kind == "page" and (has_changed or not before.is_published)
    state = PageState(
        etag=answer.headers.get("etag"),
        last_modified=answer.headers.get("last-modified"),
        digest=content.digest,
        warc_digest=answer.warc_digest,
        warc_date=before.warc_date if is_same_body else answer.date,
        is_published=before.is_published or sends_page,
    )
    return VisitResult(
        outcome=content.kind if has_changed else "unchanged",
        next_visit=_again(address, state, now, config, has_changed=has_changed),
        sends_page=sends_page,
        keeps_feed=content.kind == "feed" and not is_same_body,
    )


def _again(
    address: DueAddress, state: PageState, now: float, config: CrawlConfig, *, has_changed: bool
) -> NextVisit:
    if address.interval_s is None:
        interval_s = config.listing_interval_s if address.is_listing else config.page_interval_s
    else:
        interval_s = next_interval_s(address.interval_s, has_changed=has_changed, config=config)
    return _visit(address, now + interval_s, interval_s=interval_s, state=state)


def _visit(address: DueAddress, due_at: float, **changed: Any) -> NextVisit:
    """Return a visit of an address as it is known, but for what is given."""
    known = {"url": address.url, "rank": address.later_rank, "interval_s": address.interval_s}
    return NextVisit(due_at=due_at, **{**known, "state": address.state, **changed})


def rare_visit(
    address: DueAddress, now: float, config: CrawlConfig, state: PageState | None = None
) -> NextVisit:
    """Return the visit of an address that is left alone for the longest time; it forgets what it knew but a state."""
    return _visit(address, now + config.interval_max_s, state=state or PageState())


def _failed(address: DueAddress, now: float, config: CrawlConfig) -> VisitResult:
    attempts = address.attempts + 1
    if attempts >= config.attempts_max:
        visit = rare_visit(address, now, config, address.state)
    else:
        due_at = now + config.retry_s * 2**address.attempts
        visit = _visit(address, due_at, rank=address.rank, attempts=attempts)
    return VisitResult(outcome="failed", next_visit=visit)


def _redirected(address: DueAddress, location: str, now: float, config: CrawlConfig) -> VisitResult:
    """Return what follows from a redirect, whose target is an address of its own.

    An address that leads to another form of itself, such as one with TLS, takes that form and is asked
    again at once, as often as after failures.
    """
    attempts = address.attempts + 1
    if address_key(location) != address.key or attempts >= config.attempts_max:
        visit = _again(address, address.state, now, config, has_changed=False)
        return VisitResult(outcome="redirect", next_visit=visit)
    attempts = attempts if address.rank in NEW_RANKS else 0
    visit = _visit(address, now, url=location, rank=address.rank, attempts=attempts)
    return VisitResult(outcome="redirect", next_visit=visit)
