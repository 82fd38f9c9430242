import msgspec
import pytest

from templ_core.site_events import WATCH, PageFacts, SiteWatch

HOUR_MS = 3600 * 1000
USUAL = PageFacts(words=300, repeated_ratio=0.1, language="en", charset="utf-8")


def other(**values):
    return msgspec.structs.replace(USUAL, **values)


def add_page(watch, pages, *, start=0, gap_ms=HOUR_MS):
    """Add pages to a watch, one an hour; return the changes that it notices."""
    before = len(watch.unreported)
    for number, facts in enumerate(pages, start):
        watch.add_page(f"/{number}", number * gap_ms, facts)
    return watch.unreported[before:]


@pytest.mark.parametrize(
    ("facts", "kind", "before", "after"),
    [
        (other(language="de-AT"), "language-changed", "en", "de"),
        (other(charset="windows-1251"), "charset-changed", "utf-8", "windows-1251"),
        (other(words=3), "content-gone", "text", "no text"),
        (other(repeated_ratio=0.9), "repeated-text-rising", "own text", "repeated text"),
    ],
)
def test_a_change_is_reported_once_with_its_borders(facts, kind, before, after):
    watch = SiteWatch()
    assert add_page(watch, [USUAL] * 30) == []
    (change,) = add_page(watch, [facts] * 30, start=30)
    assert (change.kind, change.before, change.after) == (kind, before, after)
    assert (change.last_url, change.first_url) == ("/29", "/30")
    assert change.time_ms <= 39 * HOUR_MS


GERMAN = other(language="de")
UNKNOWN = PageFacts(words=300, repeated_ratio=None, language=None, charset=None)


@pytest.mark.parametrize(
    ("before", "after", "kinds"),
    [
        ([USUAL] * 30 + [other(words=0)] * 20, [USUAL] * 20, ["site-back"]),
        ([other(repeated_ratio=0.9)] * 30, [USUAL] * 30, []),  # a repetition ends
        ([USUAL, GERMAN], [USUAL, GERMAN] * 12, []),
        ([USUAL, GERMAN], ([USUAL] * 12 + [GERMAN] * 12) * 12, []),
        ([USUAL] * 30, [GERMAN] * 5 + [USUAL] * 30, []),  # a few pages are no change
        ([USUAL] * 30, [UNKNOWN] * 30, []),  # nor is what is not known
        ([USUAL] * 30, [other(words=1, language="de")] * 30, ["content-gone"]),
    ],
)
def test_what_is_reported_of_pages_that_follow_others(before, after, kinds):
    watch = SiteWatch()
    add_page(watch, before)
    assert [one.kind for one in add_page(watch, after, start=len(before))] == kinds


def test_a_silent_site_is_reported_once_and_when_it_is_back():
    watch = SiteWatch()
    add_page(watch, [USUAL] * 30)
    watch.notice_silence(29 * HOUR_MS + WATCH.silent_ms - 1)
    assert watch.unreported == []
    for late_ms in (0, HOUR_MS):
        watch.notice_silence(29 * HOUR_MS + WATCH.silent_ms + late_ms)
    (change,) = watch.unreported
    assert (change.kind, change.last_url, change.first_url) == ("feed-silent", "/29", None)
    (back,) = add_page(watch, [USUAL] * 2, start=100)
    assert (back.kind, back.last_url, back.first_url) == ("site-back", "/29", "/100")
    unwatched = SiteWatch()
    add_page(unwatched, [USUAL] * 30)
    later = add_page(unwatched, [USUAL] * 3, start=200)
    assert [one.kind for one in later] == ["site-back"]


def test_a_site_of_few_pages_or_long_rests_is_not_silent():
    young, slow = SiteWatch(), SiteWatch()
    add_page(young, [USUAL] * WATCH.usual_pages)
    add_page(slow, [USUAL] * 50, gap_ms=24 * HOUR_MS)
    young.notice_silence(1000 * HOUR_MS)
    slow.notice_silence((49 + 3) * 24 * HOUR_MS)
    assert young.unreported == slow.unreported == []


def test_a_design_that_several_detectors_find_is_reported_once():
    watch = SiteWatch()
    add_page(watch, [USUAL] * 30)
    for changed_at_ms in (20 * HOUR_MS, 20 * HOUR_MS, 22 * HOUR_MS, None):
        watch.notice_design(changed_at_ms, "/19", "/20")
    (change,) = watch.unreported
    assert (change.kind, change.time_ms) == ("design-changed", 20 * HOUR_MS)
    add_page(watch, [USUAL] * 30, start=30)
    watch.notice_design(31 * HOUR_MS, "/30", "/31")
    assert [one.first_url for one in watch.unreported] == ["/20", "/31"]


def test_a_watch_stored_goes_on_as_if_it_had_not_been():
    one, other_watch = SiteWatch(), SiteWatch()
    for start, facts in ((0, USUAL), (20, other(charset="koi8-r"))):
        add_page(one, [facts] * 20, start=start)
        stored = msgspec.msgpack.encode(other_watch)
        other_watch = msgspec.msgpack.decode(stored, type=SiteWatch)
        add_page(other_watch, [facts] * 20, start=start)
    assert one.unreported
    assert one == other_watch


def origins(watch, *sites):
    events = [watch.notice_origin(f"/{number}", number, site) for number, site in enumerate(sites)]
    return [(one.kind, one.first_url, one.before, one.after) for one in events if one is not None]


def test_a_site_that_copies_another_is_reported_once_and_when_it_stops():
    watch = SiteWatch()
    assert origins(watch, *[""] * 30, *["a.org"] * 12, "b.org") == []
    assert origins(watch, "a.org") == [("content-copied", "/0", None, "a.org")]
    assert origins(watch, *["a.org", ""] * 40) == []
    assert origins(watch, *[""] * 30) == [("site-back", "/23", "a.org", None)]


def test_a_site_that_copies_many_is_no_copy_of_one():
    watch = SiteWatch()
    assert origins(watch, *["a.org", "b.org", "c.org"] * 20) == []
    events = origins(watch, *["b.org"] * 20, *["c.org"] * 20)
    assert [(before, after) for _, _, before, after in events] == [
        (None, "b.org"),
        ("b.org", "c.org"),
    ]
