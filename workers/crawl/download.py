"""How Scrapy downloads for a crawl."""

from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.crawler import Crawler

from workers.crawl.config import CrawlConfig


class OneTryHandler(HTTP11DownloadHandler):
    """Scrapy's handler for HTTP/1.1, which opens a connection for each request and sends it once only.

    Twisted sends a request again at once when a connection that was kept open turns out to be closed, so
    a site would be asked twice without the delay between. Behind a proxy, an answer that is broken off
    because of its type or size would also end the next request on its connection.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._pool.persistent = False
        self._pool.retryAutomatically = False


def scrapy_settings(config: CrawlConfig) -> dict[str, object]:
    """Return Scrapy's settings for a crawl.

    Scrapy downloads, decompresses, bounds, and adapts the delay of each site (AutoThrottle). What it
    would decide within a run only is switched off, because the frontier does it on disk: robots.txt,
    redirects, retries and the filter of duplicates. Scrapy's own robots.txt also knows neither
    `Crawl-delay` nor an age, and allows everything where a host does not answer.
    """
    handler = f"{OneTryHandler.__module__}.{OneTryHandler.__qualname__}"
    return {
        "USER_AGENT": config.user_agent,
        "CONCURRENT_REQUESTS": config.concurrency,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        "DOWNLOAD_DELAY": config.delay_s,
        "DOWNLOAD_DELAY_JITTER": 0,
        "DOWNLOAD_TIMEOUT": config.timeout_s,
        "DOWNLOAD_MAXSIZE": config.page_bytes_max,
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
