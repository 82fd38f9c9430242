"""The files of `deploy/` agree with the code, with each other and with the documents."""

import json
import re
import tomllib

import jsonschema
import pytest

from schemas.topics import PAGES
from templ_core import __version__
from tests.deploy.dockerfile import pairs
from tests.deploy.files import (
    CHART,
    COMPOSE,
    DEPLOY,
    ROOT,
    UNIT,
    image_steps,
    read_yaml,
    unit_values,
)
from tests.deploy.image_check import RELEASE
from workers.cli.console import _PORT as CONSOLE_PORT
from workers.kafka.supervisor import _HOPELESS, RestartPolicy
from workers.settings import setting_types

TEXTS = [
    path
    for path in [*DEPLOY.rglob("*"), ROOT / ".dockerignore"]
    if path.is_file() and path.suffix not in {".svg", ".png"} and "__pycache__" not in path.parts
]


def variables():
    """Return the variables of all settings, with those that name a file of a secret."""
    kinds = setting_types().items()
    names = {f"TEMPL_{name.upper()}" for name, _ in kinds}
    return names | {f"TEMPL_{name.upper()}_FILE" for name, kind in kinds if kind.is_secret}


def test_values_of_an_instruction_may_be_quoted():
    assert pairs('A=1 B="two words"') == {"A": "1", "B": "two words"}


def given():
    """Yield variables and values that the files give to a worker."""
    for step in image_steps("ENV"):
        yield from pairs(step).items()
    for service in read_yaml(COMPOSE)["services"].values():
        yield from service.get("environment", {}).items()
    environment = (DEPLOY / "systemd" / "worker.env").read_text()
    yield from re.findall(r"^#?(\w+)=(.*)$", environment, re.MULTILINE)
    for values in [CHART / "values.yaml", *(CHART / "ci").iterdir()]:
        yield from read_yaml(values).get("settings", {}).items()


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_setting_that_a_file_names_exists(path):
    named = set(re.findall(r"\bTEMPL_[A-Z_]+[A-Z]\b", path.read_text()))
    assert named - variables() == set()


def test_values_of_settings_are_within_their_bounds():
    read = 0
    for name, value in given():
        field = name.removeprefix("TEMPL_").lower()
        if name.startswith("TEMPL_") and field in setting_types():
            setting_types()[field].read(
                str(value).lower() if isinstance(value, bool) else str(value)
            )
            read += 1
    assert read >= 15


def test_versions_are_those_of_the_package():
    chart, compose = read_yaml(CHART / "Chart.yaml"), read_yaml(COMPOSE)
    images = {service["image"] for service in compose["services"].values() if "build" in service}
    assert chart["version"] == chart["appVersion"] == __version__
    assert images == {f"templ:{__version__}"}
    assert f"VERSION={__version__}" in image_steps("ARG")


def test_the_base_image_is_named_alike_and_new_enough():
    (base,) = (
        one.partition("=")[2] for one in image_steps("ARG") if one.startswith("PYTHON_IMAGE")
    )
    labels = pairs(" ".join(image_steps("LABEL")))
    assert labels["org.opencontainers.image.base.name"] == f"docker.io/library/{base}"
    assert base.endswith(f"-slim-{RELEASE}")  # which `make image-check` puts in its place
    version = re.search(r":(\d+)\.(\d+)\.(\d+)-slim-\w+$", base)
    assert version is not None, f"{base} must be pinned to a version"
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    assert tuple(map(int, version.groups()[:2])) >= tuple(map(int, needed.strip(">=").split(".")))


def test_kafka_is_the_one_of_the_tests():
    version = re.search(r"<kafka.version>(.*)<", (DEPLOY / "kafka" / "pom.xml").read_text())
    kafka = read_yaml(COMPOSE)["services"]["kafka"]
    assert kafka["image"] == f"apache/kafka:{version[1]}"
    properties = (DEPLOY / "kafka" / "server.properties").read_text()
    tested = dict(re.findall(r"^([\w.]+)=(.*)$", properties, re.MULTILINE))
    settings = {
        name.removeprefix("KAFKA_").replace("_", ".").lower(): value
        for name, value in kafka["environment"].items()
    }
    listeners = [name for name in tested if "listener" in name]
    here_only = {"log.dirs", "controller.quorum.voters", "process.roles", *listeners}
    common = settings.keys() & tested.keys() - here_only
    assert len(common) >= 10
    assert {name: settings[name] for name in common} == {name: tested[name] for name in common}


def test_ports_are_the_same_everywhere():
    environment = pairs(" ".join(image_steps("ENV")))
    port = int(environment["TEMPL_METRICS_PORT"])
    assert image_steps("EXPOSE") == [f"{port} {port + 1} {CONSOLE_PORT}"]
    assert read_yaml(CHART / "values.yaml")["metricsPort"] == port
    assert read_yaml(CHART / "values.yaml")["console"]["port"] == CONSOLE_PORT
    console = read_yaml(COMPOSE)["services"]["console"]
    assert console["environment"]["TEMPL_CONSOLE_PORT"] == str(CONSOLE_PORT)
    assert console["ports"] == [f"127.0.0.1:{CONSOLE_PORT}:{CONSOLE_PORT}"]
    worker = read_yaml(COMPOSE)["services"]["worker"]["environment"]
    assert worker["TEMPL_METRICS_PORT"] == str(port)
    assert f"TEMPL_METRICS_PORT={port}\n" in (DEPLOY / "systemd" / "worker.env").read_text()
    for path, host in (("prometheus", "localhost"), ("compose", "worker")):
        (scrape,) = read_yaml(DEPLOY / path / "prometheus.yml")["scrape_configs"]
        targets = {one["labels"]["role"]: one["targets"] for one in scrape["static_configs"]}
        watcher = {"watcher": [f"watcher:{port}"]} if path == "compose" else {}
        workers = {"cleaner": [f"{host}:{port}"], "refresher": [f"{host}:{port + 1}"]}
        assert targets == workers | watcher


