"""A running worker and its topics are looked at, and nothing of it changes."""

import json

from templ_core.site_key import site_key
from tests.kafka.stream import templ, write_feed


def site_of(feed):
    return site_key(json.loads(feed.read_text().splitlines()[0])["url"])


def test_state_and_topics_of_a_running_worker_show_the_same_site(stream, tmp_path):
    feed = tmp_path / "feed.jsonl"
    write_feed(feed, 60, sites=2)
    stream.feed(feed)
    stream.start()
    stream.wait_until_settled()
    site = site_of(feed)
    models = {}
    for name, source in (
        ("state", ("--state", stream.state())),
        ("topics", stream.options),
    ):
        folder = tmp_path / name
        templ("site", "export", site, *source, "--out", folder)
        models[name] = json.loads((folder / "expressions.json").read_text())
        templ("inspect", "site", site, *source, "--out", tmp_path / f"{name}.html")
        assert "Learning curve" in (tmp_path / f"{name}.html").read_text()
    assert models["state"]["unequal_urls"] == models["topics"]["unequal_urls"] == []
    assert models["state"]["site"] == models["topics"]["site"] == site
    assert models["topics"]["pages"] > 3
    assert stream.running() == ["one"]
    assert stream.stop() == 0


def test_a_site_that_is_in_no_topic_is_one_line(stream, tmp_path):
    done = templ(
        "site", "export", "nowhere.example", *stream.options, "--out", tmp_path / "x", expect=66
    )
    assert "hold no site nowhere.example" in str(done)
