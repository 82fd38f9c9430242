"""`templ site override`, `pin`, `reset` and `forget` on files, and `templ run` with what they write."""

import json
import shutil

import pytest


@pytest.fixture
def state(selected_state, tmp_path):
    """A state directory with what was learned of the sites of a feed."""
    shutil.copytree(selected_state, tmp_path / "state")
    return tmp_path / "state"


def records(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_rules_of_a_file_decide_pages_of_their_site_only(templ, selected, tmp_path):
    file, out = tmp_path / "settings.jsonl", tmp_path / "out.jsonl"
    place = ("--site-settings", file)
    done = templ("site", "override", "a.org", *place, "--remove", "#main", "--keep-text", "about")
    version = done.stderr.decode().split()[-1]
    templ("run", selected, "--out", out, *place)
    for record in records(out):
        if record["site"] == "a.org":
            assert record["text"] == "About"
            assert record["site_settings_version"] == version
        else:
            assert "many words" in record["text"]
            assert "site_settings_version" not in record
    templ("site", "reset", "a.org", *place)
    assert file.read_text() == ""


def test_sites_are_listed_with_their_windows(templ, state):
    lines = [json.loads(one) for one in templ("site", "list", "--state", state).stdout.splitlines()]
    assert [one["site"] for one in lines] == ["a.org", "b.org"]
    assert all(one["pages"] > 0 and one["oldest"] <= one["newest"] for one in lines)
    assert all(one["model"] for one in lines)


@pytest.mark.parametrize(
    ("key", "usual"),
    [("www.a.org", "a.org"), ("A.org", "a.org"), ("a.org", None), ("made-up", None)],
)
def test_a_key_that_no_url_has_is_stored_with_a_note(templ, tmp_path, key, usual):
    file = tmp_path / "settings.jsonl"
    done = templ("site", "override", key, "--keep", "p", "--site-settings", file)
    note = f"note: pages of {key} have the key {usual}, unless the field `site`"
    assert (
        ("note: " in done.stderr.decode()) == (note in done.stderr.decode()) == (usual is not None)
    )
    assert records(file)[0]["site"] == key


@pytest.mark.parametrize("change", [("override", "--keep", "p"), ("reset",), ("forget", "--yes")])
def test_a_key_that_a_state_directory_does_not_know_has_a_note(templ, state, change):
    verb, *options = change
    done = templ("site", verb, "a.orgg", "--state", state, *options)
    assert f"note: {state} knows no page of the site a.orgg yet; there is a.org" in done.stderr.decode()  # fmt: skip
    known = templ("site", verb, "a.org", "--state", state, *options)
    assert "knows no page" not in known.stderr.decode()


@pytest.mark.parametrize("answer", [b"n\n", b""])
def test_a_take_down_that_nobody_agrees_to_erases_nothing_and_says_so(templ, state, answer):
    before = templ("inspect", "site", "a.org", "--state", state).stdout
    asked = templ("site", "forget", "a.org", "--state", state, stdin=answer, expect=2)
    assert "nothing was erased; --yes erases without asking" in asked.stderr.decode()
    assert templ("inspect", "site", "a.org", "--state", state).stdout == before


def test_a_reset_says_whether_there_were_settings(templ, tmp_path):
    place = ("--site-settings", tmp_path / "settings.jsonl")
    assert b"a.org had no settings" in templ("site", "reset", "a.org", *place).stderr
    templ("site", "override", "a.org", "--keep", "p", *place)
    assert b"a.org has no settings any more" in templ("site", "reset", "a.org", *place).stderr


def test_a_place_that_is_given_goes_before_the_broker_of_the_settings(templ, state):
    nowhere = {"TEMPL_BROKER": "127.0.0.1:9"}
    asked = templ("site", "override", "a.org", expect=69, **nowhere)
    assert "cannot reach Kafka at 127.0.0.1:9" in asked.stderr.decode()
    templ("site", "override", "a.org", "--state", state, **nowhere)


def test_what_is_printed_is_what_was_stored(templ, tmp_path):
    file = tmp_path / "settings.jsonl"
    shown = templ("site", "override", "a.org", "--remove", "aside", "--site-settings", file).stdout
    assert json.loads(shown) == json.loads(file.read_text())
    assert "changed_at" in json.loads(shown)


def test_an_exported_model_is_pinned_again(templ_process, state, selected, tmp_path):
    export = tmp_path / "export"
    templ_process("site", "export", "a.org", "--state", state, "--out", export)
    newest = json.loads(templ_process("site", "pin", "a.org", "--state", state).stdout)[
        "pinned_model"
    ]
    templ_process("site", "reset", "a.org", "--state", state)
    file = ("--model-file", export / "model.bin")
    assert json.loads(templ_process("site", "pin", "a.org", "--state", state, *file).stdout)["pinned_model"] == newest  # fmt: skip
    assert "not of b.org" in str(
        templ_process("site", "pin", "b.org", "--state", state, *file, expect=66)
    )
    unknown = templ_process("site", "pin", "a.org", "--state", state, "--model", "x", expect=66)
    assert f"there is {newest['version']}" in str(unknown.stderr)
    templ_process("run", selected, "--out", tmp_path / "out.jsonl", "--state", state)
    used = {one["site_model_version"] for one in records(tmp_path / "out.jsonl") if one["site"] == "a.org"}  # fmt: skip
    assert used == {newest["version"]}
    shown = templ_process("inspect", "site", "a.org", "--state", state).stdout.decode()
    assert f"model {newest['version']} pinned" in shown


def test_a_site_that_is_forgotten_is_gone_and_its_pages_are_deletions(
    templ, state, selected, tmp_path
):
    templ("site", "forget", "a.org", "--state", state, "--yes")
    holders = [one.name for one in state.rglob("*") if one.is_file() and b"a.org" in one.read_bytes()]  # fmt: skip
    assert holders == ["site-settings.jsonl"]
    assert "knows no site a.org" in str(templ("inspect", "site", "a.org", "--state", state, expect=66))  # fmt: skip
    templ("run", selected, "--out", tmp_path / "out.jsonl", "--state", state)
    kinds = {(one["site"], one["schema"]) for one in records(tmp_path / "out.jsonl")}
    assert kinds == {("a.org", "deleted/1"), ("b.org", "cleaned/3")}
    refused = templ("clean", "-", "--url", "http://a.org/1", "--state", state, stdin=b"<p>x y z", expect=65)  # fmt: skip
    assert "taken down" in str(refused.stderr)


def test_a_report_on_a_page_names_the_rule(templ, state, tmp_path):
    templ("site", "override", "a.org", "--state", state, "--remove", "#main p")
    report = tmp_path / "page.html"
    templ("inspect", "page", "http://a.org/1", "--state", state, "--out", report)
    assert "remove selector #main p" in report.read_text()
    assert "div#main &gt; p" in report.read_text()


def test_an_override_says_on_how_many_pages_its_rules_match(templ, state):
    done = templ(
        "site", "override", "a.org", "--state", state, "--remove", "#main", "--keep", "aside"
    )
    said = done.stderr.decode().splitlines()
    assert said[0].startswith(
        "note: remove selector #main: matches on 3 of 3 pages of the window, such as http://a.org/"
    )
    assert said[1] == "note: keep selector aside: matches on 0 of 3 pages of the window"


def test_a_correction_reaches_the_texts_of_the_window(templ, selected_state, tmp_path):
    state, out = tmp_path / "state", tmp_path / "out.jsonl"
    shutil.copytree(selected_state, state)
    command = ("site", "redo", "a.org", "--state", state, "--out", out)
    assert "0 texts of 3 pages changed" in templ(*command).stderr.decode()
    templ("site", "override", "a.org", "--keep", "ul", "--state", state)
    assert "3 texts of 3 pages changed" in templ(*command, "--force").stderr.decode()
    records = [json.loads(line) for line in out.read_text().splitlines()]
    assert {(one["revision"], one["revision_reason"]) for one in records} == {(1, "corrected")}
    assert all("About" in one["text"] for one in records)
    wrong = templ("site", "redo", "a.org", "--state", state, expect=2)
    assert "--out goes with --state" in wrong.stderr.decode()


def test_the_template_of_a_site_is_printed_once(templ, selected_state):
    command = ("site", "template", "a.org", "--state", selected_state)
    assert templ(*command).stdout.decode().splitlines()[0] == "# a.org"
    given = json.loads(templ(*command, "--json").stdout)
    assert given["pages"] == 3
    lines = [line["text"] for part in given["parts"] for line in part["lines"]]
    assert lines.count("About") == 1
