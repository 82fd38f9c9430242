import pytest
from click.testing import CliRunner

from tests.workers.builders import write_lines
from workers.errors import InputProblem
from workers.lab.experiments.rss import feed_score, plain_text, read_pairs, rss

STORIES = [
    f"The {colour} council met on Monday, and it said that the {colour} bridge stays open until May. "
    f"Nobody in the {colour} town had thought that the repairs of the {colour} bridge would end so soon."
    for colour in ("red", "green", "blue")
]
MENU = "<nav><a href=/>Home</a> <a href=/news>News of the day</a> <a href=/sport>Sport and more</a></nav>"


def page(number, canonical=""):
    head = f"<title>Story {number}</title>"
    if canonical:
        head += f'<link rel="canonical" href="{canonical}">'
    return f"<html><head>{head}</head><body>{MENU}<h1>Story {number}</h1><p>{STORIES[number]}</p></body></html>"


def item(link, guid, number, *, whole=False):
    words = " ".join(STORIES[number].split()[:12])
    full = (
        f"<content:encoded>&lt;p&gt;{STORIES[number]}&lt;/p&gt;</content:encoded>" if whole else ""
    )
    names = f"<title>Story {number}</title><link>{link}</link><guid>{guid}</guid>"
    return f"<item>{names}<description>{words}</description>{full}</item>"


@pytest.fixture
def crawl(tmp_path):
    feed = (
        '<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>'
        + item("http://a.example/0?utm_source=rss", "x1", 0, whole=True)
        + item("http://short.example/1", "http://a.example/1", 1)
        + item("http://a.example/stories/2", "x2", 2)
        + item("http://a.example/not-crawled", "x3", 2)
        + item("http://[no-address/", "x4", 2)
        + "</channel></rss>"
    )
    answers = {
        "http://a.example/feed": feed,
        "http://a.example/0": page(0),
        "http://a.example/1": page(1),
        "http://a.example/print/2": page(2, canonical="http://a.example/stories/2"),
        "http://a.example/3": page(0),
    }
    records = ({"url": url, "html": html} for url, html in answers.items())
    return write_lines(tmp_path / "crawl.jsonl", records)


def test_entries_are_paired_by_link_guid_and_canonical_address(crawl):
    (pairs,) = read_pairs([crawl])
    assert [one.url for one in pairs] == [
        "http://a.example/0",
        "http://a.example/1",
        "http://a.example/print/2",
    ]
    assert [one.full_text for one in pairs] == [STORIES[0], "", ""]
    assert pairs[1].summary == " ".join(STORIES[1].split()[:12])
    assert "Sport and more" in pairs[0].texts["raw"]


def test_the_title_of_an_entry_is_not_judged(crawl):
    (pairs,) = read_pairs([crawl])
    assert not [one for one in pairs for text in one.texts.values() if "Story" in text]


def test_a_score_counts_words_that_are_missing_and_words_that_are_too_many():
    good, summary = STORIES[0], " ".join(STORIES[0].split()[:12])
    best = feed_score(good, good, summary, good)
    assert (best.summary_recall, best.f1, best.distance, best.kept) == (1, 1, 0, 1)
    cut = feed_score(" ".join(good.split()[6:]), good, summary, good)
    assert cut.summary_recall == pytest.approx(2 / 3)
    assert cut.f1 < 1
    more = feed_score(f"Home News {good}", good, summary, good)
    assert more.summary_recall == 1
    assert more.f1 < 1
    assert more.distance > 0
    assert feed_score(good, good, "too short", "").summary_recall is None


def test_a_summary_may_be_html():
    assert plain_text("a &lt; b<br/>c") == "a < b c"
    assert plain_text("") == ""


def test_the_command_has_a_row_for_each_site(crawl, tmp_path):
    done = CliRunner().invoke(rss, [str(crawl), "--out", str(tmp_path / "report")])
    assert done.exit_code == 0, done.output
    assert "3 pages of 1 sites" in done.output
    assert "a.example" in done.output
    assert "site level" in (tmp_path / "report" / "report.html").read_text()


def test_files_without_feeds_are_refused(tmp_path):
    path = write_lines(tmp_path / "pages.jsonl", [{"url": "http://a.example/", "html": page(0)}])
    done = CliRunner().invoke(rss, [str(path)])
    assert isinstance(done.exception, InputProblem)
