"""The refresher on a real broker: revisions, and stores that cannot go on where they were."""

import json
import shutil
import time
import urllib.request
from collections import Counter
from itertools import pairwise

import msgspec
import pytest

from schemas.codec import decode_document_record, decode_output, encode_msgpack
from schemas.document import document_key
from schemas.source import Source
from schemas.topics import CLEANED, DOCUMENTS
from tests.kafka.stream import PARTITIONS, local_run, wait_until, write_feed
from tests.kafka.test_monitoring import free_ports
from workers.kafka.broker.partitioning import partition_of
from workers.settings import load_settings
from workers.state.directory import StateDirectory
from workers.state.window_store import WindowStore

pytestmark = pytest.mark.timeout(400)
TWO_DAYS_MS = 2 * 24 * 3600 * 1000


def metrics_at(port):
    """Name with labels -> value."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        lines = answer.read().decode().splitlines()
    pairs = (line.rpartition(" ") for line in lines if not line.startswith("#"))
    return {name: float(value) for name, _, value in pairs}


@pytest.mark.parametrize("revisions", ["true", "false"])
def test_an_older_fetch_that_is_sent_again_is_not_the_last_text_of_its_url(
    stream, tmp_path, revisions
):
    def page(hour, text):
        time = f"2026-01-02T{hour:02}:00:00Z"
        return {"url": "https://a.example/1", "html": text * 9, "fetched_at": time, "id": str(hour)}

    older, newer = page(1, "<p>Words of the first fetch. "), page(2, "<p>Those of the second. ")
    feed = tmp_path / "feed.jsonl"
    feed.write_text("".join(json.dumps(one) + "\n" for one in (older, newer, older)))
    stream.feed(feed)
    stream.start(TEMPL_REVISIONS=revisions)
    stream.wait_until_settled()

    def outputs():
        records = [one for one in stream.records(CLEANED) if one.key == b"https://a.example/1"]
        return [decode_output(one.value) for one in sorted(records, key=lambda one: one.offset)]

    wait_until(lambda: outputs()[-1].id == "2", stream.log)
    last = outputs()[-1]
    assert last.text.startswith("Those of the second.")
    assert last.revision_reason == "superseded"

    # A store that is built from the topic cannot know whether that was done.
    stream.stop()
    shutil.rmtree(stream.state("one"))
    known = len(outputs())
    stream.start(TEMPL_REVISIONS=revisions)
    wait_until(lambda: len(outputs()) > known, stream.log)
    again = outputs()[-1]
    assert (again.id, again.text) == (last.id, last.text)


def test_texts_are_published_again_and_the_topics_tell_the_same(stream, tmp_path):
    feed = write_feed(tmp_path / "feed.jsonl", pages=60, sites=2)
    stream.feed(feed)
    port = free_ports()
    stream.start(TEMPL_METRICS_PORT=str(port))
    stream.wait_until_settled()
    wait_until(lambda: any(len(some) > 1 for some in stream.outputs().values()), stream.log)
    stream.wait_until_learned()
    pages, sites = metrics_at(port), metrics_at(port + 1)
    cleaned = [f'templ_pages_total{{method="{one}",outcome="cleaned"}}' for one in ("page", "site")]
    assert sum(pages.get(one, 0) for one in cleaned) == pages["templ_page_seconds_count"] == 60
    assert pages["templ_site_models_read_total"] > 0
    assert sites["templ_window_sites"] == 2
    assert sites["templ_refits_total"] >= 2
    assert any(name.startswith("templ_revisions_total{reason=") for name in sites)
    assert stream.stop() == 0
    last = {}
    for source, records in stream.outputs().items():
        assert [one.revision for one in records] == list(range(len(records)))
        assert len(records) <= 3
        assert all(one.text != other.text for one, other in pairwise(records))
        assert all(one.revision_reason for one in records[1:])
        last[source] = records[-1]
    kept = {record.key: record for record in stream.records(DOCUMENTS)}
    documents = [decode_document_record(record.value) for record in kept.values() if record.value]
    said = {one.source: (one.revision, one.site_model_version) for one in documents}
    assert said
    assert said == {
        source: (last[source].revision, last[source].site_model_version) for source in said
    }
    keys = Counter(record.key for record in stream.records(CLEANED))
    assert set(keys) == {one.url.encode() for one in last.values()}
    _, undisturbed = local_run([feed], tmp_path)
    assert stream.windows("one") == undisturbed


def test_a_store_left_behind_for_days_is_recreated(stream, tmp_path):
    """Null values that it never read may be gone from the topic by now."""
    feed = write_feed(tmp_path / "feed.jsonl", pages=8, sites=1)
    local_run([feed], tmp_path)
    local = WindowStore(tmp_path / "local" / "windows-0", load_settings())
    ((site, _),) = local.sites()
    documents = list(local.window(site))
    learned = local.page_of(document_key(site, documents[0].source)).summary
    local.close()
    number = partition_of(site, PARTITIONS)
    ghost = msgspec.structs.replace(
        documents[0], source=Source("pages", 0, 999), url="https://a.com/ghost", id="ghost"
    )
    state = stream.state("one") / "refresher"
    StateDirectory.open(state, PARTITIONS).close()
    store = WindowStore(state / f"windows-{number}", load_settings())
    store.enter(ghost, learned, 0)
    store.close()

    place = {"partition": number, "timestamp_ms": int(time.time() * 1000) - TWO_DAYS_MS}
    records = (
        {"value": encode_msgpack(one), "key": document_key(one.site, one.source), **place}
        for one in documents
    )
    stream.send(DOCUMENTS, *records)
    stream.start("one")
    stream.wait_until_learned()
    assert stream.stop("one") == 0
    assert "are rebuilt: deletions may be gone by now" in stream.log()
    store = WindowStore(state / f"windows-{number}", load_settings())
    assert [one.id for one in store.window(site)] == [one.id for one in documents]
    store.close()
