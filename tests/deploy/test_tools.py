"""The tools that will read the files of `deploy/` accept them; skipped where a tool is missing."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml

from tests.deploy.files import CHART, COMPOSE, DEPLOY, DOCKERFILE, UNIT, needed_tool

KUBERNETES = ("1.27", "1.31", "1.37")
"""The oldest version that the chart allows, one between, and the newest that there are schemas of."""
VALUES = ("smallest", "all")
EXPOSURE_MAX = 2.0
"""Exposure of the service as `systemd-analyze security` counts it, from 0 to 10; 5 and more is medium."""
CUSTOM = {
    "ScaledObject": (
        "github.com/kedacore/keda/v2@v2.21.0",
        "config/crd/bases/keda.sh_scaledobjects.yaml",
    ),
    "ServiceMonitor": (
        "github.com/prometheus-operator/prometheus-operator@v0.85.0",
        "example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml",
    ),
    "PrometheusRule": (
        "github.com/prometheus-operator/prometheus-operator@v0.85.0",
        "example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml",
    ),
}
"""The module and the file in it that define each kind that Kubernetes itself does not have."""


def run(*command, **options):
    return subprocess.run(
        [str(one) for one in command],
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **options,
    )


def rendered(name, version="1.37"):
    """Return the resources that the chart makes of values, each by its kind and its name behind that of the release."""
    helm = needed_tool("helm")
    values = CHART / "ci" / f"{name}-values.yaml"
    done = subprocess.run(
        [helm, "template", "t", CHART, "--values", values, "--kube-version", f"{version}.0"],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    resources = [one for one in yaml.safe_load_all(done.stdout) if one]
    return {(one["kind"], one["metadata"]["name"].removeprefix("t-")): one for one in resources}


def worker(name):
    """Return the set of workers that the chart makes of values."""
    return rendered(name)["StatefulSet", "templ"]["spec"]


@pytest.mark.parametrize("name", VALUES)
def test_helm_finds_nothing_wrong_with_the_chart(name):
    values = CHART / "ci" / f"{name}-values.yaml"
    command = (needed_tool("helm"), "lint", "--strict", CHART, "--values", values)
    done = run(*command, "--kube-version", "1.37.0")
    assert done.returncode == 0, done.stdout


def test_a_chart_without_a_broker_says_what_is_missing():
    done = run(needed_tool("helm"), "template", "t", CHART, "--kube-version", "1.37.0")
    assert done.returncode != 0
    assert "kafka.broker must name HOST:PORT of the Kafka brokers" in done.stdout


@pytest.mark.parametrize("version", KUBERNETES)
@pytest.mark.parametrize("name", VALUES)
def test_kubernetes_accepts_the_resources(name, version):
    kubernetes = pytest.importorskip("kubernetes_validate", reason="`make deploy-check` brings it")
    resources = rendered(name, version)
    own = [one for (kind, _), one in resources.items() if kind not in CUSTOM]
    assert {one["kind"] for one in own} >= {"StatefulSet", "Service", "Job", "PodDisruptionBudget"}
    for resource in own:
        kubernetes.validate(resource, version, strict=True)
    workers = resources["StatefulSet", "templ"]
    workers["spec"]["replica"] = 3
    with pytest.raises(jsonschema.ValidationError):
        kubernetes.validate(workers, version, strict=True)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("ScaledObject", "templ"),
        ("ServiceMonitor", "templ"),
        ("ServiceMonitor", "templ-watcher"),
        ("PrometheusRule", "templ"),
    ],
)
def test_operators_accept_their_resources(kind, name):
    module, file = CUSTOM[kind]
    done = run(
        needed_tool("go"), "mod", "download", "-json", module, env={"GOPROXY": "off", **os.environ}
    )
    if done.returncode:
        pytest.skip(f"needs the Go module {module}; `make deploy-check` brings it")
    definition = yaml.safe_load((Path(json.loads(done.stdout)["Dir"]) / file).read_text())
    resource = rendered("all")[kind, name]
    version = resource["apiVersion"].rpartition("/")[2]
    (schema,) = (
        one["schema"]["openAPIV3Schema"]
        for one in definition["spec"]["versions"]
        if one["name"] == version
    )
    errors = jsonschema.Draft202012Validator(closed(schema)).iter_errors(resource)
    assert [error.message for error in errors] == []


def test_two_containers_share_a_volume_that_outlives_the_pod():
    made = worker("all")
    pod = made["template"]["spec"]
    *workers, console = pod["containers"]
    roles = {one["args"][2]: one["ports"][0]["containerPort"] for one in workers}
    assert roles == {"cleaner": 9100, "refresher": 9101}
    assert console["args"] == ["console", "--state", "/var/lib/templ/worker"]
    assert {"name": "TEMPL_CONSOLE_PORT", "value": "9290"} in console["env"]
    state = {"name": "state", "mountPath": "/var/lib/templ", "readOnly": True}
    assert state in console["volumeMounts"]
    for container in workers:
        assert {"name": "state", "mountPath": "/var/lib/templ"} in container["volumeMounts"]
        assert container["securityContext"]["readOnlyRootFilesystem"]
        port = container["name"]
        assert container["livenessProbe"]["httpGet"] == {"path": "/live", "port": port}
        assert container["readinessProbe"]["httpGet"] == {"path": "/ready", "port": port}
    assert "replicas" not in made  # KEDA decides
    assert worker("smallest")["replicas"] == 1


def test_watchers_are_a_set_of_their_own_that_is_off_by_default():
    assert ("StatefulSet", "templ-watcher") not in rendered("smallest")
    made = rendered("all")
    watchers = made["StatefulSet", "templ-watcher"]["spec"]
    (watcher,) = watchers["template"]["spec"]["containers"]
    assert (watchers["replicas"], watcher["args"][0]) == (2, "watch")
    pods = watchers["template"]["metadata"]["labels"].items()
    for kind in ("Service", "ServiceMonitor"):
        selector = made[kind, "templ-watcher"]["spec"]["selector"]
        assert selector.get("matchLabels", selector).items() <= pods
    assert not worker("all")["selector"]["matchLabels"].items() <= pods


def test_the_cleaner_starts_as_many_children_as_its_limit_has_processors():
    pod = worker("smallest")["template"]["spec"]
    cleaner = {one["name"]: one for one in pod["containers"][0]["env"]}
    assert (
        cleaner["TEMPL_CLEANER_CHILDREN"]["valueFrom"]["resourceFieldRef"]["resource"]
        == "limits.cpu"
    )
    own = worker("all")["template"]["spec"]["containers"][0]["env"]
    assert [one["value"] for one in own if one["name"] == "TEMPL_CLEANER_CHILDREN"] == ["3"]


def test_systemd_accepts_the_unit(tmp_path):
    tool = needed_tool("systemd-analyze")
    unit = tmp_path / UNIT.name
    unit.write_text(UNIT.read_text().replace("/opt/templ/bin/templ", sys.executable))
    done = run(tool, "verify", unit)
    assert (done.returncode, done.stdout) == (0, "")
    level = run(tool, "security", "--offline=true", f"--threshold={EXPOSURE_MAX * 10:.0f}", unit)
    assert level.returncode == 0, level.stdout.splitlines()[-1]


def test_the_dockerfile_follows_good_practice():
    done = run(needed_tool("hadolint"), DOCKERFILE)
    assert (done.returncode, done.stdout) == (0, "")


def test_compose_accepts_its_file():
    done = run(needed_tool("compose-go"), COMPOSE.name, cwd=COMPOSE.parent)
    assert done.returncode == 0, done.stdout
    project = yaml.safe_load(done.stdout)
    assert {"kafka", "topics", "worker", "prometheus", "grafana"} <= project["services"].keys()
    assert done.stdout.count(str(DEPLOY)) >= 5


@pytest.mark.parametrize("folder", ["compose", "prometheus"])
def test_prometheus_accepts_its_configuration(folder, tmp_path):
    tool = needed_tool("promtool")
    shutil.copy(DEPLOY / folder / "prometheus.yml", tmp_path)
    shutil.copy(DEPLOY / "prometheus" / "alerts.yml", tmp_path)
    done = run(tool, "check", "config", tmp_path / "prometheus.yml")
    assert done.returncode == 0, done.stdout


def test_grafana_knows_every_field_of_the_dashboard():
    pytest.importorskip("grafana_foundation_sdk", reason="`make deploy-check` brings it")
    from grafana_foundation_sdk.cog import plugins
    from grafana_foundation_sdk.cog.encoder import JSONEncoder
    from grafana_foundation_sdk.models.dashboard import Dashboard

    plugins.register_default_plugins()
    board = json.loads((DEPLOY / "grafana" / "templ.json").read_text())
    read = json.loads(JSONEncoder().encode(Dashboard.from_json(board)))
    assert list(missing(board, read)) == []


def missing(wanted, given, path=""):
    """Yield the paths of values that are not found again."""
    if isinstance(wanted, dict) and isinstance(given, dict):
        for name, value in wanted.items():
            yield from missing(value, given.get(name), f"{path}/{name}")
    elif isinstance(wanted, list) and isinstance(given, list) and len(wanted) == len(given):
        for number, pair in enumerate(zip(wanted, given, strict=True)):
            yield from missing(*pair, f"{path}/{number}")
    elif wanted != given:
        yield path


def closed(schema):
    """Return a schema of a custom resource that refuses unknown fields, as strict validation does."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: closed(value) for name, value in schema.items()}
    if isinstance(schema.get("properties"), dict) and not schema.get(
        "x-kubernetes-preserve-unknown-fields"
    ):
        made.setdefault("additionalProperties", False)
    return made
