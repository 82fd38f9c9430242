"""When an address is asked again."""

from workers.crawl.config import CrawlConfig


def next_interval_s(before_s: float, *, has_changed: bool, config: CrawlConfig) -> float:
    """Return the time until the next visit, in seconds: half as long after a change, else twice as long.

    The interval moves towards the time between two changes of the page. This is the scheme of Nutch's
    `AdaptiveFetchSchedule` and of StormCrawler's `AdaptiveScheduler`, with steps of 2; Cho and
    Garcia-Molina, "Effective page refresh policies for web crawlers" (TODS 2003), show why pages that
    change all the time must not take all visits, hence the shortest interval.

    >>> config = CrawlConfig(contact="a@b.example", interval_min_s=60, interval_max_s=100)
    >>> [next_interval_s(80, has_changed=changed, config=config) for changed in (True, False)]
    [60, 100]

    Args:
        before_s: Time between the last two visits.
        has_changed: Whether the page had changed between them.
        config: The shortest and the longest interval.
    """
    wanted_s = before_s / 2 if has_changed else before_s * 2
    return min(max(wanted_s, config.interval_min_s), config.interval_max_s)


def retry_after_s(attempts: int, config: CrawlConfig) -> float:
    """Return the time to wait after a failed request, in seconds.

    Args:
        attempts: Failed requests for this address in a row, this one included.
        config: The first waiting time, and the number of attempts.
    """
    if attempts >= config.attempts_max:
        return config.interval_max_s
    return float(config.retry_s * 2 ** (attempts - 1))
