import json

import pytest

from schemas.codec import SchemaError, encode_json
from schemas.site_settings import SiteRuleRecord, WindowLimits
from workers.errors import InputProblem, UsageProblem
from workers.settings import load_settings
from workers.site_settings.book import SettingsBook, read_book, settings_version, write_records
from workers.site_settings.changes import Overrides, empty_settings, overridden

SITE = "paper.example"


def record(**fields):
    return encode_json(empty_settings(SITE)).replace(b"}", b"") + b"".join(
        f',"{name}":{json.dumps(value)}'.encode() for name, value in fields.items()
    ) + b"}"  # fmt: skip


def test_a_bad_record_leaves_what_was_known(tmp_path):
    book = SettingsBook()
    book.put(SITE, record(comments="drop"))
    for bad in (
        b"no json",
        record(rules=[{"action": "remove", "selector": "p::x"}]),
        record(rules=[{"action": "remove"}]),
        record(comments="perhaps"),
        record(pinned_model={"version": "1", "value": "AAAA"}),
        record().replace(SITE.encode(), b"other.example"),
    ):
        with pytest.raises(SchemaError):
            book.put(SITE, bad)
    assert book.of(SITE).record.comments == "drop"
    book.put(SITE, None)
    assert book.of(SITE) is None


def test_equal_settings_have_equal_versions_whenever_they_were_written():
    book = SettingsBook()
    book.put(SITE, record(comments="drop", changed_at="2026-01-01T00:00:00Z"))
    first = book.of(SITE).settings.version
    book.put(SITE, record(comments="drop", changed_at="2026-01-02T00:00:00Z"))
    assert book.of(SITE).settings.version == first
    assert settings_version(empty_settings(SITE)) != first


def test_bounds_replace_those_of_the_deployment_for_this_site_only():
    book, settings = SettingsBook(), load_settings()
    book.put(SITE, record(window={"pages_max": 7}))
    assert book.bounds(SITE, settings.window).pages_max == 7
    assert book.bounds(SITE, settings.window).age_ms == settings.window_age_ms
    assert book.bounds("other.example", settings.window) == settings.window


def test_overrides_add_rules_behind_the_others_and_keeping_behind_removing():
    before = overridden(empty_settings(SITE), Overrides(remove=["aside"], comments="keep"))
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
    assert read_book(path).records() == []
    settings = overridden(empty_settings(SITE), Overrides(remove_text=["Read also*"]))
    write_records(path, [settings])
    assert read_book(path).records() == [settings]
    assert settings.rules == [SiteRuleRecord(action="remove", text="Read also*")]
    path.write_bytes(path.read_bytes() + b"{}\n")
    with pytest.raises(InputProblem, match="line 2"):
        read_book(path)
