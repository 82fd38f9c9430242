"""Copies of pages that other sites published before, on a real broker with two workers."""

import json
import random

import pytest

from schemas.codec import decode_output
from schemas.topics import CLEANED, FINGERPRINTS, SITE_EVENTS
from tests.kafka.stream import templ, wait_until
from workers.state.content_index import ContentIndex

pytestmark = pytest.mark.timeout(400)

FIRST, COPY, LATE = "first.example", "copy.example", "late.example"


def story(number):
    rng = random.Random(number)
    words = ["".join(rng.choices("abcdefghijklmnop", k=6)) for _ in range(120)]
    return "".join(f"<p>{' '.join(words[start : start + 40])}." for start in range(0, 120, 40))


def feed(stream, path, site, numbers, **fields):
    pages = [
        {
            "url": f"https://{site}/{number}",
            "html": f"<ul><li>Home of {site}<li>All of {site}</ul><div>{story(number)}</div>",
            "fetched_at": f"2026-01-{1 + number // 24:02}T{number % 24:02}:00:00Z",
            **fields,
        }
        for number in numbers
    ]
    path.write_text("".join(json.dumps(one) + "\n" for one in pages))
    stream.feed(path)


def named(stream, site):
    """The pages that the newest records of a site name, by URL; None for a tombstone."""
    newest = {one.key.decode(): one.value for one in stream.records(CLEANED)}
    found = {url: value and decode_output(value) for url, value in newest.items()}
    return {
        url: one and (one.duplicate_of or None)
        for url, one in found.items()
        if url.startswith(f"https://{site}/")
    }


def known(stream):
    """The sites of which `fingerprints` has contents."""
    newest = {one.key: one.value for one in stream.records(FINGERPRINTS)}
    return {key.partition(b"\0")[0].decode() for key, value in newest.items() if value}


def test_copies_are_named_over_all_workers_until_the_first_site_is_taken_down(stream, tmp_path):
    settings = {"TEMPL_DUPLICATES": "true", "TEMPL_SITE_EVENTS": "true"}
    for name in ("one", "two"):
        stream.start(name, **settings)
    feed(stream, tmp_path / "first.jsonl", FIRST, range(30))
    wait_until(lambda: len(named(stream, FIRST)) == 30, stream._logs)
    wait_until(
        lambda: len({one.key for one in stream.records(FINGERPRINTS)}) == 30,
        lambda: (
            f"{sorted(named(stream, FIRST))}\n{[(r.key, r.value, r.partition) for r in stream.records(FINGERPRINTS)]}\n"
        ),
    )
    feed(stream, tmp_path / "own.jsonl", "own.example", range(100, 105))
    wait_until(lambda: len(named(stream, "own.example")) == 5, stream._logs)
    feed(stream, tmp_path / "copy.jsonl", COPY, range(30))
    wait_until(lambda: len(named(stream, COPY)) == 30, stream._logs)
    copies = named(stream, COPY)
    right = [url for url, one in copies.items() if one == url.replace(COPY, FIRST)]
    assert len(right) >= 28
    assert not any([*named(stream, FIRST).values(), *named(stream, "own.example").values()])
    wait_until(lambda: stream.records(SITE_EVENTS), stream._logs)
    events = [json.loads(one.value) for one in stream.records(SITE_EVENTS)]
    told = {(one["site"], one["event"], one["after"]) for one in events}
    assert told == {(COPY, "content-copied", FIRST)}
    stream.wait_until_settled()
    assert known(stream) >= {FIRST, "own.example"}

    templ("site", "forget", FIRST, *stream.options, "--yes")
    assert known(stream).isdisjoint({FIRST})
    wait_until(
        lambda: all("was taken down and erased" in stream.log(name) for name in ("one", "two")),
        stream._logs,
    )
    feed(stream, tmp_path / "late.jsonl", LATE, range(30))
    wait_until(lambda: len(named(stream, LATE)) == 30, stream._logs)
    assert not any(
        (one or "").startswith(f"https://{FIRST}/") for one in named(stream, LATE).values()
    )
    for name in ("one", "two"):
        assert stream.stop(name) == 0
        index = ContentIndex(stream.state(name) / "cleaner" / "contents", 1000)
        sites = {one.site for one in index.pages()}
        index.close()
        assert FIRST not in sites
        assert "own.example" in sites
