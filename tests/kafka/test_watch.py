"""A watcher beside workers on a real broker: changes, copies and events, through kills, losses and take-downs."""

import base64
import json
import random
import shutil
import signal

import pytest

from schemas.codec import decode_output
from schemas.topics import CLEANED, FINGERPRINTS, PAGE_CHANGES, PAGE_COPIES, SITE_EVENTS
from tests.kafka.stream import templ, wait_until
from workers.settings import Settings
from workers.state.content_index import ContentIndex
from workers.watcher.watch import Watch
from workers.watcher.watch_store import WatchStore

pytestmark = pytest.mark.timeout(400)

WATCHED_TOPICS = (PAGE_CHANGES, PAGE_COPIES, SITE_EVENTS)
FIRST, COPY = "first.example", "copy.example"
OBSERVED = {"TEMPL_OBSERVED": "true", "TEMPL_REVISIONS": "false"}


def time(number):
    return f"2026-01-{1 + number // 24:02}T{number % 24:02}:00:00Z"


def article(number, charset="utf-8", *, url=None, event="It says that."):
    story = f"<p>Article {number} says this of {number * 7}. {event} " * 5
    html = f"<h1>Article {number}</h1><div>{story}</div>".encode(charset)
    return {
        "url": url or f"https://a.example/{number}",
        "html_base64": base64.b64encode(html).decode(),
        "content_type": f"text/html; charset={charset}",
        "fetched_at": time(number),
    }


def story(site, number):
    rng = random.Random(number)
    words = ["".join(rng.choices("abcdefghijklmnop", k=6)) for _ in range(120)]
    text = "".join(f"<p>{' '.join(words[start : start + 40])}." for start in range(0, 120, 40))
    html = f"<ul><li>Home of {site}<li>All of {site}</ul><div>{text}</div>"
    return {"url": f"https://{site}/{number}", "html": html, "fetched_at": time(number)}


PAGES = [
    *(article(number, "utf-8" if number < 15 else "utf-16") for number in range(30)),
    article(40, url="https://a.example/0", event="It says no more."),
    *(story(FIRST, number) for number in range(30)),
]
COPIES = [story(COPY, number) for number in range(30)]
LATER = [article(41, url="https://a.example/1", event="It says no word.")]


def feed(stream, path, pages):
    path.write_text("".join(json.dumps(one) + "\n" for one in pages))
    stream.feed(path)


def live(stream, topic):
    """The values under the keys of a topic that a null value has not removed."""
    newest = {one.key.decode(): one.value for one in stream.records(topic)}
    return {key: json.loads(value) for key, value in newest.items() if value}


def of_watchers(stream, *names):
    """The sites that stopped watchers remember."""
    sites = set()
    for name in names:
        for path in (stream.state(name) / "watcher").glob("watched-*"):
            store = WatchStore(path, Settings().window)
            sites |= {site for site, _ in store.sites()}
            store.close()
        index = ContentIndex(stream.state(name) / "watcher" / "contents", 1000)
        sites |= {one.site for one in index.pages()}
        index.close()
    return sites


def clean_all(stream, tmp_path):
    """Feed and clean the pages of all sites, copies after the originals."""
    stream.start("worker", **OBSERVED)
    for number, pages in enumerate((PAGES, COPIES, LATER)):
        feed(stream, tmp_path / f"{number}.jsonl", pages)
        stream.wait_until_settled()


def copies_in_order(stream):
    """The copies and their originals as one watch says that reads `cleaned` in the order of publication."""
    store, copies = WatchStore(None, Settings().window), {}
    watch = Watch(store, ContentIndex(None, 1000))
    by_time = sorted(stream.records(CLEANED), key=lambda one: (one.timestamp, one.offset))
    for record in by_time:
        noticed, change = watch.take(decode_output(record.value), record.timestamp)
        store.apply(change)
        copies[record.key.decode()] = noticed.original
    return {url: original.url for url, original in copies.items() if original is not None}


def wait_for_copies(stream):
    """Wait until the topic says what it should, which needs all fingerprints to be read."""
    wanted = copies_in_order(stream)
    assert len(wanted) >= 28
    assert all(original == url.replace(COPY, FIRST) for url, original in wanted.items())
    wait_until(
        lambda: (
            {url: one["duplicate_of"] for url, one in live(stream, PAGE_COPIES).items()} == wanted
        ),
        stream._logs,
    )


