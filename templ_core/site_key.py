"""The site key of a URL: pages with one key belong to one site and share templates."""

import functools
import ipaddress
import unicodedata
from urllib.parse import quote, unquote

from publicsuffixlist import PublicSuffixList

from templ_core.encodable import encodable
from templ_core.patterns import pattern

LOCAL = "local"
"""Site key of pages without a host."""

_MAX_HOST_CHARS = 253
_AUTHORITY = pattern(r"(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?[/\\]{2}([^/\\?#]*)")
_BARE_HOST = pattern(r"([^/\\?#@:\s]+\.[^/\\?#@:\s.]+\.?|localhost)(?::\d*)?(?:[/?#]|$)")
_PORT = pattern(r":\d*$")
_PLAIN_HOST = pattern(r"[a-z0-9._-]+")


def site_key(url: str) -> str:
    """Return the site key of a URL: its registrable domain, in lower-case ASCII.

    Every text has a key, which is never empty. Users of a hosting platform are sites of their own
    (`name.github.io`). The host is the key where there is no registrable domain: for IP addresses,
    `localhost` and unknown suffixes. URLs without a host have the key `local`, so that all pages of
    a directory of files are one site unless their records say otherwise.

    >>> site_key("https://news.bbc.co.uk/1?x=2")
    'bbc.co.uk'
    >>> site_key("pages/1.html")
    'local'
    """
    host = _host(encodable(url).strip().replace("\t", "").replace("\n", "").replace("\r", ""))
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
    """Return what stands between user name and port; empty without a host."""
    match = _AUTHORITY.match(url)
    if match is None:
        match = _BARE_HOST.match(url)
        return match[1] if match else ""
    return _PORT.sub("", match[1].rpartition("@")[2])


def _address(host: str) -> str | None:
    """Return an IP address in its canonical form, or None for a name."""
    literal = host.strip("[]").partition("%")[0] if host.startswith("[") else host.rstrip(".")
    try:
        return str(ipaddress.ip_address(literal))
    except ValueError:
        return None


def _ascii_name(host: str) -> str:
    """Return the host in lower-case ASCII: by IDNA, or percent-encoded where IDNA fails."""
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
