"""A window depends on its fetches alone, and the library and a worker's store hold equal ones."""

import random
from random import Random

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.source import Source
from templ_core.config import WindowBounds
from templ_core.decide import NOTHING
from templ_core.dom.codec import document_columns
from templ_core.dom.document import parse_document, read_document
from templ_core.page_level.features.page_features import read_features
from templ_core.page_level.model.model_file import shipped_model
from templ_core.site_cleaner.learned_site import LearnedSite, WindowDocument
from templ_core.site_events import WATCH
from templ_core.site_level.site_model import PLACE_TABLES
from templ_core.site_level.site_model_file import decode_site_model, encode_site_model
from templ_core.site_level.strings.string_evidence import read_prose, read_strings
from templ_core.site_level.window.drift import find_drift
from templ_core.site_level.window.page_summary import summarise_page
from templ_core.site_level.window.revisions import changed_ratio, revision_reason
from templ_core.site_level.window.schedule import is_due
from templ_core.site_level.window.site_learner import SiteLearner
from templ_core.site_level.window.site_window import SiteWindow, WindowFetch, url_hash
from templ_core.site_level.window.window_dedup import distinct_pages
from templ_core.stored.compact import content_digest
from tests.templ_core.site_level.builders import CONFIG, fit_site_model, page, window_page
from tests.workers.builders import document, packed, stored_summary
from workers.settings import Settings
from workers.state.window_store import WindowStore

PATHS = 40


def page_of_design(design, number, own=6):
    """The paths of a page: some of those of all pages of its design, and some of its own."""
    rng = Random(f"{design}/{number}")
    shared = [Random(f"{design}:{one}").getrandbits(60) for one in range(PATHS)]
    paths = [*rng.sample(shared, PATHS - 5), *(rng.getrandbits(60) for _ in range(own))]
    return np.array(sorted(paths), np.uint64)


@pytest.mark.parametrize(
    ("designs", "changed_at", "fit"),
    [
        ("", None, (0, 1)),
        ("a" * 300, None, (0.7, 1)),  # the site stays as it is
        ("ab" * 60, None, (0, 1)),  # two designs take turns
        (("a" * 12 + "b" * 12) * 4, None, (0, 1)),
        *((Random(seed).choices("aaaaaaaaallcdefg", k=400), None, (0, 1)) for seed in range(20)),
        ("a" * 20 + "b", None, (0, 0.2)),  # only the first page of a new design fits nothing
        ("a" * 20 + "bb", None, (0.7, 1)),
        ("a" * 60 + "b" * 7, 60, (0, 1)),
        ("a" * 60 + "b" * 20, 60, (0, 1)),
        ("a" * 60 + "b" * 20 + "a", None, (0, 1)),  # a design that comes back has not gone
        ("a" * 40 + "ab" * 15, None, (0, 1)),  # both designs are shown
        ("a" * 40 + "ab" * 15 + "b" * 10, 69, (0, 1)),
        ("aaal" * 10 + "l" * 200, None, (0, 1)),  # a long run of listings ends no articles
        ("aaal" * 15 + "bbbm" * 10, 60, (0, 1)),  # articles and listings go as a whole
    ],
)
def test_a_change_is_noticed_when_a_design_has_gone(designs, changed_at, fit):
    drift = find_drift([page_of_design(one, n) for n, one in enumerate(designs)])
    assert drift.changed_at == changed_at
    assert fit[0] <= drift.fit <= fit[1]


@pytest.mark.parametrize(
    ("model_documents", "compared_documents", "documents", "of_old_design", "reason"),
    [
        (0, 0, 5, 0, None), (0, 0, 8, 0, "first-mature-model"),
        (5, 5, 12, 0, "first-mature-model"), (0, 0, 24, 0, "settled-model"), (8, 8, 16, 0, None),
        (8, 8, 27, 0, "settled-model"), (5, 12, 16, 0, None), (24, 24, 1000, 0, None),
        # After a change of design the documents since then count.
        (100, 100, 107, 100, None), (100, 100, 108, 100, "redesign"), (103, 110, 120, 100, None),
        (103, 110, 124, 100, "redesign"), (124, 124, 200, 100, None),
    ],
)  # fmt: skip
def test_a_text_is_compared_again_when_its_model_grows_up(
    model_documents, compared_documents, documents, of_old_design, reason
):
    assert revision_reason(model_documents, compared_documents, documents, of_old_design) == reason


