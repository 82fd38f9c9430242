"""A real Prometheus scrapes a real worker, whose probes say what they mean."""

import json
import os
import shutil
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import pytest

from tests.kafka.broker import runner
from tests.kafka.stream import wait_until, write_feed

DEPLOY = Path(__file__).parents[2] / "deploy"
PROMETHEUS = shutil.which("prometheus", path=os.environ.get("PROMETHEUS_DIR", os.environ["PATH"]))


def free_ports():
    """Return the first of two free ports in a row, which no outgoing connection takes meanwhile."""
    while not runner.keep_port((port := runner.free_port()) + 1):
        pass
    return port


def asked(url):
    """Return the status and the JSON of an answer; no status where nobody answers."""
    try:
        with urllib.request.urlopen(url, timeout=20) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)
    except OSError:
        return None, {}


@pytest.fixture
def prometheus(tmp_path):
    """Return a function that starts a Prometheus for a worker's ports, and answers its address."""
    if PROMETHEUS is None:
        pytest.skip("needs prometheus on the PATH, or in PROMETHEUS_DIR")
    started = []

    def start(port):
        own = free_ports()
        text = (DEPLOY / "prometheus" / "prometheus.yml").read_text()
        text = text.replace("9100", str(port)).replace("9101", str(port + 1)).replace("15s", "1s")
        (tmp_path / "prometheus.yml").write_text(text)
        shutil.copy(DEPLOY / "prometheus" / "alerts.yml", tmp_path)
        with (tmp_path / "prometheus.log").open("wb") as log:
            started.append(
                subprocess.Popen(
                    [
                        PROMETHEUS,
                        f"--config.file={tmp_path}/prometheus.yml",
                        f"--storage.tsdb.path={tmp_path}/data",
                        f"--web.listen-address=127.0.0.1:{own}",
                    ],
                    stdout=log,
                    stderr=log,
                )
            )
        return f"http://127.0.0.1:{own}"

    yield start
    for process in started:
        process.terminate()
        process.wait(20)


def value(address, query):
    """Return the sum of what a query gives."""
    _, answer = asked(f"{address}/api/v1/query?query={urllib.parse.quote(query)}")
    return sum(float(one["value"][1]) for one in answer.get("data", {}).get("result", []))


def test_prometheus_scrapes_a_worker_and_lag_is_dated_while_the_broker_is_away(
    prometheus, stream, stoppable_broker, tmp_path
):
    port = free_ports()
    address = prometheus(port)
    stream.start(TEMPL_METRICS_PORT=str(port))
    cleaner, refresher = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{port + 1}"
    wait_until(lambda: asked(f"{cleaner}/live")[0] == 200, stream.log)
    wait_until(lambda: asked(f"{cleaner}/ready") == (200, {"ok": True, "reason": ""}), stream.log)
    wait_until(lambda: asked(f"{refresher}/ready")[0] == 200, stream.log)
    stream.feed(write_feed(tmp_path / "feed.jsonl", pages=20, sites=2))
    stream.wait_until_settled()
    wait_until(lambda: value(address, "sum(templ_pages_total)") == 20, stream.log)
    wait_until(lambda: value(address, 'sum(up{job="templ"})') == 2, stream.log)
    assert value(address, "sum(templ_ready)") == 2
    assert value(address, "sum(templ_partitions)") == 8
    assert value(address, "templ_rocksdb_memory_bytes > 0") > 0
    missing = [query for query in dashboard_queries() if not is_answered(address, query)]
    assert missing == []
    stoppable_broker.stop()
    wait_until(
        lambda: value(address, "max(time() - templ_lag_measured_timestamp_seconds)") > 6,
        stream.log,
    )
    assert asked(f"{cleaner}/live")[0] == 200  # a restart would not bring the broker back
    stoppable_broker.start()
    wait_until(
        lambda: value(address, "max(time() - templ_lag_measured_timestamp_seconds)") < 5,
        stream.log,
    )


def dashboard_queries():
    """Yield the queries of the dashboard as Grafana would fill them in."""
    board = json.loads((DEPLOY / "grafana" / "templ.json").read_text())
    for panel in board["panels"]:
        for target in panel["targets"]:
            yield target["expr"].replace("$job", "templ").replace("$__rate_interval", "1m")


def is_answered(address, query):
    """Whether Prometheus understands a query."""
    status, _ = asked(f"{address}/api/v1/query?query={urllib.parse.quote(query)}")
    return status == 200
