"""Addresses of links and images made absolute."""

import re
from urllib.parse import urljoin, urlsplit

_NO_PAGE = re.compile(r"\s*(?:javascript|data|mailto|tel|sms|about|blob|vbscript|whatsapp|file):", re.IGNORECASE)
_BLANKS = re.compile(r"[\s\x00-\x1f]+")


class Addresses:
    """Makes the addresses of one page absolute.

    >>> addresses = Addresses("https://example.com/a/b")
    >>> addresses.absolute("/c?d"), addresses.absolute("e"), addresses.absolute("mailto:a@b")
    ('https://example.com/c?d', 'https://example.com/a/e', '')
    """

    def __init__(self, url: str) -> None:
        """Remember the page.

        Args:
            url: Address of the page.
        """
        self._url = url
        try:
            parts = urlsplit(url)
            self._origin = f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""
            self._scheme = parts.scheme
        except ValueError:
            self._origin = self._scheme = ""
        self._known: dict[str, str] = {}

    def absolute(self, target: str) -> str:
        """Return an absolute http address; empty where the address leads to no resource of the web."""
        found = self._known.get(target)
        if found is None:
            found = self._known[target] = self._resolved(target)
        return found

    def _resolved(self, target: str) -> str:
        target = target.strip()
        if any(letter.isspace() for letter in target):
            target = _BLANKS.sub("%20", target)
        if target.startswith(("http://", "https://")):
            return target
        if target.startswith("/") and self._origin and not target.startswith("//"):
            return self._origin + target if "/." not in target else self._joined(target)
        return "" if _NO_PAGE.match(target) else self._joined(target)

    def _joined(self, target: str) -> str:
        try:
            found = urljoin(self._url, target)
        except ValueError:
            return ""
        return found if found.startswith(("http://", "https://", "file:")) else ""
