"""The fields of records that settings ask for, on files and for texts that are published again."""

import msgspec

from schemas.cleaned import Link, Metadata
from schemas.codec import encode_json
from tests.workers.builders import page
from workers.lab.in_process import InProcess
from workers.local.local_state import LocalState
from workers.local.runner import LearningCleaner
from workers.pipeline.page_cleaner import PageCleaner
from workers.processes.options import RecordForms, forms_of
from workers.processes.page_model import page_model_of, read_model_file
from workers.processes.records import fit_message
from workers.settings import Settings

STORY = "<p>The council met on Monday, and it said that <a href=/b>the bridge</a> stays open. " * 4
HTML = (
    "<html lang=en><title>Bridge opens | Daily</title><meta name=author content='Ann Lee'>"
    f"<nav><a href=/>Home</a></nav><h1>Bridge opens</h1>{STORY}"
)
ALL = Settings(text_forms="markdown, html", links=True, segments=True)
THREAD = '<html lang=en><script type=application/ld+json>{"@type": "QAPage"}</script>' + "".join(
    f"<div class=post><a href=/members/{n}>Ann {n}</a> 2024-03-0{n}<p>{text}</div>"
    for n, text in enumerate(["Is the bridge over the river open?", "It stays open until May."], 1)
)


def record(settings, html=HTML):
    cleaner = PageCleaner(InProcess(page_model_of(read_model_file(None))), settings)
    fetched = {"url": "https://daily.example/a", "fetched_at": "2024-03-01T00:00:00Z"}
    return cleaner.clean(page(0, html.encode(), **fetched)).record


def test_a_record_has_the_fields_that_are_asked_for():
    cleaned = record(ALL)
    assert cleaned.metadata == Metadata(title="Bridge opens", authors=["Ann Lee"], language="en")
    assert cleaned.markdown.count("[the bridge](https://daily.example/b)") == 4
    assert cleaned.html.count('<a href="https://daily.example/b">the bridge</a>') == 4
    assert cleaned.links[0] == Link(text="Home", url="https://daily.example/", place="template")
    assert cleaned.links[1].place == "content"
    assert cleaned.page_type in {"article", "documentation", "forum", "other"}
    assert cleaned.segments
    assert cleaned.fetched_at == "2024-03-01T00:00:00Z"


def test_fields_can_be_switched_off_and_the_text_is_the_same():
    plain = record(Settings(metadata=False))
    assert (plain.metadata, plain.markdown, plain.html, plain.links) == (None, None, None, None)
    assert plain.text == record(ALL).text
    assert forms_of(Settings(metadata=False)) == RecordForms(metadata=False)


def test_the_markup_calls_a_page_a_product():
    html = HTML + '<script type="application/ld+json">{"@type": "Product"}</script>'
    assert record(Settings(), html).page_type == "product"


def test_a_text_that_is_published_again_has_all_fields_of_the_first():
    runner = InProcess(page_model_of(read_model_file(None)))
    stream = LearningCleaner(LocalState(None, ALL), runner, ALL, revises=True)
    menu = "".join(f"<li><a href=/{n}>Part {n} of the menu of this site</a>" for n in range(9))
    revised = []
    for number in range(30):
        text = f"<p>Story {number} of {number * 7} says <a href=/b>this</a>, and {number} that. "
        html = f"<title>Story {number}</title><div>{menu}</div><h1>Story {number}</h1>{text * 3}"
        revised += stream.process(page(number, html.encode(), headers=(("trace", b"1"),)))[1]
    for one in revised:
        assert one.metadata.title.startswith("Story")
        assert None not in (one.markdown, one.html, one.links, one.segments, one.page_type)
    document = next(stream.engine._windows.window("example.com"))
    assert document.headers == [("trace", b"1")]
    model = stream._models.get("example.com")
    result = stream.engine.revise(document, model, "superseded", 0).record
    assert result.metadata.title.startswith("Story")
    assert "https://example.com/b" in result.markdown
    assert {link.url for link in result.links} >= {"https://example.com/b"}


def test_what_does_not_fit_a_message_is_dropped_before_the_text_is_cut():
    cleaned = record(ALL)
    whole = len(encode_json(cleaned))
    without_segments = len(encode_json(msgspec.structs.replace(cleaned, segments=None)))
    small = fit_message(cleaned, whole - 1)
    assert (small.segments, small.warnings) == (None, ["segments-dropped"])
    smaller = fit_message(cleaned, without_segments - 1)
    assert smaller.warnings == ["segments-dropped", "forms-dropped"]
    assert (smaller.markdown, smaller.links, smaller.text) == (None, None, cleaned.text)
    assert smaller.metadata == cleaned.metadata


def test_records_come_when_they_are_asked_for_and_change_no_text():
    cleaned = record(Settings(records=True), THREAD)
    assert [(post.author, post.date_published) for post in cleaned.records.posts] == [
        ("Ann 1", "2024-03-01"),
        ("Ann 2", "2024-03-02"),
    ]
    without = record(Settings(), THREAD)
    assert (without.records, without.text) == (msgspec.UNSET, cleaned.text)
    small = fit_message(cleaned, len(encode_json(cleaned)) - 1)
    assert (small.records, small.warnings) == (msgspec.UNSET, ["forms-dropped"])


def test_chunks_come_when_they_are_asked_for_and_stay_when_the_shell_changes():
    story = "<h1>Rain</h1><p>It rained all day in the valley.</p><h2>Floods</h2><p>The river rose by two metres.</p>"
    before = record(Settings(chunks=True), f"<nav><a href=/>Home</a></nav><main>{story}</main>")
    after = record(Settings(chunks=True), f"<div><a href=/new>Menu</a></div><main>{story}</main>")
    assert [one.headings for one in before.chunks] == [["Rain"], ["Rain", "Floods"]]
    assert [one.id for one in before.chunks] == [one.id for one in after.chunks]
    assert before.markdown is None
    without = record(Settings(), f"<main>{story}</main>")
    assert (without.chunks, without.text) == (msgspec.UNSET, before.text)
    small = fit_message(before, len(encode_json(before)) - 1)
    assert (small.chunks, small.warnings) == (msgspec.UNSET, ["forms-dropped"])


def test_texts_that_were_left_out_and_do_not_fit_a_message_are_dropped():
    cleaned = record(Settings(observed=True))
    assert cleaned.observed.left_out
    observed = msgspec.structs.replace(cleaned.observed, left_out=cleaned.observed.left_out * 9)
    cleaned = msgspec.structs.replace(cleaned, observed=observed)
    small = fit_message(cleaned, len(encode_json(cleaned)) - 1)
    assert (small.observed.left_out, small.warnings) == (None, ["forms-dropped"])
    assert small.observed.charset == cleaned.observed.charset
    assert small.text == cleaned.text
