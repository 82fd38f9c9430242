"""What settings of a site do to its pages, its window and its revisions, and how they are kept."""

import json

import pytest

from schemas.codec import SchemaError, encode_json
from schemas.site_settings import SiteRuleRecord, WindowLimits
from templ_core.page_level.model.model_file import shipped_model
from tests.workers.builders import page
from workers.errors import InputProblem, UsageProblem
from workers.lab.in_process import InProcess
from workers.local.local_state import LocalState
from workers.local.runner import LearningCleaner
from workers.pipeline.actions import Compare, Deleted
from workers.processes.messages import Cleaned
from workers.settings import load_settings
from workers.site_settings import (
    Overrides,
    SettingsOfSites,
    empty_settings,
    overridden,
    pinned,
    read_site_settings,
    settings_version,
    write_records,
)

SITE = "example.com"


def html(number):
    story = (
        f"Story {number} tells what the council of town {number} said about bridge {number}. " * 4
    )
    return (
        f"<nav><a href=/>Home of the paper</a></nav><p class=story>{story}"
        f"<p class=promo>Offer {number}: read story {number} of the paper on paper, every day. "
    ).encode()


@pytest.fixture
def stream():
    site_settings = SettingsOfSites()
    state = LocalState(None, load_settings(), site_settings)
    made = LearningCleaner(state, InProcess(shipped_model()), load_settings(segments=True))
    made.site_settings, made.state = site_settings, state
    for number in range(4):
        made.process(page(number, html(number)))
    return made


def put(stream, **change):
    stream.site_settings.put(
        SITE, encode_json(overridden(empty_settings(SITE), Overrides(**change)))
    )


def text(stream, number):
    outcome, _ = stream.process(page(number, html(number)))
    assert isinstance(outcome, Cleaned)
    return outcome.record


def test_a_correction_holds_from_the_next_page_on_and_is_recorded(stream):
    before = text(stream, 10)
    assert b"site_settings_version" not in encode_json(before)
    put(stream, remove=[".story"], keep=["nav"])
    after = text(stream, 11)
    assert "Story 11" not in after.text
    assert "Home of the paper" in after.text
    assert after.site_settings_version == stream.site_settings.of(SITE).settings.version
    reasons = {one.text[:5]: one.reason for one in after.segments}
    assert reasons["Story"] == reasons["Home "] == "site-setting"
    stream.site_settings.put(SITE, None)
    assert "Story 12" in text(stream, 12).text


def test_a_pinned_model_is_used_while_others_are_learned(stream):
    old = stream.state.models.get(SITE)
    stream.site_settings.put(SITE, encode_json(pinned(empty_settings(SITE), old)))
    for number in range(20, 30):
        assert text(stream, number).site_model_version == old.version
    assert stream.state.models.get(SITE).version != old.version


def test_a_site_in_quarantine_is_cleaned_as_new_and_teaches_nothing(stream):
    known = stream.state.windows.site_state(SITE).pages
    put(stream, quarantine=True)
    record = text(stream, 10)
    assert (record.method, record.site_model_version) == ("page", None)
    assert stream.state.windows.site_state(SITE).pages == known


def test_bounds_of_the_site_hold_from_the_next_page_on(stream):
    put(stream, window_pages=2)
    text(stream, 10)
    assert stream.state.windows.site_state(SITE).pages == 2


def test_pages_of_a_site_that_is_taken_down_have_a_deletion_as_their_answer(stream):
    settings = empty_settings(SITE)
    stream.site_settings.put(SITE, encode_json(settings).replace(b"}", b',"forgotten":true}'))
    outcome, _ = stream.process(page(10, html(10)))
    assert isinstance(outcome, Deleted)
    assert outcome.document is None


