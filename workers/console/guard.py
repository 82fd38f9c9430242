"""Decides which requests the console answers, from their heads alone."""

import hmac
from collections.abc import Sequence
from urllib.parse import urlsplit

from aiohttp import web

FORM = "application/x-www-form-urlencoded"
HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Headers of every answer.

The referrer policy lets browsers send the header `Origin` with the console's own forms.
"""
_CLOSED = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; "
PAGE_POLICY = _CLOSED + "style-src 'self'; form-action 'self'"
"""Content security policy of the console's own pages, which load nothing but their style sheet."""
REPORT_POLICY = _CLOSED + "style-src 'unsafe-inline'; img-src data:; form-action 'none'"
"""Content security policy of reports, which hold crawled markup in a harmless form."""
_READING = ("GET", "HEAD")
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


class Refusal(Exception):
    """The error that a request is refused."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


def allowed_hosts(host: str, port: int, names: Sequence[str]) -> frozenset[str]:
    """Return the values of the header `Host` that name the console.

    A page of another site may have a name that it lets point to this machine (DNS rebinding). Its requests
    reach the console, but carry that name.

    >>> sorted(allowed_hosts("10.0.0.7", 9200, ["console.example"]))
    ['10.0.0.7:9200', '127.0.0.1:9200', '[::1]:9200', 'console.example', 'localhost:9200']
    """
    own = f"[{host}]" if ":" in host else host
    return frozenset(
        [*(f"{host}:{port}" for host in (*_LOOPBACK, own)), *(name.lower() for name in names)]
    )


def check_head(request: web.Request, hosts: frozenset[str]) -> None:
    """Check that a request names the console, and is a plain one that its own pages may have caused.

    Its body is not read. A browser says in `Sec-Fetch-Site` who caused the request.

    Raises:
        Refusal: It is not to be answered.
    """
    headers, named = request.headers, request.headers.getall("Host", [])
    if len(named) != 1 or named[0].lower() not in hosts:
        raise Refusal(
            421, "The request names another host; TEMPL_CONSOLE_NAMES says which are right."
        )
    if not request.raw_path.startswith("/") or request.raw_path.startswith("//"):
        raise Refusal(400, "The target of the request is no path.")
    if request.method in _READING:
        if request.can_read_body:
            raise Refusal(400, "A request that only reads has no body.")
        return
    if request.method != "POST":
        raise Refusal(405, "The console knows GET, HEAD and POST.")
    if "Origin" in headers and _host_of(headers["Origin"]) not in hosts:
        raise Refusal(403, "The form belongs to another site.")
    if headers.get("Sec-Fetch-Site", "none") not in ("same-origin", "none"):
        raise Refusal(403, "Another site has caused the request.")
    if request.content_type != FORM:
        raise Refusal(415, f"The body must be of the type {FORM}.")


def _host_of(origin: str) -> str:
    """Return the host and port of an origin; empty for one that cannot be read."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def check_token(given: str, token: str | None) -> None:
    """Check the token that a request carries, in a time that does not reveal how much of it is right.

    Raises:
        Refusal: It is not the token, or the console has none.
    """
    if token is None:
        raise Refusal(403, "This console is read-only: TEMPL_CONSOLE_TOKEN_FILE is not set.")
    if not hmac.compare_digest(given.encode(), token.encode()):
        raise Refusal(403, "The token is missing or wrong; nothing was changed.")
