"""The limits of a crawl."""

from urllib.parse import urlsplit

import msgspec

from templ_core import __version__

DAY_S = 24 * 3600.0


class CrawlConfig(msgspec.Struct, frozen=True, kw_only=True):
    """How politely, how far and how often a crawl sends requests.

    The first paragraphs of the limits are the help of the options of `templ crawl`, which has the bounds.
    """

    contact: str
    """Address of a page, or of a mailbox, where the owners of sites find who crawls."""
    delay_s: float = 1.0
    """Seconds between an answer of a site and the next request to it. A longer Crawl-delay of its
    robots.txt takes precedence, and slow sites get fewer requests.

    1 s is the default of the crawler in Foschini's thesis, 4.1. AutoThrottle lengthens it while a site
    answers slowly.
    """
    concurrency: int = 64
    """Most sites that are crawled at the same time."""
    timeout_s: float = 30.0
    """Longest time until an answer is complete, in seconds."""
    page_bytes_max: int = 8 << 20
    """Largest answer after decompression, in bytes.

    A Kafka message of the default size holds no larger page.
    """
    depth_max: int = 12
    """Most links from a seed, feed or sitemap to a page.

    Chains such as calendars end there.
    """
    site_day_pages: int = 2000
    """Most new addresses that are fetched from a site in one day (UTC)."""
    site_hosts: int = 200
    """Most hosts of a site that are crawled.

    A domain can have any number of names below it.
    """
    read_deadline_s: float = 5.0
    """Longest processor time to read an answer; what takes longer names no addresses."""
    allows_private: bool = False
    """Whether addresses of private networks and of this machine are requested."""
    attempts_max: int = 3
    """Failed requests after which an address is given up."""
    retry_s: float = 60.0
    """Seconds from a failure to the second request; then twice as long."""
    listing_interval_s: float = 3600.0
    """Seconds until a seed, feed or sitemap is fetched again. After a change, an interval is halved,
    otherwise doubled."""
    page_interval_s: float = DAY_S
    """Seconds until another page is fetched again, likewise."""
    interval_min_s: float = 900.0
    """Shortest such interval, in seconds."""
    interval_max_s: float = 30 * DAY_S
    """Longest such interval, in seconds."""
    robots_age_s: float = DAY_S
    """Age from which on a robots.txt is requested again; RFC 9309, 2.4, allows no more than a day."""
    robots_retry_s: float = 600.0
    """Seconds until a robots.txt that could not be fetched is tried again."""
    follows: bool = False
    """Whether the crawl waits for what is due later; otherwise it ends with what is due when it starts."""

    @property
    def user_agent(self) -> str:
        """The user agent of the crawler; rules for `templ-crawler` in robots.txt concern it."""
        is_address = urlsplit(self.contact).scheme or "@" in self.contact
        return f"{ROBOTS_NAME}/{__version__} ({'+' if is_address else ''}{self.contact})"


ROBOTS_NAME = "templ-crawler"
"""Product token by which rules of robots.txt name the crawler."""
