"""Settings are read from the environment and TOML, and what is wrong stops the start with a line."""

import os
from pathlib import Path

import pytest

from workers.errors import SettingsProblem
from workers.setting_values import BYTES, SettingType
from workers.settings import DAY_MS, Settings, load_settings, setting_types, settings_line


@pytest.fixture(autouse=True)
def _nothing_given(monkeypatch):
    for name in os.environ:
        if name.startswith("TEMPL_"):
            monkeypatch.delenv(name)


@pytest.fixture
def given(monkeypatch):
    """Return a function that sets environment variables and answers the settings."""

    def load(**variables):
        for name, value in variables.items():
            monkeypatch.setenv(f"TEMPL_{name}", str(value))
        return load_settings()

    return load


def test_defaults_are_within_their_bounds():
    assert load_settings() == Settings()
    for name, kind in setting_types().items():
        default = getattr(Settings(), name)
        if default is not None and default != frozenset():
            assert kind.read(kind.show(default)) == default


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("batch_bytes", "2GiB", 2 << 30),
        ("batch_bytes", "1.5 mib", 3 << 19),
        ("batch_bytes", "64MB", 64_000_000),
        ("batch_bytes", "2097152", 2 << 20),
        ("window_age_ms", "7d", 7 * DAY_MS),
        ("window_age_ms", "1209600000", 14 * DAY_MS),
        ("page_deadline_s", "1500ms", 1.5),
        ("page_deadline_s", "2.5", 2.5),
        ("page_deadline_s", "2min", 120.0),
        ("revisions_per_s", "3", 3.0),
        ("links", "YES", True),
        ("links", "0", False),
        ("text_forms", "markdown, html", frozenset({"markdown", "html"})),
        ("metrics_port", "9100", 9100),
    ],
)
def test_values_as_people_write_them(given, name, text, value):
    assert getattr(given(**{name.upper(): text}), name) == value


@pytest.mark.parametrize(
    ("name", "text", "needed"),
    [
        ("BATCH_PAGES", "many", "needs a whole number (pages), at least 1"),
        ("BATCH_PAGES", "0", "needs a whole number (pages), at least 1"),
        ("BATCH_PAGES", "2.5", "needs a whole number"),
        ("BATCH_BYTES", "1KiB", "or a size such as 64MiB, at least 1MiB"),
        ("BATCH_BYTES", "2 hours", "needs a whole number of bytes"),
        ("PAGE_DEADLINE_S", "0", "needs a number of seconds or a time such as 90s, more than 0"),
        ("PAGE_DEADLINE_S", "inf", "needs a number of seconds"),
        ("COMPRESSION", "zip", "needs one of gzip, none, snappy, lz4, zstd"),
        ("BALANCE", "favor_recall", "needs one of precision, even, recall"),
        ("TEXT_FORMS", "html,pdf", "needs some of markdown, html"),
        ("LINKS", "maybe", "needs one of true, false"),
        ("METRICS_PORT", "99999", "at least 1 and at most 65534"),
    ],
)
def test_a_value_that_cannot_be_used_is_named_with_what_is_needed(given, name, text, needed):
    with pytest.raises(SettingsProblem) as problem:
        given(**{name: text})
    assert str(problem.value).startswith(f"TEMPL_{name}={text!r}: needs ")
    assert needed in str(problem.value)
    assert "\n" not in str(problem.value)


def test_an_unknown_name_stops_the_start_with_the_nearest_one(given):
    with pytest.raises(SettingsProblem) as problem:
        given(WINDOW_PAGE_MAX="7", QQQQQQ="")
    assert str(problem.value) == (
        "TEMPL_WINDOW_PAGE_MAX: there is no such setting; do you mean TEMPL_WINDOW_PAGES_MAX? "
        "`templ settings` lists all"
    )
    assert problem.value.exit_code == 78


def test_variables_that_kubernetes_makes_of_a_service_are_no_settings(given, monkeypatch):
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
    assert given(SERVICE_HOST="10.0.0.7", PORT_9100_TCP_ADDR="10.0.0.7", PORT="tcp://x")
    with pytest.raises(SettingsProblem, match="TEMPL_METRIC_POT"):
        given(METRIC_POT="1")


