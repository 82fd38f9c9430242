"""How Scrapy downloads for a crawl, from hosts of the public Internet only."""

import logging
import socket
from collections.abc import Sequence
from ipaddress import ip_address
from urllib.parse import urlsplit
from urllib.request import getproxies

from scrapy import Request
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.crawler import Crawler
from scrapy.exceptions import CannotResolveHostError
from scrapy.http import Response
from scrapy.resolver import CachingThreadedResolver
from twisted.internet.defer import Deferred
from twisted.internet.error import DNSLookupError

from workers.crawl.config import CrawlConfig


class PublicResolver(CachingThreadedResolver):
    """Scrapy's resolver, for which names that lead to no public address do not exist.

    Every connection asks it, for addresses in figures as well, and goes to the address that it returns. So
    a name cannot lead elsewhere afterwards. Only a proxy may have any address.
    """

    def getHostByName(self, name: str, timeout: Sequence[int] = ()) -> "Deferred[str]":  # noqa: N802
        """Return the address of a name.

        Raises:
            DNSLookupError: The name has no address, or one that is not public.
        """
        address = super().getHostByName(name, timeout)
        return address if name in proxy_hosts() else address.addCallback(_public_address, name)


def _public_address(address: str, name: str) -> str:
    if not is_public(address):
        log.warning("%s is not fetched: %s is no public address (--allow-private)", name, address)
        raise DNSLookupError(f"{address} is no public address")
    return address


def is_public(host: str) -> bool:
    """Return whether a host may be public, as far as is known without looking up its name.

    >>> [is_public(host) for host in ("127.1", "0x7f000001", "::1", "localhost", "a.example")]
    [False, False, False, False, True]
    """
    host = host.rstrip(".")
    try:
        address = ip_address(socket.inet_aton(host))
    except (OSError, UnicodeError):
        try:
            address = ip_address(host.strip("[]"))
        except ValueError:
            return host.rpartition(".")[2].lower() != "localhost"
    return address.is_global and not address.is_multicast


def proxy_hosts() -> set[str | None]:
    """Return the hosts of the proxies that the environment names."""
    proxies = getproxies().values()
    return {urlsplit(proxy if "://" in proxy else f"//{proxy}").hostname for proxy in proxies}


log = logging.getLogger("templ")


_ALLOWS_PRIVATE = "TEMPL_ALLOWS_PRIVATE"
"""Name of a setting of ours among those of Scrapy."""


class OneTryHandler(HTTP11DownloadHandler):
    """Scrapy's handler for HTTP/1.1, which opens a connection for each request and sends it once only.

    Twisted sends a request again at once when a connection that was kept open turns out to be closed, so
    a site would get two requests without the delay between. Behind a proxy, an answer that is broken off
    because of its type or size would also end the next request on its connection.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._pool.persistent = False
        self._pool.retryAutomatically = False
        self._allows_private = crawler.settings.getbool(_ALLOWS_PRIVATE)

    async def download_request(self, request: Request) -> Response:
        """Download, unless the host is known not to be public before its name is looked up.

        Where there is a proxy, it alone looks up names.

        Raises:
            CannotResolveHostError: The host is not public, or it is the proxy.
        """
        host = urlsplit(request.url).hostname or ""
        is_open = is_public(host) and host not in proxy_hosts()
        if not (self._allows_private or is_open):
            log.warning("%s is not fetched: it has no public address (--allow-private)", host)
            raise CannotResolveHostError(f"{host} is no public address")
        return await super().download_request(request)


def scrapy_settings(config: CrawlConfig) -> dict[str, object]:
    """Return Scrapy's settings for a crawl.

    Scrapy downloads, decompresses, bounds, and adapts the delay of each site (AutoThrottle). What it
    would decide within a run only is switched off, because the frontier does it on disk: robots.txt,
    redirects, retries and the filter of duplicates. Scrapy's own robots.txt also knows neither
    `Crawl-delay` nor an age, and allows everything where a host does not answer.
    """
    resolver = CachingThreadedResolver if config.allows_private else PublicResolver
    handler = f"{OneTryHandler.__module__}.{OneTryHandler.__qualname__}"
    return {
        _ALLOWS_PRIVATE: config.allows_private,
        "TWISTED_DNS_RESOLVER": f"{resolver.__module__}.{resolver.__qualname__}",
        "USER_AGENT": config.user_agent,
        "CONCURRENT_REQUESTS": config.concurrency,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        "DOWNLOAD_DELAY": config.delay_s,
        "DOWNLOAD_DELAY_JITTER": 0,
        "DOWNLOAD_TIMEOUT": config.timeout_s,
        "DOWNLOAD_MAXSIZE": config.page_bytes_max,
        # Scrapy sends no request while answers of more than this are being read: one slow page would stop the crawl.
        "SCRAPER_SLOT_MAX_ACTIVE_SIZE": config.concurrency * config.page_bytes_max,
        "DOWNLOAD_WARNSIZE": 0,
        "DOWNLOAD_HANDLERS": {"http": handler, "https": handler, "ftp": None, "s3": None},
        "AUTOTHROTTLE_ENABLED": True,
        "AUTOTHROTTLE_START_DELAY": config.delay_s,
        "HTTPERROR_ALLOW_ALL": True,
        "ROBOTSTXT_OBEY": False,
        "REDIRECT_ENABLED": False,
        "METAREFRESH_ENABLED": False,
        "RETRY_ENABLED": False,
        "COOKIES_ENABLED": False,
        "REFERER_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "LOG_INSTALL_ROOT_HANDLER": False,
    }
