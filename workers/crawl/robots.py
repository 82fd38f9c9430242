"""What a host's robots.txt allows (RFC 9309)."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import msgspec
from protego import Protego

from workers.crawl.addresses import absolute_address
from workers.crawl.config import DAY_S, ROBOTS_NAME

_BYTES_MAX = 500 << 10
"""Bytes of a robots.txt that are read; RFC 9309, 2.5, asks for at least 500 KiB."""
REDIRECTS_MAX = 5
"""Redirects of a robots.txt that are followed (RFC 9309, 2.3.1.2)."""


class StoredRobots(msgspec.Struct, frozen=True, kw_only=True):
    """What a host answered when it was asked for its robots.txt."""

    host: str
    """Scheme, host and port, such as `https://news.example`."""
    text: str
    """The rules; empty where the host has none."""
    is_reachable: bool
    """Whether the host said which rules it has; nothing may be asked of it otherwise."""
    expires_at: float
    """Unix time in seconds from which on the host is to be asked again."""


class RobotsRules:
    """The rules of one host, decoded once."""

    def __init__(self, stored: StoredRobots) -> None:
        self.stored = stored
        self._rules = Protego.parse(stored.text)
        self.delay_s = min(float(self._rules.crawl_delay(ROBOTS_NAME) or 0.0), DAY_S)
        """Time that the host wants between two requests, in seconds and at most a day; 0 for none."""

    def allows(self, url: str) -> bool:
        """Return whether an address of the host may be asked."""
        return self.stored.is_reachable and self._rules.can_fetch(url, ROBOTS_NAME)

    def sitemaps(self) -> Iterator[str]:
        """Yield the absolute addresses of the sitemaps that the file names, as far as they can be read."""
        for said in self._rules.sitemaps:
            address = absolute_address(f"{self.stored.host}/robots.txt", said)
            if address is not None:
                yield address


def robots_host(url: str) -> str:
    """Return the part of an address that has a robots.txt of its own.

    >>> robots_host("https://News.example:8443/a/b?c")
    'https://news.example:8443'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()


def robots_of_answer(host: str, status: int, body: bytes, expires_at: float) -> StoredRobots:
    """Return what an answer to a request for robots.txt says.

    A host without the file, which is every status from 400 to 499 besides 429, allows everything; a host
    that fails allows nothing until it answers (RFC 9309, 2.3.1.3 and 2.3.1.4).

    Args:
        host: Scheme, host and port.
        status: HTTP status; 0 stands for no answer.
        body: The file.
        expires_at: Unix time in seconds from which on the host is to be asked again.
    """
    is_found = 200 <= status < 300
    is_missing = 300 <= status < 500 and status != 429
    return StoredRobots(
        host=host,
        text=body[:_BYTES_MAX].decode("utf-8", "replace") if is_found else "",
        is_reachable=is_found or is_missing,
        expires_at=expires_at,
    )
