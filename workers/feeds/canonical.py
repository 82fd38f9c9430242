"""The address that a page without a host gives as its own."""

import html
import re

from templ_core.site_key import LOCAL, site_key

_HEAD_BYTES = 1 << 18
"""Bytes at the beginning of a page that are searched."""
_LINK = re.compile(rb"<link\b[^<>]*>", re.IGNORECASE)
_IS_CANONICAL = re.compile(rb"\brel\s*=\s*[\"']?\s*canonical\b", re.IGNORECASE)
_HREF = re.compile(rb"\bhref\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)


def canonical_url(body: bytes) -> str | None:
    """Return the absolute HTTP address of `<link rel="canonical">`, or None where there is none.

    >>> canonical_url(b'<link rel="canonical" href="https://example.com/a?b=1&amp;c=2">')
    'https://example.com/a?b=1&c=2'
    >>> canonical_url(b'<link rel="canonical" href="/a">') is None
    True
    """
    for link in _LINK.finditer(body, 0, _HEAD_BYTES):
        address = _HREF.search(link[0]) if _IS_CANONICAL.search(link[0]) else None
        if address is not None:
            given = b"".join(filter(None, address.groups())).decode("utf-8", "replace")
            url = html.unescape(given).strip()
            if url.lower().startswith(("http://", "https://")) and site_key(url) != LOCAL:
                return url
    return None
