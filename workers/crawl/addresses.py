"""Addresses: which ones are the same, and which ones lead into a trap."""

import re
from urllib.parse import urljoin, urlsplit

from w3lib.url import canonicalize_url

from templ_core.patterns import pattern

URL_CHARS_MAX = 1000
"""Longest address; browsers and sitemaps stop at 2048, and addresses that people share are far shorter."""
_SEGMENTS_MAX = 20
"""Most segments of a path, which is Heritrix's `TooManyPathSegmentsDecideRule` by default."""
_REPEATS_MAX = 2
"""How often a run of segments may follow itself, as in Heritrix's `PathologicalPathDecideRule`."""
PATH_QUERIES_MAX = 50
"""Most addresses with different queries of one path; lists of many pages fit, calendars do not."""
_REPEATED = pattern(rf"/((?:[^/]+/){{1,4}}?)(?:\1){{{_REPEATS_MAX},}}")
_CAMPAIGN = pattern(r"utm_\w+|fbclid|gclid|dclid|msclkid|mc_[ce]id|igshid|yclid|_ga", re.IGNORECASE)
"""Parameters that name the campaign by which a reader came; no page needs them."""
_SESSION = pattern(
    r"sid|session_?id|phpsessid|jsessionid|aspsessionid\w*|cfid|cftoken", re.IGNORECASE
)
"""Parameters that identify the reader; some sites need them, but the page is the same."""
_PATH_SESSION = pattern(r";(?:jsessionid|sid|phpsessid)=[^/?#]*", re.IGNORECASE)


def asked_address(url: str) -> str:
    """Return an address without its fragment and without parameters of campaigns.

    >>> asked_address("http://a.example/b?utm_source=rss&id=3#top")
    'http://a.example/b?id=3'
    """
    url, _, _ = url.partition("#")
    path, mark, query = url.partition("?")
    fields = [
        field for field in query.split("&") if not _CAMPAIGN.fullmatch(field.partition("=")[0])
    ]
    kept = "&".join(fields)
    return f"{path}{mark if kept else ''}{kept}"


def address_key(url: str) -> str:
    """Return what two addresses have in common exactly when they mean the same page.

    The order of parameters, campaigns, sessions, the fragment and the letter case of the host have no
    meaning, nor has it whether TLS is used.

    >>> address_key("https://News.example/a?b=2&a=1&utm_source=x#top")
    'news.example/a?a=1&b=2'
    """
    path, mark, query = asked_address(_PATH_SESSION.sub("", url)).partition("?")
    fields = [
        field for field in query.split("&") if not _SESSION.fullmatch(field.partition("=")[0])
    ]
    return canonicalize_url(f"{path}{mark}{'&'.join(fields)}").partition("//")[2]


def path_of_key(key: str) -> str:
    """Return the host and the path of an address's key."""
    return key.partition("?")[0]


def trap_reason(url: str) -> str | None:
    """Return why an address looks like a trap, or None.

    >>> trap_reason("http://a.example/x/y/x/y/x/y/page")
    'a path that repeats itself'
    """
    if len(url) > URL_CHARS_MAX:
        return "a long address"
    path = urlsplit(url).path
    if path.count("/") > _SEGMENTS_MAX:
        return "a deep path"
    if _REPEATED.search(path):
        return "a path that repeats itself"
    return None


def absolute_address(base: str, link: str) -> str | None:
    """Return a link as an absolute address, or None where it cannot be read as one.

    >>> (
    ...     absolute_address("http://a.example/b", "/c"),
    ...     absolute_address("http://a.example/b", "http://["),
    ... )
    ('http://a.example/c', None)
    """
    try:
        return urljoin(base, link)
    except ValueError:
        return None


def is_askable(url: str) -> bool:
    """Return whether a text is a whole http or https address that can be sent, without a user name.

    >>> (
    ...     is_askable("https://a.example/b"),
    ...     is_askable("mailto:a@b.example"),
    ...     is_askable("http://[:/"),
    ... )
    (True, False, False)
    """
    try:
        url.encode()
        parts = urlsplit(url)
        is_web = parts.scheme in {"http", "https"} and parts.port != 0
        return is_web and bool(parts.hostname) and not set("@;") & set(parts.netloc)
    except ValueError:
        return False