@pytest.mark.parametrize(
    ("before", "after", "ratio"),
    [
        ("one two\nthree four", "one two\nthree four", 0),
        ("one two\nthree four", "one two\nthree", 1 / 4),
        ("one two", "three", 1),
        ("", "", 0),
        ("We met. Read our letter every week.", "We met.", 5 / 7),
    ],
)
def test_change_is_counted_in_words_of_both_texts(before, after, ratio):
    assert changed_ratio(before, after) == ratio


@pytest.mark.parametrize(
    ("learned", "fitted_at", "pages", "due"),
    [
        (1, 0, 1, True), (4, 3, 4, True), (5, 4, 5, False), (6, 4, 6, True), (9, 3, 9, True),
        (25, 24, 25, False), (31, 24, 31, False), (32, 24, 32, True), (1250, 1000, 1000, True),
        (1249, 1000, 1000, False), (5, 5, 5, False), (5, 3, 0, False),
    ],
)  # fmt: skip
def test_models_are_due_with_each_page_at_first_and_then_for_each_fourth_of_the_window(
    learned, fitted_at, pages, due
):
    assert is_due(learned, fitted_at, pages) == due


@pytest.mark.parametrize(
    ("new", "place_pages", "due"),
    [
        (3, [0, 0, 0], True), (1, [3, 3, 3], True), (1, [6, 6, 6], False), (2, [3, 3, 3], True),
        (1, [8, 8, 8], False), (3, [0, 0, 60], False), (3, [0, 0], False),
        (3, [None, 0, 0], False),
    ],
)  # fmt: skip
def test_three_documents_of_a_design_that_is_hardly_known_bring_a_model(new, place_pages, due):
    assert is_due(100 + new, 100, 100, place_pages) == due


def window(numbers):
    return [window_page(f"p{number}", page(number)) for number in numbers]


def tables(model):
    return {
        name: (table.keys.tolist(), table.sums.tolist())
        for name in PLACE_TABLES
        for table in [getattr(model.places, name)]
    }


def test_a_rolling_window_is_counted_like_one_seen_at_once():
    """The bytes of the model are equal, whatever came and left before."""
    learner = SiteLearner("page", CONFIG)
    pages = window(range(14))
    for last in range(1, len(pages)):
        rolling = pages[max(0, last - 8) : last]
        learner.follow(rolling)
        one, other = learner.model(), fit_site_model(rolling, "page", CONFIG)
        assert encode_site_model(one, 1 << 20) == encode_site_model(other, 1 << 20)


def assert_follows(*windows):
    """Assert that after each window a learner knows what one knows that has seen no other."""
    learner = SiteLearner("page", CONFIG)
    for window in windows:
        learner.follow(window)
        assert tables(learner.model()) == tables(fit_site_model(window, "page", CONFIG))
    return learner.model()


def test_documents_may_leave_from_anywhere_in_the_window():
    assert_follows(window(range(10)), window([1, 2, 3, 4, 5, 6, 8, 9]))
    same = [window_page(name, page(1), digest="same") for name in "abc"]
    others = window([2, 3])
    assert assert_follows([*same, *others], [*same[1:], *others]).documents == 3
    assert assert_follows([*same, *others], others).documents == 2
    long = "".join(f"<p>Sentence {n} of the very same report about boats. " for n in range(12))
    near = [
        window_page(end, parse_document(f"{long}<p>{end}", "https://a.com/"))
        for end in ("one", "two")
    ]
    assert assert_follows([*near, *others]).documents == 3
    assert assert_follows([*near, *others], [*near[1:], *others]).documents == 3


@pytest.mark.parametrize("limit", [400, 450, 500])
def test_a_bounded_model_keeps_what_most_pages_have(limit):
    whole = fit_site_model(window(range(40)), "page", CONFIG)
    body = encode_site_model(whole, limit)
    assert len(body) <= limit < len(encode_site_model(whole, 1 << 20))
    kept = decode_site_model(body)
    for name in PLACE_TABLES:
        table, part = getattr(whole.places, name), getattr(kept.places, name)
        dropped = ~np.isin(table.keys, part.keys)
        if part.keys.size and dropped.any():
            assert part.sums[0].min() >= table.sums[0][dropped].max()
    assert kept.documents == whole.documents
    document, features = page(80), read_features(page(80))
    strings = read_strings(document, features, kept.strings, read_prose(features))
    assert np.isfinite(strings.few.share).all()


