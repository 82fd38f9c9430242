"""Addresses that pages have, made absolute."""

import re
from urllib.parse import urljoin

from templ_core.patterns import pattern

_HARD = pattern(r"[\s\x00-\x1f]|/\.|^(?:[.?/]*$|[.?#]|//)|^[^/?#]*:")
"""Parts of addresses that are more than an absolute path on the page's host."""
_NO_PAGE = pattern(
    r"\s*(?:javascript|data|mailto|tel|sms|about|blob|vbscript|whatsapp|file):", re.IGNORECASE
)
_BLANKS = pattern(r"[\s\x00-\x1f]+")
_ADDRESS_CHARS_MAX = 2000
_PLAIN_ADDRESS = pattern(
    r"https?://[^\s<>\"{}|\\^`/?#@]+\.[^\s<>\"{}|\\^`/?#@]+(?:[/?#][^\s<>\"\\^`]*)?"
)
_PARTS = pattern(r"(?:[^:/?#]+:)?(?://(?:[^/?#]*@)?([^/?#:]*)[^/?#]*)?([^?#]*)")


class Addresses:
    """Makes the addresses of one page absolute.

    >>> addresses = Addresses("https://example.com/a/b?c")
    >>> addresses.absolute("/c?d"), addresses.absolute("e"), addresses.absolute("mailto:a@b")
    ('https://example.com/c?d', 'https://example.com/a/e', '')
    """

    def __init__(self, url: str) -> None:
        """Remember the page.

        Args:
            url: Address of the page.
        """
        self._url = url
        self.origin = ""
        """Scheme and host of the page; empty if it has none."""
        self._folder = ""
        self.page = url.partition("#")[0]
        """Address of the page without a place on it."""
        plain = url.partition("#")[0].partition("?")[0]
        scheme, _, rest = plain.partition("://")
        if rest and scheme in {"http", "https"}:
            host, _, path = rest.partition("/")
            self.origin = f"{scheme}://{host}"
            self._folder = f"{self.origin}/{path.rpartition('/')[0]}".rstrip("/") + "/"

    def absolute(self, target: str) -> str:
        """Return an absolute http address; empty where the address leads to no resource of the web."""
        if target.startswith(("http://", "https://")):
            target = target.rstrip()
            return _BLANKS.sub("%20", target) if _BLANKS.search(target) else target
        if self.origin and not _HARD.search(target):
            return (self.origin if target[0] == "/" else self._folder) + target
        if target.startswith("../") and self.origin and not _HARD.search(target[3:]):
            above = self._folder[:-1].rpartition("/")[0] + "/"
            return (above if len(above) > len(self.origin) else self.origin + "/") + target[3:]
        if target.startswith("#"):
            return self.page + target
        target = _BLANKS.sub("%20", target.strip())
        if _NO_PAGE.match(target):
            return ""
        try:
            absolute = urljoin(self._url, target)
        except ValueError:
            return ""
        return absolute if absolute.startswith(("http://", "https://", "file:")) else ""


def address(text: str, base: str) -> str | None:
    """Return an absolute http address, or None.

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
    if not base.startswith("http") and text[:4].lower() != "http":
        return None
    absolute = Addresses(base).absolute(text.rstrip("#"))
    return absolute if _PLAIN_ADDRESS.fullmatch(absolute) else None


def host_and_path(url: str) -> tuple[str, str]:
    """Return the host of an address in lower case and its path, both empty where it has none.

    >>> host_and_path("https://user@Example.com:8080/a/b?c=1")
    ('example.com', '/a/b')
    """
    match = _PARTS.match(url)
    return ((match[1] or "").lower(), match[2]) if match else ("", "")
