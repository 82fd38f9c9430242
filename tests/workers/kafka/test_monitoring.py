"""Metrics, probes and lines of a worker are bounded, described, and used as alerts and dashboard use them."""

import asyncio
import json
import re
import shutil
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
import zlib
from os import environ
from pathlib import Path

import psutil
import pytest
from prometheus_client import CollectorRegistry, Gauge

from workers.errors import UsageProblem
from workers.kafka import probes
from workers.kafka.metrics import (
    CleanerMetrics,
    RefresherMetrics,
    RepeatedLines,
    WatcherMetrics,
)
from workers.kafka.probes import Health, serve_probes
from workers.kafka.watchdog import IDLE_AFTER_S, StatusLines
from workers.state.site_state import WindowTotals

ROOT = Path(__file__).parents[3]
PROMETHEUS = ROOT / "deploy" / "prometheus"
PROMTOOL = shutil.which("promtool", path=environ.get("PROMETHEUS_DIR", environ["PATH"]))


class NoChildren:
    def restarts(self):
        return 3


@pytest.fixture(scope="module")
def exported():
    """Name of each metric -> names of its labels."""
    pools = {"clean": NoChildren()}
    roles = WatcherMetrics(), CleanerMetrics(pools), RefresherMetrics(WindowTotals, pools)
    metrics = {}
    for role in roles:
        for metric in role.registry.collect():
            names = {label for one in metric.samples for label in one.labels} - {"le"}
            suffix = "_total" if metric.type == "counter" else ""
            metrics[metric.name + suffix] = names
        for metric in role.registry._names_to_collectors.values():
            labels = getattr(metric, "_labelnames", ())
            name = getattr(metric, "_name", "")
            kind = getattr(metric, "_type", "")
            if name:
                metrics.setdefault(name + ("_total" if kind == "counter" else ""), set()).update(
                    labels
                )
    return metrics


def test_labels_have_few_values(exported):
    labels = {label for names in exported.values() for label in names}
    assert labels == {"outcome", "method", "reason", "event", "degree", "stage", "pool", "part"}


def used_by(text):
    """Names of metrics in a text, as they are exported."""
    names = re.findall(r"\b(templ_[a-z_]+)", text)
    return {re.sub(r"_(bucket|sum|count)$", "", name) for name in names}


def test_alerts_and_dashboard_use_what_is_exported(exported):
    board = json.loads((ROOT / "deploy" / "grafana" / "templ.json").read_text())
    queries = [one["expr"] for panel in board["panels"] for one in panel["targets"]]
    in_board = used_by(" ".join(queries))
    assert in_board <= exported.keys()
    assert used_by((PROMETHEUS / "alerts.yml").read_text()) <= exported.keys()
    assert {name for name in exported if name.startswith("templ_")} <= in_board


def test_the_page_on_monitoring_describes_every_metric_and_no_other(exported):
    text = (ROOT / "docs" / "monitoring.md").read_text()
    section = text[text.index("## Metrics") : text.index("## Logs\n")]
    assert used_by(section) == {name for name in exported if name.startswith("templ_")}


def test_every_alert_has_a_test_and_a_page_in_the_runbook():
    rules = (PROMETHEUS / "alerts.yml").read_text()
    tests = (PROMETHEUS / "alerts_test.yml").read_text()
    runbook = (ROOT / "deploy" / "RUNBOOK.md").read_text()
    alerts = re.findall(r"alert: (\w+)", rules)
    assert len(alerts) >= 11
    for alert in alerts:
        assert f"{{eval_time: 8h, alertname: {alert}}}" in tests
        assert re.search(rf"alertname: {alert}\n\s+exp_alerts", tests)
        assert f"### {alert}\n" in runbook
        assert f"runbook: deploy/RUNBOOK.md#{alert.lower()}" in rules


@pytest.mark.skipif(PROMTOOL is None, reason="needs promtool on the PATH, or in PROMETHEUS_DIR")
def test_the_alerts_fire_when_they_should():
    for command in (["check", "rules", "alerts.yml"], ["test", "rules", "alerts_test.yml"]):
        done = subprocess.run(
            [PROMTOOL, *command], cwd=PROMETHEUS, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr


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
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    ask.waiting_for = ""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        ask.port = port = probe.getsockname()[1]
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


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="needs IPv6")
def test_probes_are_answered_over_ipv6(loop):
    health = Health(loops=lambda: [loop], waiting_for=lambda: "")
    with socket.create_server(("::1", 0), family=socket.AF_INET6) as probe:
        port = probe.getsockname()[1]
    serve_probes("::1", port, CollectorRegistry(), health)
    with urllib.request.urlopen(f"http://[::1]:{port}/live", timeout=5) as answer:
        assert answer.status == 200


def test_a_loop_that_is_blocked_is_not_alive(served, loop, monkeypatch):
    monkeypatch.setattr(probes, "_ANSWER_S", 0.05)
    release = threading.Event()
    loop.call_soon_threadsafe(release.wait)
    assert served("/live")[0] == 503
    release.set()
    assert served("/live")[0] in {200, 503}


def connected(port):
    return socket.create_connection(("127.0.0.1", port), timeout=5)