HOUR_MS = 3600 * 1000
DAY_MS = 24 * HOUR_MS
SMALL = WindowBounds(
    age_ms=48 * HOUR_MS, floor_pages=4, floor_age_ms=200 * HOUR_MS, newest_pages=6, day_pages=3,
    pages_max=20,
)  # fmt: skip


@pytest.mark.parametrize("hours", [1, 24, 1000])
@pytest.mark.parametrize("seed", range(4))
def test_the_library_holds_the_documents_of_a_store(seed, hours):
    """Fetches that are less than some hours apart have equal times."""
    chance = random.Random(seed)
    site = LearnedSite("example.com")
    bounds = {f"window_{name}": value for name, value in msgspec.structs.asdict(SMALL).items()}
    store = WindowStore(None, Settings(**bounds), has_topic=False)
    for number in range(120):
        url = f"https://example.com/{chance.randrange(40)}"
        time_ms = (number + chance.randrange(30)) // hours * hours * HOUR_MS
        record = document(number, url=url, time_ms=time_ms, body=packed(bytes([number] * 9)))
        record = msgspec.structs.replace(record, source=Source(url, 0, number))
        if chance.random() < 0.1:
            site.forget(url, time_ms, SMALL)
            store.delete_url(msgspec.structs.replace(record, kind="deletion", body=b""), None)
        else:
            one = WindowDocument(time_ms, record.id, url, record.content_digest, record.body, b"")
            site.enter(one, NOTHING, SMALL)
            if store.known(record) is None:
                store.enter(record, stored_summary(record), None)
        kept = [entry.id for entry in store.window_entries("example.com")]
        assert [one.page_id for one in site.documents] == kept, number
        assert site.history.learned == store.site_state("example.com").learned


def window_of(fetches, bounds):
    """What a window holds after fetches, given as URL, time in days and content, have entered it."""
    window = SiteWindow()
    for url, day, content in fetches:
        window.enter(WindowFetch(round(day * DAY_MS), url_hash(url), content, 1), bounds)
    return list(window)


def daily(*days):
    return [(f"/{day}", day, b"") for day in days]


IN_ANY_ORDER = {
    "of each URL the newest": (
        st.lists(
            st.tuples(st.sampled_from("abcdefgh"), st.integers(0, 40), st.just(b"")),
            unique_by=lambda fetch: fetch[1],
        ),
        WindowBounds(pages_max=5, floor_pages=2),
    ),
    "some of each day": (
        st.permutations(daily(*(number / 12 for number in range(36)))),
        WindowBounds(newest_pages=4, day_pages=2),
    ),
    "one dated ahead": (st.permutations(daily(*range(0, 60, 4), 400)), WindowBounds(floor_pages=2)),
    "equal times": (
        st.lists(
            st.builds(
                lambda url, content: (url, ord(url) % 3, content),
                st.sampled_from("abcdefghijkl"),
                st.binary(max_size=1),
            )
        ),
        WindowBounds(newest_pages=3, day_pages=2),
    ),
}


@pytest.mark.parametrize("name", IN_ANY_ORDER)
@given(st.data())
@settings(max_examples=40)
def test_a_window_does_not_depend_on_the_order_of_arrival(name, data):
    fetches, bounds = IN_ANY_ORDER[name]
    coming = data.draw(fetches)
    assert window_of(coming, bounds) == window_of(data.draw(st.permutations(coming)), bounds)


FEW = WindowBounds(pages_max=5, floor_pages=2)
QUARTERS = [number / 4 for number in range(50)]


