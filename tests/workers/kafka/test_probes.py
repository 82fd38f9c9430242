"""The probes answer from threads of their own, whatever the event loop does."""

import asyncio
import json
import socket
import threading
import urllib.error
import urllib.request

import pytest
from prometheus_client import CollectorRegistry, Gauge

from workers.errors import UsageProblem
from workers.kafka import probes
from workers.kafka.probes import Health, serve_probes


@pytest.fixture
def loop():
    """An event loop that runs in a thread."""
    running = asyncio.new_event_loop()
    thread = threading.Thread(target=running.run_forever)
    thread.start()
    yield running
    running.call_soon_threadsafe(running.stop)
    thread.join()
    running.close()


@pytest.fixture
def served(loop):
    """Return a function that asks for a path; what is waited for is its attribute."""
    registry = CollectorRegistry()
    Gauge("templ_anything", "A metric.", registry=registry).set(7)

    def ask(path):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}") as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    ask.waiting_for = ""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    health = Health(loops=lambda: [loop], waiting_for=lambda: ask.waiting_for)
    serve_probes("127.0.0.1", port, registry, health)
    with pytest.raises(UsageProblem, match="TEMPL_METRICS_PORT"):
        serve_probes("127.0.0.1", port, registry, health)
    return ask


def test_a_worker_that_rebuilds_is_alive_and_not_ready(served):
    assert served("/ready") == (200, '{"ok": true, "reason": ""}\n')
    served.waiting_for = "windows of partitions [1] are being rebuilt"
    code, text = served("/ready")
    assert (code, json.loads(text)["reason"]) == (503, served.waiting_for)
    assert served("/live")[0] == 200
    assert "templ_anything 7.0" in served("/metrics")[1]
    assert served("/nothing")[0] == 404


def test_a_loop_that_is_blocked_is_not_alive(served, loop, monkeypatch):
    monkeypatch.setattr(probes, "_ANSWER_S", 0.05)
    release = threading.Event()
    loop.call_soon_threadsafe(release.wait)
    assert served("/live")[0] == 503
    release.set()
    assert served("/live")[0] in {200, 503}
