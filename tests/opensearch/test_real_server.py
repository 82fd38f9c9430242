"""`templ index --to opensearch` with a real OpenSearch server."""

import random

import pytest
from opensearchpy import OpenSearch

from schemas.codec import encode_json
from tests.kafka.broker import runner
from tests.kafka.stream import Stream, templ
from tests.kafka.test_index_command import produce
from tests.opensearch.server import Server
from tests.workers.builders import cleaned_text
from tests.workers.indexes.test_sqlite_index import deletion, text
from workers.errors import ServerProblem, StateProblem, UsageProblem
from workers.indexes.cleaned_index import LogPosition
from workers.indexes.opensearch_index import OpenSearchIndex
from workers.settings import load_settings

pytestmark = pytest.mark.kafka


@pytest.fixture(scope="module")
def server(pytestconfig, tmp_path_factory):
    if missing := runner.missing_tool():
        if pytestconfig.getoption("--require-kafka"):
            pytest.fail(f"{missing} is not installed", pytrace=False)
        pytest.skip(f"needs Java and Maven: {missing} is not installed")
    running = Server(tmp_path_factory.mktemp("opensearch"))
    yield running
    running.stop()


@pytest.fixture
def url(server, request):
    return f"{server.url}/{request.node.name[:60].lower()}"


def texts(url):
    """URL -> text of what an index finds."""
    address, _, name = url.rpartition("/")
    client = OpenSearch(hosts=[address])
    client.indices.refresh(index=name)
    match = client.search(index=name, size=1000, body={"query": {"term": {"is_deleted": False}}})
    client.close()
    return {one["_source"]["url"]: one["_source"]["text"] for one in match["hits"]["hits"]}


def apply(url, *records):
    with OpenSearchIndex(url, load_settings()) as index:
        with index.transaction():
            for record in records:
                index.apply(record)
        return index.counts, index.text_count()


def test_the_newest_text_counts_in_every_order_and_however_often(url):
    of_two = [
        [text("old", url=f"https://a/{page}", minute=1), text("new", url=f"https://a/{page}", minute=2),
         text("revised", url=f"https://a/{page}", minute=2, revision=1)]
        for page in (1, 2)
    ]  # fmt: skip
    gone = [text("was there", url="https://a/3"), deletion(url="https://a/3", minute=3)]
    records = [*of_two[0], *of_two[1], *gone]
    for seed in range(4):
        shuffled = random.Random(seed).choices(records, k=20) + records
        random.Random(seed).shuffle(shuffled)
        counts, count = apply(url, *shuffled)
        assert count == 2
    assert texts(url) == {"https://a/1": "revised", "https://a/2": "revised"}
    assert counts.written == 0
    assert counts.refused == 0


def test_a_deletion_without_a_time_always_applies(url):
    counts, count = apply(url, text("one", minute=5), deletion(), text("two", minute=6), deletion())
    assert (counts.written, counts.deleted, count) == (2, 2, 0)
    counts, count = apply(url, deletion(), text("timeless", minute=None), text("last", minute=None))
    assert (counts.unchanged, count) == (1, 1)
    assert set(texts(url).values()) == {"last"}


def test_near_duplicates_of_a_text_are_found_by_their_min_hashes(url):
    words = [f"word{number}" for number in range(80)]
    first = text(" ".join(words), url="https://a/1")
    apply(
        url,
        first,
        text(" ".join([*words[:70], "another", "end"]), url="https://a/2"),
        text(" ".join(reversed(words)), url="https://a/3"),
    )
    address, _, name = url.rpartition("/")
    client = OpenSearch(hosts=[address])
    client.indices.refresh(index=name)
    hits = client.search(index=name, body={"query": {"term": {"url": first.url}}})["hits"]["hits"]
    alike = [{"term": {"min_hashes": one}} for one in hits[0]["_source"]["min_hashes"]]
    query = {"bool": {"should": alike, "minimum_should_match": 4}}
    match = client.search(index=name, body={"query": query})["hits"]["hits"]
    client.close()
    assert {one["_source"]["url"] for one in match} == {"https://a/1", "https://a/2"}


def test_a_topic_is_read_once(url, kafka_broker, prefix, tmp_path):
    stream = Stream(kafka_broker, prefix, tmp_path)

    def named(page, words):
        record = cleaned_text("a", page, words)
        return record.url, encode_json(record)

    produce(stream, named(1, "one"), named(2, "two"))
    index = ("index", "--to", "opensearch", url, *stream.options)
    assert "2 texts written, 0 deleted, 0 unchanged" in templ(*index).stderr
    produce(stream, ("https://a/1", None), ("https://a/3", b"no record"))
    done = templ(*index).stderr
    assert "0 texts written, 1 deleted, 0 unchanged" in done
    assert done.count("is left out") == 1
    assert texts(url) == {"https://a/2": "two"}
    assert "0 texts written, 0 deleted, 0 unchanged" in templ(*index).stderr


def test_positions_are_kept_beside_the_texts(url):
    with OpenSearchIndex(url, load_settings()) as index:
        assert index.position("t", 3) == LogPosition()
        with index.transaction():
            index.move("t", 3, 7)
            index.mark("t", 3, b"mark")
        with pytest.raises(StateProblem, match="index of a new name"):
            index.begin_rereading("t", 3, 9)
    with OpenSearchIndex(url, load_settings()) as index:
        assert index.position("t", 3) == LogPosition(7, b"mark")


def test_addresses_that_are_no_index():
    for url in ("localhost:9200/a", "http://localhost:9200", "http://localhost:9200/a/b"):
        with pytest.raises(UsageProblem):
            OpenSearchIndex(url, load_settings())
    with pytest.raises(ServerProblem):
        OpenSearchIndex("http://127.0.0.1:9/a", load_settings())
