"""What is exported is bounded, described, and used as it is called by alerts and dashboard."""

import json
import re
import shutil
import subprocess
from os import environ
from pathlib import Path

import pytest

from workers.kafka.metrics import CleanerMetrics, RefresherMetrics
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
    roles = CleanerMetrics(pools), RefresherMetrics(WindowTotals, pools)
    found = {}
    for role in roles:
        for metric in role.registry.collect():
            names = {label for one in metric.samples for label in one.labels} - {"le"}
            suffix = "_total" if metric.type == "counter" else ""
            found[metric.name + suffix] = names
        for metric in role.registry._names_to_collectors.values():
            labels = getattr(metric, "_labelnames", ())
            name = getattr(metric, "_name", "")
            kind = getattr(metric, "_type", "")
            if name:
                found.setdefault(name + ("_total" if kind == "counter" else ""), set()).update(
                    labels
                )
    return found


def test_labels_have_few_values(exported):
    labels = {label for names in exported.values() for label in names}
    assert labels == {"outcome", "method", "reason", "stage", "pool", "part"}


def used_by(text):
    """Names of metrics in a text, as they are exported."""
    found = re.findall(r"\b(templ_[a-z_]+)", text)
    return {re.sub(r"_(bucket|sum|count)$", "", name) for name in found}


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
