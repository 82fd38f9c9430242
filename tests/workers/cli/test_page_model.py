import json

import pytest

from templ_core.page_level.model.model_file import encode_model
from tests.workers.builders import other_page_model

ARTICLE = b"<nav><a href=/>Home</a></nav><p>" + b"A sentence of some words, and more. " * 20


@pytest.fixture
def model_file(tmp_path):
    path = tmp_path / "own.bin"
    path.write_bytes(encode_model(other_page_model()))
    return path


def test_every_command_accepts_a_page_model(templ, model_file, tmp_path):
    version = other_page_model().version
    (tmp_path / "page.html").write_bytes(ARTICLE)
    for given in (
        {"arguments": ("--page-model", model_file)},
        {"environment": {"TEMPL_PAGE_MODEL": str(model_file)}},
    ):
        options, environment = given.get("arguments", ()), given.get("environment", {})
        done = templ("clean", tmp_path / "page.html", "--json", *options, **environment)
        assert json.loads(done.stdout)["page_model_version"] == version
        out = tmp_path / "out.jsonl"
        templ("run", tmp_path / "page.html", "--out", out, "--force", *options, **environment)
        assert json.loads(out.read_bytes())["page_model_version"] == version


def test_a_damaged_model_stops_every_command_with_one_line(templ, tmp_path):
    model = tmp_path / "model.bin"
    model.write_bytes(b"no model")
    (tmp_path / "page.html").write_bytes(ARTICLE)
    for command in (
        ("clean", tmp_path / "page.html"),
        ("run", tmp_path / "page.html", "--out", tmp_path / "out.jsonl"),
        ("worker", "--broker", "127.0.0.1:1", "--state", tmp_path / "state"),
    ):
        done = templ(*command, "--page-model", model, expect=2)
        assert done.stderr.decode().startswith(f"templ: page model {model}: not a page model")
        assert done.stderr.count(b"\n") == 1


def test_a_run_says_in_one_line_that_the_site_weights_are_not_of_this_page_model(
    templ, model_file, tmp_path
):
    (tmp_path / "page.html").write_bytes(ARTICLE)
    warning = f"page model {model_file}: the site level's weights were fitted for another"
    command = ("run", tmp_path / "page.html", "--out", tmp_path / "out.jsonl", "--force")
    assert templ(*command, "--page-model", model_file).stderr.decode().count(warning) == 1
    assert b"fitted for" not in templ(*command).stderr