def test_what_changes_and_what_is_copied_is_told_until_a_site_is_taken_down(stream, tmp_path):
    for name in ("one", "two"):
        stream.start(name, command="watch")
    clean_all(stream, tmp_path)
    stream.wait_until_lag("watcher", CLEANED, 0)
    wait_for_copies(stream)
    changes = live(stream, PAGE_CHANGES)
    assert changes.keys() == {"https://a.example/0", "https://a.example/1"}
    again = changes["https://a.example/0"]
    assert (again["schema"], again["site"], again["fetched_at"]) == (
        "page-change/1",
        "a.example",
        time(40),
    )
    assert again["changes"]["since"] == time(0)
    assert "It says no more." in again["changes"]["added"]
    assert {one["duplicate_of_site"] for one in live(stream, PAGE_COPIES).values()} == {FIRST}
    events = [json.loads(one.value) for one in stream.records(SITE_EVENTS)]
    assert {(one["site"], one["event"]) for one in events} == {
        ("a.example", "charset-changed"),
        (COPY, "content-copied"),
    }
    records = [decode_output(one.value) for one in stream.records(CLEANED)]
    assert {one.schema for one in records} == {"cleaned/3"}

    for site in (FIRST, "a.example"):
        templ("site", "forget", site, *stream.options, "--yes")
    for topic in (*WATCHED_TOPICS, FINGERPRINTS, CLEANED):
        assert not [key for key in live_keys(stream, topic) if FIRST in key or "a.example" in key]
    wait_until(
        lambda: any("was taken down and erased" in stream.log(name) for name in ("one", "two")),
        stream._logs,
    )
    for name in ("one", "two"):  # what a watcher has missed it erases at its start
        assert stream.stop(name) == 0
        said = stream.log(name).count('"event":"ready: ')
        stream.start(name, command="watch")
        wait_until(
            lambda name=name, said=said: stream.log(name).count('"event":"ready: ') > said,
            stream._logs,
        )
    # The pages that copied it are originals now.
    wait_until(lambda: not live(stream, PAGE_COPIES), stream._logs)
    for name in ("one", "two"):
        assert stream.stop(name) == 0
    assert of_watchers(stream, "one", "two") == {COPY}


def live_keys(stream, topic):
    newest = {one.key.decode(): one.value for one in stream.records(topic)}
    return [key for key, value in newest.items() if value]


@pytest.mark.usefixtures("whole_processes")
def test_a_watcher_that_is_killed_or_loses_its_store_tells_all_once_more_at_most(stream, tmp_path):
    clean_all(stream, tmp_path)
    stream.start("calm", command="watch")  # whichever partition it reads first
    stream.wait_until_lag("watcher", CLEANED, 0)
    wait_for_copies(stream)
    assert stream.stop("calm") == 0
    counts = {topic: len(stream.records(topic)) for topic in (PAGE_CHANGES, SITE_EVENTS)}
    assert all(counts.values())

    # A store that is lost begins at what the topic has, and repeats no change and no event.
    shutil.rmtree(stream.state("calm"))
    stream.start("calm", command="watch")
    wait_until(
        lambda: "nothing is reported about the records before" in stream.log("calm"), stream._logs
    )
    stream.wait_until_lag("watcher", CLEANED, 0)
    feed(stream, tmp_path / "last.jsonl", [article(50, url="https://a.example/2", event="New.")])
    wait_until(lambda: "https://a.example/2" in live(stream, PAGE_CHANGES), stream._logs)
    assert {topic: len(stream.records(topic)) for topic in counts} == {
        **counts, PAGE_CHANGES: counts[PAGE_CHANGES] + 1,
    }  # fmt: skip
    wait_for_copies(stream)
    for number in range(51, 54):
        stream.stop("calm", how=signal.SIGKILL)
        page = article(number, url="https://a.example/2", event=f"Newer than {number}.")
        feed(stream, tmp_path / f"{number}.jsonl", [page])
        stream.start("calm", command="watch")
        wait_until(
            lambda page=page: (
                live(stream, PAGE_CHANGES)["https://a.example/2"]["fetched_at"]
                == page["fetched_at"]
            ),
            stream._logs,
        )
    stream.stop("calm")
