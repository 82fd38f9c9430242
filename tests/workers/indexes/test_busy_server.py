"""What an index on a server does when the server is busy, against a server that speaks the bulk interface."""

import base64
import gzip
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import pytest

from tests.workers.indexes.test_sqlite_index import text
from workers.errors import ServerProblem, SettingsProblem
from workers.indexes import opensearch_index
from workers.indexes.opensearch_index import OpenSearchIndex
from workers.settings import load_settings


class BusyServer(BaseHTTPRequestHandler):
    """Answers the items of bulk requests with the statuses that a test has set."""

    statuses = iter(())
    bulks: ClassVar[list] = []
    logins: ClassVar[list] = []

    def log_message(self, *_):
        pass

    def _answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _body(self):
        self.logins.append(self.headers.get("Authorization"))
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        return gzip.decompress(data) if self.headers.get("Content-Encoding") == "gzip" else data

    def do_HEAD(self):
        self._answer(200, {})

    def do_POST(self):
        body = self._body()
        if not self.path.endswith("/_bulk"):
            self._answer(200, {"hits": {"hits": []}, "count": 0})
            return
        lines = [json.loads(line) for line in body.splitlines()]
        actions = [line["index"] for line in lines if "index" in line]
        self.bulks.append([one["_id"] for one in actions])
        status = next(self.statuses)
        if isinstance(status, int):
            self._answer(status, {"error": "the whole request is refused"})
            return
        items = [
            {"index": {"_id": one["_id"], "status": said, "error": {"reason": "because"}}}
            if said >= 300
            else {"index": {"_id": one["_id"], "status": said}}
            for one, said in zip(actions, status, strict=True)
        ]
        self._answer(200, {"errors": True, "items": items})

    do_GET = do_PUT = do_POST  # noqa: N815 - the names that the base class calls


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr(opensearch_index, "_FIRST_WAIT_S", 0.001)
    BusyServer.bulks.clear()
    running = ThreadingHTTPServer(("127.0.0.1", 0), BusyServer)
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{running.server_port}/some"
    running.shutdown()
    running.server_close()
    thread.join()


def apply(url, *records):
    with OpenSearchIndex(url, load_settings()) as index:
        with index.transaction():
            for record in records:
                index.apply(record)
        return index.counts


def test_what_the_server_is_too_busy_for_is_sent_again(server):
    BusyServer.statuses = iter([[201, 429, 503, 400, 409], 503, [429, 201], [200]])
    counts = apply(server, *(text("words", url=f"https://a/{number}") for number in range(5)))
    first, *again = BusyServer.bulks
    assert again == [first[1:3], first[1:3], first[1:2]]
    assert (counts.written, counts.unchanged, counts.refused) == (3, 1, 1)
    assert str(counts).endswith(", 1 refused")


def test_the_login_of_the_settings_is_used(server):
    BusyServer.logins.clear()
    settings = load_settings(opensearch_username="me", opensearch_password="secret")
    OpenSearchIndex(server, settings)
    assert set(BusyServer.logins) == {"Basic " + base64.b64encode(b"me:secret").decode()}
    OpenSearchIndex(server, load_settings(opensearch_username="me"))
    with pytest.raises(SettingsProblem, match="no such file"):
        OpenSearchIndex(server, load_settings(opensearch_ca_file="none.pem"))


def test_a_server_that_stays_busy_ends_the_command(server):
    BusyServer.statuses = iter([[429]] * 20)
    with pytest.raises(ServerProblem, match="did not take 1 records in 8 attempts"):
        apply(server, text("words"))
    assert len(BusyServer.bulks) == 8


def test_batches_are_bounded_and_hold_a_url_once(server, monkeypatch):
    monkeypatch.setattr(opensearch_index, "_BATCH_RECORDS", 3)
    BusyServer.statuses = iter([[201] * 3, [201] * 2, [201] * 2])
    pages = [text("words", url=f"https://a/{number}") for number in (0, 1, 2, 3, 4, 3, 5)]
    apply(server, *pages)
    assert [len(one) for one in BusyServer.bulks] == [3, 2, 2]
    monkeypatch.setattr(opensearch_index, "_BATCH_BYTES", 100)
    BusyServer.statuses = iter([[201], [201]])
    apply(server, text("w" * 100, url="https://a/6"), text("w", url="https://a/7"))
    assert [len(one) for one in BusyServer.bulks[3:]] == [1, 1]
