"""URL to site key: what shares templates."""

import functools
import ipaddress
import re
import unicodedata
from urllib.parse import quote, unquote

from publicsuffixlist import PublicSuffixList

LOCAL = "local"
"""Site key of everything that has no host."""

_MAX_HOST_CHARS = 253
_AUTHORITY = re.compile(r"(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?[/\\]{2}([^/\\?#]*)")
_BARE_HOST = re.compile(r"([^/\\?#@:\s]+\.[^/\\?#@:\s.]+\.?|localhost)(?::\d*)?(?:[/?#]|$)")
_PORT = re.compile(r":\d*$")
_PLAIN_HOST = re.compile(r"[a-z0-9._-]+")


def site_key(url: str) -> str:
    """The registrable domain of a URL, in lower-case ASCII; never raises, never empty.

    Users of a hosting platform are sites of their own (`name.github.io`). Where there is no
    registrable domain (IP addresses, `localhost`, suffixes nobody registered), the host is the key.
    A URL without a host has the key `local`: all pages of a directory of files are one site,
    wherever it lies, unless their records say otherwise.
    """
    host = _host(url.strip().replace("\t", "").replace("\n", "").replace("\r", ""))
    if not host:
        return LOCAL
    address = _address(host)
    if address:
        return address
    name = _ascii_name(host)
    return _suffixes().privatesuffix(name) or name or LOCAL


@functools.cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList(accept_unknown=False)


def _host(url: str) -> str:
    """What stands between user name and port."""
    found = _AUTHORITY.match(url)
    if found is None:
        found = _BARE_HOST.match(url)
        return found[1] if found else ""
    return _PORT.sub("", found[1].rpartition("@")[2])


def _address(host: str) -> str | None:
    """The IP address in its one canonical form."""
    literal = host.strip("[]").partition("%")[0] if host.startswith("[") else host.rstrip(".")
    try:
        return str(ipaddress.ip_address(literal))
    except ValueError:
        return None


def _ascii_name(host: str) -> str:
    """The host in lower-case ASCII: IDNA, and percent signs where IDNA has no answer."""
    if not _PLAIN_HOST.fullmatch(host):
        host = unicodedata.normalize("NFKC", unquote(host)).lower().replace("。", ".")
        host = ".".join(map(_ascii_label, host.split(".")))
    return host[:_MAX_HOST_CHARS].strip(".")


def _ascii_label(label: str) -> str:
    try:
        label = label.encode("idna").decode()
    except UnicodeError:
        label = label[:_MAX_HOST_CHARS]
    return quote(label, safe="", errors="replace").lower()
