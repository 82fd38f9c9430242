"""The limits of a crawl."""

from urllib.parse import urlsplit

import msgspec

from templ_core import __version__

DAY_S = 24 * 3600.0


class CrawlConfig(msgspec.Struct, frozen=True, kw_only=True):
    """How politely, how far and how often a crawl asks; the bounds are those of `templ crawl --help`."""

    contact: str
    """Address of a page, or of a mailbox, that tells the owners of sites who crawls."""
    delay_s: float = 1.0
    """Shortest time between the end of an answer and the next request to the same site, in seconds.

    1 s is the default of the crawler in Foschini's thesis, 4.1. A longer `Crawl-delay` of the site's
    robots.txt goes before it, and AutoThrottle lengthens it while a site answers slowly.
    """
    concurrency: int = 64
    """Most sites that are asked at the same time; a site is asked one thing at a time."""
    timeout_s: float = 30.0
    """Longest time until an answer has come whole."""
    page_bytes_max: int = 8 << 20
    """Largest answer after decompression; a Kafka message of the default size holds no larger page."""
    depth_max: int = 12
    """Most links from a seed, a feed or a sitemap to a page; chains such as calendars end there."""
    site_day_pages: int = 2000
    """Most addresses of a site that are asked for the first time in one day (UTC)."""
    site_hosts: int = 200
    """Most hosts of a site that are asked; names below a domain can be without end."""
    read_deadline_s: float = 5.0
    """Longest processor time to read an answer; what takes longer names no addresses."""
    allows_private: bool = False
    """Whether addresses of private networks and of this machine are asked."""
    attempts_max: int = 3
    """Requests for an address that fail, until it is left alone as long as an unchanged page."""
    retry_s: float = 60.0
    """Time before the second request after a failure; it doubles with each further one."""
    listing_interval_s: float = 3600.0
    """Time until a seed, a feed or a sitemap is asked again for the first time."""
    page_interval_s: float = DAY_S
    """Time until another page is asked again for the first time."""
    interval_min_s: float = 900.0
    """Shortest time until an address is asked again, however often it changes."""
    interval_max_s: float = 30 * DAY_S
    """Longest time until an address is asked again, however seldom it changes."""
    robots_age_s: float = DAY_S
    """Age from which on a robots.txt is asked again; RFC 9309, 2.4, allows no more than a day."""
    robots_retry_s: float = 600.0
    """Time until a robots.txt is asked again that could not be reached; nothing else is asked before."""
    follows: bool = False
    """Whether the crawl waits for what is due later; otherwise it ends with what is due when it starts."""

    @property
    def user_agent(self) -> str:
        """The name under which the crawler asks; rules for `templ-crawler` in robots.txt concern it."""
        is_address = urlsplit(self.contact).scheme or "@" in self.contact
        return f"{ROBOTS_NAME}/{__version__} ({'+' if is_address else ''}{self.contact})"


ROBOTS_NAME = "templ-crawler"
"""Product token by which rules of robots.txt name the crawler."""