def test_a_file_gives_settings_and_the_environment_goes_before_it(given, tmp_path):
    path = tmp_path / "templ.toml"
    path.write_text('window_age_ms = "7d"\nbatch_pages = 4\nlinks = true\ntext_forms = ["html"]\n')
    settings = given(SETTINGS=path, BATCH_PAGES="9")
    assert (settings.window_age_ms, settings.batch_pages) == (7 * DAY_MS, 9)
    assert (settings.links, settings.text_forms) == (True, frozenset({"html"}))
    path.write_text("batch_page = 4\nlinks = 7\n[table]\nx = 1\n")
    with pytest.raises(SettingsProblem) as problem:
        given()
    lines = str(problem.value).split("\ntempl: ")
    assert lines[0].startswith(
        f"{path}: batch_page: there is no such setting; do you mean batch_pag"
    )
    assert lines[1] == f"{path}: links=7: needs one of true, false"
    assert lines[2].startswith(f"{path}: table: there is no such setting")


@pytest.mark.parametrize("content", ["links = ", None])
def test_a_file_that_cannot_be_read_is_named(given, tmp_path, content):
    path = tmp_path / "templ.toml"
    if content is not None:
        path.write_text(content)
    with pytest.raises(SettingsProblem, match=str(path)) as problem:
        given(SETTINGS=path)
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"MESSAGE_LIMIT_BYTES": "1GiB"}, "exceeds record_limit_bytes (default)=64MiB"),
        (
            {"WINDOW_PAGES_MAX": "50", "WINDOW_NEWEST_PAGES": "60"},
            "TEMPL_WINDOW_NEWEST_PAGES=60 exceeds TEMPL_WINDOW_PAGES_MAX=50",
        ),
        ({"SASL_USERNAME": "a"}, "TEMPL_SASL_USERNAME has no effect while security_protocol=PLAIN"),
        ({"SECURITY_PROTOCOL": "SASL_SSL"}, "SASL_SSL needs TEMPL_SASL_MECHANISM"),
        (
            {"SECURITY_PROTOCOL": "SASL_SSL", "SASL_MECHANISM": "PLAIN", "SASL_USERNAME": "a"},
            "PLAIN needs TEMPL_SASL_PASSWORD or TEMPL_SASL_PASSWORD_FILE",
        ),
        (
            {"SECURITY_PROTOCOL": "SSL", "SSL_KEY_FILE": "/k"},
            "ssl_key_file needs TEMPL_SSL_CERTIFICATE_FILE",
        ),
    ],
)
def test_settings_that_contradict_each_other_stop_the_start(given, variables, said):
    with pytest.raises(SettingsProblem) as problem:
        given(**variables)
    assert said in str(problem.value)


def test_a_default_is_no_wish(given):
    assert given(WINDOW_PAGES_MAX="50").window_newest_pages == 100


def test_a_secret_may_stand_in_a_file_and_is_never_shown(given, tmp_path):
    secret = tmp_path / "password"
    secret.write_text("hunter2\n")
    settings = given(
        SECURITY_PROTOCOL="SASL_SSL",
        SASL_MECHANISM="PLAIN",
        SASL_USERNAME="a",
        SASL_PASSWORD_FILE=secret,
    )
    assert settings.sasl_password == "hunter2"
    line = settings_line(settings)
    assert "sasl_password=****** (TEMPL_SASL_PASSWORD_FILE)" in line
    assert "hunter2" not in line + repr(settings)
    assert "window_age_ms" not in line
    with pytest.raises(SettingsProblem, match="are both given") as problem:
        given(SASL_PASSWORD="hunter3")
    assert "hunter" not in str(problem.value)
    secret.unlink()
    with pytest.raises(SettingsProblem, match="No such file"):
        given(SASL_PASSWORD="")


def test_overrides_go_before_everything(given):
    given(BATCH_PAGES="9")
    assert load_settings(batch_pages=3, links=None).batch_pages == 3
    assert load_settings(page_model=Path("/m")).page_model == Path("/m")
    with pytest.raises(SettingsProblem, match="TEMPL_BATCH_PAGES='x'"):
        load_settings(batch_pages="x")


def test_a_number_is_shown_in_the_largest_unit_in_which_it_is_whole():
    kind = setting_types()["batch_bytes"]
    assert [kind.show(value) for value in (1 << 30, 3 << 19, 10**6, 1001)] == [
        *("1GiB", "1536KiB", "1MB", "1001B")
    ]
    assert SettingType.of(int).unit is None
    assert kind.unit == BYTES
