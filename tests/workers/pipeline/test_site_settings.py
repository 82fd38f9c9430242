"""What settings of a site do to its pages, its window and its revisions."""

import pytest

from schemas.codec import encode_json
from templ_core.page_level.model.model_file import shipped_model
from tests.workers.builders import page
from workers.local.local_state import LocalState
from workers.local.stream import Stream
from workers.pipeline.actions import Compare, Deleted
from workers.processes.messages import Cleaned
from workers.processes.tasks import InProcess
from workers.settings import load_settings
from workers.site_settings.book import SettingsBook
from workers.site_settings.changes import Overrides, empty_settings, overridden, pinned

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
    book = SettingsBook()
    state = LocalState(None, load_settings(), book)
    made = Stream(state, InProcess(shipped_model()), load_settings(), with_segments=True)
    made.book, made.state = book, state
    for number in range(4):
        made.process(page(number, html(number)))
    return made


def put(stream, **change):
    stream.book.put(SITE, encode_json(overridden(empty_settings(SITE), Overrides(**change))))


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
    assert after.site_settings_version == stream.book.of(SITE).settings.version
    reasons = {one.text[:5]: one.reason for one in after.segments}
    assert reasons["Story"] == reasons["Home "] == "site-setting"
    stream.book.put(SITE, None)
    assert "Story 12" in text(stream, 12).text


def test_a_pinned_model_is_used_while_others_are_learned(stream):
    old = stream.state.models.get(SITE)
    stream.book.put(SITE, encode_json(pinned(empty_settings(SITE), old)))
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
    stream.book.put(SITE, encode_json(settings).replace(b"}", b',"forgotten":true}'))
    outcome, _ = stream.process(page(10, html(10)))
    assert isinstance(outcome, Deleted)
    assert outcome.document is None


def test_a_revision_follows_the_settings_too(stream):
    put(stream, remove=[".promo"], keep=[".story"])
    model = stream.state.models.get(SITE)
    (document, *_) = stream.state.windows.window(SITE)
    result = stream._engine.revise(document, model, "superseded", 0)
    assert "Offer" not in result.record.text
    assert result.record.site_settings_version == stream.book.of(SITE).settings.version
    stream.book.put(SITE, encode_json(pinned(empty_settings(SITE), model)))
    assert not any(isinstance(one, Compare) for one in stream._engine.publish_model(SITE))
