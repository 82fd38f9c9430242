import html
import json
import re

import html5lib
import pytest

from templ_core.dom.document import parse_document, read_document
from tests.templ_core.site_level.repeating_site import page as repeating_page
from workers.inspect.frame import harmless_sheet
from workers.inspect.frame_tree import Piece, events_of_document, events_of_markup
from workers.lab.simulate.feed import FeedSettings, simulate_feed


def pieces(events):
    return [one for one in events if isinstance(one, Piece) and one.segment is not None]


def solid(text):
    return "".join(text.split())


@pytest.mark.parametrize("kind", ["news", "blog", "forum", "shop"])
def test_every_segment_is_found_in_the_markup(kind):
    for page in simulate_feed(FeedSettings(genre=kind, sites=2, pages=12, seed=5)):
        record = page.record()
        document = parse_document(record["html"], record["url"])
        events = events_of_markup(record["html"], document, {})
        texts = ["" for _ in document.segments.texts]
        for piece in pieces(events):
            texts[piece.segment] += piece.text
        assert list(map(solid, texts)) == list(map(solid, document.segments.texts))
        texts = ["" for _ in document.segments.texts]
        for piece in pieces(events_of_document(document, {})):
            texts[piece.segment] += piece.text
        assert texts == document.segments.texts


def test_cuts_fall_where_they_do_in_the_segment():
    markup = "<p>One  story. <b>We ask\n all</b> readers. Two<br>stories.<p>Other"
    document = parse_document(markup, "")
    text = document.segments.texts[0]
    span = (text.index("We ask"), text.index("Two"))
    for events in (
        events_of_markup(markup, document, {0: [span]}),
        events_of_document(document, {0: [span]}),
    ):
        cut = "".join(one.text for one in pieces(events) if one.is_cut)
        assert solid(cut) == "Weaskallreaders."
        left = "".join(one.text for one in pieces(events) if not one.is_cut)
        assert solid(left) == "Onestory.Twostories.Other"


def test_style_sheets_keep_what_makes_a_layout():
    sheet = """
    body.home > .grid { display: grid; grid-template-columns: 1fr 2fr; background: #fafafa }
    @media (max-width: 600px) { .grid { display: block } }
    .menu { float: left; width: calc(20% - 1em); display: none; position: fixed }
    """
    assert harmless_sheet([sheet]) == (
        ".templ-body.home > .grid{display:grid;grid-template-columns:1fr 2fr;background-color:#fafafa}"
        "@media (max-width: 600px){.grid{display:block}}"
        ".menu{float:left;width:calc(20% - 1em)}"
    )


@pytest.fixture(scope="module")
def record(feed):
    """The last page of the feed."""
    return json.loads(feed.read_text().splitlines()[-1])


def parsed(report):
    return html5lib.parse(report, namespaceHTMLElements=False)


def frame_of(report):
    return parsed(report).find(".//iframe").get("srcdoc")


def test_a_file_is_shown_with_what_its_site_knows(templ, state, record, tmp_path):
    (tmp_path / "page.html").write_text(record["html"])
    given = (
        tmp_path / "page.html", "--url", record["url"], "--site", record["site"], "--state",
        state,
    )  # fmt: skip
    done = templ("inspect", "page", *given, "--out", tmp_path / "report.html")
    assert done.stderr.decode() == f"written to {tmp_path / 'report.html'}\n"
    report = (tmp_path / "report.html").read_text()
    cleaned = json.loads(templ("clean", *given, "--segments").stdout)
    assert cleaned["method"] == "site"
    entries = parsed(report).findall(".//details")
    assert len(entries) == len(cleaned["segments"])
    for entry, segment in zip(entries, cleaned["segments"], strict=True):
        assert ("kept" in entry.get("class").split()) == segment["kept"]
        assert f"decided by {segment['reason']}" in "".join(entry.find("summary").itertext())
    frame = parsed(frame_of(report))
    spans = [one for one in frame.iter("span") if "templ-s" in one.get("class", "").split()]
    document = read_document(record["html"].encode(), record["url"], content_type="text/html")
    shown = {one.get("id") for one in spans} - {None}
    assert shown == {f"templ-s{number}" for number in range(len(document.segments.texts))}
    assert all(one.get("title").startswith("#") for one in spans)
    [text] = [one for one in parsed(report).iter("pre") if one.get("class") == "text"]
    assert "".join(text.itertext()) == cleaned["text"]
    assert re.search(r"Tree template: \d+ of \d+ pages", html.unescape(report))


def test_clean_uses_what_a_state_directory_knows(templ, state, record, tmp_path):
    (tmp_path / "page.html").write_text(record["html"])
    given = (tmp_path / "page.html", "--url", record["url"], "--site", record["site"], "--json")
    assert json.loads(templ("clean", *given).stdout)["method"] == "page"
    before = {path: path.read_bytes() for path in state.rglob("*") if path.is_file()}
    assert json.loads(templ("clean", *given, "--state", state).stdout)["method"] == "site"
    assert {path: path.read_bytes() for path in state.rglob("*") if path.is_file()} == before


def test_a_page_of_the_window_is_shown_without_fetching_it(templ, state, record, tmp_path):
    out = tmp_path / "report.html"
    templ(
        "inspect", "page", record["url"], "--site", record["site"], "--state", state, "--out", out
    )
    report = out.read_text()
    assert "the document that the window keeps" in report
    assert "last published with" in report
    assert "templ-s0" in frame_of(report)


def test_a_page_without_a_site_is_shown(templ_process, tmp_path):
    page = (
        b"<title>One</title><p>The council met on Monday, and it said that the bridge stays open."
    )
    report = templ_process("inspect", "page", "-", "--out", "-", stdin=page).stdout.decode()
    assert "by the page alone" in report


def test_a_page_that_the_parser_reads_otherwise_is_shown_as_its_document():
    document = repeating_page(1)
    assert events_of_markup("<p>something else", document, {}) is None
