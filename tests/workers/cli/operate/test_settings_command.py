"""`templ settings` lists every setting, and prints the page of docs/."""

import json
import tomllib
from pathlib import Path

from click.testing import CliRunner

from workers.cli.main import templ
from workers.cli.operate.settings import settings_command
from workers.settings import setting_types

PAGE = Path(__file__).parents[4] / "docs" / "settings.md"


def listed(form, **environment):
    done = CliRunner().invoke(settings_command, ["--as", form], env=environment)
    assert done.exit_code == 0, done.exception
    return done.stdout


def test_every_setting_is_listed_with_its_meaning():
    found = {one["name"]: one for one in json.loads(listed("json"))}
    assert list(found) == list(setting_types())
    assert all(one["meaning"].endswith((".", "`.")) and one["default"] for one in found.values())
    assert found["window_age_ms"]["default"] == "14d"
    assert found["window_age_ms"]["unit"] == "milliseconds"


def test_what_is_given_is_shown_and_secrets_are_not():
    text = listed(
        "text",
        TEMPL_WINDOW_AGE_MS="7d",
        TEMPL_SASL_PASSWORD="hunter2",
        TEMPL_SASL_MECHANISM="PLAIN",
    )
    assert "Here: 7d, by TEMPL_WINDOW_AGE_MS" in text
    assert "hunter2" not in text


def test_the_toml_file_holds_the_defaults(tmp_path, monkeypatch):
    lines = listed("toml").splitlines()
    path = tmp_path / "templ.toml"
    path.write_text(
        "\n".join(
            line.removeprefix("# ")
            for line in lines
            if line.partition(" = ")[0].removeprefix("# ") in setting_types()
        )
    )
    assert tomllib.loads(path.read_text()).keys() == setting_types().keys()
    text = listed("text", TEMPL_SETTINGS=str(path))
    assert text.count("    Here: ") > 30


def test_the_broker_may_stand_in_the_file(tmp_path):
    path = tmp_path / "templ.toml"
    path.write_text('broker = "nowhere"\n')
    for arguments in (["topics", "check"], ["seed", str(tmp_path)]):
        done = CliRunner().invoke(templ, arguments, env={"TEMPL_SETTINGS": str(path)})
        assert "Missing option" not in done.stderr
    done = CliRunner().invoke(templ, ["topics", "check"], env={"TEMPL_SETTINGS": str(path)})
    assert "--broker is HOST:PORT, not 'nowhere'" in str(done.exception)
    none = CliRunner().invoke(templ, ["topics", "check"])
    assert (none.exit_code, "Missing option '--broker'" in none.stderr) == (2, True)


def test_the_page_of_the_settings_is_what_the_command_prints():
    assert listed("markdown") == PAGE.read_text("utf-8")
