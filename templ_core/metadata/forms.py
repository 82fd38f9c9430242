"""Forms that values must have: addresses, languages and texts. A value of another form is absent."""

import functools
import re

from templ_core.dom.addresses import Addresses
from templ_core.patterns import pattern

_ADDRESS_CHARS_MAX = 2000
_TEXT_CHARS_MAX = 2000
_PLAIN_ADDRESS = pattern(
    r"https?://[^\s<>\"{}|\\^`/?#@]+\.[^\s<>\"{}|\\^`/?#@]+(?:[/?#][^\s<>\"\\^`]*)?"
)
_PARTS = pattern(r"(?:[^:/?#]+:)?(?://(?:[^/?#]*@)?([^/?#:]*)[^/?#]*)?([^?#]*)")
_LANGUAGE = pattern(
    r"(?P<language>[a-z]{2,3})(?:-[a-z]{3})?(?:-(?P<script>[a-z]{4}))?"
    r"(?:-(?P<region>[a-z]{2}|\d{3}))?(?:-(?:[a-z0-9]{5,8}|\d[a-z0-9]{3}|x-.*|u-.*))*",
    re.IGNORECASE,
)
_ALPHANUMERIC = pattern(r"[^\W_]")
_NO_LANGUAGES = frozenset(("und", "mul", "zxx", "mis", "xx", "xxx"))


def address(text: str, base: str) -> str | None:
    """Return an absolute http address, or None where there is none.

    Args:
        text: An address as a page has it, perhaps relative.
        base: Address of the page.

    >>> address("/a?b=1", "https://example.com/x/y")
    'https://example.com/a?b=1'
    >>> address("javascript:void(0)", "https://example.com/") is None
    True
    """
    text = text.strip()
    if not text or len(text) > _ADDRESS_CHARS_MAX:
        return None
    if _PLAIN_ADDRESS.fullmatch(text):
        return text
    found = Addresses(base).absolute(text.rstrip("#"))
    return found if _PLAIN_ADDRESS.fullmatch(found) else None


def host_and_path(url: str) -> tuple[str, str]:
    """Return the host of an address in lower case and its path, both empty where it has none.

    >>> host_and_path("https://user@Example.com:8080/a/b?c=1")
    ('example.com', '/a/b')
    """
    found = _PARTS.match(url)
    return ((found[1] or "").lower(), found[2]) if found else ("", "")


@functools.lru_cache(1 << 8)
def language_tag(text: str) -> str | None:
    """Return a language tag as RFC 5646 (BCP 47) writes it, or None where the text is none.

    >>> language_tag("en_us"), language_tag("ZH-hans-cn"), language_tag("English")
    ('en-US', 'zh-Hans-CN', None)
    """
    found = _LANGUAGE.fullmatch(text.strip().replace("_", "-").partition(".")[0])
    if found is None or found["language"].lower() in _NO_LANGUAGES:
        return None
    parts = [found["language"].lower()]
    if found["script"]:
        parts.append(found["script"].title())
    if found["region"]:
        parts.append(found["region"].upper())
    return "-".join(parts)


def short_text(text: str, chars_max: int = _TEXT_CHARS_MAX) -> str | None:
    """Return a text cut to a bound, or None for one without a letter or digit.

    >>> short_text("--"), short_text("One two three", 9)
    (None, 'One two …')
    """
    if not _ALPHANUMERIC.search(text):
        return None
    if len(text) <= chars_max:
        return text
    return text[:chars_max].rpartition(" ")[0] + " …"