def test_silent_connections_take_neither_the_threads_nor_the_files_of_a_worker(served, capfd):
    process, silent = psutil.Process(), []
    threads, files = process.num_threads(), process.num_fds()
    try:
        for number in range(300):
            silent.append(connected(served.port))
            if number % 50 == 0:
                silent[-1].sendall(b"GET /live HT")
        started_s = time.monotonic()
        assert served("/live")[0] == served("/ready")[0] == served("/metrics")[0] == 200
        assert time.monotonic() - started_s < 1
        assert process.num_threads() - threads <= 16
        assert process.num_fds() - files - len(silent) <= 16
    finally:
        for connection in silent:
            connection.close()
    assert served("/live")[0] == 200
    assert capfd.readouterr().err == ""


def test_a_silent_connection_is_closed_after_a_while(served, monkeypatch, capfd):
    monkeypatch.setattr(probes._Quiet, "timeout", 0.2)
    with connected(served.port) as silent, connected(served.port) as half:
        half.sendall(b"GET /live HTTP/1.1\r\nHost: worker\r\n")
        assert silent.recv(1) == half.recv(1) == b""
    assert capfd.readouterr().err == ""


def test_answers_that_wait_for_a_blocked_loop_are_bounded_too(served, loop, monkeypatch):
    monkeypatch.setattr(probes, "_ANSWER_S", 0.3)
    threads, release = psutil.Process().num_threads(), threading.Event()
    loop.call_soon_threadsafe(release.wait)
    asked = [connected(served.port) for _ in range(40)]
    try:
        for connection in asked:
            connection.sendall(b"GET /live HTTP/1.0\r\n\r\n")
        time.sleep(0.1)
        assert psutil.Process().num_threads() - threads <= 16
        assert b" 503 " in asked[-1].recv(100)
    finally:
        release.set()
        for connection in asked:
            connection.close()


SAMPLED = next(f"{n}.org" for n in range(99) if zlib.crc32(f"{n}.org".encode()) % 8 == 0)
OTHER = next(f"{n}.org" for n in range(99) if zlib.crc32(f"{n}.org".encode()) % 8)
LINE = "Read all our stories about rivers"


def text(number):
    return f"{LINE}\nStory {number} has words of its own.\nShort line"


def test_a_line_that_three_other_pages_have_is_repeated():
    lines = RepeatedLines()
    taken = [lines.take(SAMPLED, f"http://a/{n}", text(n)) for n in range(4)]
    assert taken[:3] == [(0, 0)] * 3
    assert taken[3] == (len(LINE) + len("Story 3 has words of its own."), len(LINE))


def test_another_fetch_of_a_url_is_no_other_page():
    lines = RepeatedLines()
    assert [lines.take(SAMPLED, "http://a/1", text(1)) for _ in range(6)] == [(0, 0)] * 6


def test_most_sites_are_not_looked_at():
    lines = RepeatedLines()
    assert [lines.take(OTHER, f"http://a/{n}", text(n)) for n in range(6)] == [(0, 0)] * 6


BOTH = frozenset({0, 1})
READY = "ready: all site models are read; partitions 0, 1 of pages assigned"
IDLE = "idle: nothing waits in pages"


def lines():
    return StatusLines("all site models are read", "pages")


def test_ready_is_said_once_and_again_with_other_partitions():
    status = lines()
    assert status.answered("site models are being read", BOTH, 0, 0) == []
    assert status.answered("", BOTH, 5, 1) == [READY]
    assert status.answered("", BOTH, 5, 2) == []
    assert status.answered("", frozenset({1}), 5, 3) == [
        "ready: all site models are read; partition 1 of pages assigned"
    ]
    assert status.answered("partitions are being assigned", frozenset(), 0, 4) == []
    (none,) = status.answered("", frozenset(), 0, 5)
    assert none.endswith("no partition of pages is assigned, since other workers have them all")
    assert status.answered("", frozenset(), 0, 6 + IDLE_AFTER_S) == []


def test_idle_is_said_once_after_a_while_without_waiting_records():
    status = lines()
    assert status.answered("", BOTH, 0, 0) == [READY]
    assert status.answered("", BOTH, 3, IDLE_AFTER_S) == []
    assert status.answered("", BOTH, 0, IDLE_AFTER_S + 1) == []
    assert status.answered("", BOTH, 0, 2 * IDLE_AFTER_S) == []
    assert status.answered("", BOTH, 0, 2 * IDLE_AFTER_S + 1) == [IDLE]
    assert status.answered("", BOTH, 0, 5 * IDLE_AFTER_S) == []
    assert status.answered("", BOTH, 1, 6 * IDLE_AFTER_S) == []
    assert status.answered("", BOTH, 0, 7 * IDLE_AFTER_S) == []
    assert status.answered("", BOTH, 0, 8 * IDLE_AFTER_S) == [IDLE]


def test_a_broker_is_gone_once_and_back_once_and_the_worker_goes_on_as_it_was():
    status = lines()
    assert status.answered("", BOTH, 0, 0) == [READY]
    assert status.answered("", BOTH, 0, IDLE_AFTER_S) == [IDLE]
    (gone,) = status.gone("connection refused", 20)
    assert gone.endswith("it does: connection refused")
    assert status.gone("no route", 30) == []
    assert status.answered("", BOTH, 0, 45) == ["the broker is back after 25 s"]
    assert status.answered("", BOTH, 0, 90) == []
