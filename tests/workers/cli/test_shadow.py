"""`templ shadow` and `templ diff` show what a setting or a page model would change."""

import pytest


@pytest.fixture
def state(selected_state):
    return selected_state


def test_settings_change_the_pages_of_their_site_only(templ_process, state, tmp_path):
    file, report = tmp_path / "settings.jsonl", tmp_path / "report.html"
    templ_process("site", "override", "a.org", "--site-settings", file, "--keep-text", "about")
    done = templ_process("shadow", "--state", state, "--site-settings", file, "--out", report)
    lines = done.stdout.decode().splitlines()
    changed = {line.split()[-1]: line.split()[1] for line in lines[1:3]}
    assert changed == {"a.org": "100.0%", "b.org": "0.0%"}
    assert lines[3].split()[:2] == ["6", "50.0%"]
    page = report.read_text()
    assert "http://a.org/0" in page
    assert "http://b.org/0" not in page
    assert '<div class="new">About</div>' in page.replace("class=new", 'class="new"')
    assert not (state / "site-settings.jsonl").exists()


def test_another_page_model_has_its_site_models_refitted(templ, state, model_file):
    done = templ("shadow", "--state", state, "--page-model", model_file, "--site", "b.org")
    assert done.stdout.decode().splitlines()[1].split()[1] == "100.0%"


def test_a_page_differs_between_an_output_and_a_state(templ_process, state, tmp_path):
    url = "http://a.org/1"
    out = state.parent / "out.jsonl"
    equal = templ_process("diff", url, "--before", state, "--after", state)
    assert "the texts are equal" in str(equal.stdout)
    report = tmp_path / "diff.html"
    done = templ_process("diff", url, "--before", out, "--after", state, "--out", report)
    assert done.stdout.strip()
    assert "sentences: 0 added, 0 removed, 0 moved; 0.0% of the words are new" in str(done.stderr)
    assert "Story 1 has many words" in report.read_text()


def test_a_page_differs_in_the_form_that_is_asked_for(templ, state):
    url = "http://a.org/1"
    equal = templ("diff", url, "--before", state, "--after", state, "--format", "markdown")
    assert "the texts are equal" in str(equal.stdout)
