"""What a host's robots.txt allows this crawler (RFC 9309).

protego reads the file, in a child process, because a large one takes long. Only the rules for this
crawler are kept, on disk, in a form that is read and applied within milliseconds.
"""

from functools import cached_property
from urllib.parse import urlsplit

import msgspec
from protego import Protego
from protego._utils import _quote_path  # rules and addresses must be quoted alike

from templ_core.site_key import site_key
from templ_core.site_settings.site_settings import has_pieces
from workers.crawl.addresses import absolute_address
from workers.crawl.config import DAY_S, ROBOTS_NAME

ROBOTS_BYTES_MAX = 500 << 10
"""Bytes of a robots.txt that are read; RFC 9309, 2.5, asks for at least 500 KiB."""
REDIRECTS_MAX = 5
"""Redirects of a robots.txt that are followed (RFC 9309, 2.3.1.2)."""


class Patterns(msgspec.Struct, frozen=True, array_like=True):
    """The patterns of paths that rules allow, or forbid; the longest ones come first."""

    beginnings: tuple[str, ...] = ()
    """Patterns that a path begins with."""
    special: tuple[str, ...] = ()
    """Patterns with `*`, or with `$` at their end."""

    def longest(self, path: str) -> int:
        """Return the length of the longest pattern that matches a path; -1 if none does."""
        length = -1
        if path.startswith(self.beginnings):
            length = next(
                len(beginning) for beginning in self.beginnings if path.startswith(beginning)
            )
        for pattern in self.special:
            if len(pattern) <= length:
                break
            if _matches(pattern, path):
                return len(pattern)
        return length


class RobotsRules(msgspec.Struct, frozen=True, array_like=True):
    """The rules of a host for this crawler; without any, everything is allowed."""

    allowed: Patterns = Patterns()
    forbidden: Patterns = Patterns()

    def allows(self, url: str) -> bool:
        """Return whether an address of the host may be requested: the longest pattern decides."""
        path = _quote_path(url)
        return self.allowed.longest(path) >= self.forbidden.longest(path)


class RobotsFile(msgspec.Struct, frozen=True, kw_only=True):
    """What a robots.txt says to this crawler."""

    rules: RobotsRules = RobotsRules()
    delay_s: float = 0.0
    """Time that the host wants between two requests, in seconds and at most a day; 0 for none."""
    sitemaps: tuple[str, ...] = ()
    """Absolute addresses of the sitemaps that the file names, as far as they can be read."""


class StoredRobots(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """A host's answer to the request for its robots.txt."""

    host: str
    """Scheme, host and port, such as `https://news.example`."""
    site: str
    is_reachable: bool
    """Whether the host has stated its rules; otherwise nothing may be requested of it."""
    expires_at: float
    """Unix time in seconds from which on its robots.txt is to be requested again."""
    delay_s: float = 0.0
    """Time that the host wants between two requests, in seconds; 0 for none."""
    encoded_rules: bytes = b""
    """The rules in MessagePack; empty where there are none."""

    @cached_property
    def _rules(self) -> RobotsRules:
        if not self.encoded_rules:
            return RobotsRules()
        return msgspec.msgpack.decode(self.encoded_rules, type=RobotsRules)

    def allows(self, url: str) -> bool:
        """Return whether an address of the host may be requested."""
        return self.is_reachable and self._rules.allows(url)


def robots_host(url: str) -> str:
    """Return the part of an address that has a robots.txt of its own.

    >>> robots_host("https://News.example:8443/a/b?c")
    'https://news.example:8443'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()


def robots_url(host: str) -> str:
    """Return the address of a host's robots.txt."""
    return f"{host}/robots.txt"


def read_robots(url: str, body: bytes) -> RobotsFile:
    r"""Return what a robots.txt says to this crawler; of a larger file, `ROBOTS_BYTES_MAX` are read.

    >>> body = b"User-agent: *\nDisallow: /a\nAllow: /a/b"
    >>> rules = read_robots("http://a.example/robots.txt", body).rules
    >>> [rules.allows(f"http://a.example{path}") for path in ("/a", "/a/b", "/c")]
    [False, True, True]
    """
    if len(body) >= ROBOTS_BYTES_MAX:
        body = body[:ROBOTS_BYTES_MAX].rpartition(b"\n")[0]
    file = Protego.parse(body.decode("utf-8", "replace"))
    own = file._get_matching_rule_set(ROBOTS_NAME)  # noqa: SLF001 - protego lists rules nowhere else
    rules = own._rules if own is not None else []  # noqa: SLF001
    named = (absolute_address(url, said) for said in file.sitemaps)
    return RobotsFile(
        rules=RobotsRules(
            *(
                _patterns({rule.value._pattern for rule in rules if rule.field == field})  # noqa: SLF001
                for field in ("allow", "disallow")
            )
        ),
        delay_s=min(float(file.crawl_delay(ROBOTS_NAME) or 0.0), DAY_S),
        sitemaps=tuple(address for address in named if address is not None),
    )


def robots_of_answer(
    host: str, status: int, file: RobotsFile | None, expires_at: float
) -> StoredRobots:
    """Return what an answer to a request for robots.txt says.

    A host without the file, which is every status from 300 to 499 besides 429, allows everything; a host
    that fails allows nothing until it answers (RFC 9309, 2.3.1.3 and 2.3.1.4). The status 0 stands for no answer, and
    None for a file that cannot be read. It is requested again from a Unix time in seconds on.
    """
    is_found = 200 <= status < 300 and file is not None
    is_missing = 300 <= status < 500 and status != 429
    rules = file if is_found and file is not None else RobotsFile()
    return StoredRobots(
        host=host,
        site=site_key(host),
        is_reachable=is_found or is_missing,
        expires_at=expires_at,
        delay_s=rules.delay_s,
        encoded_rules=b"" if rules.rules == RobotsRules() else msgspec.msgpack.encode(rules.rules),
    )


def _patterns(patterns: set[str]) -> Patterns:
    special = {pattern for pattern in patterns if "*" in pattern or pattern.endswith("$")}
    beginnings = sorted(patterns - special, key=len, reverse=True)
    return Patterns(tuple(beginnings), tuple(sorted(special, key=len, reverse=True)))


def _matches(pattern: str, path: str) -> bool:
    """Return whether a path matches a pattern, in which `*` stands for any text and `$` for the end.

    >>> [_matches("/*.php$", path) for path in ("/a.php", "/a.php?b", "/a.html")]
    [True, False, False]
    """
    pieces = pattern.removesuffix("$").split("*")
    return has_pieces(path, pieces if pattern.endswith("$") else [*pieces, ""])