@pytest.mark.parametrize(
    ("days", "bounds", "kept"),
    [
        ([0, 1, 2, 30, 31], FEW, [30, 31]),
        ([0, 1, 30, 31], WindowBounds(floor_pages=3), [1, 30, 31]),  # few stay beyond the age
        ([0, 1, 200, 201], WindowBounds(floor_pages=3), [200, 201]),  # unless they are much older
        ([number / 20 for number in range(90)], WindowBounds(newest_pages=5, day_pages=3),
         [0] * 3 + [1] * 3 + [2] * 3 + [3] * 3 + [4] * 8),
        ([*QUARTERS[:30], 400, *QUARTERS[30:]], WindowBounds(), [*map(int, QUARTERS), 400]),
        ([*range(0, 60, 4), 400], WindowBounds(floor_pages=2), [44, 48, 52, 56, 400]),
        ([400, 0, 1, 2], WindowBounds(), [0, 1, 2, 400]),
        ([0, 1, 2, 400, 400.5], FEW, [400, 400]),  # two times are no error
    ],
)  # fmt: skip
def test_which_fetches_stay(days, bounds, kept):
    assert [one.time_ms // DAY_MS for one in window_of(daily(*days), bounds)] == kept


def test_a_deletion_dated_ahead_does_not_make_fetches_old():
    window = SiteWindow()
    window.delete(url_hash("gone"), 400 * DAY_MS, FEW)
    assert window.enter(WindowFetch(0, url_hash("a"), b"", 1), FEW) == ([], [])
    assert len(window) == 1


def test_what_leaves_is_told_and_nothing_else():
    bounds = WindowBounds(pages_max=2, floor_pages=1)
    one, two, newer, old = (
        WindowFetch(time_ms, url_hash(url), b"", 1)
        for time_ms, url in ((1, "a"), (2, "b"), (3, "a"), (0, "c"))
    )
    window = SiteWindow([two, one])
    assert window.enter(one, bounds) is None
    assert window.enter(newer, bounds) == ([one], [])
    assert window.enter(one, bounds) is None
    assert window.enter(old, bounds) == ([], [])
    assert old not in window
    assert window.delete(url_hash("b"), 2, bounds) == ([two], [])
    assert window.delete(url_hash("b"), 2, bounds) is None
    assert window.enter(two, bounds) is None
    assert window.delete(url_hash("a"), 0, bounds) == ([], [])
    assert (list(window), window.size_bytes) == ([newer], 1)
    assert window.leave(newer.url_hash) == newer
    assert window.leave(newer.url_hash) is None
    assert window.delete(url_hash("c"), 3, bounds) == ([], [url_hash("a")])


SHORT_MENU = "<ul><li><a href=/>Home</a><li><a href=/about>About</a><li><a href=/shop>Shop</a></ul>"


def summary(*paragraphs):
    body = SHORT_MENU + "<article>" + "".join(f"<p>{one}" for one in paragraphs) + "</article>"
    html = f"<html><body>{body}</body></html>".encode()
    return summarise_page(read_document(html, "https://a.com/1"), shipped_model())


def article(topic, count=6):
    return [
        f"In its paragraph {n} the text about {topic} goes on to say a number of things, and it "
        f"takes a good many words of plain prose for the {topic} to be described as it should be."
        for n in range(count)
    ]


RIVERS = article("rivers")


@pytest.mark.parametrize(
    ("pages", "distinct"),
    [
        ([RIVERS, [*RIVERS, "Printed on another day."], article("mountains"), RIVERS], [0, 2]),
        ([article("rivers", 3) + article(other, 3) for other in ("lakes", "seas")], [0, 1]),
        ([["Nothing here."]] * 2, [0, 1]),
        ([], []),
    ],
    ids=["copies and reprints", "half is shared", "short pages", "no pages"],
)
def test_near_duplicates_count_once(pages, distinct):
    assert distinct_pages([summary(*paragraphs) for paragraphs in pages]) == distinct


@pytest.mark.parametrize(
    ("later", "is_known"),
    [("<body class=list><div id=menu>", True), ("<body class=x><div id=head>", False)],
)
def test_a_listing_is_told_from_another_design_by_what_stands_around_it(later, is_known):
    def summary(number, start):
        words = " ".join(f"word{number * 40 + place}" for place in range(40))
        menu = "<a href=/>Home</a><p>News of today<ul><li>One<li>Two</ul>"
        box = "story" if start.startswith("<body class=post") else "row"
        end = f"</div><div class={box}><p>{words}.</div>"
        document = parse_document(f"{start}{menu}{end}", "https://a.example/")
        return content_digest(document_columns(document)), summarise_page(document, shipped_model())

    starts = ["<body class=post><div id=menu>"] * 20 + [later] * 12
    learner = SiteLearner("page model", CONFIG)
    learner.follow([summary(number, start) for number, start in enumerate(starts)])
    assert learner.change.place == 20
    assert (learner.change.known_ratio > WATCH.known_ratio_max) is is_known
