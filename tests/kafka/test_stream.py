"""The whole stream on a real broker: nothing lost, nothing doubled, the same answers as on files."""

import json
import shutil
import signal
from collections import Counter
from random import Random

import pytest

from schemas.topics import DEAD_LETTERS, DOCUMENTS, PAGES, SITE_MODELS
from tests.kafka.stream import (
    PARTITIONS,
    WAIT_S,
    halves,
    local_run,
    templ,
    wait_until,
    write_feed,
)
from tests.workers.builders import write_lines

pytestmark = pytest.mark.timeout(400)

GOOD = "<title>t</title><body><p>" + "A sentence of some words, and then some more. " * 20


@pytest.mark.usefixtures("whole_processes")
def test_two_workers_give_the_answers_of_a_run_on_files(stream, tmp_path):
    parts = halves(write_feed(tmp_path / "feed.jsonl", pages=240))
    local, local_windows = local_run(parts, tmp_path)
    own_models = {"TEMPL_OWN_MODELS": "true"}
    stream.start("one", **own_models)
    stream.start("two", **own_models)
    for part in parts:
        stream.feed(part)
        stream.wait_until_settled()
        known = {stream.instance(name, "cleaner") for name in ("one", "two")}
        wait_until(lambda known=known: stream.members("cleaner") == known, lambda: "other members")
        assert stream.stop("one") == 0
        if part is parts[0]:
            stream.start("one", **own_models)
    assert stream.stop("two") == 0
    assert "all site models are kept" not in stream.log("one") + stream.log("two")
    outputs = {records[0].id: records for records in stream.outputs().values()}
    assert set(outputs) == {record.id for record in local}
    assert stream.windows("one", "two") == local_windows
    agreeing = [
        (record, outputs[record.id][0])
        for record in local
        if outputs[record.id][0].site_model_version == record.site_model_version
    ]
    assert all(one.text == other.text for one, other in agreeing)
    assert agreeing
    later = [outputs[record.id][0] for record in local[len(local) // 2 :]]
    assert all(one.site_model_version for one in later)
    assert sum(one.method == "site" for one in later) > len(later) / 2


BOUNDS = {"TEMPL_WINDOW_BYTES_MAX": str(1 << 20), "TEMPL_WINDOW_NEWEST_PAGES": "1000"}
"""A window with room for about a hundred of the pages below, whatever their day."""


def pages_of_one_time(path):
    """A thousand pages of five sites, all fetched at one time, with some 10 kB of text each."""
    lines = write_feed(path, pages=1000, sites=5).read_bytes().splitlines()
    for number, record in enumerate(map(json.loads, lines)):
        words = Random(number).choices(range(5000), k=1200)
        long = f"<p>{' '.join(f'word{one}' for one in words)}.</p></body>"
        html = record["html"].replace("</body>", long)
        yield record | {"fetched_at": "2026-01-05T00:00:00Z", "html": html}


@pytest.mark.timeout(900)
def test_a_byte_bound_binds_alike_on_a_broker_and_on_files(stream, tmp_path):
    pages = list(pages_of_one_time(tmp_path / "small.jsonl"))
    parts = [
        write_lines(tmp_path / f"from-{first}.jsonl", pages[first : first + 250])
        for first in range(0, len(pages), 250)
    ]
    local, local_windows = local_run(parts, tmp_path, **BOUNDS)
    stream.start(**BOUNDS)
    for part in parts:
        stream.feed(part)
        stream.wait_until_settled()
    assert stream.stop() == 0
    assert stream.windows("one", **BOUNDS) == local_windows
    sizes = sorted(len(window) for window, _ in local_windows.values())
    assert 50 < sizes[0] <= sizes[-1] < 150
    outputs = {records[0].id: records[0] for records in stream.outputs().values()}
    assert outputs.keys() == {one.id for one in local}
    pairs = [(one, outputs[one.id]) for one in local]
    of_one_model = [pair for pair in pairs if len({one.site_model_version for one in pair}) == 1]
    assert of_one_model
    assert [one.id for one, other in of_one_model if one.text != other.text] == []


def test_keys_partitions_and_headers_are_those_of_the_contract(stream, tmp_path):
    from workers.kafka.broker.partitioning import partition_of

    stream.feed(write_feed(tmp_path / "feed.jsonl", pages=30))
    stream.start()
    stream.finish()
    for record in stream.records("cleaned"):
        cleaned = json.loads(record.value)
        assert record.key.decode() == cleaned["url"]
        assert record.partition == partition_of(cleaned["site"], PARTITIONS)
        source = cleaned["source"]
        source_id = "-".join(str(source[name]) for name in ("topic", "partition", "offset"))
        assert dict(record.headers)["source.id"].decode() == source_id
    for record in [*stream.records(DOCUMENTS), *stream.records(SITE_MODELS)]:
        site = record.key.partition(b"\0")[0].decode()
        assert record.partition == partition_of(site, PARTITIONS)


@pytest.mark.usefixtures("whole_processes")
@pytest.mark.parametrize("is_late", [False, True], ids=["while it is fed", "of a backlog"])
def test_nothing_is_lost_when_a_worker_is_killed(stream, tmp_path, is_late):
    feed = write_feed(tmp_path / "feed.jsonl", pages=240, sites=12 if is_late else 6)
    _, undisturbed = local_run([feed], tmp_path)
    batch = {"TEMPL_BATCH_PAGES": "32" if is_late else "8"}
    if not is_late:
        stream.start(**batch)
    stream.feed(feed)
    if is_late:
        stream.start(**batch)
    for share in (0.1, 0.4, 0.7):
        stream.wait_until_lag("cleaner", PAGES, round((1 - share) * 240))
        stream.stop(how=signal.SIGKILL)
        stream.start(**batch)
    stream.finish()
    outputs = stream.outputs()
    assert {str(source) for source in outputs} == stream.sent()
    assert stream.last_sources() == stream.newest_fetches()
    for records in outputs.values():
        texts = {(one.revision, one.site_model_version): one.text for one in records}
        assert all(one.text == texts[one.revision, one.site_model_version] for one in records)
    assert stream.windows("one") == undisturbed


def test_nothing_is_lost_when_a_worker_is_stopped_in_mid_batch(stream, tmp_path):
    entered = tmp_path / "entered"
    bodies = [GOOD] * 6 + [GOOD + f"POISON-STOP {entered}<"] + [GOOD] * 20
    lines = [
        json.dumps({"url": f"https://example.com/{number}", "html": body})
        for number, body in enumerate(bodies)
    ]
    (tmp_path / "feed.jsonl").write_text("\n".join(lines))
    stream.feed(tmp_path / "feed.jsonl")
    module = {"TEMPL_CHILD_MODULE": "tests.workers.poison_child", "TEMPL_PAGE_DEADLINE_S": "4"}
    stream.start("one", **module)
    wait_until(entered.exists, lambda: stream.log("one"))
    assert stream.stop("one") == 0
    assert len(stream.answered()) < len(bodies)
    stream.start("one", **module)
    stream.finish("one")


def test_a_deleted_state_is_rebuilt_from_documents(stream, tmp_path):
    feed = write_feed(tmp_path / "feed.jsonl", pages=80)
    stream.start("one")
    stream.feed(feed)
    stream.finish("one")
    shutil.rmtree(stream.state("one"))
    later = write_feed(tmp_path / "later.jsonl", pages=100)
    tail = later.read_bytes().splitlines(keepends=True)[80:]
    later.write_bytes(b"".join(tail))
    stream.start("one")
    stream.feed(later)
    stream.finish("one")
    _, undisturbed = local_run([feed, later], tmp_path)
    assert stream.windows("one") == undisturbed
    newest = [one for one in stream.outputs().values() if one[0].id.startswith("later")]
    assert all(records[0].site_model_version for records in newest)


def test_windows_of_a_topic_that_was_recreated_are_rebuilt(stream, tmp_path):
    stream.start("one")
    stream.feed(write_feed(tmp_path / "first.jsonl", pages=40))
    stream.finish("one")

    stream.delete(DOCUMENTS)
    assert "no such topic" in templ("topics", "check", *stream.options, expect=78).stderr
    stream.create_topics()
    second = write_feed(tmp_path / "second.jsonl", pages=12, seed=5)
    stream.start("one")
    stream.feed(second)
    stream.wait_until_answered()
    wait_until(lambda: len(stream.records(DOCUMENTS)) == 12, lambda: stream.log("one"))
    stream.wait_until_learned()
    assert stream.stop("one") == 0
    _, undisturbed = local_run([second], tmp_path)
    assert stream.windows("one") == undisturbed


def test_each_poison_page_has_its_outcome_and_the_others_are_cleaned(stream, tmp_path):
    bodies = {
        "good-1": GOOD,
        "raises": GOOD + "POISON-RAISE",
        "good-2": GOOD,
        "hangs": GOOD + "POISON-HANG",
        "kills": GOOD + "POISON-KILL",
        "memory": GOOD + "POISON-MEMORY",
        "good-3": GOOD,
        "empty": "",
        "pdf": "%PDF-1.7 \x01\x02 stream",
    }
    lines = [
        json.dumps({"url": f"https://example.com/{name}", "id": name, "html": body})
        for name, body in bodies.items()
    ]
    (tmp_path / "poison.jsonl").write_text("\n".join(lines))
    stream.feed(tmp_path / "poison.jsonl")
    stream.feed(_null_page(tmp_path))
    stream.start(
        TEMPL_CHILD_MODULE="tests.workers.poison_child",
        TEMPL_PAGE_DEADLINE_S="3",
        TEMPL_CHILD_MEMORY_BYTES=str(1 << 30),
    )
    stream.wait_until_answered(2 * WAIT_S)  # three pages are tried again in new processes
    assert stream.stop() == 0
    letters = {
        headers["id"]: (headers["__streams.errors.exception"], headers["templ.stage"])
        for headers, _ in stream.dead_letters().values()
    }
    assert letters == {
        "raises": ("ValueError", "clean"),
        "hangs": ("DeadlineExceeded", "clean"),
        "kills": ("ProcessDied", "clean"),
        "memory": ("OutOfMemory", "clean"),
        "empty": ("EmptyPage", "decode"),
        "pdf": ("UnsupportedContent", "decode"),
    }
    values = {headers["id"]: value for headers, value in stream.dead_letters().values()}
    assert all(values[name] == bodies[name].encode() for name in values)
    cleaned = {records[0].id for records in stream.outputs().values()}
    assert cleaned == {"good-1", "good-2", "good-3"}
    tombstones = [one.key for one in stream.records("cleaned") if one.value is None]
    assert tombstones == [b"https://example.com/gone"]


def _null_page(tmp_path):
    path = tmp_path / "gone.jsonl"
    path.write_text(json.dumps({"url": "https://example.com/gone", "status": 410}))
    return path


def test_records_without_a_url_and_json_records_are_told_apart(stream):
    values = [
        (b"<p>no url", []),
        (json.dumps({"url": "https://a.com/1", "html": GOOD, "id": "json"}).encode(), []),
        (json.dumps({"url": "https://a.com/2", "body": GOOD, "status_code": 200}).encode(), []),
        (GOOD.encode(), [("ce_subject", b"https://a.com/3"), ("ce_id", b"event")]),
        (b"{broken", []),
    ]

    stream.send(PAGES, *({"value": value, "headers": headers} for value, headers in values))
    stream.start()
    stream.finish()
    urls = sorted(records[0].url for records in stream.outputs().values())
    assert urls == ["https://a.com/1", "https://a.com/2", "https://a.com/3"]
    reasons = Counter(h["__streams.errors.exception"] for h, _ in stream.dead_letters().values())
    assert reasons == {"MissingUrl": 1, "InvalidRecord": 1}


def test_no_message_stops_the_stream(stream):
    """What no well-behaved crawler sends: each has an outcome, and the pages behind it too."""
    url = ("url", b"https://a.com/1")
    messages = {
        "FieldTooLong": [
            (GOOD.encode(), [("url", b"https://a.com/" + b"x" * 5_000_000)]),
            (GOOD.encode(), [url, ("site", b"s" * 5_000_000)]),
        ],
        "MissingUrl": [(b"x", [("x", None), ("x", b"1"), ("x", b"2")]), (b"x", [("url", b" ")])],
        "UnsupportedContent": [(b"%PDF-1.7 " + b"\x00\xff" * 6_000_000, [url])],
        None: [
            (GOOD.encode(), [url, ("site", b"a.com\0b"), ("id", b"\xff\xfe")]),
            (b"<title>" + b"word " * 1_900_000 + b"</title><p>" + GOOD.encode(), [url]),
            (b'{"url":"https://b.com/","html":"<p>x","content_type":"\\ud800"}', []),
        ],
    }

    pages = [
        {"value": value, "headers": headers, "partition": 0}
        for some in messages.values()
        for value, headers in some
    ]
    stream.send(PAGES, *pages, compression_type="zstd", max_request_size=1 << 25)
    stream.start(TEMPL_BATCH_BYTES=str(1 << 20), TEMPL_OWN_MODELS="true")
    stream.finish()
    assert "to be started again" not in stream.log()
    assert stream.log().count("all site models are kept from now on; key pages by site") == 1
    reasons = Counter(h["__streams.errors.exception"] for h, _ in stream.dead_letters().values())
    assert reasons == {name: len(some) for name, some in messages.items() if name}
    assert {one[0].site for one in stream.outputs().values()} == {"a.comb", "a.com", "b.com"}
    letters = [one for one in stream.records(DEAD_LETTERS) if dict(one.headers).get("x")]
    assert [value for name, value in letters[0].headers if name == "x"] == [None, b"1", b"2"]


def test_a_page_too_large_for_kafka_is_refused_by_the_feed_and_kept(stream, tmp_path):
    lines = [
        json.dumps({"url": "https://a.com/big", "html": "<p>" + "word " * 2_100_000}),
        json.dumps({"url": "https://a.com/small", "html": GOOD}),
    ]
    (tmp_path / "big.jsonl").write_text("\n".join(lines))
    letters = tmp_path / "refused.jsonl"
    done = templ(
        "feed", tmp_path / "big.jsonl", *stream.options, "--dead-letters", letters, expect=1
    )
    assert "a Kafka message holds 8388608" in done.stderr
    assert "1 page sent, 1 refused" in done.stderr
    assert json.loads(letters.read_bytes())["url"] == "https://a.com/big"
    assert len(stream.sent()) == 1


@pytest.mark.usefixtures("whole_processes")
def test_mistakes_are_one_line_and_an_exit_code(stream, tmp_path):
    state = ("--state", tmp_path / "state")
    done = templ("worker", "--broker", "127.0.0.1:1", *state, "--role", "cleaner", expect=69)
    assert done.stderr.count("\n") == 1
    done = templ("worker", *stream.options, *state, "--role", "nonsense", expect=2)
    assert "nonsense" in done.stderr
    missing = ("--broker", stream.address, "--prefix", "nothing-here.")
    done = templ("worker", *missing, *state, expect=78)
    assert "templ topics create" in done.stderr
    lines = done.stderr.splitlines()
    assert len(lines) == len({*lines})
    done = templ("feed", "/nonexistent.jsonl", *stream.options, expect=66)
    assert done.stderr.count("\n") == 1
    done = templ("worker", *stream.options, *state, expect=78, TEMPL_BATCH_PAGES="many")
    assert "TEMPL_BATCH_PAGES" in done.stderr


def test_a_state_directory_in_use_ends_the_second_worker(stream, tmp_path):
    stream.start("one")
    stream.feed(write_feed(tmp_path / "feed.jsonl", pages=4))
    stream.wait_until_answered()
    done = templ("worker", *stream.options, "--state", stream.state("one"), expect=73)
    assert "in use by another process" in done.stderr
    assert stream.stop("one") == 0


def test_what_a_run_on_files_has_learned_seeds_a_broker(stream, tmp_path):
    first, second = halves(write_feed(tmp_path / "feed.jsonl", pages=160, sites=3))
    templ("run", first, "--out", tmp_path / "first.out", "--state", tmp_path / "archive")
    templ("seed", tmp_path / "archive", *stream.options)
    stream.start("one")
    stream.feed(second)
    stream.finish("one")
    assert all(records[0].site_model_version for records in stream.outputs().values())
    _, undisturbed = local_run([first, second], tmp_path)
    assert stream.windows("one") == undisturbed
    done = templ("seed", tmp_path / "one", *stream.options, expect=73)
    assert "not a state directory of `templ run`" in done.stderr