def test_a_revision_follows_the_settings_too(stream):
    put(stream, remove=[".promo"], keep=[".story"])
    model = stream.state.models.get(SITE)
    (document, *_) = stream.state.windows.window(SITE)
    result = stream.engine.revise(document, model, "superseded", 0)
    assert "Offer" not in result.record.text
    assert result.record.site_settings_version == stream.site_settings.of(SITE).settings.version
    stream.site_settings.put(SITE, encode_json(pinned(empty_settings(SITE), model)))
    assert not any(isinstance(one, Compare) for one in stream.engine.publish_model(SITE))


DECIDED_SITE = "paper.example"


def record(**fields):
    return encode_json(empty_settings(DECIDED_SITE)).replace(b"}", b"") + b"".join(
        f',"{name}":{json.dumps(value)}'.encode() for name, value in fields.items()
    ) + b"}"  # fmt: skip


def test_a_bad_record_leaves_what_was_known(tmp_path):
    site_settings = SettingsOfSites()
    site_settings.put(DECIDED_SITE, record(comments="drop"))
    for bad in (
        b"no json",
        record(rules=[{"action": "remove", "selector": "p::x"}]),
        record(rules=[{"action": "remove"}]),
        record(comments="perhaps"),
        record(pinned_model={"version": "1", "value": "AAAA"}),
        record().replace(DECIDED_SITE.encode(), b"other.example"),
    ):
        with pytest.raises(SchemaError):
            site_settings.put(DECIDED_SITE, bad)
    assert site_settings.of(DECIDED_SITE).record.comments == "drop"
    site_settings.put(DECIDED_SITE, None)
    assert site_settings.of(DECIDED_SITE) is None


def test_equal_settings_have_equal_versions_whenever_they_were_written():
    site_settings = SettingsOfSites()
    site_settings.put(DECIDED_SITE, record(comments="drop", changed_at="2026-01-01T00:00:00Z"))
    first = site_settings.of(DECIDED_SITE).settings.version
    site_settings.put(DECIDED_SITE, record(comments="drop", changed_at="2026-01-02T00:00:00Z"))
    assert site_settings.of(DECIDED_SITE).settings.version == first
    assert settings_version(empty_settings(DECIDED_SITE)) != first


def test_bounds_replace_those_of_the_deployment_for_this_site_only():
    site_settings, settings = SettingsOfSites(), load_settings()
    site_settings.put(DECIDED_SITE, record(window={"pages_max": 7}))
    assert site_settings.bounds(DECIDED_SITE, settings.window).pages_max == 7
    assert site_settings.bounds(DECIDED_SITE, settings.window).age_ms == settings.window_age_ms
    assert site_settings.bounds("other.example", settings.window) == settings.window


def test_overrides_add_rules_behind_the_others_and_keeping_behind_removing():
    before = overridden(empty_settings(DECIDED_SITE), Overrides(remove=["aside"], comments="keep"))
    after = overridden(
        before, Overrides(keep=["aside .note"], remove=["nav", "nav"], window_pages=5)
    )
    assert [str((one.action, one.selector)) for one in after.rules] == [
        "('remove', 'aside')", "('remove', 'nav')", "('keep', 'aside .note')",
    ]  # fmt: skip
    assert (after.comments, after.window) == ("keep", WindowLimits(pages_max=5))
    assert overridden(after, Overrides(clear_rules=True)).rules == []
    with pytest.raises(UsageProblem, match="no CSS selector"):
        overridden(before, Overrides(remove=["div >"]))


def test_a_file_that_was_written_is_read_and_a_bad_line_is_named(tmp_path):
    path = tmp_path / "settings.jsonl"
    assert read_site_settings(path).records() == []
    settings = overridden(empty_settings(DECIDED_SITE), Overrides(remove_text=["Read also*"]))
    write_records(path, [settings])
    assert read_site_settings(path).records() == [settings]
    assert settings.rules == [SiteRuleRecord(action="remove", text="Read also*")]
    path.write_bytes(path.read_bytes() + b"{}\n")
    with pytest.raises(InputProblem, match="line 2"):
        read_site_settings(path)
