"""Requests that no honest browser of an operator sends are refused, and change nothing."""

import asyncio
import urllib.parse

import pytest

from tests.workers.console.conftest import SITE, TOKEN
from workers.console.config import ConsoleConfig
from workers.site_settings import empty_settings, settings_version

FORM = "Content-Type: application/x-www-form-urlencoded\r\n"
FIELDS = urllib.parse.urlencode(
    {
        "action": "override",
        "remove": "h1",
        "version": settings_version(empty_settings(SITE)),
        "token": TOKEN,
    }
)
"""A form with the right token, so that only what else is wrong with a request has it refused."""


def get(target="/", host="Host: 127.0.0.1:{port}\r\n", more=""):
    return f"GET {target} HTTP/1.1\r\n{host}{more}Connection: close\r\n\r\n"


def post(more="", body=FIELDS, form=FORM, length=None, target=f"/settings?key={SITE}"):
    length = len(body) if length is None else length
    return (
        f"POST {target} HTTP/1.1\r\nHost: 127.0.0.1:{{port}}\r\n{form}{more}"
        f"Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )


HOSTILE = {
    "DNS rebinding": (421, get(host="Host: attacker.example\r\n")),
    "DNS rebinding with the port": (421, get(host="Host: attacker.example:{port}\r\n")),
    "DNS rebinding of a form": (421, post().replace("127.0.0.1", "attacker.example")),
    "another port": (421, get(host="Host: 127.0.0.1:1\r\n")),
    "a name that begins alike": (421, get(host="Host: 127.0.0.1:{port}.attacker.example\r\n")),
    "a user name before the host": (421, get(host="Host: a@127.0.0.1:{port}\r\n")),
    "no host": (None, get(host="")),
    "two hosts": (None, get(host="Host: 127.0.0.1:{port}\r\nHost: attacker.example\r\n")),
    "absolute target": (400, get("http://attacker.example/")),
    "target of two slashes": (400, get("//attacker.example/")),
    "form of another site": (403, post("Origin: https://attacker.example\r\n")),
    "form of a sandboxed frame": (403, post("Origin: null\r\n")),
    "form whose origin cannot be read": (403, post("Origin: http://[\r\n")),
    "form caused by another site": (403, post("Sec-Fetch-Site: cross-site\r\n")),
    "form of a sibling": (403, post("Sec-Fetch-Site: same-site\r\n")),
    "JSON": (415, post(form="Content-Type: application/json\r\n", body='{{"token": "x"}}')),
    "plain text, as forms of other sites may send": (
        415,
        post(form="Content-Type: text/plain\r\n"),
    ),
    "multipart": (415, post(form="Content-Type: multipart/form-data; boundary=b\r\n")),
    "no content type": (415, post(form="")),
    "no token": (403, post(body=FIELDS.replace("token", "tokens"))),
    "empty token": (403, post(body=FIELDS.replace(TOKEN, ""))),
    "wrong token": (403, post(body=FIELDS.replace(TOKEN, "x" * len(TOKEN)))),
    "part of the token": (403, post(body=FIELDS.replace(TOKEN, TOKEN[:-1]))),
    "token that is no ASCII": (403, post(body=FIELDS.replace(TOKEN, "%C3%A4"))),
    "token in the query": (
        403,
        post(target=f"/settings?key={SITE}&token={TOKEN}", body=FIELDS.replace("token", "t")),
    ),
    "two tokens": (400, post(body=FIELDS + "&token=x")),
    "bytes that are no UTF-8": (400, post(body=FIELDS + "&a=%FF")),
    "more fields than a form has": (400, post(body=FIELDS + "&a=1" * 60)),
    "large body": (413, post(body=FIELDS + "&a=" + "x" * (1 << 17))),
    "large body that is only announced": (None, post(length=1 << 40)),
    "chunks without an end": (
        None,
        post("Transfer-Encoding: chunked\r\n", "5\r\nabcde").replace("Content-Length: 8\r\n", ""),
    ),
    "two lengths": (None, post("Content-Length: 3\r\n")),
    "length and chunks": (None, post("Transfer-Encoding: chunked\r\n")),
    "reading with a body": (400, get(more="Content-Length: 4\r\n") + "abcd"),
    "PUT": (405, post().replace("POST", "PUT")),
    "DELETE": (405, post().replace("POST", "DELETE")),
    "PATCH": (405, post().replace("POST", "PATCH")),
    "TRACE": (405, get().replace("GET", "TRACE")),
    "OPTIONS": (405, get().replace("GET", "OPTIONS")),
    "CONNECT": (None, get("attacker.example:443").replace("GET", "CONNECT")),
    "form to a path that only shows": (405, post(target="/")),
    "path out of the folder": (404, get("/../../etc/passwd")),
    "encoded path out of the folder": (404, get("/%2e%2e/%2e%2e/etc/passwd")),
    "template of the console": (404, get("/templates/base.html")),
    "long line": (400, get("/?q=" + "x" * 20_000)),
    "long header": (400, get(more=f"X-Long: {'x' * 20_000}\r\n")),
    "header that splits": (400, get(more="X: a\rSet-Cookie: b\r\n")),
    "site key with a zero byte": (400, get("/site?key=paper.example%00x")),
    "site key with a line feed": (400, get("/settings?key=paper.example%0aSet-Cookie:x")),
    "long site key": (400, get("/site?key=" + "x" * 400)),
    "no site key": (400, get("/site")),
    "two site keys": (400, get("/site?key=a&key=b")),
    "unknown column": (400, get("/?order=__class__")),
    "file as a page": (404, get("/page?url=file:///etc/passwd")),
    "page whose URL cannot be read": (400, get("/page?url=http://[")),
    "page of an internal address": (404, get("/page?url=http://169.254.169.254/latest/")),
    "no HTTP": (None, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n\r\n"),
    "HTTP/9.9": (None, get().replace("HTTP/1.1", "HTTP/9.9")),
}
"""Status, None for any refusal, and request of each case."""


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_hostile_request_is_refused_and_changes_nothing(start, name):
    status, request = HOSTILE[name]
    async with start(ConsoleConfig(idle_s=0.5, body_s=0.2, linger_s=0.1)) as console:
        sent = request.replace("{port}", str(console.port)).encode("latin-1")
        answer = await console.raw(sent)
        assert console.store.changes == []
        assert (await console.ask("/"))[0] == 200
    answered = int(answer.split()[1]) if answer.startswith(b"HTTP/1") else 0
    assert answered >= 400 or not answer
    assert status in (None, answered)
    for secret in (b"root:", TOKEN.encode(), b"Traceback", b"\nSet-Cookie"):
        assert secret not in answer


async def test_the_same_form_is_taken_when_nothing_is_wrong_with_it(start):
    async with start() as console:
        target, origin = f"/settings?key={SITE}", f"http://127.0.0.1:{console.port}"
        status, _, text = await console.ask(target, "POST", FIELDS, Origin=origin)
        assert status == 200
        assert "remove selector h1" in text
        ((site, record),) = console.store.changes
    assert (site, record.rules[0].selector) == (SITE, "h1")
    async with start() as console:
        status, _, _ = await console.ask(
            target, "POST", FIELDS, Host="console.example", Origin="https://console.example"
        )
        assert status == 200


@pytest.mark.parametrize("token", [TOKEN, None])
async def test_no_request_to_any_route_changes_state_without_the_token(start, token):
    right = settings_version(empty_settings(SITE))
    forms = [
        {"action": "override", "remove": "h1"},
        {"action": "pin"},
        {"action": "reset"},
        {"action": "forget", "confirm": SITE},
    ]
    async with start(token=token) as console:
        routes = [(one.method, one.resource.canonical) for one in console.app.router.routes()]
        assert ("POST", "/settings") in routes
        for _, path in routes:
            for method in ("POST", "PUT", "GET"):
                for form in forms:
                    given = "" if token else TOKEN
                    body = urllib.parse.urlencode({**form, "version": right, "token": given})
                    status, _, _ = await console.ask(f"{path}?key={SITE}", method, body)
                    assert status in (400, 403, 405)
            await console.ask(f"{path}?{urllib.parse.urlencode({'key': SITE, 'url': 'x'})}")
        assert console.store.changes == []


async def test_a_head_that_does_not_end_is_not_waited_for(start):
    async with start(ConsoleConfig(idle_s=0.5)) as console:
        assert await console.raw(b"GET / HTTP/1.1\r\nX: ") == b""


SLOW = {"head": "GET / HTTP/1.1\r\nX: ", "body": post(length=len(FIELDS) + 10)}


@pytest.mark.parametrize("what", SLOW)
async def test_others_are_answered_while_64_slow_connections_are_open(start, what, caplog):
    async with start(ConsoleConfig(idle_s=60.0, body_s=60.0)) as console:
        request = SLOW[what].replace("{port}", str(console.port)).encode()
        slow = [asyncio.create_task(console.raw(request)) for _ in range(64)]
        await asyncio.sleep(0.5)
        async with asyncio.timeout(10):
            for _ in range(3):
                assert (await console.ask("/"))[0] == 200
        assert sum(one.done() for one in slow) <= 3
        for connection in slow:
            connection.cancel()
    assert console.store.changes == []
    assert "fault of templ" not in caplog.text


async def test_a_body_that_does_not_come_is_not_waited_for(start):
    async with start(ConsoleConfig(body_s=0.2, linger_s=0.1)) as console:
        request = post(length=len(FIELDS) + 10).replace("{port}", str(console.port))
        assert b" 408 " in (await console.raw(request.encode())).split(b"\r\n")[0]
        assert console.store.changes == []
