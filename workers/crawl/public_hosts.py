"""Which hosts are part of the public Internet, so that a stranger cannot lead the crawl to others."""

import logging
import socket
from collections.abc import Sequence
from ipaddress import ip_address
from urllib.parse import urlsplit
from urllib.request import getproxies

from scrapy.resolver import CachingThreadedResolver
from twisted.internet.defer import Deferred
from twisted.internet.error import DNSLookupError

log = logging.getLogger("templ")


class PublicResolver(CachingThreadedResolver):
    """Scrapy's resolver, for which names that lead to no public address do not exist.

    Every connection asks it, for addresses in figures as well, and goes to the address that it tells. So
    a name cannot lead elsewhere afterwards. Only a proxy may have any address.
    """

    def getHostByName(self, name: str, timeout: Sequence[int] = ()) -> "Deferred[str]":  # noqa: N802
        """Return the address of a name.

        Raises:
            DNSLookupError: The name has no address, or one that is not public.
        """
        found = super().getHostByName(name, timeout)
        return found if name in proxy_hosts() else found.addCallback(_public_address, name)


def _public_address(address: str, name: str) -> str:
    if not is_public(address):
        log.warning("%s is not asked: %s is no public address (--allow-private)", name, address)
        raise DNSLookupError(f"{address} is no public address")
    return address


def is_public(host: str) -> bool:
    """Return whether a host may be public, as far as can be told without looking up its name.

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
    return {urlsplit(one if "://" in one else f"//{one}").hostname for one in proxies}
