"""Experiments that replay sites page by page through the worker's own code."""

import msgspec

from workers.lab.experiments.replayed_sites import ReplayedPage, design_changes
from workers.lab.simulate.feed import FeedSettings, simulate_feed


def page(number, design):
    return ReplayedPage(
        site="a.com", number=number, design=design, finds_redesign=False, uses_site=True, f1=1.0,
        alone_f1=1.0,
    )  # fmt: skip


def test_a_redesign_begins_with_the_first_page_of_a_design_and_ends_before_the_next():
    site = [page(number, design) for number, design in enumerate("aaaababbbcc", 1)]
    first, second = design_changes(site)
    assert [one.number for one in first.before] == [1, 2, 3, 4]
    assert [one.number for one in first.after] == [5, 6, 7, 8, 9]
    assert [one.design for one in second.after] == ["c", "c"]
    assert list(design_changes(site[:4])) == []


def test_a_redesign_in_a_feed_is_detected(templ, tmp_path):
    feed = tmp_path / "feed.jsonl"
    settings = FeedSettings(genre="news", sites=1, pages=30, seed=3, redesign_day=14)
    lines = [msgspec.json.encode(one.record()) for one in simulate_feed(settings)]
    feed.write_bytes(b"\n".join(lines))
    options = ("--design-field", "design", "--time-field", "fetched_at")
    done = templ("experiments", "redesign", feed, *options)
    out = done.stdout.decode()
    assert "1 redesigns" in out
    assert "Found by the redesign detector: 1 of 1" in out


def test_new_site_finds_no_redesign_in_a_stable_feed(templ, feed, tmp_path):
    done = templ("experiments", "new-site", feed, "--time-field", "fetched_at", "--out", tmp_path)
    out = done.stdout.decode()
    assert "Redesigns detected: 0 on 3 sites" in out
    assert (tmp_path / "new-site.svg").is_file()