def test_a_worker_has_time_to_stop():
    needed = RestartPolicy().stop_wait_s
    service = read_yaml(COMPOSE)["services"]["worker"]
    schema = json.loads((CHART / "values.schema.json").read_text())["properties"]
    assert float(unit_values("TimeoutStopSec")[0]) > needed
    assert float(service["stop_grace_period"].removesuffix("s")) > needed
    assert read_yaml(CHART / "values.yaml")["terminationGracePeriodSeconds"] > needed
    assert schema["terminationGracePeriodSeconds"]["minimum"] > needed


def test_systemd_starts_no_worker_again_that_a_restart_does_not_mend():
    assert {int(one) for one in unit_values("RestartPreventExitStatus")[0].split()} == _HOPELESS


def test_the_user_of_the_image_owns_the_volume_of_the_chart():
    user, group = image_steps("USER")[0].split(":")
    helpers = (CHART / "templates" / "_helpers.tpl").read_text()
    assert f"runAsUser: {user}" in helpers
    assert f"fsGroup: {group}" in helpers
    (volume,) = image_steps("VOLUME")
    assert volume in helpers
    assert f"worker:{volume}" in read_yaml(COMPOSE)["services"]["worker"]["volumes"]


def test_keda_looks_at_the_group_and_the_topic_of_the_cleaners():
    scaled = (CHART / "templates" / "scaledobject.yaml").read_text()
    assert "consumerGroup: {{ $.Values.kafka.prefix }}templ-cleaner\n" in scaled
    assert f"topic: {{{{ $.Values.kafka.prefix }}}}{PAGES}\n" in scaled


def test_the_context_has_what_the_image_is_built_from_and_nothing_else():
    shown = {one[1:] for one in (ROOT / ".dockerignore").read_text().split() if one.startswith("!")}
    copied = [one.split()[:-1] for one in image_steps("COPY") if not one.startswith("/")]
    assert {name for names in copied for name in names} == shown
    assert [name for name in sorted(shown) if not (ROOT / name).exists()] == []


def test_files_that_compose_mounts_exist():
    for service in read_yaml(COMPOSE)["services"].values():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert not source.startswith(".") or (COMPOSE.parent / source).exists(), source


@pytest.mark.parametrize("name", ["values.yaml", "ci/smallest-values.yaml", "ci/all-values.yaml"])
def test_values_fit_their_schema(name):
    schema = json.loads((CHART / "values.schema.json").read_text())
    errors = jsonschema.Draft7Validator(schema).iter_errors(read_yaml(CHART / name))
    assert [error.message for error in errors] == []


@pytest.mark.parametrize(
    "values",
    [
        {"kafka": {"broker": "kafka"}},
        {"kafka": {"broker": "kafka:9092"}, "replica": 3},
        {"kafka": {"broker": "kafka:9092"}, "settings": {"TEMPL_METRICS_PORT": "1"}},
        {"kafka": {"broker": "kafka:9092"}, "settings": {"TEMPL_CHILD_MEMORY_BYTES": 2147483648}},
        {"kafka": {"broker": "kafka:9092"}, "terminationGracePeriodSeconds": 10},
    ],
)
def test_wrong_values_are_refused(values):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(values, json.loads((CHART / "values.schema.json").read_text()))


def test_the_chart_has_the_alerts_and_the_dashboard_that_are_tested():
    assert (CHART / "files" / "alerts.yml").samefile(DEPLOY / "prometheus" / "alerts.yml")
    assert (CHART / "files" / "templ.json").samefile(DEPLOY / "grafana" / "templ.json")


def test_the_unit_has_the_command_of_the_readme():
    (command,) = unit_values("ExecStart")
    assert command.startswith("/opt/templ/bin/templ worker --state ")
    assert UNIT.name in (DEPLOY / "README.md").read_text()


def test_the_console_is_off_until_somebody_asks_for_it():
    assert read_yaml(CHART / "values.yaml")["console"]["enabled"] is False
    services = read_yaml(COMPOSE)["services"]
    assert services["console"]["profiles"] == ["console"]
    mounted = [f"{one}:ro" for one in services["worker"]["volumes"]]
    assert services["console"]["volumes"] == mounted
    helpers = (CHART / "templates" / "_helpers.tpl").read_text()
    console = helpers.partition('define "templ.console"')[2]
    assert "mountPath: /var/lib/templ\n      readOnly: true\n" in console
    assert "\n#TEMPL_CONSOLE_PORT=" in (DEPLOY / "systemd" / "worker.env").read_text()
    assert any("--extra console" in step for step in image_steps("RUN"))
